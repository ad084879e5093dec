//! The files that an agent reads, in its own order: their hooks, the ignored hooks, the effective switches, and
//! similar files that are not read.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the rows, and the selection |
//! | `refresh` | computes the state again when its inputs have changed |
//! | `rows` | a row as a line |
//! | `detail` | the selected row in full |
//! | `draw` | the layout |
//! | `keys` | the commands |
//! | `screen` | the registration of the page |
//! | `sentences` | the page as sentences |

mod detail;
mod draw;
mod keys;
mod refresh;
mod rows;
mod screen;
mod sentences;
mod state;

pub use screen::FilesScreen;
pub use state::FilesView;

use state::FilesRow;
