//! Text that fits, and streams that are looked at.

mod lines;
mod log;
mod text;

pub use lines::json_line;
pub use log::{LogView, Mode, Pane};
pub use text::{Cells, rule, width, wrap};
