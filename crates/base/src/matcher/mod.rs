//! Matcher patterns: JavaScript's regular expressions without the risk of hanging.
//!
//! The conforming parser (`regress`) decides whether a pattern is valid and words the error, except for a few
//! patterns that it gets wrong. A pattern that the linear-time engine (`regex`) supports runs there. Others
//! (look-around, references, characters beyond the basic plane) run unit by unit on the backtracking engine; if
//! they could take exponential time, they are rejected.

mod branches;
mod ecma;
mod hazard;
mod reading;
mod rust;
mod scan;
mod syntax;
mod translate;

pub use branches::branches;
pub use ecma::{EcmaPattern, PatternError, Tested};
pub use reading::{Anchors, Branch, Engine, MatcherReading, ReadAs, Sought};
pub use rust::rust_pattern;
