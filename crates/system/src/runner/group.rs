//! Process groups that are alive, and the end of all of them.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use super::{leftovers, platform};

static LIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
/// Held for reading while a process is started and its group not yet in `LIVE`.
static STARTING: RwLock<()> = RwLock::new(());

/// SIGKILL to every live process group of this program. For panics and signals: may be called from a panic hook, and
/// from anywhere else.
pub fn kill_every_group() {
    // Waits for starts under way so that none slips through, but not for ever: the thread that panics may be one of them.
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

/// A process group whose leader is a hook. Whatever is left of it dies with this value.
pub(super) struct Group {
    id: u32,
    /// Nobody is in it any more: its number may mean somebody else's processes.
    empty: bool,
}

impl Group {
    /// Starts a process; the group of its number is known from then on.
    pub fn lead<T, E>(start: impl FnOnce() -> Result<(T, u32), E>) -> Result<(T, Group), E> {
        let _starting = STARTING.read().unwrap_or_else(PoisonError::into_inner);
        let (started, id) = start()?;
        live().insert(id);
        Ok((started, Group { id, empty: false }))
    }

    pub fn id(&self) -> u32 {
        self.id
    }

    /// Asks the group to end. False: this system has no way of asking.
    pub fn terminate(&self) -> bool {
        platform::terminate_group(self.id)
    }

    /// Ends the group.
    pub fn kill(&self) {
        if !self.empty {
            platform::kill_group(self.id);
        }
    }

    /// Whether somebody lives in it. To be asked after its leader has been reaped: nobody else may have the number as
    /// long as the group is not empty, and once it is, this value will not signal it again.
    pub fn alive(&mut self) -> bool {
        self.empty = self.empty || !platform::group_exists(self.id);
        // Processes that have ended and that nobody reaps (init's duty, not always done in containers) do not count.
        !self.empty && leftovers::any_alive(self.id)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        live().remove(&self.id);
    }
}

fn live() -> MutexGuard<'static, BTreeSet<u32>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}
