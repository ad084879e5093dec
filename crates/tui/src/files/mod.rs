//! The files that an agent reads, in its own order: their hooks, the ignored hooks, the effective switches, and
//! similar files that are not read.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the rows, and the selection |
//! | `detail` | the selected row in full |
//! | `screen` | the page and its commands |

mod detail;
mod screen;
mod state;
mod view;

pub use screen::FilesScreen;
pub use state::FilesView;

use state::FilesRow;
