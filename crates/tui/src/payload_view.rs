//! The view of the event's payload: its rows, the keys that the selected script reads, and remarks. It is
//! recomputed when payload, script or space change, and never while drawing.

use hookbench_core::names::AgentId;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::hook_list::HookListRow;
use crate::model::Model;
use crate::widgets::{JsonTree, TreeSource, unescaped};
use hookbench_app::{Bench, ScriptKey, field_problem, key_paths, script_keys};
use hookbench_core::hook::{Handler, HookDefinition, PayloadField};

/// The keys that the selected script reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScriptReads {
    /// The script's name.
    pub script: String,
    /// JSON pointers of the keys that it reads and the payload has.
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
    /// Remarks about unexpected values, by JSON pointer.
    pub remarks: BTreeMap<String, String>,
    /// The keys that scripts read, by the command that starts them; read once per load.
    scripts: BTreeMap<String, Vec<ScriptKey>>,
    /// The payload revision, the height and the hook that the rest was computed for.
    inputs: Option<(u64, usize, Option<String>)>,
    event: Option<(AgentId, &'static str)>,
    /// The largest number of rows since the event was chosen, so that folding does not move other panes.
    tallest: usize,
    /// Whether any hook of this event reads a missing key; the row for it is then reserved for every hook.
    any_missing: bool,
    /// The payload revision that `any_missing` was computed for.
    any_missing_inputs: Option<u64>,
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

    /// Updates everything.
    pub fn refresh(&mut self, model: &Model) {
        let bench = model.session.bench();
        let hook =
            model.definition().filter(|d| bench.payload.event.is_some_and(|e| e.name == d.event)).map(|d| d.id.clone());
        let room = crate::bench::event_room(model.size, model.zoomed, model.pane_sizes);
        let of = Some((model.session.payload_revision(), room, hook));
        if self.inputs == of {
            return;
        }
        self.inputs = of;
        let event = bench.payload.event.map(|e| (bench.payload.agent, e.name));
        if self.event != event {
            self.event = event;
            self.tree.reset();
            self.tallest = 0;
        }
        let Some(body) = bench.body() else {
            self.tree.reset();
            self.reads = None;
            return;
        };
        self.tree.rebuild(TreeSource { body, is_own_key: &|key| is_own_key(bench, key), room });
        self.grow();
        self.remarks.clear();
        for field in bench.payload.event.iter().flat_map(|e| e.fields) {
            if let Some(says) = body.get(field.name).and_then(|value| field_problem(field, value)) {
                self.remarks.insert(format!("/{}", field.name), says);
            }
        }
        let paths = KeyPaths::of(model, body);
        if self.any_missing_inputs != Some(model.session.payload_revision()) {
            self.any_missing_inputs = Some(model.session.payload_revision());
            let hooks = model.plan().map(|p| p.entries.as_slice()).unwrap_or_default();
            let mut all = hooks.iter().take(SCANNED_HOOKS).filter_map(|e| model.loaded()?.definition(&e.hook));
            self.any_missing = all.any(|d| self.reads_of(model, d, &paths).is_some_and(|r| !r.missing.is_empty()));
        }
        // A hook whose file could not be read again reads no keys.
        let there = !matches!(model.rows.get(model.selected), Some(HookListRow::Stale(_)));
        let selected = model.definition().filter(|d| there && bench.payload.event.is_some_and(|e| e.name == d.event));
        self.reads = selected.and_then(|definition| self.reads_of(model, definition, &paths));
    }

    fn grow(&mut self) {
        self.tallest = self.tallest.max(self.tree.rows.len());
    }

    /// Calls `what` on the tree of rows; `None` without a payload.
    pub fn act<T>(&mut self, model: &Model, what: impl FnOnce(&mut JsonTree, TreeSource<'_>) -> T) -> Option<T> {
        let bench = model.session.bench();
        let body = bench.body()?;
        let room = crate::bench::event_room(model.size, model.zoomed, model.pane_sizes);
        let done = what(&mut self.tree, TreeSource { body, is_own_key: &|key| is_own_key(bench, key), room });
        self.grow();
        Some(done)
    }

    fn reads_of(&mut self, model: &Model, definition: &HookDefinition, paths: &KeyPaths) -> Option<ScriptReads> {
        let Handler::Command(command) = &definition.handler else { return None };
        let keys = self.scripts.entry(command.command.clone()).or_insert_with(|| {
            let session = &model.session;
            let resolved = session.current().and_then(|agent| session.resolve(agent, definition));
            let script = resolved.and_then(|resolved| session.script_text(&resolved));
            let mut keys = script_keys(&command.command);
            keys.extend(script.iter().flat_map(|text| script_keys(text)));
            keys
        });
        if keys.is_empty() {
            return None;
        }
        let KeyPaths { here: paths, usual } = paths;
        let mut reads = ScriptReads { script: definition.label(), ..ScriptReads::default() };
        for key in keys.iter() {
            let carried: Vec<&Vec<String>> = paths.iter().filter(|path| key.reads(path)).collect();
            reads.present.extend(carried.iter().map(|path| pointer(path)));
            // A bare key may belong to another object, unless it is a key of this agent's events.
            let sure = key.rooted || key.path.first().is_some_and(|first| known_key(model, first));
            if !carried.is_empty() || !sure {
                continue;
            }
            if usual.iter().any(|path| key.reads(path)) {
                reads.other_times.push(dotted(&key.path));
            } else {
                let elsewhere = paths.iter().find(|path| path.last() == key.path.last()).map(|path| dotted(path));
                let missing = (dotted(&key.path), elsewhere);
                if !reads.missing.contains(&missing) {
                    reads.missing.push(missing);
                }
            }
        }
        Some(reads)
    }
}

/// Maximum number of hooks whose scripts are read to decide whether the row of missing keys is needed.
const SCANNED_HOOKS: usize = 500;

/// The key paths of the payload, and of all templates of its event.
struct KeyPaths {
    here: Vec<Vec<String>>,
    usual: Vec<Vec<String>>,
}

impl KeyPaths {
    fn of(model: &Model, body: &Value) -> KeyPaths {
        let templates = &model.session.bench().templates;
        KeyPaths {
            here: key_paths(body),
            usual: templates.iter().flat_map(|template| key_paths(&template.body)).collect(),
        }
    }
}

/// Whether it is a top-level key of any event of the agent.
fn known_key(model: &Model, key: &str) -> bool {
    let Some(agent) = model.session.current() else { return false };
    agent.dialect.events(&agent.version).iter().any(|e| e.fields.iter().any(|f| f.name == key))
        || model.session.bench().templates.iter().any(|t| t.body.get(key).is_some())
}

fn pointer(path: &[String]) -> String {
    path.iter().fold(String::new(), |above, key| format!("{above}/{}", crate::widgets::escaped(key)))
}

fn dotted(path: &[String]) -> String {
    path.iter().fold(String::new(), |above, key| format!("{above}.{key}"))
}
