//! The event on the bench: choosing, completing and planning it.

use hookbench_core::names::AgentId;
use std::collections::HashSet;
use std::sync::{Arc, PoisonError};

use serde_json::{Value, json};

use super::state::Session;
use crate::analysis::launch_preview::{LaunchPreview, timeout_effect};
use crate::analysis::resolve::{ResolvedCommand, ResolvedState, resolve_launch};
use crate::analysis::subjects::SubjectMatches;
use crate::environment::hook_environment::with_environment_of;
use crate::firing::approval::ConsentItem;
use crate::firing::input::{BuiltInput, FieldSetting, InputError, InputRequest, build_input, read_payload};
use crate::firing::record::is_forwarding;
use crate::session::bench::{HookCounts, InvalidPayload, PayloadOrigin};
use crate::session::{AgentState, SessionEffect};
use hookbench_core::catalogue::catalogue;
use hookbench_core::config::Files;
use hookbench_core::dialects::{self, Scene, Version};
use hookbench_core::hook::{DefinitionId, EventSpec, ExamplePayload, HookDefinition, HookInput};
use hookbench_core::matcher::server_tools_in;
use hookbench_core::plan::{Plan, PlanEntry, RungName, Selection};
use hookbench_core::run::Launch;
use hookbench_core::text::replace_lookalikes;

impl Session {
    /// Puts a completed input on the bench.
    pub fn put_input(&mut self, built: BuiltInput) {
        self.bench.payload.agent = built.dialect.id();
        self.bench.payload.event = Some(built.event);
        self.bench.templates = self.templates(built.event);
        self.bench.payload.template = None;
        self.bench.payload.edited = true;
        self.set_input(built);
    }

    pub(super) fn set_input(&mut self, built: BuiltInput) {
        self.replace_input(Some(built.input));
        self.bench.payload.filled = built.filled;
        self.bench.payload.diagnostics = built.diagnostics;
        self.bench.payload.transcript = built.transcript;
        self.bench.payload.refused = None;
        self.bench.consent = None;
        self.replan();
    }

    pub(super) fn templates(&self, event: &'static EventSpec) -> Vec<ExamplePayload> {
        self.current().map(|a| a.dialect.examples(event, &self.place, &a.version)).unwrap_or_default()
    }

    /// Chooses the first event: the requested one, if any, otherwise a suitable one.
    pub(super) fn choose_first_event(&mut self) {
        let wish = self.options.begin_with.take();
        let Some(agent) = self.current() else { return };
        if let Some((name, template)) = wish
            && dialects::find_event(agent.dialect, &agent.version, &name).is_some()
        {
            self.put_event(&name);
            self.take_template(template);
            return;
        }
        self.put_first_event();
    }

    pub(super) fn put_event(&mut self, name: &str) {
        let Some(agent) = self.current() else { return };
        let Some(event) = dialects::find_event(agent.dialect, &agent.version, name) else {
            self.say(format!("{} has no event \"{name}\"", agent.dialect.name()));
            return;
        };
        self.bench.payload.event = Some(event);
        self.bench.templates = self.templates(event);
        self.take_template(0);
    }

    pub(super) fn take_template(&mut self, index: usize) {
        let Some(template) = self.bench.templates.get(index) else { return };
        let payload = template.body.clone();
        self.bench.payload.template = Some(index);
        self.bench.payload.edited = false;
        self.bench.payload.origin = PayloadOrigin::Template;
        self.rebuild(payload, Vec::new());
        self.bench.payload.filled.clear();
    }

    pub(super) fn set_field(&mut self, setting: FieldSetting) {
        let Some(body) = self.bench.body().cloned() else { return };
        self.bench.mark_edited();
        self.rebuild(body, vec![setting]);
    }

    pub(super) fn set_payload(&mut self, text: String) {
        match read_payload("payload", text.as_bytes()) {
            Ok(payload) => {
                self.bench.mark_edited();
                self.rebuild(payload, Vec::new());
            }
            Err(why) => self.refuse_payload(text, why.to_string()),
        }
    }

    /// Completes a payload and puts it on the bench. If the payload names another event, that event is chosen.
    pub(super) fn rebuild(&mut self, payload: Value, set: Vec<FieldSetting>) {
        let text = hookbench_core::text::stringify_pretty(&payload);
        let named = payload.get("hook_event_name").and_then(Value::as_str).map(str::to_owned);
        let event = if named.is_some() { None } else { self.bench.payload.event.map(|e| e.name.to_owned()) };
        let request = InputRequest {
            agent: Some(self.bench.payload.agent),
            event,
            payload: Some(payload),
            set,
            require_subject: true,
            ..InputRequest::default()
        };
        match self.build(&request) {
            Ok(built) => {
                if self.bench.payload.event.map(|e| e.name) != Some(built.event.name) {
                    self.bench.payload.event = Some(built.event);
                    self.bench.templates = self.templates(built.event);
                    self.bench.payload.template = None;
                }
                self.set_input(built);
            }
            Err(why) => self.refuse_payload(text, why.to_string()),
        }
    }

    fn refuse_payload(&mut self, text: String, reason: String) {
        self.effects.push(SessionEffect::PayloadRefused(reason.clone()));
        self.bench.payload.refused = Some(InvalidPayload { text, reason });
    }

    /// Builds the input for a request, with the session's `Place`.
    pub fn build(&self, request: &InputRequest) -> Result<BuiltInput, InputError> {
        let version_of =
            |id: &'static str| self.agent(id).map_or_else(|| Version::new(0, 0, 0), |agent| agent.version.clone());
        build_input(request, &self.place, self.files.as_ref(), &version_of)
    }

    pub(super) fn scene(&self) -> Option<Scene> {
        self.scene_of(self.current()?, self.bench.payload.input.as_ref()?)
    }

    pub(crate) fn scene_of(&self, agent: &AgentState, input: &HookInput) -> Option<Scene> {
        Some(Scene {
            headless: self.options.headless,
            memory: self.memory_of(agent.dialect.id().as_str(), input),
            ..Scene::new(input.clone(), agent.loaded.clone()?, Arc::clone(&self.place), agent.version.clone())
        })
    }

    /// Puts a given input on the bench without completing it.
    pub(super) fn put_earlier_input(
        &mut self,
        agent: AgentId,
        input: HookInput,
        filled: Vec<String>,
        origin: PayloadOrigin,
    ) {
        self.bench.payload.agent = agent;
        self.bench.payload.origin = origin;
        self.bench.payload.event =
            self.current().and_then(|a| dialects::find_event(a.dialect, &a.version, &input.event));
        self.bench.templates = self.bench.payload.event.map(|e| self.templates(e)).unwrap_or_default();
        self.bench.payload.template = None;
        self.bench.payload.edited = true;
        self.replace_input(Some(input));
        self.bench.payload.filled = filled;
        self.bench.payload.diagnostics = Vec::new();
        self.bench.payload.refused = None;
        self.replan();
    }

    /// Puts the call of an MCP tool on the bench that a hook's matcher writes out, if the hook then runs.
    pub fn use_server_tool(&mut self, hook: &str) -> bool {
        let (Some(scene), Some(agent), Some(event)) = (self.scene(), self.current(), self.bench.payload.event) else {
            return false;
        };
        let Some(key) = event.subject.filter(|key| *key == "tool_name") else { return false };
        let matcher = scene.loaded.definition(hook).and_then(|definition| definition.matcher.as_ref());
        let mut calls =
            server_tools(matcher, agent).into_iter().map(|tool| with_subject(&scene, agent, event, key, &tool));
        let fires = |scene: &Scene| {
            let plan = agent.dialect.plan(scene);
            plan.entry(hook).is_some_and(|entry| matches!(entry.selection, Selection::Fires { .. }))
        };
        let Some(call) = calls.find(fires) else { return false };
        self.replace_input(Some(call.input));
        self.replan();
        true
    }

    /// Replaces the input on the bench, and increments the revision.
    pub(super) fn replace_input(&mut self, input: Option<HookInput>) {
        self.payload_revision += 1;
        self.opened_run = None;
        self.effects.push(SessionEffect::PayloadReplaced);
        self.bench.payload.input = input;
    }

    pub(super) fn replan(&mut self) {
        self.bench.consent = None;
        self.bench.plan = match (self.scene(), self.current()) {
            (Some(scene), Some(agent)) => Some(agent.dialect.plan(&scene)),
            _ => None,
        };
    }

    /// Counts the hooks that a firing would run, would not run, or that are undetermined. hookbench's own are not counted.
    pub fn hook_counts(&self) -> HookCounts {
        let mut counts = HookCounts::default();
        let loaded = self.loaded();
        let is_ours = |hook: &str| loaded.and_then(|l| l.definition(hook)).is_some_and(is_forwarding);
        for entry in self.bench.plan.iter().flat_map(|plan| &plan.entries).filter(|entry| !is_ours(&entry.hook)) {
            match entry.selection {
                Selection::Fires { .. } => counts.fires += 1,
                Selection::Skipped => counts.skipped += 1,
                Selection::Unknown => counts.unknown += 1,
            }
        }
        counts
    }

    /// The scene for a definition: with the input on the bench if it is of the same event, else with the first
    /// template.
    pub(super) fn scene_for(&self, agent: &AgentState, definition: &HookDefinition) -> Option<Scene> {
        let event = dialects::find_event(agent.dialect, &agent.version, &definition.event)?;
        let on_bench = self
            .bench
            .payload
            .input
            .as_ref()
            .filter(|i| agent.dialect.is_same_event(&i.event, &definition.event))
            .filter(|_| agent.dialect.id() == self.bench.payload.agent);
        let body = match on_bench {
            Some(input) => input.body.clone(),
            None => self.first_example(agent, event)?,
        };
        let subject = agent.dialect.subject(event, &body, &agent.version);
        self.scene_of(agent, &HookInput { event: definition.event.clone(), subject, body })
    }

    /// The payload of an event's first template. It is cached, because every hook of the event needs it.
    fn first_example(&self, agent: &AgentState, event: &'static EventSpec) -> Option<Value> {
        let make = || agent.dialect.examples(event, &self.place, &agent.version).into_iter().next().map(|e| e.body);
        let mut known = self.examples.lock().unwrap_or_else(PoisonError::into_inner);
        let (version, body) =
            known.entry((agent.dialect.id(), event.name)).or_insert_with(|| (agent.version.clone(), make()));
        if *version != agent.version {
            (*version, *body) = (agent.version.clone(), make());
        }
        body.clone()
    }

    /// The file system that the session reads.
    pub fn files(&self) -> &dyn Files {
        self.files.as_ref()
    }

    /// The program and script that a definition would start, for the input on the bench if it is of the same event,
    /// else for a template.
    pub fn resolve(&self, agent: &AgentState, definition: &HookDefinition) -> Option<ResolvedCommand> {
        self.launch_of(agent, definition)?.1
    }

    /// The hooks of a plan that match and cannot start, each with the reason.
    pub fn failing_hooks(&self, agent: &AgentState, plan: &Plan) -> Vec<(DefinitionId, String)> {
        let definition = |entry: &PlanEntry| agent.loaded.as_ref()?.definition(&entry.hook);
        let fails = |definition: &HookDefinition| {
            let resolved = self.resolve(agent, definition)?;
            let message = || replace_lookalikes(&resolved.message).into_owned();
            (resolved.state == ResolvedState::No).then(|| (definition.id.clone(), message()))
        };
        plan.firing().filter_map(definition).filter_map(fails).collect()
    }

    /// The launch of a definition, and the program and script that it would start. The input is chosen as in
    /// [`Session::resolve`].
    pub fn launch_of(
        &self,
        agent: &AgentState,
        definition: &HookDefinition,
    ) -> Option<(Launch, Option<ResolvedCommand>)> {
        let scene = self.scene_for(agent, definition)?;
        let launch = agent.dialect.launch(definition, &scene);
        let resolved = self.resolve_launch(&launch, definition);
        Some((launch, resolved))
    }

    pub(super) fn resolve_launch(&self, launch: &Launch, definition: &HookDefinition) -> Option<ResolvedCommand> {
        resolve_launch(launch, definition, &self.place, self.files())
    }

    /// How a definition would be launched now, and the effect of a timeout.
    pub fn prospect(&self, agent: &AgentState, definition: &HookDefinition) -> Option<LaunchPreview> {
        let scene = self.scene_for(agent, definition)?;
        let launch = agent.dialect.launch(definition, &scene);
        let resolved = self.resolve_launch(&launch, definition);
        let timeout_means = timeout_effect(agent.dialect, definition, &launch, &scene);
        Some(LaunchPreview { launch, resolved, timeout_effect: timeout_means })
    }

    /// Sorts the known subjects of a definition's event into those on which it fires, may fire, and is skipped.
    pub fn subjects(&self, agent: &AgentState, definition: &HookDefinition) -> Option<SubjectMatches> {
        let event = dialects::find_event(agent.dialect, &agent.version, &definition.event)?;
        let mut scene = self.scene_for(agent, definition)?;
        // Identical hooks are included, because an agent may run only one of them.
        let same = |d: &HookDefinition| d.event == definition.event && d.handler == definition.handler;
        scene.loaded = Arc::new(scene.loaded.with_definitions(same));
        let mut found = SubjectMatches::default();
        let Some(key) = event.subject else { return Some(found) };
        let templates = agent.dialect.examples(event, &self.place, &agent.version);
        let of_servers = if event.subject == Some("tool_name") {
            server_tools(definition.matcher.as_ref(), agent)
        } else {
            Vec::new()
        };
        let known = templates.iter().filter_map(|t| t.body.get(key)?.as_str()).chain(event.subjects.iter().copied());
        let known = known.chain(of_servers.iter().map(String::as_str));
        let mut seen: Vec<&str> = Vec::new();
        // A template may name an MCP tool, which is not a known tool. It is listed only if no known tool matches.
        let mut beyond = SubjectMatches::default();
        for subject in known {
            if seen.contains(&subject) {
                continue;
            }
            seen.push(subject);
            let other = with_subject(&scene, agent, event, key, subject);
            let known = event.subjects.is_empty() || event.subjects.contains(&subject);
            let of = if known { &mut found } else { &mut beyond };
            let other = agent.dialect.plan(&other);
            let Some(entry) = other.entry(&definition.id) else { continue };
            let into = match entry.selection {
                Selection::Fires { .. } => &mut of.fires,
                Selection::Unknown => &mut of.conditional,
                // It matches, and an equal hook runs instead.
                Selection::Skipped if entry.failed_rung == Some(RungName::Started) => &mut of.fires,
                Selection::Skipped if entry.failed_rung > Some(RungName::Matcher) => &mut of.conditional,
                Selection::Skipped => {
                    let other = entry
                        .nearest
                        .first()
                        .filter(|near| definition.matcher.as_ref().and_then(Value::as_str) != Some(near.as_str()));
                    of.nearest = of.nearest.take().or_else(|| other.cloned());
                    &mut of.skipped
                }
            };
            into.push(subject.to_owned());
        }
        if found.fires.is_empty() && found.conditional.is_empty() {
            let whole = |tool: String| whole_server(agent, event, definition, &tool).unwrap_or(tool);
            found.fires = beyond.fires.into_iter().map(whole).collect();
            found.fires.dedup();
            found.conditional = beyond.conditional;
        }
        Some(found)
    }

    /// The text of a command's script. `None` if it is not text, or too large for a script.
    pub fn script_text(&self, resolved: &ResolvedCommand) -> Option<String> {
        resolved.script_text(self.files())
    }

    /// The commands that the user has to approve before the plan on the bench may run.
    pub fn consent_missing(&self) -> Vec<ConsentItem> {
        match (&self.bench.plan, self.current(), self.scene()) {
            (Some(plan), Some(agent), Some(scene)) => self.consent_missing_of(agent, plan, &scene),
            _ => Vec::new(),
        }
    }

    /// The same for a plan of any agent, in the scene in which it would run.
    pub(super) fn consent_missing_of(&self, agent: &AgentState, plan: &Plan, scene: &Scene) -> Vec<ConsentItem> {
        let mut asked = HashSet::new();
        self.unapproved(agent, plan, scene).filter(|item| asked.insert(item.key.clone())).collect()
    }

    /// Whether a hook of the event on the bench needs approval. Stops at the first one.
    pub fn needs_consent(&self) -> bool {
        match (&self.bench.plan, self.current(), self.scene()) {
            (Some(plan), Some(agent), Some(scene)) => self.unapproved(agent, plan, &scene).next().is_some(),
            _ => false,
        }
    }

    /// The commands that the user has not approved, one for each hook.
    fn unapproved(&self, agent: &AgentState, plan: &Plan, scene: &Scene) -> impl Iterator<Item = ConsentItem> {
        plan.firing().filter_map(move |entry| {
            let definition = scene.loaded.definition(&entry.hook).filter(|d| !is_forwarding(d))?;
            let launch = with_environment_of(agent.dialect.launch(definition, scene), &scene.place, false);
            let item = ConsentItem::of(&self.place.project, agent.dialect.id().as_str(), definition, &launch);
            item.filter(|item| !self.consent.has(&item.key))
        })
    }

    /// Skipped hooks whose matcher matches, or may match, the current or another subject of the event.
    pub fn hooks_for_other_subjects(&self) -> Vec<DefinitionId> {
        let (Some(plan), Some(scene), Some(agent), Some(event)) =
            (&self.bench.plan, self.scene(), self.current(), self.bench.payload.event)
        else {
            return Vec::new();
        };
        let skipped = |e: &&PlanEntry| e.selection == Selection::Skipped;
        // A hook that reached its condition has a working matcher.
        let (mut good, mut open): (Vec<&PlanEntry>, Vec<&PlanEntry>) =
            plan.entries.iter().filter(skipped).partition(|e| e.failed_rung == Some(RungName::Condition));
        open.retain(|e| e.failed_rung == Some(RungName::Matcher));
        let Some(key) = event.subject else { return good.into_iter().map(|e| e.hook.clone()).collect() };
        let known = self.bench.templates.iter().filter_map(|t| t.body.get(key)?.as_str());
        let Some(loaded) = &agent.loaded else { return Vec::new() };
        for subject in known.chain(event.subjects.iter().copied()) {
            if open.is_empty() {
                break;
            }
            let other = with_subject(&scene, agent, event, key, subject).input.subject;
            let reached = |e: &&PlanEntry| {
                let matcher = loaded.definition(&e.hook).and_then(|d| d.matcher.as_ref());
                agent.dialect.matches(event, matcher, &other, &agent.version) != Some(false)
            };
            let (hit, rest) = open.into_iter().partition(reached);
            good.extend::<Vec<_>>(hit);
            open = rest;
        }
        // Tools of MCP servers are not known by name; the matcher itself names one.
        good.extend(open.into_iter().filter(|e| {
            let matcher = loaded.definition(&e.hook).and_then(|d| d.matcher.as_ref());
            server_tools(matcher, agent).iter().any(|tool| {
                let other = with_subject(&scene, agent, event, key, tool).input.subject;
                agent.dialect.matches(event, matcher, &other, &agent.version) == Some(true)
            })
        }));
        good.into_iter().map(|e| e.hook.clone()).collect()
    }
}

/// The MCP tools that a matcher writes out.
fn server_tools(matcher: Option<&Value>, agent: &AgentState) -> Vec<String> {
    let tools = catalogue().agent(agent.dialect.id().as_str());
    matcher.and_then(Value::as_str).zip(tools).map(|(text, tools)| server_tools_in(text, tools)).unwrap_or_default()
}

/// A phrase for all tools of an MCP server, if the definition's matcher matches them whatever they are called.
fn whole_server(agent: &AgentState, event: &EventSpec, definition: &HookDefinition, tool: &str) -> Option<String> {
    /// A name that no matcher writes out.
    const UNKNOWN_TOOL: &str = "q0z";
    let tools = catalogue().agent(agent.dialect.id().as_str())?;
    let (server, _) = tool.strip_prefix(tools.mcp.prefix())?.split_once(tools.mcp.split.unwrap_or("_"))?;
    let key = event.subject?;
    let fires = |server: &str| {
        let body = json!({ key: tools.mcp.name(server, UNKNOWN_TOOL) });
        let subject = agent.dialect.subject(event, &body, &agent.version);
        agent.dialect.matches(event, definition.matcher.as_ref(), &subject, &agent.version)
    };
    if fires(server) != Some(true) {
        return None;
    }
    let every = fires(UNKNOWN_TOOL) == Some(true);
    Some(if every { "all tools of MCP servers".to_owned() } else { format!("all tools of the MCP server {server}") })
}

/// The same scene with another subject.
pub(super) fn with_subject(scene: &Scene, agent: &AgentState, event: &EventSpec, key: &str, subject: &str) -> Scene {
    let mut body = scene.input.body.clone();
    if let Some(map) = body.as_object_mut() {
        map.insert(key.to_owned(), Value::from(subject));
    }
    let subject = agent.dialect.subject(event, &body, &agent.version);
    scene.with_input(HookInput { event: scene.input.event.clone(), subject, body })
}
