//! Patterns: JavaScript's regular expressions without JavaScript's hangs.
//!
//! The conforming parser (`regress`) judges every pattern and words its errors. What both languages share runs on the
//! linear engine (`regex`); the rest runs on the backtracking one unless it could explode, and is refused then.

mod ecma;
mod hazard;
mod translate;

pub use ecma::{EcmaPattern, PatternError, Tested};
pub use hazard::explodes;
