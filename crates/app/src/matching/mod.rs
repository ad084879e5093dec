//! Matchers: how often each subject was recorded, the assessment of a matcher, and settings files with a changed
//! matcher.

mod asked;
mod kinds;
mod rematch;

pub use asked::{Asked, Better};
pub use kinds::{Kinds, Recorded};
pub use rematch::{Rematch, write_matcher};
