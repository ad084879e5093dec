//! The guards: their modes, and their findings, to judge and to allow.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the rows and the selection |
//! | `refresh` | builds the rows when the findings were read |
//! | `detail` | the selected row in full |
//! | `screen` | the page and its commands |

mod detail;
mod refresh;
mod screen;
mod state;
mod view;

pub use screen::{GuardsScreen, allow_hit, change_mode};
pub use state::{GuardsRow, GuardsView};
