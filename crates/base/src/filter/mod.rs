//! Filters over recorded events: a small language, what a filter means for one event, and the help for it.
//!
//! A filter is parsed once and asked often. The store answers the same question with SQL; a property holds the two equal.

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
