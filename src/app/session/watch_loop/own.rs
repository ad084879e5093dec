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

use super::Session;
use crate::app::job::Job;

/// Two distances are the same.
const SAME: Duration = Duration::from_millis(100);
/// While hooks run, whatever comes so soon is alike.
const SOON: Duration = Duration::from_millis(500);
/// So many of the same distance, one after the other, are suspicious.
const TIMES: u32 = 2;
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
    /// They come when nothing runs any more.
    late: bool,
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
    /// A change. `running`: a hook runs, or has a moment ago.
    fn beat(&mut self, at: Duration, running: bool) -> Beat {
        let Some(last) = self.last.replace(at) else { return Beat::Counts };
        let distance = at.saturating_sub(last);
        let same = self.distance.abs_diff(distance) <= SAME || (running && self.distance.max(distance) <= SOON);
        match self.stands {
            Stands::Own if running || (same && self.late) => return Beat::Own,
            Stands::Tried { until } if at <= until => {
                self.stands = Stands::Own;
                return Beat::Own;
            }
            // Nothing was fired that could have changed it.
            Stands::Suspect => (self.times, self.stands) = (0, Stands::Clear),
            Stands::Clear | Stands::Tried { .. } => {
                self.stands = Stands::Clear;
                self.times = if same { self.times + 1 } else { 1 };
            }
            Stands::Own => return Beat::Counts,
        }
        self.distance = distance;
        if self.times <= TIMES {
            return Beat::Counts;
        }
        (self.stands, self.late) = (Stands::Suspect, !running);
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
        let (mut kept, mut jobs) = (Vec::new(), Vec::new());
        for path in changed {
            let of_hook = self.watch.beside.files.contains(&path);
            if running && of_hook && !self.watch.beside.scripts.contains(&path) {
                self.tell_own(&path, "changed while a hook ran, so it counts as the hook's own");
                continue;
            }
            let beat = if self.watch.armed {
                self.watch.rhythms.files.entry(path.clone()).or_default().beat(at, running)
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
    pub(in crate::app::session) fn waited(&mut self, path: PathBuf, at: Duration) -> Vec<Job> {
        let again = self.watch.rhythms.files.get_mut(&path).is_some_and(|rhythm| rhythm.try_again(at));
        if again { self.fire_affected(&[path]) } else { Vec::new() }
    }

    fn tell_own(&mut self, path: &Path, why: &str) {
        if self.watch.armed && self.watch.rhythms.told.insert(path.to_owned()) {
            let name = self.place.show(&path.to_string_lossy());
            self.messages.push(format!("{name} {why}: f fires it"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes at these times; `.` counts, `?` waits, `o` is own. A number below zero: silence until then.
    fn story(times: &[i64]) -> String {
        let mut rhythm = Rhythm::default();
        let step = |at: &i64| {
            let time = Duration::from_millis(at.unsigned_abs());
            if *at < 0 {
                return if rhythm.try_again(time) { '!' } else { '-' };
            }
            match rhythm.beat(time, false) {
                Beat::Counts => '.',
                Beat::Suspect { .. } => '?',
                Beat::Own => 'o',
            }
        };
        times.iter().map(step).collect()
    }

    #[test]
    fn only_what_answers_is_own() {
        for (times, told) in [
            // An author's saves.
            (&[0, 900, 2500, 2900, 7000][..], "....."),
            // Each of them followed by a formatter.
            (&[0, 150, 4000, 4150, 9000, 9150], "......"),
            // A hook that writes its script; a save long after, and the hook again.
            (&[0, 40, 85, 130, -500, 540, 5000, 5041, 9000, 9041], "...?!o.o.o"),
            // Saves like a clock: the last one is fired too.
            (&[0, 300, 600, 900, 1200, -1300], "...?.-"),
            (&[0, 300, 600, 900, -1500, 8000], "...?!."),
        ] {
            assert_eq!(story(times), told, "{times:?}");
        }
    }
}
