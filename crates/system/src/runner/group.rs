//! The live process groups, and how to kill all of them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use super::{leftovers, platform};

static LIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
/// The number of times that all hooks were killed.
static KILLS: AtomicU64 = AtomicU64::new(0);
/// Read-locked while a process is being started and its group is not yet in `LIVE`.
static STARTING: RwLock<()> = RwLock::new(());

/// Sends SIGKILL to all live process groups of this program, on panics and signals. May be called from anywhere,
/// including a panic hook.
pub fn kill_every_group() {
    KILLS.fetch_add(1, Ordering::Relaxed);
    // Waits until pending starts are registered, but not forever: the panicking thread may be one that is starting
    // a process.
    let mut patience = 50;
    let _quiet = loop {
        match STARTING.try_write() {
            Ok(quiet) => break Some(quiet),
            Err(_) if patience == 0 => break None,
            Err(_) => {
                patience -= 1;
                thread::sleep(Duration::from_millis(2));
            }
        }
    };
    for id in live().iter() {
        platform::kill_group(*id);
    }
}

/// Whether a process group of this program is live.
pub fn any_group_is_live() -> bool {
    !live().is_empty()
}

/// The number of times that all hooks were killed: what prepares a hook stops when it grows.
pub fn kill_count() -> u64 {
    KILLS.load(Ordering::Relaxed)
}

/// A process group whose leader is a hook. Dropping it kills the remaining processes.
pub(super) struct ProcessGroup {
    id: u32,
    /// Whether the group is empty, so that its id may be reused by other processes.
    empty: bool,
}

impl ProcessGroup {
    /// Starts a process and registers its group.
    pub fn start_leader<T, E>(start: impl FnOnce() -> Result<(T, u32), E>) -> Result<(T, ProcessGroup), E> {
        let _starting = STARTING.read().unwrap_or_else(PoisonError::into_inner);
        let (started, id) = start()?;
        live().insert(id);
        Ok((started, ProcessGroup { id, empty: false }))
    }

    pub fn id(&self) -> u32 {
        self.id
    }

    /// Asks the group to terminate. Returns false if the system has no way to do that.
    pub fn terminate(&self) -> bool {
        platform::terminate_group(self.id)
    }

    /// Kills the group.
    pub fn kill(&self) {
        if !self.empty {
            platform::kill_group(self.id);
        }
    }

    /// Whether the group has live processes. Call this after the leader is reaped: the id cannot be reused while
    /// the group is not empty, and once it is empty, this value no longer signals it.
    pub fn alive(&mut self) -> bool {
        if !self.empty {
            // Looking through all processes would take a stop of many hooks quadratic time.
            platform::reap_group(self.id);
            self.empty = !platform::group_exists(self.id);
        }
        // Zombies that are not reaped (init's duty, not always done in containers) do not count.
        !self.empty && leftovers::any_alive(self.id)
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
        live().remove(&self.id);
        platform::forget_group(self.id);
        leftovers::reap_orphans();
    }
}

/// The groups of the hooks that have started.
pub(super) fn known_groups() -> BTreeSet<u32> {
    live().clone()
}

/// The groups of all hooks, read while no hook is being started.
pub(super) fn all_groups() -> BTreeSet<u32> {
    let _quiet = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    live().clone()
}

fn live() -> MutexGuard<'static, BTreeSet<u32>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}
