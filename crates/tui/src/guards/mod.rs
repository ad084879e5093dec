//! The guards: their modes, and their findings, to judge and to allow.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the rows and the selection |
//! | `refresh` | builds the rows when the findings were read |
//! | `detail` | the selected row in full |
//! | `keys` | the commands |
//! | `screen` | the registration of the page |

mod detail;
mod keys;
mod refresh;
mod screen;
mod state;
mod view;

pub use keys::{allow_hit, change_mode};
pub use screen::GuardsScreen;
pub use state::{GuardsRow, GuardsView};
