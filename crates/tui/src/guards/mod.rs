//! The guards: their modes, and their findings, to judge and to allow.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the rows and the selection |
//! | `presence` | a guard in the agent on the bench |
//! | `install` | adds a guard to the settings of that agent |
//! | `refresh` | builds the rows when the findings were read |
//! | `rows` | a row as a line |
//! | `detail` | the selected row in full |
//! | `draw` | the layout and the band |
//! | `keys` | the commands |
//! | `screen` | the registration of the page |
//! | `sentences` | the page as sentences |

mod detail;
mod draw;
mod install;
mod keys;
mod presence;
mod refresh;
mod rows;
mod screen;
mod sentences;
mod state;

pub use keys::{allow_hit, change_mode};
pub use screen::GuardsScreen;
pub use state::{GuardsRow, GuardsView};
