//! Texts with places: sources, byte spans, line numbers, parsers for JSON and YAML that keep them, and JavaScript's
//! JSON output.

mod counted;
mod halves;
mod js;
mod json;
mod literal;
mod near;
mod node;
mod path;
pub mod shell;
mod source;
mod visible;
mod yaml;

pub use counted::counted;
pub use halves::{half, whole, whole_texts};
pub use js::{number_text, quoted, stringify, stringify_pretty, to_js_string, truthy, utf16_len, utf16_prefix};
pub use json::{JsonError, Syntax, parse_exact, parse_handed, parse_json, parse_value};
pub use literal::Literal;
pub use near::{nearest, nearest_within};
pub use node::{Member, Node, NodeValue, as_doubles};
pub use path::clean_path;
pub use source::{Position, SourceId, SourceMap, Span};
pub use visible::{cut, harmless_json, one_line, visible, visible_lines};
pub use yaml::{front_matter, parse_yaml};
