//! The calibration of an agent: the popup that fills while it runs, what it found in full, and its keys.
//!
//! | file | holds |
//! |---|---|
//! | `keys` | opening the popup, starting and stopping a calibration |
//! | `summary` | the evidence for the behaviour of an agent, in words |

mod keys;
mod summary;
mod view;

pub use keys::{command_line, footer, on_key, show, toggle};
pub use summary::{CalibrationSummary, summary};
pub use view::{draw, sentences};
