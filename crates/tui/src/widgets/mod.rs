//! Widgets: text that fits, the JSON tree, the input line, the view of a stream.

mod json_tree;
mod line;
mod lines;
mod log;
mod text;

pub use json_tree::{JsonTree, RowValue, TreeMove, TreeOf, TreeRow, escaped, unescaped};
pub use line::Line;
pub use lines::json_line;
pub use log::{LogView, Mode, Pane, plain_line};
pub use text::{Cells, fit, rule, width, wrap};
