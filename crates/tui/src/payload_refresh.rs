//! Computes the view of the event's payload again when payload, script or space have changed, and never while drawing.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::bench::event_room;
use crate::hook_list::HookListRow;
use crate::model::Model;
use crate::payload_view::{PayloadView, ScriptReads, is_own_key};
use crate::sent_payload::SentPayload;
use crate::widgets::{JsonTree, TreeSource};
use hookbench_app::{field_problem, key_paths, read_keys};
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::stress::KeyEffect;

impl PayloadView {
    /// Updates everything.
    pub fn refresh(&mut self, model: &Model) {
        let bench = model.session.bench();
        let hook = hook_of_event(model).map(|d| d.id.clone());
        let room = event_room(model.size, model.zoomed, model.pane_sizes);
        let observed = hook.as_deref().map(|hook| observed_keys(model, hook)).unwrap_or_default();
        let of = Some((model.session.payload_revision(), room, hook, observed.len()));
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
            self.sent = None;
            return;
        };
        self.tree.rebuild(TreeSource { body, is_own_key: &|key| is_own_key(bench, key), room });
        self.grow();
        self.sent = hook_of_event(model).and_then(|hook| sent_payload(model, hook, body));
        self.remarks.clear();
        for field in bench.payload.event.iter().flat_map(|e| e.fields) {
            if let Some(says) = body.get(field.name).and_then(|value| field_problem(field, value)) {
                self.remarks.insert(format!("/{}", field.name), says);
            }
        }
        let mut paths = KeyPathsByEvent::default();
        if self.any_missing_inputs != Some(model.session.payload_revision()) {
            self.any_missing_inputs = Some(model.session.payload_revision());
            let hooks = model.plan().map(|p| p.entries.as_slice()).unwrap_or_default();
            let mut all = hooks.iter().take(SCANNED_HOOKS).filter_map(|e| model.loaded()?.definition(&e.hook));
            self.any_missing = all.any(|d| {
                let paths = paths.of(model, d, body);
                self.reads_of(model, d, paths).is_some_and(|reads| !reads.missing.is_empty())
            });
        }
        // A hook whose file could not be read again reads no keys.
        let there = !matches!(model.rows.get(model.selected), Some(HookListRow::Stale(_)));
        let selected = hook_of_event(model).filter(|_| there);
        self.reads =
            selected.and_then(|definition| self.reads_of(model, definition, paths.of(model, definition, body)));
        if let Some(definition) = selected.filter(|_| !observed.is_empty()) {
            let reads = self.reads.get_or_insert_default();
            reads.script = definition.label();
            let seen = key_paths(body).into_iter().filter(|path| observed.contains(&path.join(".")));
            reads.present.extend(seen.map(|path| pointer(&path)));
        }
    }

    /// Calls `what` on the tree of rows; `None` without a payload.
    pub fn act<T>(&mut self, model: &Model, what: impl FnOnce(&mut JsonTree, TreeSource<'_>) -> T) -> Option<T> {
        let bench = model.session.bench();
        let body = bench.body()?;
        let room = event_room(model.size, model.zoomed, model.pane_sizes);
        let done = what(&mut self.tree, TreeSource { body, is_own_key: &|key| is_own_key(bench, key), room });
        self.grow();
        Some(done)
    }

    fn reads_of(&mut self, model: &Model, definition: &HookDefinition, known: &KeyPaths) -> Option<ScriptReads> {
        let Handler::Command(command) = &definition.handler else { return None };
        let keys = self.scripts.entry(command.command.clone()).or_insert_with(|| {
            let session = &model.session;
            let script = session.current().and_then(|agent| session.hook_script(agent, definition));
            script.map(|script| read_keys(&script.walks)).unwrap_or_default()
        });
        if keys.is_empty() {
            return None;
        }
        let KeyPaths { here: paths, usual, .. } = known;
        let mut reads = ScriptReads { script: definition.label(), ..ScriptReads::default() };
        for key in keys.iter() {
            let carried: Vec<&Vec<String>> = paths.iter().filter(|path| key.reads(path)).collect();
            reads.present.extend(carried.iter().filter_map(|path| known.pointer(path)));
            // A bare key may belong to another object, unless it is a key of this agent's events.
            let sure = key.rooted
                || key.path.first().is_some_and(|first| known_key(model, first) || known.has_top_level(first));
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

/// The selected hook, if it runs on the event in any of its spellings.
fn hook_of_event(model: &Model) -> Option<&HookDefinition> {
    let event = model.session.bench().payload.event?;
    let agent = model.session.current()?;
    model.definition().filter(|hook| agent.dialect.is_same_event(event.name, &hook.event))
}

/// The payload as the hook gets it, if that is another one.
fn sent_payload(model: &Model, hook: &HookDefinition, body: &Value) -> Option<SentPayload> {
    SentPayload::of(model.session.current()?.dialect, &hook.event, body)
}

/// The keys that a hook reacted to in the last stress test.
fn observed_keys(model: &Model, hook: &str) -> Vec<String> {
    let test = model
        .session
        .stress_test()
        .filter(|test| test.report.finished && test.hook == hook && test.agent == model.session.bench().payload.agent);
    let coverage = test.and_then(|test| test.report.coverage.as_ref());
    let effects = [KeyEffect::Decides, KeyEffect::Read];
    let keys = coverage.into_iter().flat_map(|coverage| effects.map(|effect| coverage.keys_with(effect)).concat());
    keys.map(str::to_owned).collect()
}

/// Maximum number of hooks whose scripts are read to decide whether the row of missing keys is needed.
const SCANNED_HOOKS: usize = 500;

/// The key paths of the payload, and of all templates of its event, as a hook gets them.
struct KeyPaths {
    here: Vec<Vec<String>>,
    usual: Vec<Vec<String>>,
    /// `None` if the hook gets the payload of the bench.
    sent: Option<SentPayload>,
}

impl KeyPaths {
    fn of(model: &Model, hook: &HookDefinition, body: &Value) -> KeyPaths {
        let agent = model.session.current();
        let sent = |body: &Value| agent.map_or_else(|| body.clone(), |a| a.dialect.sent_payload(&hook.event, body));
        let templates = &model.session.bench().templates;
        KeyPaths {
            here: key_paths(&sent(body)),
            usual: templates.iter().flat_map(|template| key_paths(&sent(&template.body))).collect(),
            sent: sent_payload(model, hook, body),
        }
    }

    /// The pointer in the payload of the bench. `None` if only the hook's payload has the key.
    fn pointer(&self, path: &[String]) -> Option<String> {
        match &self.sent {
            Some(sent) => sent.pointer_of(path).map(str::to_owned),
            None => Some(pointer(path)),
        }
    }

    fn has_top_level(&self, key: &str) -> bool {
        self.usual.iter().any(|path| path.first().is_some_and(|first| first == key))
    }
}

/// The key paths for each name under which hooks of the event are configured.
#[derive(Default)]
struct KeyPathsByEvent(BTreeMap<String, KeyPaths>);

impl KeyPathsByEvent {
    fn of(&mut self, model: &Model, hook: &HookDefinition, body: &Value) -> &KeyPaths {
        self.0.entry(hook.event.clone()).or_insert_with(|| KeyPaths::of(model, hook, body))
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
