//! What hooks write themselves never fires them again.
//!
//! Nobody tells who has written a file. What changes beside a script while a hook runs, or just after, is taken for the
//! hook's. A script or a settings file may as well have been saved by its author in that moment, so it counts; but what
//! a round changes comes at the same distance every time, which no author keeps: from the third time on it is known.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Session;

/// Two distances are the same.
const SAME: Duration = Duration::from_millis(50);
/// So many of the same distance, one after the other, are no accident.
const TIMES: u32 = 3;

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
    /// It has been found to be the hook's own, at this distance.
    own: Option<Duration>,
}

impl Rhythm {
    /// A change. Whether it is the answer to the change before it, as it always comes.
    fn beat(&mut self, at: Duration) -> bool {
        let Some(last) = self.last.replace(at) else { return false };
        let distance = at.saturating_sub(last);
        if self.own.is_some_and(|own| own.abs_diff(distance) <= SAME) {
            return true;
        }
        self.times = if self.distance.abs_diff(distance) <= SAME { self.times + 1 } else { 1 };
        self.distance = distance;
        if self.times < TIMES {
            return false;
        }
        self.own = Some(distance);
        true
    }
}

impl Session {
    /// Takes away what hooks have written themselves.
    pub(super) fn without_own(&mut self, changed: Vec<PathBuf>, at: Duration) -> Vec<PathBuf> {
        let running = self.busy() || self.watch.echoes > 0;
        let mut kept = Vec::new();
        for path in changed {
            let beside = self.watch.beside.files.contains(&path) && !self.watch.beside.scripts.contains(&path);
            if beside && running {
                self.tell_own(&path, "changed while a hook ran, so it counts as the hook's own");
            } else if self.watch.armed && self.watch.rhythms.files.entry(path.clone()).or_default().beat(at) {
                if self.watch.beside.files.contains(&path) {
                    self.tell_own(&path, "changes after every run, so it counts as the hook's own");
                } else {
                    // What is planned follows the settings, whoever writes them.
                    self.watch.by_hooks = true;
                    self.watch.unread = true;
                }
            } else {
                kept.push(path);
            }
        }
        kept
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

    fn beats(times: &[u64]) -> Vec<bool> {
        let mut rhythm = Rhythm::default();
        times.iter().map(|at| rhythm.beat(Duration::from_millis(*at))).collect()
    }

    #[test]
    fn only_what_answers_every_time_alike_is_own() {
        for (times, own) in [
            // An author's saves.
            (&[0, 900, 2500, 2900, 7000][..], &[false; 5][..]),
            // Each of them followed by a formatter.
            (&[0, 150, 4000, 4150, 9000, 9150], &[false; 6]),
            // A hook that writes its script, a save long after, and the hook again.
            (&[0, 40, 85, 130, 5000, 5041, 9000], &[false, false, false, true, false, true, false]),
        ] {
            assert_eq!(beats(times), own, "{times:?}");
        }
    }
}
