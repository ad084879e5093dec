//! The progress of a run: as the supervisor reports it, and as the listener receives it.

use std::time::Duration;

use hookbench_core::run::{RunId, RunReport, Stream};

/// The progress of a run: `Started` (unless starting failed), any number of `Grew`, `Ended`.
#[derive(Debug)]
pub enum RunEvent {
    Started {
        run: RunId,
        pid: Option<u32>,
        /// The time since the start of the firing.
        at: Duration,
    },
    /// New output: at most 64 KiB per stream and frame of 16 ms.
    Grew {
        run: RunId,
        stream: Stream,
        bytes: Vec<u8>,
        /// Bytes before `bytes` that were not sent. The report may still contain them.
        skipped: u64,
        /// The time since the start of the firing.
        at: Duration,
    },
    Ended(Box<RunReport>),
}

/// A message from the supervisor of a run.
pub(super) enum SupervisorMessage {
    Started { pid: Option<u32>, at: Duration },
    Ended(Box<RunReport>),
}
