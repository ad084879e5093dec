//! The calibration of an agent: the popup that fills while it runs, what it found in full, and its keys.
//!
//! | file | holds |
//! |---|---|
//! | `keys` | opening the popup, starting and stopping a calibration |
//! | `rows` | the rows of the popup: the result in one line, the differences side by side |
//! | `summary` | the evidence for the behaviour of an agent, in words |
//! | `draw` | drawing and scrolling |
//! | `sentences` | the popup as sentences, for plain mode |

mod draw;
mod keys;
mod rows;
mod sentences;
mod summary;

pub use draw::draw;
pub use keys::{command_line, footer, on_key, show, toggle};
pub use sentences::sentences;
pub use summary::{CalibrationSummary, summary};
