//! Tells changes by the author of a file from changes by a hook.
//!
//! The system does not say which process has written a file. A change beside a script while a hook runs, or just
//! after, is attributed to the hook. A script or a settings file may have been saved by its author at that moment,
//! so its change counts. But a hook that writes the file changes it after the same interval in every round. After a
//! few such changes nothing is fired, and the file is observed: if it changes again, its author is at work, and it
//! counts again. If it does not, it is fired once more, and a change in response proves that the hook writes it.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

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
    pub files: HashMap<PathBuf, ChangeRhythm>,
    /// Files that were reported to the user.
    pub reported: HashSet<PathBuf>,
}

#[derive(Debug, Default)]
pub(super) struct ChangeRhythm {
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
pub(super) enum ChangeKind {
    Counts,
    Suspect { wait: Duration },
    Own,
}

impl ChangeRhythm {
    /// Classifies a change. `running` says that a hook runs or has just ended; a change at any other time is the
    /// author's.
    pub fn classify(&mut self, at: Duration, running: bool) -> ChangeKind {
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
    pub fn try_again(&mut self, at: Duration) -> bool {
        let suspect = self.author == ChangeAuthor::Suspect;
        if suspect {
            self.author = ChangeAuthor::Tried { until: at + self.distance + LONGER };
        }
        suspect
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
