//! The held events of running agents, to inspect and answer; without one, the breakpoints.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the state of the page: the selection and the drafts |
//! | `draft` | an answer while it is edited, and its missing parts |
//! | `keys` | the commands |
//! | `typed` | the inputs of the page, and texts from the editor |
//! | `top` | the first line and the band |
//! | `draw` | the layout |
//! | `choices` | the possible answers, and the reasons against the others |
//! | `points` | the breakpoints and the recent events |
//! | `banner` | the line about held events on every page |
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
