//! The list of recorded events. The session has a section of it and sends requests; a thread has the store and
//! sends responses.
//!
//! | file | holds |
//! |---|---|
//! | `requests` | commands of frontends, requests to the store, and its responses |
//! | `window` | the loaded rows |
//! | `state` | the state of the list in the session |
//! | `worker` | answers one request; `counts` counts events for the filter operators |
//! | `store_thread` | the thread that has the store; interrupts outdated requests |
//! | `long_jobs` | runs imports and replays on their own threads |
//! | `replay_order` | the parameters, question and result of a replay |
//! | `replays` | replays events, planned or really run |

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
