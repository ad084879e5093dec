//! Recorded events: the list with its filter, one event in full, and importing, marking and replaying events.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the state of the page: the typed filter, the open event and its lines |
//! | `keys` | the commands |
//! | `top` | the filter with its counts, and the selected event in the band |
//! | `list` | the rows, and the order in which columns are hidden |
//! | `detail` | one event in full, as lines |
//! | `empty` | the page without events |
//! | `draw` | the layout |
//! | `report` | the result of a replay or the effect of a change: a summary that leads to lists |
//! | `against` | the input that asks what to replay against |
//! | `copied` | the texts that can be copied from an event |
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
