//! Text that fits, and lines of a stream.

mod json_tree;
mod lines;
mod text;

pub use json_tree::{JsonTree, RowValue, TreeMove, TreeOf, TreeRow, escaped, unescaped};
pub use lines::{StreamLines, json_line};
pub use text::{Cells, rule, width, wrap};
