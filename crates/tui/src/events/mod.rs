//! Recorded events: the list with its filter, one of them in full, and what is taken in, marked and fired again.
//!
//! | file | holds |
//! |---|---|
//! | `state` | what only the screen knows: what is typed, what is open, the lines of it |
//! | `keys` | the verbs |
//! | `top` | the filter with its counts, and the selected event in the band |
//! | `list` | the rows, and which columns go first where it is narrow |
//! | `detail` | one event in full, as lines |
//! | `empty` | what stands there while there are no events |
//! | `draw` | what stands where |
//! | `report` | what came of firing events again, and what a change comes to: a summary that leads to lists |
//! | `against` | firing events again against something else |
//! | `copied` | what can be copied of an event |
//! | `said` | the page as sentences |

pub mod against;
mod copied;
pub mod detail;
mod draw;
mod empty;
mod keys;
mod list;
pub mod report;
pub mod said;
mod state;
mod top;

pub use draw::{draw, found, rows_at};
pub use keys::{arrive, click, filter_key, on_news, on_verb, paste, show_foreseen, show_impact, turn};
pub use state::EventsView;
pub use top::{band_of, top_line};
