//! Recorded events: the list with its filter, one event in full, and importing, marking and replaying events.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the state of the page: the typed filter, the open event and its lines |
//! | `refresh` | computes the lines of the selected event again |
//! | `keys` | the commands |
//! | `screen` | the registration of the page |
//! | `filter_line` | the filter with its counts, and the selected event in the band |
//! | `list` | the rows, and the order in which columns are hidden |
//! | `detail` | one event in full, as lines |
//! | `empty` | the page without events |
//! | `draw` | the layout |
//! | `report` | the result of a replay or the effect of a change: a summary that leads to lists |
//! | `replay_orders` | the events that can be replayed |
//! | `replay_target` | the input that asks what to replay against |
//! | `copy_items` | the texts that can be copied from an event |
//! | `sentences` | the page as sentences |

mod copy_items;
pub mod detail;
mod draw;
mod empty;
mod filter_line;
mod keys;
mod list;
mod refresh;
mod replay_orders;
pub mod replay_target;
pub mod report;
mod screen;
mod sentences;
mod state;

pub use empty::words as session_words;
pub use keys::{
    import_pasted, list_agent_sessions, show_agent_sessions, show_impact, show_predicted_impact, show_replay,
    show_sessions,
};
pub use replay_orders::replay_orders;
pub use screen::EventsScreen;
pub use state::EventsView;
