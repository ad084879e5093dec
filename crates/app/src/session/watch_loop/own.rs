//! What hooks write themselves never fires them for long.
//!
//! Nobody tells who has written a file. What changes beside a script while a hook runs, or just after, is taken for the
//! hook's. A script or a settings file may as well have been saved by its author in that moment, so it counts. But what
//! answers a round with a change comes at the same distance every time. After a few of those nothing is fired, and we
//! wait: if the file changes all the same, somebody else is at work, and it counts again. If it stays as it is, it is
//! fired once more, and an answer to that is proof.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{PINS, Session};
use crate::job::Job;

/// Two distances are the same.
const SAME: Duration = Duration::from_millis(100);
/// While hooks run, whatever comes so soon is alike.
const SOON: Duration = Duration::from_millis(500);
/// So many of the same distance, one after the other, are suspicious.
const TIMES: u32 = 3;
/// Longer than an answer takes by so much.
const LONGER: Duration = Duration::from_millis(300);

/// When files changed.
#[derive(Debug, Default)]
pub(super) struct Rhythms {
    files: HashMap<PathBuf, Rhythm>,
    /// Files that the user has been told of.
    told: HashSet<PathBuf>,
}

#[derive(Debug, Default)]
struct Rhythm {
    last: Option<Duration>,
    distance: Duration,
    times: u32,
    stands: Stands,
}

/// What is thought of a file.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Stands {
    /// Its author saves it.
    #[default]
    Clear,
    /// Its changes come at the same distance; the last one has not been fired.
    Suspect,
    /// It has been fired after a silence; a change until then is the answer.
    Tried { until: Duration },
    /// Hooks change it.
    Own,
}

/// What a change means.
#[derive(Debug, PartialEq)]
enum Beat {
    Counts,
    Suspect { wait: Duration },
    Own,
}

impl Rhythm {
    /// A change. `running`: something of a hook runs, or has a moment ago; what changes otherwise is its author's.
    fn beat(&mut self, at: Duration, running: bool) -> Beat {
        let distance = self.last.replace(at).map(|last| at.saturating_sub(last)).filter(|_| running);
        let (Some(distance), true) = (distance, self.stands != Stands::Suspect) else {
            if self.stands != Stands::Own {
                (self.times, self.stands) = (0, Stands::Clear);
            }
            return Beat::Counts;
        };
        match self.stands {
            Stands::Own => return Beat::Own,
            Stands::Tried { until } if at <= until => {
                self.stands = Stands::Own;
                return Beat::Own;
            }
            _ => {}
        }
        let same = self.distance.abs_diff(distance) <= SAME || self.distance.max(distance) <= SOON;
        (self.times, self.distance) = (if same { self.times + 1 } else { 1 }, distance);
        if self.times < TIMES {
            self.stands = Stands::Clear;
            return Beat::Counts;
        }
        self.stands = Stands::Suspect;
        Beat::Suspect { wait: distance + LONGER }
    }

    /// It has been silent. Whether it is to be fired, to see whether it answers.
    fn try_again(&mut self, at: Duration) -> bool {
        let suspect = self.stands == Stands::Suspect;
        if suspect {
            self.stands = Stands::Tried { until: at + self.distance + LONGER };
        }
        suspect
    }
}

impl Session {
    /// Takes away what hooks have written themselves.
    pub(super) fn without_own(&mut self, changed: Vec<PathBuf>, at: Duration) -> (Vec<PathBuf>, Vec<Job>) {
        let running = self.busy() || self.watch.echoes > 0;
        let answers = running || self.runs_on();
        let (mut kept, mut jobs) = (Vec::new(), Vec::new());
        for path in changed {
            let of_hook = self.watch.beside.files.contains(&path);
            if running && of_hook && !self.watch.beside.scripts.contains(&path) {
                self.tell_own(&path, "changed while a hook ran, so it counts as the hook's own");
                continue;
            }
            let beat = if self.watch.armed {
                self.watch.rhythms.files.entry(path.clone()).or_default().beat(at, answers)
            } else {
                Beat::Counts
            };
            match beat {
                Beat::Counts => kept.push(path),
                // What is planned follows the settings, whoever writes them.
                Beat::Suspect { .. } | Beat::Own if !of_hook => {
                    self.watch.by_hooks = true;
                    self.watch.unread = true;
                }
                Beat::Suspect { wait } => jobs.push(Job::Wait { path, after: wait }),
                Beat::Own => self.tell_own(&path, "changes after every run, so it counts as the hook's own"),
            }
        }
        (kept, jobs)
    }

    /// A file that changed after every run has been let be for a while.
    pub(in crate::session) fn waited(&mut self, path: PathBuf, at: Duration) -> Vec<Job> {
        let again = self.watch.rhythms.files.get_mut(&path).is_some_and(|rhythm| rhythm.try_again(at));
        if again { self.fire_affected(&[path]) } else { Vec::new() }
    }

    /// Something that a hook has started left its group and may write whenever it likes.
    fn runs_on(&self) -> bool {
        let last = self
            .history
            .rows()
            .rev()
            .take(PINS)
            .filter_map(|run| run.record())
            .flat_map(|f| &f.runs)
            .filter_map(|r| r.ended());
        last.flat_map(|run| &run.report.leftovers).any(|left| left.runs_on)
    }

    fn tell_own(&mut self, path: &Path, why: &str) {
        if self.watch.armed && self.watch.rhythms.told.insert(path.to_owned()) {
            let name = self.place.show(&path.to_string_lossy());
            self.messages.push(format!("{name} {why}; fire to run it"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes at these times; `.` counts, `?` waits, `o` is own. A number below zero: silence until then.
    fn story(times: &[i64], running: bool) -> String {
        let mut rhythm = Rhythm::default();
        let step = |at: &i64| {
            let time = Duration::from_millis(at.unsigned_abs());
            if *at < 0 {
                return if rhythm.try_again(time) { '!' } else { '-' };
            }
            match rhythm.beat(time, running) {
                Beat::Counts => '.',
                Beat::Suspect { .. } => '?',
                Beat::Own => 'o',
            }
        };
        times.iter().map(step).collect()
    }

    #[test]
    fn only_what_answers_is_own() {
        for (times, running, told) in [
            // Saves like a clock, while nothing runs.
            (&[0, 700, 1400, 2100, 2800, 3500][..], false, "......"),
            // An author who does not wait for the runs to end.
            (&[0, 900, 2500, 2900, 7000], true, "....."),
            // A hook that writes its script.
            (&[0, 40, 85, 130, -500, 540, 900], true, "...?!oo"),
            // Saves like a clock in mid-run: the last one is fired too.
            (&[0, 800, 1600, 2400, 3200, -3500], true, "...?.-"),
            (&[0, 800, 1600, 2400, -3500, 9000], true, "...?!."),
        ] {
            assert_eq!(story(times, running), told, "{times:?}");
        }
    }
}
