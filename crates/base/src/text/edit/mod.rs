//! Edits of texts that users wrote: replaced byte ranges. Everything outside of them keeps its bytes, including
//! comments, whitespace and line ends.

mod edit_set;
mod json;
mod quote;
mod yaml;

pub use edit_set::{EditError, EditSet, TextEdit};
pub use json::{JsonLayout, RemovedGap, comments, insert_before, member_text, remove_element};
pub use quote::{FileFormat, quote_like};
pub use yaml::{append_to_yaml, remove_from_yaml, with_yaml, yaml_block};
