//! The event store: one SQLite file that several processes can use at once.
//!
//! After [`Store::add`] returns, its events survive the end of any process, however sudden. A power failure may
//! lose the newest events, but does not damage the file.

mod capture;
mod error;
mod event_query;
mod kinds;
mod open;
mod read;
mod retention;
mod run_times;
mod runs;
mod word_index;
mod write;

pub use capture::{CaptureAnswer, CaptureRecord, CapturedEvent, StoredCooldown, StoredHandoff};
pub use error::{StoreError, StoreErrorKind};
pub use kinds::EventKind;
pub use open::{OpenMode, Store, VERSION, move_aside};
pub use read::{EventListRow, EventPosition, ListDirection, SessionRow};
pub use retention::{PurgeResult, PurgeScope, Retention, StoreStats};
pub use run_times::RunTime;
pub use rusqlite::InterruptHandle;
pub use word_index::IndexProgress;
pub use write::{AddResult, LiveData, NewEvent};

/// The name of the file in the state directory.
pub const FILE: &str = "hookbench.db";
