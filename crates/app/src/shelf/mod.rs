//! Recorded events as a list to go about in. The session holds a window of it and asks; a thread of its own holds the
//! store and answers.
//!
//! | file | holds |
//! |---|---|
//! | `asks` | what a face may want, what is asked of the store, what it answers |
//! | `list` | the rows around the cursor, never all of them |
//! | `state` | what the session knows of the store |
//! | `work` | one question, answered; `counts` how many events there are for each operator |
//! | `keeper` | the thread that holds the store; what nobody waits for any more is stopped |
//! | `longer` | imports and replays, on threads of their own |
//! | `order` | which events are fired again, against what; what is asked before, and what came of it |
//! | `again` | events fired again, planned or really run |

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
