//! Where recorded events are kept: one SQLite file that several processes use at once.
//!
//! What [`Store::add`] has returned for is on the file: it outlives the end of every process, however sudden. After a loss of
//! power the newest of it may be missing; the file itself stays whole.

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

/// What the file is called in the state folder.
pub const FILE: &str = "hookbench.db";
