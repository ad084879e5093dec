//! The undo and redo stacks of the payload on the bench.

use crate::session::bench::BenchPayload;

/// The maximum number of payloads to keep.
const KEPT: usize = 100;
/// The maximum size of all payloads as text, in bytes. The oldest are dropped first.
const KEPT_BYTES: usize = 32 << 20;

/// The state before a command that may replace the payload.
pub(super) struct PayloadChange {
    pub payload: BenchPayload,
    /// Whether the command edits the payload or converts it to another agent, instead of choosing another one.
    pub edit: bool,
}

/// The undo and redo stacks, the most recent payload last.
#[derive(Debug, Default)]
pub(super) struct PayloadHistory {
    pub past: Vec<(BenchPayload, usize)>,
    pub future: Vec<(BenchPayload, usize)>,
}

impl PayloadHistory {
    pub fn remember(&mut self, payload: BenchPayload) {
        let bytes = payload.bytes();
        self.past.push((payload, bytes));
        let over = |past: &[(BenchPayload, usize)]| {
            past.len() > KEPT || past.iter().map(|(_, b)| b).sum::<usize>() > KEPT_BYTES
        };
        while over(&self.past) {
            self.past.remove(0);
        }
    }
}
