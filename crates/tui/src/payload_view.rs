//! The view of the event's payload: its rows, the keys that the selected script reads, and remarks. It is
//! recomputed when payload, script or space change, and never while drawing.

use hookbench_core::names::AgentId;
use std::collections::{BTreeMap, BTreeSet};

use crate::sent_payload::SentPayload;
use crate::widgets::{JsonTree, unescaped};
use hookbench_app::{Bench, ScriptKey};
use hookbench_core::hook::PayloadField;

/// The keys that the selected script reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScriptReads {
    /// The script's name.
    pub script: String,
    /// JSON pointers of the keys that it reads and the payload has: its text names them, or a stress test saw it.
    pub present: BTreeSet<String>,
    /// Keys that it reads and the event never has, each with the place of a key of the same name in the payload.
    pub missing: Vec<(String, Option<String>)>,
    /// Keys that it reads and the event sometimes has, for example for another tool.
    pub other_times: Vec<String>,
}

/// The state of the event's pane.
#[derive(Debug, Default)]
pub struct PayloadView {
    pub tree: JsonTree,
    pub reads: Option<ScriptReads>,
    /// The payload as the selected hook gets it. `None` if it gets the payload of the bench.
    pub sent: Option<SentPayload>,
    /// Remarks about unexpected values, by JSON pointer.
    pub remarks: BTreeMap<String, String>,
    /// The keys that scripts read, by the command that starts them; read once per load.
    pub(crate) scripts: BTreeMap<String, Vec<ScriptKey>>,
    /// The payload revision, the height, the hook, and its number of observed keys that the rest was computed for.
    pub(crate) inputs: Option<(u64, usize, Option<String>, usize)>,
    pub(crate) event: Option<(AgentId, &'static str)>,
    /// The largest number of rows since the event was chosen, so that folding does not move other panes.
    pub(crate) tallest: usize,
    /// Whether any hook of this event reads a missing key; the row for it is then reserved for every hook.
    pub(crate) any_missing: bool,
    /// The payload revision that `any_missing` was computed for.
    pub(crate) any_missing_inputs: Option<u64>,
}

/// Whether a key belongs to this event or was added by the user; the other keys come with every event.
pub fn is_own_key(bench: &Bench, key: &str) -> bool {
    let field = || bench.payload.event.is_some_and(|e| e.fields.iter().any(|f| f.name == key));
    let usual = || bench.templates.iter().any(|t| t.body.get(key).is_some());
    key == "hook_event_name" || field() || !usual()
}

/// The specification of a key of the event.
pub fn field_of(bench: &Bench, pointer: &str) -> Option<&'static PayloadField> {
    let key = pointer.strip_prefix('/').filter(|k| !k.contains('/'))?;
    bench.payload.event?.fields.iter().find(|f| f.name == unescaped(key))
}

impl PayloadView {
    /// Discards what was read from the scripts, which may have changed.
    pub fn forget_scripts(&mut self) {
        self.scripts.clear();
        self.inputs = None;
        self.any_missing_inputs = None;
    }

    /// The height that the pane asks for, in rows.
    pub fn wanted_rows(&self) -> usize {
        self.tallest + usize::from(self.any_missing || self.has_missing())
    }

    /// Whether the row of missing keys is shown.
    pub fn has_missing(&self) -> bool {
        self.reads.as_ref().is_some_and(|r| !r.missing.is_empty())
    }

    /// Keeps the largest number of rows.
    pub(crate) fn grow(&mut self) {
        self.tallest = self.tallest.max(self.tree.rows.len());
    }
}
