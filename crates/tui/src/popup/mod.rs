//! What lies over the bench for a moment: lists to choose from, a field to fill in, a question, the help.
//!
//! | file | holds |
//! |---|---|
//! | `kinds` | all of them, and what a key can do to one |
//! | `keys`, `draw` | each kind in its turn |
//! | `frame` | the space in the middle |
//! | `pick`, `input` | a list to choose from, a line to fill in |
//! | `replay` | the question before recorded events are really fired again |
//! | `runs`, `runs_index`, `runs_rows` | the list of runs, what they are found by, its columns |

mod draw;
mod frame;
mod input;
mod keys;
mod kinds;
mod pick;
mod replay;
mod runs;
mod runs_index;
mod runs_rows;

pub use draw::draw;
pub(super) use frame::{foot, frame, row};
pub use input::{Input, InputFor};
pub(super) use keys::walk;
pub use keys::{declines, key};
pub use kinds::{Answer, Popup};
pub(super) use pick::LIST_KEYS;
pub use pick::{Item, Pick};
pub use replay::asked;
pub use runs::{Runs, other};
