//! The undo and redo stacks of the payload on the bench.

use crate::session::bench::{InvalidPayload, PayloadOrigin};
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::hook::{EventSpec, HookInput};
use hookbench_core::names::AgentId;

/// The maximum number of payloads to keep.
const KEPT: usize = 100;
/// The maximum size of all payloads as text, in bytes. The oldest are dropped first.
const KEPT_BYTES: usize = 32 << 20;

/// The state of the bench with one payload.
#[derive(Debug, Clone)]
pub(super) struct BenchPayload {
    pub agent: AgentId,
    pub event: Option<&'static EventSpec>,
    pub template: Option<usize>,
    pub edited: bool,
    pub origin: PayloadOrigin,
    pub input: Option<HookInput>,
    pub filled: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
    pub refused: Option<InvalidPayload>,
}

impl BenchPayload {
    pub fn is_same(&self, other: &BenchPayload) -> bool {
        self.agent == other.agent && self.input == other.input && self.refused == other.refused
    }

    pub fn bytes(&self) -> usize {
        let body = self.input.as_ref().map_or(0, |i| hookbench_core::text::stringify(&i.body).len());
        body + self.refused.as_ref().map_or(0, |r| r.text.len())
    }
}

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
