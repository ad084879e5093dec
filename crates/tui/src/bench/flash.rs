//! The flash of a verdict that differs from the one before: its row is drawn as a block for a moment.

use std::time::{Duration, Instant};

use hookbench_app::FiringId;

/// How long the row is a block.
const FLASH: Duration = Duration::from_millis(150);

/// The last firing whose verdict was seen, and when it changed the verdict.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerdictFlash {
    seen: Option<FiringId>,
    since: Option<Instant>,
}

impl VerdictFlash {
    /// Notes the verdict of a firing, once; `changed` is whether the run of the same event before it had another one.
    pub fn note(&mut self, firing: FiringId, changed: bool, now: Instant) {
        if self.seen != Some(firing) {
            *self = VerdictFlash { seen: Some(firing), since: changed.then_some(now) };
        }
    }

    /// The time until the flash ends; `None` without a flash.
    pub fn left(self, now: Instant) -> Option<Duration> {
        let left = FLASH.saturating_sub(now.saturating_duration_since(self.since?));
        (left > Duration::ZERO).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_verdict_flashes_once() {
        let (start, mut flash) = (Instant::now(), VerdictFlash::default());
        let after = |ms: u64| start + Duration::from_millis(ms);
        flash.note(FiringId(1), false, start);
        assert_eq!(flash.left(start), None);
        flash.note(FiringId(2), true, start);
        flash.note(FiringId(2), true, after(100));
        let left: Vec<_> = [0, 100, 150, 900].map(|ms| flash.left(after(ms)).map(|left| left.as_millis())).into();
        assert_eq!(left, [Some(150), Some(50), None, None]);
        flash.note(FiringId(3), false, after(100));
        assert_eq!(flash.left(after(100)), None);
    }
}
