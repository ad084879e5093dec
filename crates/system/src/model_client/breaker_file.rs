//! The stored state of a breaker, which all processes of a user share.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use hookbench_core::model_client::{BreakerState, ModelSettings};
use rustix::fs::{FlockOperation, flock};

use super::owner_only;

/// The time to wait for another process that changes the state.
const LOCK_WAIT: Duration = Duration::from_millis(200);
const LOCK_PAUSE: Duration = Duration::from_millis(5);
/// The size limit for the file.
const MAX_BYTES: u64 = 4096;
/// The number of digits of the identity in the file's name.
const NAME_DIGITS: usize = 16;

/// The breaker of one model.
pub struct BreakerFile<'a> {
    directory: Option<&'a Path>,
    name: String,
}

impl<'a> BreakerFile<'a> {
    /// The breaker of a model. Without a directory, the breaker is always closed.
    pub fn of(directory: Option<&'a Path>, settings: &ModelSettings) -> BreakerFile<'a> {
        let identity = settings.endpoint.identity(&settings.name, None);
        let digits = identity.get(..NAME_DIGITS).unwrap_or(&identity);
        BreakerFile { directory, name: format!("breaker-{digits}") }
    }

    /// Reads the state, changes it and stores it, while no other process does. If that is not possible, the change is
    /// made to a closed breaker and not stored: a broken state directory must not decide anything.
    pub fn update<T>(&self, change: impl FnOnce(&mut BreakerState) -> T) -> T {
        let locked = self.directory.and_then(|directory| Some((directory, self.lock(directory)?)));
        let Some((directory, _lock)) = locked else { return change(&mut BreakerState::default()) };
        let name = format!("{}.json", self.name);
        let stored = crate::disk::read_up_to(directory.join(&name), MAX_BYTES).unwrap_or_default();
        let stored = String::from_utf8_lossy(&stored);
        let mut state = BreakerState::parse(&stored);
        let result = change(&mut state);
        let text = state.text();
        let is_new = stored.is_empty() && state == BreakerState::default();
        if !is_new && text != stored {
            // Without the file, the breaker is closed.
            let _ = owner_only::replace_file(directory, &name, &text);
        }
        result
    }

    fn lock(&self, directory: &Path) -> Option<File> {
        owner_only::create_directory(directory).ok()?;
        let path = directory.join(format!("{}.lock", self.name));
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).ok()?;
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Some(file),
                Err(_) if Instant::now() < deadline => std::thread::sleep(LOCK_PAUSE),
                Err(_) => return None,
            }
        }
    }
}
