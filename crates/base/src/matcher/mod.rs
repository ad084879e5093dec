//! Matcher patterns: JavaScript's regular expressions without the risk of hanging.
//!
//! The conforming parser (`regress`) decides whether a pattern is valid and words the error, except for a few
//! patterns that it gets wrong. A pattern that the linear-time engine (`regex`) supports runs there. Others
//! (look-around, references, characters beyond the basic plane) run unit by unit on the backtracking engine; if
//! they could take exponential time, they are rejected.

mod branches;
mod ecma;
mod glob;
mod hazard;
mod interpretation;
mod names;
mod translate;

pub use branches::{alternatives, branches, group_end};
pub use ecma::{EcmaPattern, PatternError, TestResult};
pub use glob::{glob_pattern, without_case};
pub use interpretation::{
    Anchors, MatcherBranch, MatcherInterpretation, MatcherKind, RegexEngine, SearchPattern, rust_pattern,
};
pub use names::{
    WrittenNames, WrittenWord, foreign_character, is_name, is_word, list_entries, name_words, replace_words,
    server_tools_in, without_anchors,
};
