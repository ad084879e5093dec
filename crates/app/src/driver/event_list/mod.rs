//! The thread that has the store of recorded events, and the imports and replays that the user starts.
//!
//! | file | holds |
//! |---|---|
//! | `worker` | answers one request |
//! | `store_thread` | the thread that has the store; interrupts outdated requests |
//! | `long_jobs` | runs imports and replays on their own threads |
//! | `replays` | replays events, planned or really run |

mod long_jobs;
mod replays;
mod store_thread;
mod worker;

use crate::session::fact::Fact;

pub use long_jobs::run_long_job;
pub use replays::keep_row;
pub use store_thread::EventStoreThread;
pub use worker::EventStoreWorker;

/// The sender of facts.
type FactSender = tokio::sync::mpsc::Sender<Fact>;
