//! The list of recorded events in the session: the loaded rows, the filter, and the running import or replay.

mod state;
mod window;

pub use state::{EventListState, EventStoreState};
pub use window::EventListWindow;
