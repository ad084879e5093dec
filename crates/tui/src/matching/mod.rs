//! The match bench: one matcher, tested on every known name in every agent, after every key press.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the matcher and its results, recomputed when they change |
//! | `whose` | the hooks with a matcher, and the next one with a finding |
//! | `top` | the pattern, and its result in the band |
//! | `table` | a row for each name |
//! | `read` | how every agent interprets the matcher, branch by branch; why the selected name matches or does not |
//! | `sheet` | the placed lines and click targets, used for drawing and for the mouse |
//! | `keys`, `typing` | the commands; keys while text is typed |
//! | `question` | the question before the change is written |
//! | `said` | the page as sentences |

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
