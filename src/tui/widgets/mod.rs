//! Text that fits, and lines of a stream.

mod lines;
mod text;

pub use lines::{StreamLines, json_line};
pub use text::{Cells, rule, width, wrap};
