//! Determines when a burst of file-system events has ended.
//!
//! A complete save (closed after writing, or renamed into place) is checked almost at once, because its author is
//! waiting. Incomplete saves, changes of many files, and changes right after a check get more time.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The quiet time for incomplete saves and storms.
const LONG: Duration = Duration::from_millis(100);
/// The quiet time after a lock, because its owner may not be finished yet.
const UNLOCKED: Duration = Duration::from_millis(250);
/// The time after which a burst is checked even if it continues.
const PATIENCE: Duration = Duration::from_millis(500);
/// The same for a burst that touches many files, and for one that holds a lock.
const STORM: Duration = Duration::from_secs(5);
const LOCKED: Duration = Duration::from_secs(60);
/// With more files than this, a burst is a storm.
const MANY: usize = 4;
/// A burst that begins this soon after a check belongs to the earlier change.
const AFTERMATH: Duration = Duration::from_millis(300);

/// The meaning of an event for its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SaveState {
    /// Complete: closed after writing, renamed to this name, or its mode changed.
    Complete,
    /// Being written, or deleted and perhaps about to be recreated.
    Incomplete,
}

/// File-system events that belong together.
pub(super) struct Burst {
    began: Instant,
    last: Instant,
    touched: HashSet<PathBuf>,
    incomplete: HashSet<PathBuf>,
    /// Whether the lock is still held. `None` if the burst involves no lock.
    lock: Option<bool>,
    aftermath: bool,
}

impl Burst {
    /// A burst that begins now. `looked` is the time of the last check.
    pub fn new(now: Instant, looked: Option<Instant>) -> Burst {
        Burst {
            began: now,
            last: now,
            touched: HashSet::new(),
            incomplete: HashSet::new(),
            lock: None,
            aftermath: looked.is_some_and(|looked| now.duration_since(looked) < AFTERMATH),
        }
    }

    /// Records an event for a watched file.
    pub fn touch(&mut self, now: Instant, path: PathBuf, touch: SaveState) {
        self.last = now;
        match touch {
            SaveState::Complete => self.incomplete.remove(&path),
            SaveState::Incomplete => self.incomplete.insert(path.clone()),
        };
        self.touched.insert(path);
    }

    /// Records an event for another file in a watched directory. Many different files are a storm, too; repeated
    /// writes of one file are not.
    pub fn touch_other(&mut self, now: Instant, path: PathBuf, touch: SaveState) {
        if touch == SaveState::Complete {
            self.incomplete.remove(&path);
        }
        if self.touched.insert(path) {
            self.last = now;
        }
    }

    /// Records that a lock was taken or released.
    pub fn lock(&mut self, now: Instant, held: bool) {
        self.last = now;
        self.lock = Some(held);
    }

    /// Files that should not be checked yet.
    pub fn incomplete(&self) -> &HashSet<PathBuf> {
        &self.incomplete
    }

    /// The time at which the burst ends if nothing else happens.
    pub fn end(&self, quiet: Duration) -> Instant {
        let calm = !self.is_storm() && !self.aftermath && self.incomplete.is_empty();
        let rest = match self.lock {
            Some(_) => quiet.max(UNLOCKED),
            None if calm => quiet,
            None => quiet.max(LONG),
        };
        if self.lock == Some(true) { self.limit(quiet) } else { (self.last + rest).min(self.limit(quiet)) }
    }

    /// The time at which the burst ends in any case.
    pub fn limit(&self, quiet: Duration) -> Instant {
        self.began
            + match self.lock {
                Some(true) => LOCKED,
                _ if self.is_storm() => STORM,
                _ => PATIENCE.max(quiet),
            }
    }

    fn is_storm(&self) -> bool {
        self.lock.is_some() || self.touched.len() > MANY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_complete_waits_for_nobody() {
        let quiet = Duration::from_millis(10);
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let file = |n: u32| PathBuf::from(format!("/f{n}"));
        let burst = || Burst::new(start, None);

        let mut one = burst();
        one.touch(at(0), file(1), SaveState::Incomplete);
        assert_eq!(one.end(quiet), at(100), "being written");
        one.touch(at(2), file(1), SaveState::Complete);
        assert_eq!(one.end(quiet), at(12), "closed");

        let mut many = burst();
        for n in 0..5 {
            many.touch(at(1), file(n), SaveState::Complete);
        }
        assert_eq!(many.end(quiet), at(101), "a storm");
        many.touch(at(4_950), file(9), SaveState::Complete);
        assert_eq!(many.end(quiet), at(5_000), "that does not end");

        let mut noise = burst();
        for ms in 0..490 {
            noise.touch_other(at(ms), file(1), SaveState::Incomplete);
        }
        assert_eq!(noise.end(quiet), at(10), "one file that is written again and again");
        for ms in 0..495 {
            noise.touch(at(ms), file(2), SaveState::Complete);
        }
        assert_eq!(noise.end(quiet), at(500), "and when it matters");

        let mut locked = burst();
        locked.lock(at(0), true);
        assert_eq!(locked.end(quiet), at(60_000));
        locked.lock(at(3_000), false);
        assert_eq!(locked.end(quiet), at(3_250));

        let soon = Burst::new(at(200), Some(start));
        assert_eq!(soon.end(quiet), at(300), "right after a look");
    }
}
