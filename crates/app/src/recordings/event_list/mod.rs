//! The list of recorded events. The session has a section of it and sends requests; a thread has the store and
//! sends responses.
//!
//! | file | holds |
//! |---|---|
//! | `asks` | commands of frontends, requests to the store, and its responses |
//! | `list` | the loaded rows |
//! | `state` | the state of the list in the session |
//! | `work` | answers one request; `counts` counts events for the filter operators |
//! | `keeper` | the thread that has the store; interrupts outdated requests |
//! | `longer` | runs imports and replays on their own threads |
//! | `order` | the parameters, question and result of a replay |
//! | `again` | replays events, planned or really run |

mod long_jobs;
mod operator_counts;
mod replay_order;
mod replays;
mod requests;
mod state;
mod store_thread;
mod window;
mod worker;

pub use long_jobs::run_long_job;
pub use replay_order::{
    ApprovedCommand, EventReplay, OutputChange, ReplayOrder, ReplayQuestion, ReplayResult, ReplaySelection,
    ReplayTarget,
};
pub use replays::keep_row;
pub use requests::{
    EventListCommand, EventStoreRequest, EventStoreResponse, LongJobProgress, OperatorCount, PageEdge, ReplayPace,
};
pub use state::{EventListState, EventStoreState};
pub use store_thread::EventStoreThread;
pub use window::EventListWindow;
pub use worker::EventStoreWorker;
