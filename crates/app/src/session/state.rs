//! The state of a session, and its two inputs: commands and facts.

use hookbench_core::names::AgentId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::agent::{AgentState, stale_after};
use super::all_agents::{CrossAgentEvent, SharedRun};
use super::auto_fire::AutoFire;
use super::event_list::EventListState;
use super::firing_start::WaitingStart;
use super::options::{SessionOptions, SessionSettings};
use super::payload_history::PayloadHistory;
use super::problems::Problems;
use super::running_verification::RunningVerification;
use super::simulated_session::SimulatedSession;
use super::stress_test::StressTest;
use super::update::{SessionEffect, SessionUpdate};
use crate::calibration::CalibrationProgress;
use crate::environment::installed_agents::Installation;
use crate::firing::approval::Consent;
use crate::firing::history::History;
use crate::firing::input::FieldSetting;
use crate::firing::record::{FiringId, FiringRecord, RunState, StreamEntry, StreamEntryKind};
use crate::guards::{GuardsRequest, GuardsState};
use crate::live::LivePath;
use crate::recordings::debug_logs::DebugLogFile;
use crate::recordings::run_log::{OpenedRun, RunLogSettings};
use crate::session::bench::{Bench, PayloadOrigin};
use crate::session::command::Command;
use crate::session::fact::Fact;
use crate::session::job::Job;
use crate::session::task::{StartedTasks, Task, TaskKind, TaskUpdate};
use crate::stress::HookTrials;
use hookbench_core::config::{Files, LoadedConfig, Place};
use hookbench_core::dialects::{self, Agent, Version};
use hookbench_core::firing::Firing;
use hookbench_core::run::{RunId, Stream};

/// The key is agent and event.
pub(super) type FirstExamples = HashMap<(AgentId, &'static str), (Version, Option<Value>)>;

/// The state of the workbench.
pub struct Session {
    pub(super) options: SessionOptions,
    pub(super) place: Arc<Place>,
    pub(super) files: Arc<dyn Files + Send + Sync>,
    pub(super) agents: Vec<AgentState>,
    pub(super) bench: Bench,
    /// Incremented whenever the payload on the bench is replaced.
    pub(super) payload_revision: u64,
    pub(super) payload_history: PayloadHistory,
    /// All firings, one row each.
    pub(super) history: History,
    /// The effects since the last answer.
    pub(super) effects: Vec<SessionEffect>,
    pub(super) consent: Consent,
    pub(super) machines: Vec<(FiringId, Firing)>,
    pub(super) next_firing: u64,
    pub(super) entries: Vec<StreamEntry>,
    /// Pins and auto-fire.
    pub(super) auto_fire: AutoFire,
    /// The lint findings about the loaded configuration.
    pub(super) problems: Problems,
    /// Whether the next firings are isolated from the project and the home directory.
    pub(super) contain: bool,
    /// The last event that was fired in every agent.
    pub(super) compared: Option<CrossAgentEvent>,
    /// The recorded events that are loaded.
    pub(super) event_list: EventListState,
    pub(super) live_path: LivePath,
    /// The guards and their findings, once they were read.
    pub(super) guards: Option<Arc<GuardsState>>,
    /// Agents that are excluded from the comparison.
    pub(super) excluded_agents: Vec<AgentId>,
    /// The start that waits for consent to the commands on the bench.
    pub(super) waiting_start: WaitingStart,
    pub(super) tasks: StartedTasks,
    /// The calibration that runs or has run in this session.
    pub(super) calibration: Option<CalibrationProgress>,
    /// The debug logs of the agents whose logs were requested.
    pub(super) debug_logs: Vec<(AgentId, Arc<Vec<DebugLogFile>>)>,
    /// The last stress test.
    pub(super) stress_test: Option<StressTest>,
    /// The trials of hooks.
    pub(super) trials: HookTrials,
    /// The running verification.
    pub(super) verification: Option<RunningVerification>,
    /// Runs whose results are shared by several firings.
    pub(super) shared_runs: Vec<SharedRun>,
    /// The effects of earlier events on the next one.
    pub(super) simulated: SimulatedSession,
    /// The logged run whose event is on the bench, until the event changes or is fired.
    pub(super) opened_run: Option<OpenedRun>,
    /// The runs that are being stored in the log.
    pub(super) runs_in_writing: usize,
    /// The hook that the user's model is answering for.
    pub(super) model_call: Option<(FiringId, RunId)>,
    /// A cache of the first template's payload, by agent and event, with the version for which it was made.
    pub(super) examples: Mutex<FirstExamples>,
}

impl Session {
    /// Creates a session for a place. `installed` holds the agents that were looked up.
    pub fn new(
        options: SessionOptions,
        place: Place,
        files: Box<dyn Files + Send + Sync>,
        agent: AgentId,
        installed: &[(AgentId, Installation)],
        consent: Consent,
    ) -> Session {
        let unreleased = dialects::SPECIFIED.iter().filter(|dialect| dialect.id() == agent);
        let is_installed = |id: AgentId| installed.iter().any(|(found, how)| *found == id && how.is_present());
        let is_listed = |dialect: &&'static Agent| {
            let id = dialect.id();
            id == agent || options.every_agent || dialects::is_listed(dialect, is_installed(id), &place, files.as_ref())
        };
        let agents = dialects::released()
            .filter(is_listed)
            .chain(unreleased.copied())
            .map(|dialect| {
                let found = installed.iter().find(|(id, _)| *id == dialect.id()).map(|(_, how)| how.clone());
                let asked = options.agent_version.as_ref().filter(|_| dialect.id() == agent);
                let calibration = options.calibrations.iter().find(|(id, _)| *id == dialect.id());
                AgentState::new(dialect, found.unwrap_or_default(), asked)
                    .with_calibration(calibration.map(|(_, found)| found))
            })
            .collect();
        Session {
            history: History::new(options.keep_firings),
            live_path: LivePath::new(options.demo.clone()),
            options,
            event_list: EventListState::of(place.project.clone()),
            place: Arc::new(place),
            files: Arc::from(files),
            agents,
            bench: Bench::new(agent),
            payload_revision: 0,
            payload_history: PayloadHistory::default(),
            effects: Vec::new(),
            consent,
            machines: Vec::new(),
            next_firing: 1,
            entries: Vec::new(),
            auto_fire: AutoFire::default(),
            problems: Problems::default(),
            contain: false,
            compared: None,
            guards: None,
            excluded_agents: Vec::new(),
            waiting_start: WaitingStart::default(),
            tasks: StartedTasks::default(),
            calibration: None,
            debug_logs: Vec::new(),
            stress_test: None,
            trials: HookTrials::default(),
            verification: None,
            model_call: None,
            shared_runs: Vec::new(),
            simulated: SimulatedSession::default(),
            opened_run: None,
            runs_in_writing: 0,
            examples: Mutex::default(),
        }
    }

    /// Loads the configuration of one agent, or of all, from the session's files. Returns the jobs that a watching
    /// session performs.
    pub fn load(&mut self, only: Option<AgentId>) -> Vec<Job> {
        let wanted = self.agents.iter().filter(|a| only.is_none_or(|id| a.dialect.id() == id));
        let load = |a: &AgentState| (a.dialect.id(), a.dialect.load(&self.place, self.files.as_ref(), &a.version));
        let loaded: Vec<_> = wanted.map(load).collect();
        loaded.into_iter().flat_map(|(agent, loaded)| self.set_loaded(agent, loaded)).collect()
    }

    /// Reads from these files from now on. What is loaded stays until it is loaded again.
    pub fn use_files(&mut self, files: Arc<dyn Files + Send + Sync>) {
        self.files = files;
    }

    /// Keeps these firings in full, because they are shown.
    pub fn keep_in_full(&mut self, shown: Vec<FiringId>) {
        self.history.keep_displayed(shown);
    }

    /// Takes the entries that were recorded since the last call.
    pub fn take_entries(&mut self) -> Vec<StreamEntry> {
        std::mem::take(&mut self.entries)
    }

    /// Applies a command of a frontend.
    pub fn apply(&mut self, command: Command) -> SessionUpdate {
        self.note_user_activity();
        let before = self.before_command(&command);
        let jobs = self.execute(command);
        self.remember_payload(before);
        self.update(jobs)
    }

    fn execute(&mut self, command: Command) -> Vec<Job> {
        match command {
            Command::Configure(settings) => {
                self.configure(*settings);
                Vec::new()
            }
            Command::Reload => self.reload_all(),
            Command::ChooseAgent(agent) => {
                let jobs = self.keep_unreleased_agent(agent);
                self.bench = Bench::new(agent);
                self.choose_first_event();
                jobs
            }
            Command::ChooseEvent(name) => {
                self.put_event(&name);
                Vec::new()
            }
            Command::UseTemplate(index) => {
                self.take_template(index);
                Vec::new()
            }
            Command::SetField { path, text } => {
                self.set_field(FieldSetting { path, text });
                Vec::new()
            }
            Command::SetPayload(text) => {
                self.set_payload(text);
                Vec::new()
            }
            Command::PastePayload(text) => {
                self.set_payload(text);
                if self.bench.payload.refused.is_none() {
                    self.bench.payload.origin = PayloadOrigin::Pasted;
                }
                Vec::new()
            }
            Command::UndoPayload => {
                self.undo_payload();
                Vec::new()
            }
            Command::RedoPayload => {
                self.redo_payload();
                Vec::new()
            }
            Command::Fire => self.fire(),
            Command::NewSession => {
                self.begin_session();
                Vec::new()
            }
            Command::FireEverywhere => self.fire_everywhere(),
            Command::ToggleCompared(agent) => {
                self.toggle_compared(agent);
                Vec::new()
            }
            Command::UseEventOf(agent) => {
                self.take_there(agent);
                Vec::new()
            }
            Command::GiveConsent => self.give_consent(),
            Command::RefuseConsent => {
                self.bench.consent = None;
                self.waiting_start = WaitingStart::default();
                Vec::new()
            }
            Command::Answer { firing, run, text } => self.answer(firing, run, &text, None),
            Command::AskModel { firing, run, allowed } => self.ask_model(firing, run, allowed),
            Command::Cancel => {
                let mut jobs = self.stop_verification();
                jobs.extend(self.cancel());
                jobs
            }
            Command::Verify { insists } => self.start_verification(insists),
            Command::TogglePin => {
                self.toggle_pin();
                Vec::new()
            }
            Command::UsePin(index) => {
                if let Some(pin) = self.auto_fire.pins.get(index).cloned() {
                    self.put_earlier_input(pin.agent, pin.input, pin.filled, PayloadOrigin::Pin);
                }
                Vec::new()
            }
            Command::SetContained(contain) => {
                self.contain = contain;
                if contain { vec![Job::TryIsolation] } else { Vec::new() }
            }
            Command::AssumeTrust(assumed) => {
                Arc::make_mut(&mut self.place).assumes_trust = assumed;
                let mut jobs = vec![Job::AssumeTrust(assumed)];
                jobs.extend(self.reload_all());
                jobs
            }
            Command::UseEnvironment(source) => vec![Job::ReadEnvironment { source, agent: self.bench.payload.agent }],
            Command::SetAutoFire(armed) => {
                self.set_armed(armed);
                Vec::new()
            }
            Command::EditorClosed { changed } => self.editor_closed(changed),
            Command::UsePastRun(firing) => {
                self.put_past_event(firing);
                Vec::new()
            }
            Command::ToggleHook(hook) => {
                self.toggle_hook(&hook);
                Vec::new()
            }
            Command::Stress { hook, in_place } => self.start_stress(&hook, in_place),
            Command::TryHook(hook) => self.start_trial(&hook),
            Command::Calibrate { agent, quick } => self.start_calibration(agent, quick),
            Command::StopCalibration => self.stop_calibration().into_iter().collect(),
            Command::ReadDebugLogs => self.read_debug_logs(),
            Command::StopStress => self.stop_stress().into_iter().collect(),
            Command::WriteFiles(files) => vec![Job::WriteFiles(files)],
            Command::WriteHook(hook) => vec![self.tasks.start(Task::WriteHook(hook))],
            Command::PreviewMatcher(change) => self.preview_impact(&change).into_iter().collect(),
            Command::ShowUndo => vec![Job::ReadUndo],
            // The examples of a new hook are not fired without it.
            Command::UndoWrite => self.tasks.stop(TaskKind::NewHook).into_iter().chain([Job::Undo]).collect(),
            Command::Live(wish) => self.apply_live(wish),
            Command::Guards(request) => vec![Job::Guards(request)],
            Command::EventList(command) => self.apply_event_list(command),
            Command::WhatIf { firing, run, code, stdout } => self.what_if(firing, run, code, &stdout),
        }
    }

    /// Applies a fact.
    pub fn absorb(&mut self, fact: Fact) -> SessionUpdate {
        let also = self.shared_facts(&fact);
        let mut jobs = self.absorb_one(fact);
        jobs.extend(also.into_iter().flat_map(|fact| self.absorb_one(fact)));
        self.update(jobs)
    }

    fn absorb_one(&mut self, fact: Fact) -> Vec<Job> {
        match fact {
            Fact::Loaded { agent, loaded } => self.set_loaded(agent, loaded),
            Fact::EnvironmentRead(environment) => {
                environment.apply(Arc::make_mut(&mut self.place));
                self.say(format!("hooks run with {}", self.place.env_source.description()));
                let mut jobs = vec![Job::UseEnvironment(environment)];
                jobs.extend(self.reload_all());
                jobs
            }
            Fact::FilesChanged { paths, calm, at } => self.files_changed(paths, calm, at),
            Fact::WatchLost(why) => {
                self.watch_lost(why);
                Vec::new()
            }
            Fact::WatchRestored => {
                self.watch_found();
                Vec::new()
            }
            Fact::ModelReplied { firing, run, reply } => self.take_model_reply(firing, run, reply),
            Fact::WatcherFlushed => {
                self.auto_fire.echoes = self.auto_fire.echoes.saturating_sub(1);
                Vec::new()
            }
            Fact::WaitEnded { path, at } => self.retry_suspect(path, at),
            Fact::Started { firing, run, pid, at } => {
                if let Some(record) = self.run_mut(firing, run) {
                    record.pid = pid;
                    record.state = RunState::Running { at };
                }
                self.add_entry(firing, at, StreamEntryKind::Started { run });
                Vec::new()
            }
            Fact::Output { firing, run, stream, bytes, skipped, at } => {
                if let Some(record) = self.run_mut(firing, run) {
                    let live = if stream == Stream::Stderr { &mut record.stderr } else { &mut record.stdout };
                    live.append(&bytes, skipped);
                }
                self.add_entry(firing, at, StreamEntryKind::Output { run, stream, bytes, skipped });
                Vec::new()
            }
            Fact::Ended { firing, report } => self.step_firing(firing, |machine| machine.report(*report)),
            Fact::CanProceed { firing } => self.proceed(firing),
            Fact::Contained { firing, containment: how } => {
                if let Some(record) = self.history.record_mut(firing) {
                    record.containment = Some(how);
                }
                Vec::new()
            }
            Fact::DeadlinePassed { firing } => self.step_firing(firing, Firing::expire),
            Fact::EventList(news) => self.absorb_event_list(news),
            Fact::Live(fact) => self.absorb_live(*fact),
            Fact::Linted(report) => self.set_problems(report),
            Fact::UndoRead(step) => {
                self.effects.push(SessionEffect::UndoRead(step));
                Vec::new()
            }
            Fact::FileWritten { message } => self.file_written(message),
            Fact::Task { number, update } if self.tasks.wants(number, &update) => self.absorb_task(update),
            Fact::Task { .. } => Vec::new(),
            Fact::DebugLogs { agent, logs } => {
                self.absorb_debug_logs(agent, logs);
                Vec::new()
            }
            Fact::Guards(guards) => {
                let kept = self.guards.as_ref().map(|before| GuardsState::clone(&guards).after(before));
                self.guards = Some(kept.map_or(guards, Arc::new));
                Vec::new()
            }
            Fact::Problem { message: says } => {
                self.say(says);
                Vec::new()
            }
        }
    }

    fn absorb_task(&mut self, update: TaskUpdate) -> Vec<Job> {
        match update {
            TaskUpdate::Stress(update) => self.absorb_stress(update),
            TaskUpdate::Calibration(update) => self.absorb_calibration(update),
            TaskUpdate::Verification(update) => return self.absorb_verification(update),
            TaskUpdate::HookObserved(observed) => return self.absorb_trial(observed),
            TaskUpdate::HookWritten(message) => return self.file_written(message),
            TaskUpdate::Impact { previewed, impact } => self.set_impact(previewed, *impact),
            TaskUpdate::HookTried(result) => self.effects.extend(result.map(SessionEffect::HookTried)),
        }
        Vec::new()
    }

    fn file_written(&mut self, message: String) -> Vec<Job> {
        self.say(message);
        // The change has to be seen even if files are not watched.
        let mut jobs = self.reload_all();
        jobs.extend(self.guards.is_some().then_some(Job::Guards(GuardsRequest::Read)));
        jobs
    }

    /// Adds an agent that was never released when the user chooses it, and forgets it when the user chooses another.
    fn keep_unreleased_agent(&mut self, agent: AgentId) -> Vec<Job> {
        self.agents.retain(|state| state.dialect.is_released() || state.dialect.id() == agent);
        let known = self.agents.iter().any(|state| state.dialect.id() == agent);
        let Some(dialect) = dialects::by_id(agent.as_str()).filter(|_| !known) else { return Vec::new() };
        let state = AgentState::new(dialect, Installation::Missing, None);
        let job = self.load_more(&state);
        self.agents.push(state);
        vec![job]
    }

    /// Stores the configuration that an agent has loaded.
    pub(crate) fn set_loaded(&mut self, agent: AgentId, loaded: Arc<LoadedConfig>) -> Vec<Job> {
        self.effects.push(SessionEffect::SettingsLoaded);
        let Some(state) = self.agents.iter_mut().find(|a| a.dialect.id() == agent) else { return Vec::new() };
        if state.loaded.as_ref() == Some(&loaded) {
            // The configuration is unchanged, so pending consent and displayed results stay valid.
            return self.agent_loaded();
        }
        state.stale = stale_after(state, &loaded);
        let task = state.set_loaded(loaded, &self.place, self.options.headless);
        let mut jobs = vec![self.tasks.start(task)];
        if matches!(self.waiting_start, WaitingStart::AllAgents) {
            // The user has to be asked again, because an agent may now run other commands.
            self.bench.consent = None;
        }
        if agent == self.bench.payload.agent {
            if self.bench.payload.event.is_some() {
                self.replan();
            } else {
                self.choose_first_event();
            }
        }
        jobs.extend(self.agent_loaded());
        jobs.extend(self.start_capture(agent.as_str()));
        jobs
    }

    fn configure(&mut self, settings: SessionSettings) {
        self.options.watch = settings.watch;
        self.options.run_log = RunLogSettings { runs: settings.log_runs, masked: settings.intercept.redact };
        self.problems.levels = settings.lint;
        self.live_path.breakpoints.clone_from(&settings.intercept.breakpoints);
        self.live_path.settings = settings.intercept;
    }

    /// Completes the answer with the effects since the last one.
    pub(super) fn update(&mut self, jobs: Vec<Job>) -> SessionUpdate {
        SessionUpdate { jobs, effects: std::mem::take(&mut self.effects) }
    }

    /// Tells the user something.
    pub(super) fn say(&mut self, message: impl Into<String>) {
        self.effects.push(SessionEffect::Message(message.into()));
    }

    /// Adds the record of a firing that begins.
    pub(super) fn add_record(&mut self, record: FiringRecord) {
        self.effects.push(SessionEffect::FiringStarted(record.id));
        self.history.push(record);
    }
}
