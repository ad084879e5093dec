//! What is held of running agents: shown in full and answered; where nothing is held, what is to be held.
//!
//! | file | holds |
//! |---|---|
//! | `state` | what only the screen knows: what is selected, chosen, written |
//! | `draft` | an answer as it is put together, and what is missing of it |
//! | `keys` | the verbs |
//! | `typed` | lines and texts that were typed, and the editor's |
//! | `top` | the first line and the band |
//! | `draw` | what stands where |
//! | `choices` | what can be answered, and what cannot and why |
//! | `points` | the breakpoints, and what has come lately |
//! | `banner` | the line that says on every page that something is held |
//! | `said` | the page as sentences |

pub mod banner;
mod choices;
mod draft;
mod draw;
mod keys;
mod points;
pub mod said;
mod state;
mod top;
pub mod typed;

pub use choices::edits;
pub use draw::{Hit, draw, hits};
pub use keys::{capture, click, on_verb, pause, release_all, turn};
pub use state::{InterceptView, Part};
pub use top::{band_of, others_words, outcome, top_line};
