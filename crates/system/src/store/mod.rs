//! The event store: one SQLite file that several processes can use at once.
//!
//! After [`Store::add`] returns, its events survive the end of any process, however sudden. A power failure may
//! lose the newest events, but does not damage the file.

mod capture;
mod captured;
mod error;
mod index;
mod keep;
mod kinds;
mod migrate;
mod of_kinds;
mod open;
mod read;
mod runs;
mod select;
mod write;

pub use capture::{Capture, CaptureAnswer, KeptCooldown, KeptHandoff};
pub use captured::Captured;
pub use error::{StoreFault, Trouble};
pub use index::Indexed;
pub use keep::{Purge, Purged, Retention, Stat};
pub use kinds::Kind;
pub use migrate::VERSION;
pub use open::{Mode, Store, move_aside};
pub use read::{Direction, Place, Row, SessionRow};
pub use rusqlite::InterruptHandle;
pub use write::{Added, Incoming, Live};

/// The name of the file in the state folder.
pub const FILE: &str = "hookbench.db";
