//! The order of the loads of an agent's settings.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The loads of one agent. They run one after another, and one that is no longer the newest is skipped.
#[derive(Debug, Default)]
pub struct AgentLoads {
    newest: AtomicU64,
    running: Mutex<()>,
}

impl AgentLoads {
    /// Orders a load, and returns its number.
    pub fn order(&self) -> u64 {
        self.newest.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Runs the load with this number and returns its result. Waits for a load that is running; `None` if a newer one was
    /// ordered.
    pub fn run<T>(&self, number: u64, load: impl FnOnce() -> T) -> Option<T> {
        let _running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        (self.newest.load(Ordering::SeqCst) == number).then(load)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_load_runs() {
        let loads = AgentLoads::default();
        let (first, second) = (loads.order(), loads.order());
        assert_eq!(loads.run(second, || "second"), Some("second"));
        assert_eq!(loads.run(first, || "first"), None, "an older load does not replace a newer one");
        let third = loads.order();
        assert_eq!(loads.run(third, || "third"), Some("third"));
    }
}
