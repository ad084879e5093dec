//! Stress tests of the selected hook: the popup that fills while the test runs, and its keys.
//!
//! | file | holds |
//! |---|---|
//! | `keys` | starting and stopping a test, keeping the misses, opening the script |

mod keys;
mod view;

pub use keys::{footer, on_key, show, toggle};
pub use view::{draw, sentences};
