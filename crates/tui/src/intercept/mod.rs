//! The held events of running agents, to inspect and answer; without one, the breakpoints.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the state of the page: the selection and the drafts |
//! | `refresh` | computes the state again when its inputs have changed |
//! | `draft` | an answer while it is edited, and its missing parts |
//! | `keys` | the commands |
//! | `input_kind` | the kinds of input lines |
//! | `inputs` | the inputs of the page, and texts from the editor |
//! | `held_band` | the first line and the band |
//! | `draw` | the layout |
//! | `choices` | the possible answers, and the reasons against the others |
//! | `breakpoints` | the breakpoints and the recent events |
//! | `overview` | what can be held and what was answered |
//! | `banner` | the line about held events on every page |
//! | `screen` | the registration of the page |
//! | `sentences` | the page as sentences |

pub mod banner;
mod breakpoints;
mod choices;
mod draft;
mod draw;
mod held_band;
mod input_kind;
pub mod inputs;
mod keys;
mod overview;
mod refresh;
mod screen;
mod sentences;
mod state;

pub use held_band::{answer_words, others_words, state_words};
pub use input_kind::InterceptInput;
pub use keys::{capture, close_stale, hold_demo_event, ignores, quit_lines, release_all, toggle_pause};
pub use screen::InterceptScreen;
pub use state::InterceptView;
