//! A hook's matcher, asked about and changed: how often each subject was recorded, and the file with another matcher in it.

mod asked;
mod kinds;
mod rematch;

pub use asked::{Asked, Better};
pub use kinds::{Kinds, Recorded};
pub use rematch::{Rematch, write_matcher};
