//! Patterns: JavaScript's regular expressions without JavaScript's hangs.
//!
//! The conforming parser (`regress`) judges every pattern and words its errors, but for the few that it misjudges. What
//! can be said in the language of the linear engine (`regex`) runs there; the rest (look-around, references, characters
//! beyond the basic plane) runs on the backtracking one, unit by unit, unless it could explode, and is refused then.

mod ecma;
mod hazard;
mod scan;
mod syntax;
mod translate;

pub use ecma::{EcmaPattern, PatternError, Tested};
