//! Patterns: JavaScript's regular expressions without JavaScript's hangs.
//!
//! The conforming parser (`regress`) judges every pattern and words its errors, but for the few that it misjudges. What
//! can be said in the language of the linear engine (`regex`) runs there; the rest (look-around, references, characters
//! beyond the basic plane) runs on the backtracking one, unit by unit, unless it could explode, and is refused then.

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
