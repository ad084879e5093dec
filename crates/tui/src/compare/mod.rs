//! The same event in every agent: the hooks that run, their input, the outcome, and the differences.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the comparison, recomputed when its inputs change; the selected agent and difference |
//! | `band` | the verdicts in a row or two |
//! | `facts` | the facts about each agent |
//! | `differ` | the differences as lines |
//! | `sheet` | the placed lines and click targets, used for drawing and for the mouse |
//! | `wide`, `list` | the layouts: a column for each agent; a row for each agent, with a preview |
//! | `detail` | one agent in full |
//! | `keys` | the commands |
//! | `said` | the page as sentences |

mod band;
mod detail;
mod differ;
mod facts;
mod keys;
mod list;
pub mod said;
mod sheet;
mod state;
mod wide;

use ratatui::style::Style;

pub use band::band_of;
pub use detail::Part;
pub use differ::first_word;
pub use keys::{click, on_verb, search_key, turn};
pub use sheet::{Hit, draw, sheet};
pub use state::{Compare, Shown};

/// The styled pieces of one line.
pub type Line = Vec<(Style, String)>;
