//! Requests for the list of recorded events, and the answers. The session has a section of the list and sends
//! requests; a thread of the driver has the store and answers them.

mod replay_order;
mod requests;

pub use replay_order::{
    ApprovedCommand, EventReplay, OutputChange, ReplayOrder, ReplayQuestion, ReplayResult, ReplaySelection,
    ReplayTarget,
};
pub use requests::{
    EventListCommand, EventListScope, EventStoreRequest, EventStoreResponse, LongJobProgress, OperatorCount, PageEdge,
    ReplayPace, mentions_replays, without_replays,
};
