//! Filters over recorded events: a small language, its evaluation on one event, and its help.
//!
//! A filter is parsed once and evaluated often. The store evaluates the same filter in SQL; a property test checks
//! that both agree.

mod ast;
mod matches;
mod operators;
mod parse;
#[cfg(test)]
mod tests;
mod words;

pub use ast::{Ending, Filter, Pattern, Test, When};
pub use matches::{Facts, Ran, contains, matches, ran, took};
pub use operators::{OPERATORS, Operator};
pub use parse::{FilterError, parse, parse_when};
pub use words::{Phrase, search_text};
