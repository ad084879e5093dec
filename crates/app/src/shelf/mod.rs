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

mod again;
mod asks;
mod counts;
mod keeper;
mod list;
mod longer;
mod order;
mod state;
mod work;

pub use again::keep_row;
pub use asks::{Edge, OperatorCount, Pace, ShelfAsk, ShelfCommand, ShelfNews, Working};
pub use keeper::Keeper;
pub use list::EventList;
pub use longer::at_length;
pub use order::{Against, Agreed, OfEvent, Printed, Question, ReplayOrder, ReplayResult, Replays};
pub use state::{Holding, Shelf};
pub use work::ShelfWork;
