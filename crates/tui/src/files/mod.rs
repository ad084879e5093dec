//! Every file that an agent looks at, in the agent's own order: what it contributes, what of it is dropped, which switches
//! count, what is not read at all.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the rows, and which is selected |
//! | `rows` | a row as a line |
//! | `detail` | what is selected, in full |
//! | `draw` | what stands where |
//! | `keys` | the verbs |
//! | `said` | the same as sentences |

mod detail;
mod draw;
mod keys;
mod rows;
pub mod said;
mod state;

pub use draw::{band_of, draw, rows_at, top_line};
pub use keys::{click, on_verb, search_key, spot, turn};
pub use state::FilesView;

use state::Item;

use crate::model::Model;

/// A hook is selected.
pub fn on_hook(model: &Model) -> bool {
    matches!(model.files.item(), Some(Item::Hook(..)))
}
