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
//! | `draw` | the layout |
//! | `report` | the result of a replay or the effect of a change: a summary that leads to lists |
//! | `replay_target` | the input that asks what to replay against |
//! | `copy_items` | the texts that can be copied from an event |

mod copy_items;
pub mod detail;
mod draw;
mod filter_line;
mod keys;
mod list;
mod refresh;
pub mod replay_target;
pub mod report;
mod screen;
mod state;

pub use draw::words as session_words;
pub use keys::{
    import_pasted, list_agent_sessions, show_agent_sessions, show_impact, show_predicted_impact, show_replay,
    show_sessions, show_stats,
};
pub use refresh::replay_orders;
pub use screen::EventsScreen;
pub use state::EventsView;
