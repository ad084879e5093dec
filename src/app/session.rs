//! The session: what is loaded, what lies on the bench, what has been fired. It changes by commands and facts only,
//! and asks for everything else as jobs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::app::bench::{Bench, ConsentItem, RefusedPayload};
use crate::app::command::Command;
use crate::app::consent::{Consent, consent_key};
use crate::app::fact::Fact;
use crate::app::firing_record::{Entry, EntryKind, FiringId, FiringRecord, LiveStream, RunRecord, RunState};
use crate::app::input::{BuiltInput, InputError, InputRequest, Setting, build_input, read_payload};
use crate::app::job::Job;
use crate::app::resolve::{Resolved, resolve_command};
use crate::core::config::{Files, LayerState, Loaded, Place};
use crate::core::decide::{Outcome, Verdict};
use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::{self, Dialect, Memory, Scene, Version};
use crate::core::firing::{Firing, Step};
use crate::core::hook::{EventSpec, Handler, HookDefinition, HookInput};
use crate::core::run::{Exit, Launch, RunId, RunReport};

/// How a session answers.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// Nobody can be asked by the agent.
    pub headless: bool,
    /// Run without asking for consent.
    pub yes: bool,
    /// Behave as this version of the agent.
    pub agent_version: Option<Version>,
    /// Keep entries of everything that happens, for `jsonl`.
    pub keep_entries: bool,
    /// Firings that are kept; older ones go.
    pub keep_firings: usize,
}

/// One agent in this place.
pub struct AgentState {
    pub dialect: &'static dyn Dialect,
    /// The version whose behaviour is shown.
    pub version: Version,
    /// What is installed; none: not installed, or it does not say.
    pub installed: Option<Version>,
    /// The version lies outside everything that is known.
    pub out_of_range: bool,
    pub loaded: Option<Arc<Loaded>>,
    /// Definitions of files that were readable before and are broken now.
    pub stale: Vec<HookDefinition>,
}

impl AgentState {
    fn new(dialect: &'static dyn Dialect, installed: Option<Version>, asked: Option<&Version>) -> AgentState {
        let known = |v: &Version| dialect.versions().iter().any(|range| range.contains(v));
        let wanted = asked.cloned().or_else(|| installed.clone());
        let out_of_range = wanted.as_ref().is_some_and(|v| !known(v));
        let version = wanted.filter(known).unwrap_or_else(|| dialects::default_version(dialect));
        AgentState { dialect, version, installed, out_of_range, loaded: None, stale: Vec::new() }
    }

    /// `2.1.329`, and what that rests on.
    pub fn version_words(&self) -> String {
        match &self.installed {
            Some(installed) if *installed == self.version => installed.to_string(),
            Some(installed) => format!("{installed} installed, shown as {}", self.version),
            None => format!("not installed, as {}", self.version),
        }
    }
}

/// The state of the workbench.
pub struct Session {
    pub options: SessionOptions,
    pub place: Arc<Place>,
    files: Box<dyn Files + Send + Sync>,
    pub agents: Vec<AgentState>,
    pub bench: Bench,
    /// Oldest first.
    pub firings: Vec<FiringRecord>,
    /// Things to tell the user once, newest last.
    pub messages: Vec<String>,
    consent: Consent,
    live: Vec<(FiringId, Firing)>,
    next_firing: u64,
    entries: Vec<Entry>,
}

impl Session {
    /// A session for a place. `installed` says which versions were found.
    pub fn new(
        options: SessionOptions,
        place: Place,
        files: Box<dyn Files + Send + Sync>,
        agent: &'static str,
        installed: &[(&'static str, Option<Version>)],
        consent: Consent,
    ) -> Session {
        let agents = dialects::ALL
            .iter()
            .map(|dialect| {
                let found = installed.iter().find(|(id, _)| *id == dialect.id()).and_then(|(_, v)| v.clone());
                let asked = options.agent_version.as_ref().filter(|_| dialect.id() == agent);
                AgentState::new(*dialect, found, asked)
            })
            .collect();
        Session {
            options,
            place: Arc::new(place),
            files,
            agents,
            bench: Bench::new(agent),
            firings: Vec::new(),
            messages: Vec::new(),
            consent,
            live: Vec::new(),
            next_firing: 1,
            entries: Vec::new(),
        }
    }

    /// The state of an agent. The agent on the bench always has one.
    pub fn agent(&self, id: &str) -> Option<&AgentState> {
        self.agents.iter().find(|a| a.dialect.id() == id)
    }

    /// The agent on the bench.
    pub fn current(&self) -> Option<&AgentState> {
        self.agent(self.bench.agent)
    }

    /// What the agent on the bench has loaded.
    pub fn loaded(&self) -> Option<&Arc<Loaded>> {
        self.current()?.loaded.as_ref()
    }

    /// The record of a firing.
    pub fn firing(&self, id: FiringId) -> Option<&FiringRecord> {
        self.firings.iter().find(|f| f.id == id)
    }

    /// Whether something is running.
    pub fn busy(&self) -> bool {
        !self.live.is_empty()
    }

    /// Takes what has happened since the last call.
    pub fn take_entries(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    /// Does what a face asks for.
    pub fn apply(&mut self, command: Command) -> Vec<Job> {
        match command {
            Command::Reload => {
                self.agents.iter().map(|a| Job::Load { agent: a.dialect.id(), version: a.version.clone() }).collect()
            }
            Command::ChooseAgent(agent) => {
                self.bench = Bench::new(agent);
                self.choose_first_event();
                Vec::new()
            }
            Command::ChooseEvent(name) => {
                self.put_event(&name);
                Vec::new()
            }
            Command::TakeTemplate(index) => {
                self.take_template(index);
                Vec::new()
            }
            Command::SetField { path, text } => {
                self.set_field(Setting { path, text });
                Vec::new()
            }
            Command::SetPayload(text) => {
                self.set_payload(text);
                Vec::new()
            }
            Command::Fire => self.fire(),
            Command::GiveConsent => self.give_consent(),
            Command::WithholdConsent => {
                self.bench.consent = None;
                Vec::new()
            }
            Command::Answer { firing, run, text } => self.answer(firing, run, &text),
            Command::Cancel => self.cancel(),
        }
    }

    /// Takes in what has happened.
    pub fn absorb(&mut self, fact: Fact) -> Vec<Job> {
        match fact {
            Fact::Loaded { agent, loaded } => self.take_loaded(agent, loaded),
            Fact::FilesChanged(_) => self.apply(Command::Reload),
            Fact::Started { firing, run, pid, at } => {
                if let Some(record) = self.run_mut(firing, run) {
                    record.pid = pid;
                    record.state = RunState::Running { at };
                }
                self.note(firing, at, EntryKind::Started { run });
                Vec::new()
            }
            Fact::Grew { firing, run, stream, bytes, skipped } => {
                if let Some(record) = self.run_mut(firing, run) {
                    let live = if stream == crate::core::run::Stream::Stderr {
                        &mut record.stderr
                    } else {
                        &mut record.stdout
                    };
                    live.grow(&bytes, skipped);
                }
                self.note(firing, Duration::ZERO, EntryKind::Grew { run, stream, bytes, skipped });
                Vec::new()
            }
            Fact::Ended { firing, report } => self.drive(firing, |machine| machine.report(*report)),
            Fact::Expired { firing } => self.drive(firing, Firing::expire),
            Fact::Trouble { says } => {
                self.messages.push(says);
                Vec::new()
            }
        }
    }

    /// Puts an input that was built elsewhere on the bench.
    pub fn put_input(&mut self, built: BuiltInput) {
        self.bench.agent = built.dialect.id();
        self.bench.event = Some(built.event);
        self.bench.templates = self.templates(built.event);
        self.bench.template = None;
        self.bench.edited = true;
        self.take_input(built);
    }

    fn take_input(&mut self, built: BuiltInput) {
        self.bench.input = Some(built.input);
        self.bench.filled = built.filled;
        self.bench.diagnostics = built.diagnostics;
        self.bench.refused = None;
        self.bench.consent = None;
        self.replan();
    }

    fn templates(&self, event: &'static EventSpec) -> Vec<crate::core::hook::Example> {
        self.current().map(|a| a.dialect.examples(event, &self.place, &a.version)).unwrap_or_default()
    }

    fn take_loaded(&mut self, agent: &'static str, loaded: Arc<Loaded>) -> Vec<Job> {
        let Some(state) = self.agents.iter_mut().find(|a| a.dialect.id() == agent) else { return Vec::new() };
        state.stale = stale_after(state, &loaded);
        state.loaded = Some(loaded);
        if agent == self.bench.agent {
            if self.bench.event.is_some() {
                self.replan();
            } else {
                self.choose_first_event();
            }
        }
        vec![Job::Watch(self.watched())]
    }

    /// Everything that can change what hooks do: configuration files and the scripts that commands name.
    fn watched(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for agent in &self.agents {
            let Some(loaded) = &agent.loaded else { continue };
            paths.extend(loaded.paths().into_iter().map(PathBuf::from));
            for definition in loaded.definitions.iter().filter(|d| d.refused.is_none()) {
                paths.extend(self.resolve(agent, definition).and_then(|r| r.script).map(PathBuf::from));
            }
        }
        paths.sort();
        paths.dedup();
        paths
    }

    /// What a definition would start, for the payload on the bench when it is of the same event, else for a template.
    pub fn resolve(&self, agent: &AgentState, definition: &HookDefinition) -> Option<Resolved> {
        let event = dialects::event_of(agent.dialect, &agent.version, &definition.event)?;
        let on_bench =
            self.bench.input.as_ref().filter(|i| i.event == definition.event && agent.dialect.id() == self.bench.agent);
        let body = match on_bench {
            Some(input) => input.body.clone(),
            None => agent.dialect.examples(event, &self.place, &agent.version).into_iter().next()?.body,
        };
        let subject = agent.dialect.subject(event, &body, &agent.version);
        let scene = Scene {
            input: HookInput { event: definition.event.clone(), subject, body },
            loaded: agent.loaded.clone()?,
            place: Arc::clone(&self.place),
            version: agent.version.clone(),
            headless: self.options.headless,
            memory: Memory::default(),
        };
        match (agent.dialect.launch(definition, &scene), &definition.handler) {
            (Launch::Process(spec), Handler::Command(command)) => {
                Some(resolve_command(&spec, command.args.is_some(), &self.place, self.files.as_ref()))
            }
            _ => None,
        }
    }

    /// The event to open with: the first with hooks among those that can stop a tool, else among all, else the first.
    fn choose_first_event(&mut self) {
        let Some(agent) = self.current() else { return };
        let events = agent.dialect.events(&agent.version);
        let configured = |e: &&&'static EventSpec| {
            agent.loaded.iter().any(|l| l.definitions.iter().any(|d| d.event == e.name && d.refused.is_none()))
        };
        let stops_tools = |e: &&&'static EventSpec| e.blocks.is_some() && e.subject == Some("tool_name");
        let first = events
            .iter()
            .filter(configured)
            .find(stops_tools)
            .or_else(|| events.iter().find(configured))
            .or_else(|| events.iter().find(stops_tools))
            .or(events.first());
        if let Some(name) = first.map(|e| e.name) {
            self.put_event(name);
        }
    }

    fn put_event(&mut self, name: &str) {
        let Some(agent) = self.current() else { return };
        let Some(event) = dialects::event_of(agent.dialect, &agent.version, name) else {
            self.messages.push(format!("{} has no event \"{name}\"", agent.dialect.name()));
            return;
        };
        self.bench.event = Some(event);
        self.bench.templates = self.templates(event);
        self.take_template(0);
    }

    fn take_template(&mut self, index: usize) {
        let Some(template) = self.bench.templates.get(index) else { return };
        let payload = template.body.clone();
        self.bench.template = Some(index);
        self.bench.edited = false;
        self.rebuild(payload, Vec::new());
        self.bench.filled.clear();
    }

    fn set_field(&mut self, setting: Setting) {
        let Some(body) = self.bench.body().cloned() else { return };
        self.bench.edited = true;
        self.rebuild(body, vec![setting]);
    }

    fn set_payload(&mut self, text: String) {
        match read_payload("payload", text.as_bytes()) {
            Ok(payload) => {
                self.bench.edited = true;
                self.rebuild(payload, Vec::new());
            }
            Err(why) => self.bench.refused = Some(RefusedPayload { text, why: why.to_string() }),
        }
    }

    /// Makes a payload complete and puts it on the bench. A payload of another event changes the event with it.
    fn rebuild(&mut self, payload: Value, set: Vec<Setting>) {
        let text = crate::core::text::stringify_pretty(&payload);
        let named = payload.get("hook_event_name").and_then(Value::as_str).map(str::to_owned);
        let event = if named.is_some() { None } else { self.bench.event.map(|e| e.name.to_owned()) };
        let request = InputRequest {
            agent: Some(self.bench.agent),
            event,
            payload: Some(payload),
            set,
            ..InputRequest::default()
        };
        match self.build(&request) {
            Ok(built) => {
                if self.bench.event.map(|e| e.name) != Some(built.event.name) {
                    self.bench.event = Some(built.event);
                    self.bench.templates = self.templates(built.event);
                    self.bench.template = None;
                }
                self.take_input(built);
            }
            Err(why) => self.bench.refused = Some(RefusedPayload { text, why: why.to_string() }),
        }
    }

    /// Completes a request in this place.
    ///
    /// # Errors
    /// As [`build_input`].
    pub fn build(&self, request: &InputRequest) -> Result<BuiltInput, InputError> {
        let version_of =
            |id: &'static str| self.agent(id).map_or_else(|| Version::new(0, 0, 0), |agent| agent.version.clone());
        build_input(request, &self.place, self.files.as_ref(), &version_of)
    }

    fn scene(&self) -> Option<Scene> {
        let agent = self.current()?;
        Some(Scene {
            input: self.bench.input.clone()?,
            loaded: agent.loaded.clone()?,
            place: Arc::clone(&self.place),
            version: agent.version.clone(),
            headless: self.options.headless,
            memory: Memory::default(),
        })
    }

    fn replan(&mut self) {
        self.bench.consent = None;
        self.bench.plan = match (self.scene(), self.current()) {
            (Some(scene), Some(agent)) => Some(agent.dialect.plan(&scene)),
            _ => None,
        };
    }

    /// What has to be agreed to before the plan on the bench may run.
    pub fn consent_missing(&self) -> Vec<ConsentItem> {
        let (Some(plan), Some(loaded)) = (&self.bench.plan, self.loaded()) else { return Vec::new() };
        let mut items: Vec<ConsentItem> = Vec::new();
        for entry in plan.firing() {
            let Some(definition) = loaded.definition(&entry.hook) else { continue };
            if !matches!(definition.handler, Handler::Command(_) | Handler::Http(_)) {
                continue;
            }
            let key = consent_key(&self.place.project, self.bench.agent, definition);
            if !self.consent.has(&key) && !items.iter().any(|i| i.key == key) {
                items.push(ConsentItem {
                    key,
                    hook: definition.id.clone(),
                    command: definition.handler.text(),
                    source: format!("{}:{}", definition.from.file, definition.from.line),
                });
            }
        }
        items
    }

    fn fire(&mut self) -> Vec<Job> {
        if self.bench.refused.is_some() {
            self.messages.push("the payload is not JSON yet: edit it first".to_owned());
            return Vec::new();
        }
        let missing = if self.options.yes { Vec::new() } else { self.consent_missing() };
        if !missing.is_empty() {
            self.bench.consent = Some(missing);
            return Vec::new();
        }
        self.start()
    }

    fn give_consent(&mut self) -> Vec<Job> {
        let Some(items) = self.bench.consent.take() else { return Vec::new() };
        let kept: Vec<(String, String)> =
            items.into_iter().map(|i| (i.key, format!("{} ({})", i.command, i.source))).collect();
        for (key, says) in &kept {
            self.consent.give(key.clone(), says.clone());
        }
        let mut jobs = vec![Job::KeepConsent(kept)];
        jobs.extend(self.start());
        jobs
    }

    fn start(&mut self) -> Vec<Job> {
        let (Some(scene), Some(plan), Some(agent)) = (self.scene(), self.bench.plan.clone(), self.current()) else {
            return Vec::new();
        };
        let dialect = agent.dialect;
        let mut diagnostics = self.bench.diagnostics.clone();
        diagnostics.extend(out_of_range_note(agent));
        let id = FiringId(self.next_firing);
        self.next_firing += 1;
        self.firings.push(FiringRecord {
            id,
            agent: dialect.id(),
            version: scene.version.clone(),
            input: scene.input.clone(),
            filled: self.bench.filled.clone(),
            loaded: Arc::clone(&scene.loaded),
            plan: plan.clone(),
            runs: Vec::new(),
            ended: Vec::new(),
            outcome: None,
            settled: false,
            diagnostics,
        });
        self.forget_old();
        self.note(id, Duration::ZERO, EntryKind::Planned);
        let budget = plan.budget;
        let (machine, steps) = Firing::start_planned(dialect, scene, plan);
        self.live.push((id, machine));
        let mut jobs = self.carry_out(id, steps);
        if let Some(after) = budget.filter(|_| self.busy()) {
            jobs.push(Job::Timer { firing: id, after });
        }
        jobs
    }

    fn forget_old(&mut self) {
        let keep = self.options.keep_firings.max(1);
        while self.firings.len() > keep && self.firings.first().is_some_and(|f| f.settled) {
            self.firings.remove(0);
        }
    }

    fn cancel(&mut self) -> Vec<Job> {
        let ids: Vec<FiringId> = self.live.iter().map(|(id, _)| *id).collect();
        ids.into_iter().flat_map(|id| self.drive(id, Firing::cancel)).collect()
    }

    fn drive(&mut self, id: FiringId, act: impl FnOnce(&mut Firing) -> Vec<Step>) -> Vec<Job> {
        let Some((_, machine)) = self.live.iter_mut().find(|(live, _)| *live == id) else { return Vec::new() };
        let steps = act(machine);
        self.carry_out(id, steps)
    }

    fn carry_out(&mut self, id: FiringId, steps: Vec<Step>) -> Vec<Job> {
        let mut jobs = Vec::new();
        let mut unanswered = Vec::new();
        for step in steps {
            match step {
                Step::Launch(request) => {
                    if let Some(record) = self.firings.iter_mut().find(|f| f.id == id) {
                        record.runs.push(RunRecord {
                            run: request.run,
                            hook: request.hook.clone(),
                            launch: request.launch.clone(),
                            awaited: request.awaited,
                            pid: None,
                            state: RunState::Asked,
                            stdout: LiveStream::default(),
                            stderr: LiveStream::default(),
                        });
                    }
                    match request.launch {
                        Launch::Process(_) | Launch::Http(_) => jobs.push(Job::Start { firing: id, request }),
                        // Nobody but the agent can answer; a user may later, and then it is decided again.
                        Launch::ByHand(_) => unanswered.push(request.run),
                        Launch::Refused(_) | Launch::Canned { .. } => {}
                    }
                }
                Step::Kill(run) => jobs.push(Job::Kill { firing: id, run }),
                Step::Read(run) => {
                    let at = run.report.timing.ended;
                    if let Some(record) = self.firings.iter_mut().find(|f| f.id == id) {
                        record.ended.push(run.run);
                        if let Some(of) = record.runs.iter_mut().find(|r| r.run == run.run) {
                            of.state = RunState::Ended(run.clone());
                        }
                    }
                    self.note(id, at, EntryKind::Ended { run: run.run });
                }
                Step::Decided(outcome) => self.set_outcome(id, *outcome, false),
                Step::Settled(outcome) => {
                    self.set_outcome(id, *outcome, true);
                    self.live.retain(|(live, _)| *live != id);
                    self.note(id, Duration::ZERO, EntryKind::Settled);
                    jobs.push(Job::TearDown { firing: id });
                }
            }
        }
        for run in unanswered {
            let report = RunReport::of(run, Exit::Unanswered, "", "");
            jobs.extend(self.drive(id, |machine| machine.report(report)));
        }
        jobs
    }

    fn set_outcome(&mut self, id: FiringId, mut outcome: Outcome, settled: bool) {
        let Some(index) = self.firings.iter().position(|f| f.id == id) else { return };
        let unknown = self.firings.get(index).and_then(|f| self.agent(f.agent)).is_some_and(|a| a.out_of_range);
        if unknown && matches!(outcome.verdict, Verdict::FailedOpen | Verdict::NoObjection) {
            outcome.verdict = Verdict::Unknown;
        }
        if let Some(record) = self.firings.get_mut(index) {
            record.outcome = Some(outcome);
            record.settled = settled;
        }
    }

    /// Decides a finished firing again as if this run had been answered so: a new record, nothing runs.
    fn answer(&mut self, id: FiringId, run: RunId, text: &str) -> Vec<Job> {
        let Some(old) = self.firing(id).filter(|f| f.settled).cloned() else { return Vec::new() };
        let Some(agent) = self.agent(old.agent) else { return Vec::new() };
        let dialect = agent.dialect;
        let scene = Scene {
            input: old.input.clone(),
            loaded: Arc::clone(&old.loaded),
            place: Arc::clone(&self.place),
            version: old.version.clone(),
            headless: self.options.headless,
            memory: Memory::default(),
        };
        let reports: Vec<RunReport> = old
            .ended
            .iter()
            .filter_map(|r| old.run(*r)?.ended())
            .map(|r| if r.run == run { answered(&r.report, text) } else { r.report.clone() })
            .collect();
        let new = FiringId(self.next_firing);
        self.next_firing += 1;
        let record =
            FiringRecord { id: new, runs: Vec::new(), ended: Vec::new(), outcome: None, settled: false, ..old.clone() };
        self.firings.push(record);
        let (mut machine, mut steps) = Firing::start_planned(dialect, scene, old.plan);
        for report in reports {
            steps.extend(machine.report(report));
        }
        // Everything was reported, so nothing is left to be started.
        self.live.push((new, machine));
        self.carry_out(new, steps);
        self.live.retain(|(live, _)| *live != new);
        Vec::new()
    }

    fn run_mut(&mut self, id: FiringId, run: RunId) -> Option<&mut RunRecord> {
        self.firings.iter_mut().find(|f| f.id == id)?.runs.iter_mut().find(|r| r.run == run)
    }

    fn note(&mut self, firing: FiringId, at: Duration, kind: EntryKind) {
        if self.options.keep_entries {
            self.entries.push(Entry { firing, at, kind });
        }
    }
}

/// The same run, answered by hand.
fn answered(old: &RunReport, text: &str) -> RunReport {
    RunReport { timing: old.timing, ..RunReport::of(old.run, Exit::Answered, text, "") }
}

/// Definitions of the load before whose file cannot be read any more, until it can again.
fn stale_after(agent: &AgentState, now: &Loaded) -> Vec<HookDefinition> {
    let broken = |file: &str| now.layers.iter().any(|l| l.file == file && l.state == LayerState::Broken);
    let before = agent.loaded.iter().flat_map(|l| l.definitions.iter()).chain(&agent.stale);
    let mut stale: Vec<HookDefinition> = Vec::new();
    for definition in before.filter(|d| broken(&d.from.file)) {
        let known = now.definitions.iter().any(|d| d.from.file == definition.from.file);
        if !known && !stale.contains(definition) {
            stale.push(definition.clone());
        }
    }
    stale
}

/// What is said when a version lies outside everything that is known.
fn out_of_range_note(agent: &AgentState) -> Option<Diagnostic> {
    if !agent.out_of_range {
        return None;
    }
    let known: Vec<String> = agent
        .dialect
        .versions()
        .iter()
        .map(|r| if r.from == r.to { r.to.to_owned() } else { format!("{}–{}", r.from, r.to) })
        .collect();
    let says = format!(
        "this version of {} was never measured (known: {}); it is shown as {}, and what nobody blocked is unknown",
        agent.dialect.name(),
        known.join(", "),
        agent.version
    );
    Some(Diagnostic::warning("agent/version", says))
}
