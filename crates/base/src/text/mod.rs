//! Texts with places: sources, byte spans, line numbers, parsers for JSON, TOML and YAML that keep them, edits, and
//! JavaScript's JSON output.

pub mod edit;
mod javascript;
mod json;
mod line_diff;
mod literal;
mod lookalikes;
mod node;
mod path;
mod patterns;
mod sentence;
pub mod shell;
mod source;
mod suggestions;
mod toml;
mod yaml;

pub use javascript::{
    number_text, quote_literal, stringify, stringify_pretty, to_js_string, truthy, utf16_len, utf16_prefix,
};
pub use json::{JsonError, JsonSyntax, parse_exact_numbers, parse_json, parse_value, parse_with_surrogates};
pub use line_diff::{DiffLine, LineSign, changed_groups, diff_lines, unified_diff};
pub use literal::{Literal, char_to_surrogate, replace_surrogates, replace_surrogates_in, surrogate_to_char};
pub use lookalikes::{
    escape_for_terminal, escape_json_for_terminal, escape_lines_for_terminal, has_lookalikes, mark_lookalikes,
    one_line, replace_lookalikes, truncate,
};
pub use node::{Member, Node, NodeValue, as_doubles, spell_out_numbers};
pub use path::{from_windows_path, is_absolute_path, normalize_path};
pub use patterns::ascii_regex;
pub use sentence::{capitalized, joined_with_and, pluralize};
pub use source::{Position, SourceId, SourceMap, Span};
pub use suggestions::{nearest, nearest_within};
pub use toml::{TomlError, parse_toml, with_toml};
pub use yaml::{front_matter, parse_yaml};
