//! Prevents firing loops by hooks that write their own files.
//!
//! The system does not say which process has written a file. A change beside a script while a hook runs, or just
//! after, is attributed to the hook. A script or a settings file may have been saved by its author at that moment,
//! so its change counts. But a hook that writes the file changes it after the same interval in every round. After a
//! few such changes nothing is fired, and the file is observed: if it changes again, its author is at work, and it
//! counts again. If it does not, it is fired once more, and a change in response proves that the hook writes it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{PINS, Session};
use crate::session::job::Job;

/// Intervals with a smaller difference count as equal.
const SAME: Duration = Duration::from_millis(100);
/// While hooks run, all intervals up to this length count as equal.
const SOON: Duration = Duration::from_millis(500);
/// The number of equal intervals in a row that makes a file suspect.
const TIMES: u32 = 3;
/// The time that is added to an interval to be sure that it has passed.
const LONGER: Duration = Duration::from_millis(300);

/// The times at which files changed.
#[derive(Debug, Default)]
pub(super) struct ChangeRhythms {
    files: HashMap<PathBuf, ChangeRhythm>,
    /// Files that were reported to the user.
    reported: HashSet<PathBuf>,
}

#[derive(Debug, Default)]
struct ChangeRhythm {
    last: Option<Duration>,
    distance: Duration,
    times: u32,
    author: ChangeAuthor,
}

/// The assumption about who changes a file.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum ChangeAuthor {
    /// The author.
    #[default]
    Clear,
    /// Suspect: its changes come at equal intervals, and the last one was not fired.
    Suspect,
    /// It was fired after a pause; a change until then is a response of the hook.
    Tried { until: Duration },
    /// A hook.
    Own,
}

/// The classification of a change.
#[derive(Debug, PartialEq)]
enum ChangeKind {
    Counts,
    Suspect { wait: Duration },
    Own,
}

impl ChangeRhythm {
    /// Classifies a change. `running` says that a hook runs or has just ended; a change at any other time is the
    /// author's.
    fn classify(&mut self, at: Duration, running: bool) -> ChangeKind {
        let distance = self.last.replace(at).map(|last| at.saturating_sub(last)).filter(|_| running);
        let (Some(distance), true) = (distance, self.author != ChangeAuthor::Suspect) else {
            if self.author != ChangeAuthor::Own {
                (self.times, self.author) = (0, ChangeAuthor::Clear);
            }
            return ChangeKind::Counts;
        };
        match self.author {
            ChangeAuthor::Own => return ChangeKind::Own,
            ChangeAuthor::Tried { until } if at <= until => {
                self.author = ChangeAuthor::Own;
                return ChangeKind::Own;
            }
            _ => {}
        }
        let same = self.distance.abs_diff(distance) <= SAME || self.distance.max(distance) <= SOON;
        (self.times, self.distance) = (if same { self.times + 1 } else { 1 }, distance);
        if self.times < TIMES {
            self.author = ChangeAuthor::Clear;
            return ChangeKind::Counts;
        }
        self.author = ChangeAuthor::Suspect;
        ChangeKind::Suspect { wait: distance + LONGER }
    }

    /// Handles a pause without changes. Returns whether to fire, in order to see whether the file changes in
    /// response.
    fn try_again(&mut self, at: Duration) -> bool {
        let suspect = self.author == ChangeAuthor::Suspect;
        if suspect {
            self.author = ChangeAuthor::Tried { until: at + self.distance + LONGER };
        }
        suspect
    }
}

impl Session {
    /// Removes the changes that hooks made themselves.
    pub(super) fn remove_own_changes(&mut self, changed: Vec<PathBuf>, at: Duration) -> (Vec<PathBuf>, Vec<Job>) {
        let running = self.busy() || self.auto_fire.echoes > 0;
        let answers = running || self.has_escaped_process();
        let (mut kept, mut jobs) = (Vec::new(), Vec::new());
        for path in changed {
            let of_hook = self.auto_fire.sources.files.contains(&path);
            if running && of_hook && !self.auto_fire.sources.scripts.contains(&path) {
                self.report_own_change(&path, "changed while a hook ran, so it counts as the hook's own");
                continue;
            }
            let beat = if self.auto_fire.armed {
                self.auto_fire.rhythms.files.entry(path.clone()).or_default().classify(at, answers)
            } else {
                ChangeKind::Counts
            };
            match beat {
                ChangeKind::Counts => kept.push(path),
                // The plan follows the settings in any case.
                ChangeKind::Suspect { .. } | ChangeKind::Own if !of_hook => {
                    self.auto_fire.by_hooks = true;
                    self.auto_fire.settings_changed = true;
                }
                ChangeKind::Suspect { wait } => jobs.push(Job::WaitForFile { path, after: wait }),
                ChangeKind::Own => {
                    self.report_own_change(&path, "changes after every run, so it counts as the hook's own");
                }
            }
        }
        (kept, jobs)
    }

    /// Handles the end of the pause after which a suspect file is tried again.
    pub(in crate::session) fn retry_suspect(&mut self, path: PathBuf, at: Duration) -> Vec<Job> {
        let again = self.auto_fire.rhythms.files.get_mut(&path).is_some_and(|rhythm| rhythm.try_again(at));
        if again { self.fire_affected(&[path]) } else { Vec::new() }
    }

    /// Returns whether a process that a hook started has left its group and may still write files.
    fn has_escaped_process(&self) -> bool {
        let last = self
            .history
            .rows()
            .rev()
            .take(PINS)
            .filter_map(|run| run.record())
            .flat_map(|f| &f.runs)
            .filter_map(|r| r.ended());
        last.flat_map(|run| &run.report.leftovers).any(|left| left.left_group)
    }

    fn report_own_change(&mut self, path: &Path, why: &str) {
        if self.auto_fire.armed && self.auto_fire.rhythms.reported.insert(path.to_owned()) {
            let name = self.place.display_path(&path.to_string_lossy());
            self.say(format!("{name} {why}; fire to run it"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes at these times: `.` counts, `?` waits, `o` is the hook's own. A negative number is a pause until
    /// then.
    fn story(times: &[i64], running: bool) -> String {
        let mut rhythm = ChangeRhythm::default();
        let step = |at: &i64| {
            let time = Duration::from_millis(at.unsigned_abs());
            if *at < 0 {
                return if rhythm.try_again(time) { '!' } else { '-' };
            }
            match rhythm.classify(time, running) {
                ChangeKind::Counts => '.',
                ChangeKind::Suspect { .. } => '?',
                ChangeKind::Own => 'o',
            }
        };
        times.iter().map(step).collect()
    }

    #[test]
    fn only_what_answers_is_own() {
        for (times, running, told) in [
            // Regular saves while nothing runs.
            (&[0, 700, 1400, 2100, 2800, 3500][..], false, "......"),
            // An author who does not wait for the runs to end.
            (&[0, 900, 2500, 2900, 7000], true, "....."),
            // A hook that writes its script.
            (&[0, 40, 85, 130, -500, 540, 900], true, "...?!oo"),
            // Regular saves during runs: the last one is fired, too.
            (&[0, 800, 1600, 2400, 3200, -3500], true, "...?.-"),
            (&[0, 800, 1600, 2400, -3500, 9000], true, "...?!."),
        ] {
            assert_eq!(story(times, running), told, "{times:?}");
        }
    }
}
