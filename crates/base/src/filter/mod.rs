//! Filters over recorded events: a small language, its evaluation on one event, and its help.
//!
//! A filter is parsed once and evaluated often. The store evaluates the same filter in SQL; a property test checks
//! that both agree.

mod ast;
mod evaluate;
mod parse;
#[cfg(test)]
mod tests;
mod words;

pub use ast::{Filter, FilterTest, RunEnding, TimeBound, WordPattern};
pub use evaluate::{
    EventFacts, FilterOperator, HookResult, OPERATORS, contains, hook_results, is_answer, matches, total_duration,
};
pub use parse::{FilterError, parse, parse_when};
pub use words::{Phrase, search_text};
