//! The match bench: one matcher, tested on every known name in every agent, after every key press.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the matcher and its results, recomputed when the matcher, the settings or the recorded events change |
//! | `refresh` | computes the state again when its inputs have changed |
//! | `owners` | the hooks whose matchers can be tested; the search for the next one with a finding |
//! | `table` | a row for each name |
//! | `interpretation` | how every agent interprets the matcher, branch by branch; why the selected name matches or does not |
//! | `placement` | the placed lines and click targets, used for drawing and for the mouse |
//! | `keys`, `typing` | the commands; keys while text is typed |
//! | `write_question` | the question before the change is written |
//! | `screen` | the registration of the page |

mod interpretation;
mod keys;
mod owners;
mod placement;
mod refresh;
mod screen;
mod state;
mod table;
mod typing;
pub mod write_question;

pub use keys::replace_matcher;
pub use screen::MatchScreen;
pub use state::MatchView;
pub use typing::{takes_text, typed_char};
