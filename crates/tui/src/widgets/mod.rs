//! Widgets: text that fits, the JSON tree, the input line, the view of a stream.

mod input_line;
mod json_tree;
mod list_cursor;
mod log;
mod pane;
mod placement;
mod text;

pub use input_line::{InputLine, filter_key};
pub use json_tree::json_line;
pub use json_tree::{JsonTree, TreeAction, TreeRow, TreeSource, TreeValue, escaped, shown_key, unescaped};
pub use list_cursor::{ListWindow, WHEEL_LINES, hidden_words, moved_row, scroll, step};
pub use log::{ByteMode, LineMargin, LogArea, LogView, MarginMark, plain_line};
pub use pane::Pane;
pub use placement::{IndentedLine, PlacedLine, StyledLine, row_of, target_at};
pub use text::{RowWriter, fit, rule, width, wrap, wrap_whole};
