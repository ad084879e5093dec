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
//! | `sentences` | the page as sentences |

mod detail;
mod draw;
mod keys;
mod rows;
pub mod sentences;
mod state;

pub use draw::{build_band, draw, draw_top_line, row_places};
pub use keys::{on_click, on_command, on_typing_key, on_wheel, selected_location};
pub use state::FilesView;

use state::FilesRow;

use crate::model::Model;

/// Whether a hook is selected.
pub fn hook_selected(model: &Model) -> bool {
    matches!(model.files.item(), Some(FilesRow::Hook(..)))
}
