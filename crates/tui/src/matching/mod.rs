//! The match bench: one matcher tried on everything that is known, in every agent, at every letter that is typed.
//!
//! | file | holds |
//! |---|---|
//! | `state` | what is tried and what comes of it, worked out when it changes |
//! | `whose` | the hooks whose matcher it can be, and the next one with a problem |
//! | `top` | the pattern, and what it comes to in the band |
//! | `table` | a row for each name |
//! | `read` | how every agent reads it, branch by branch; why the selected name passes or does not |
//! | `sheet` | what stands where, for the eye and for the mouse |
//! | `keys`, `typing` | the verbs; letters while something is typed |
//! | `question` | the change as it would be written, and the letter that writes it |
//! | `said` | the same as sentences |

mod keys;
pub mod question;
mod read;
pub mod said;
mod sheet;
mod state;
mod table;
mod top;
mod typing;
mod whose;

pub use keys::{arrive, click, on_verb, turn};
pub use sheet::{Hit, draw, sheet};
pub use state::Matching;
pub use top::{band_of, top_line};
pub use typing::{letter, paste, takes_text, typed_key};
