//! The same event in every agent: who runs, what they are given, what comes of it, and where they differ.
//!
//! | file | holds |
//! |---|---|
//! | `state` | what is laid side by side, worked out when it changes; which agent and which difference is selected |
//! | `band` | the verdicts in a row or two |
//! | `facts` | what is said of each agent |
//! | `differ` | where they differ, as lines |
//! | `sheet` | what stands where, for the eye and for the mouse |
//! | `wide`, `list` | a column for each agent; a row for each, with what is selected below |
//! | `detail` | one agent in full |
//! | `keys` | the verbs |
//! | `said` | the same as sentences |

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

/// A line in pieces.
pub type Line = Vec<(Style, String)>;
