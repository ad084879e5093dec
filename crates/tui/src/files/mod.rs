//! The files that an agent reads, in its own order: their hooks, the ignored hooks, the effective switches, and
//! similar files that are not read.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the rows, and the selection |
//! | `rows` | a row as a line |
//! | `detail` | the selected row in full |
//! | `draw` | the layout |
//! | `keys` | the commands |
//! | `said` | the page as sentences |

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

/// Whether a hook is selected.
pub fn on_hook(model: &Model) -> bool {
    matches!(model.files.item(), Some(Item::Hook(..)))
}
