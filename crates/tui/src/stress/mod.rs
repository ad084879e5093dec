//! Stress tests of the selected hook: the popup that fills while the test runs, and its keys.
//!
//! | file | holds |
//! |---|---|
//! | `keys` | starting and stopping a test, keeping the misses, opening the script |
//! | `rows` | the rows of the popup: the result in one line, the matrix, the misses, the conditions |
//! | `draw` | drawing and scrolling |
//! | `sentences` | the popup as sentences, for plain mode |

mod draw;
mod keys;
mod rows;
mod sentences;

pub use draw::draw;
pub use keys::{footer, on_key, show, toggle};
pub use sentences::sentences;
