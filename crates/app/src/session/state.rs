//! The state of a session, and its two inputs: commands and facts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::agent::{AgentState, stale_after};
use super::course::Course;
use super::everywhere::{Everywhere, Shared};
use super::payloads::Payloads;
use super::problems::Problems;
use super::watch_loop::{WatchLoop, WatchOptions};
use crate::bench::{Bench, Origin};
use crate::command::Command;
use crate::consent::Consent;
use crate::fact::Fact;
use crate::firing_record::{Entry, EntryKind, FiringId, FiringRecord, RunState};
use crate::history::{History, PastRun};
use crate::input::Setting;
use crate::job::Job;
use crate::live::LivePath;
use hookbench_core::config::{Files, Loaded, Place};
use hookbench_core::dialects::{self, Version};
use hookbench_core::firing::Firing;
use hookbench_core::run::Stream;

/// The options of a session.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// Whether the agent runs without a user to ask.
    pub headless: bool,
    /// Run without asking for consent.
    pub yes: bool,
    /// The agent version to model.
    pub agent_version: Option<Version>,
    /// Treat all events as one session in the order in which they are fired: stops are counted independently of
    /// their payloads.
    pub in_order: bool,
    /// Record every change as an entry, for `jsonl`.
    pub keep_entries: bool,
    /// The number of firings that are kept in full; older ones are reduced to rows of the history.
    pub keep_firings: usize,
    pub watch: WatchOptions,
    /// Lint whenever something has changed.
    pub lint: bool,
    /// Start the capture if the settings of an agent have forwarding hooks.
    pub listen: bool,
    /// The event to start with, and the number of its template; `None` chooses a suitable one.
    pub begin_with: Option<(String, usize)>,
}

/// The key is agent and event.
pub(super) type FirstExamples = HashMap<(&'static str, &'static str), (Version, Option<Value>)>;

/// The state of the workbench.
pub struct Session {
    pub options: SessionOptions,
    pub place: Arc<Place>,
    pub(super) files: Arc<dyn Files + Send + Sync>,
    pub agents: Vec<AgentState>,
    pub bench: Bench,
    /// Incremented whenever the payload on the bench is replaced.
    pub payload_revision: u64,
    pub(super) payloads: Payloads,
    /// All firings, one row each.
    pub history: History,
    /// Messages to show the user once, the newest last.
    pub messages: Vec<String>,
    pub(super) consent: Consent,
    pub(super) live: Vec<(FiringId, Firing)>,
    pub(super) next_firing: u64,
    pub(super) entries: Vec<Entry>,
    /// Pins and auto-fire.
    pub watch: WatchLoop,
    /// The lint findings about the loaded configuration.
    pub problems: Problems,
    /// Whether the next firings are isolated from the project and the home folder.
    pub contain: bool,
    /// The last event that was fired in every agent.
    pub compared: Option<Everywhere>,
    /// The recorded events that are loaded.
    pub shelf: crate::shelf::Shelf,
    pub(super) path: LivePath,
    /// Agents that are excluded from the comparison.
    pub(super) left_out: Vec<&'static str>,
    /// Whether the pending consent is for firing in every agent.
    pub(super) consent_for_all: bool,
    /// Runs whose results are shared by several firings.
    pub(super) shared: Vec<Shared>,
    /// The effects of earlier events on the next one.
    pub(super) course: Course,
    /// A cache of the first template's payload, by agent and event, with the version for which it was made.
    pub(super) examples: Mutex<FirstExamples>,
}

impl Session {
    /// Creates a session for a place. `installed` holds the versions that were found.
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
            history: History::new(options.keep_firings),
            options,
            place: Arc::new(place),
            files: Arc::from(files),
            agents,
            bench: Bench::new(agent),
            payload_revision: 0,
            payloads: Payloads::default(),
            messages: Vec::new(),
            consent,
            live: Vec::new(),
            next_firing: 1,
            entries: Vec::new(),
            watch: WatchLoop::default(),
            problems: Problems::default(),
            contain: false,
            compared: None,
            shelf: crate::shelf::Shelf::default(),
            path: LivePath::default(),
            left_out: Vec::new(),
            consent_for_all: false,
            shared: Vec::new(),
            course: Course::default(),
            examples: Mutex::default(),
        }
    }

    /// Creates a session with the same place and agents over other files, with nothing loaded.
    pub(crate) fn over(&self, files: Box<dyn Files + Send + Sync>) -> Session {
        let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
        let place = Place::clone(&self.place);
        let mut other = Session::new(options, place, files, self.bench.agent, &[], Consent::default());
        for (here, there) in self.agents.iter().zip(&mut other.agents) {
            (there.version, there.basis) = (here.version.clone(), here.basis.clone());
        }
        other
    }

    /// The state of an agent. Always present for the agent on the bench.
    pub fn agent(&self, id: &str) -> Option<&AgentState> {
        self.agents.iter().find(|a| a.dialect.id() == id)
    }

    /// The agent on the bench.
    pub fn current(&self) -> Option<&AgentState> {
        self.agent(self.bench.agent)
    }

    /// The loaded configuration of the agent on the bench.
    pub fn loaded(&self) -> Option<&Arc<Loaded>> {
        self.current()?.loaded.as_ref()
    }

    /// The record of a firing, while it is kept.
    pub fn firing(&self, id: FiringId) -> Option<&FiringRecord> {
        self.history.record(id)
    }

    /// The last firing of the event on the bench, with any result.
    pub fn last_of_bench(&self) -> Option<&PastRun> {
        let agent = self.current()?;
        self.history.last_of(agent.dialect.id(), &agent.version, self.bench.input.as_ref()?)
    }

    /// Keeps these firings in full, because they are shown.
    pub fn hold(&mut self, shown: Vec<FiringId>) {
        self.history.hold(shown);
    }

    /// Returns whether a firing is running.
    pub fn busy(&self) -> bool {
        !self.live.is_empty()
    }

    /// Takes the entries that were recorded since the last call.
    pub fn take_entries(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    /// Applies a command of a frontend.
    pub fn apply(&mut self, command: Command) -> Vec<Job> {
        self.user_is_here();
        let before = self.payload_before(&command);
        let jobs = self.obey(command);
        self.keep_payload(before);
        jobs
    }

    fn obey(&mut self, command: Command) -> Vec<Job> {
        match command {
            Command::Reload => self.look_again(),
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
            Command::TakeThere(agent) => {
                self.take_there(agent);
                Vec::new()
            }
            Command::GiveConsent => self.give_consent(),
            Command::WithholdConsent => {
                self.bench.consent = None;
                Vec::new()
            }
            Command::Answer { firing, run, text } => self.answer(firing, run, &text),
            Command::Cancel => self.cancel(),
            Command::TogglePin => {
                self.toggle_pin();
                Vec::new()
            }
            Command::UsePin(index) => {
                if let Some(pin) = self.watch.pins.get(index).cloned() {
                    self.put(pin.agent, pin.input, pin.filled, Origin::Pin);
                }
                Vec::new()
            }
            Command::Contain(contain) => {
                self.contain = contain;
                Vec::new()
            }
            Command::ArmAutoFire(armed) => {
                self.arm(armed);
                Vec::new()
            }
            Command::Recall(firing) => {
                self.recall(firing);
                Vec::new()
            }
            Command::ToggleHook(hook) => {
                self.toggle_hook(&hook);
                Vec::new()
            }
            Command::WriteFiles(files) => vec![Job::WriteFiles(files)],
            Command::SetMatcher(change) => vec![Job::Write(change)],
            Command::Foresee(change) => self.foresee(&change),
            Command::UndoWrite => vec![Job::Undo],
            Command::Live(wish) => self.obey_live(wish),
            Command::Shelf(command) => self.obey_shelf(command),
            Command::WhatIf { firing, run, code, stdout } => self.what_if(firing, run, code, &stdout),
        }
    }

    /// Applies a fact.
    pub fn absorb(&mut self, fact: Fact) -> Vec<Job> {
        let also = self.also(&fact);
        let mut jobs = self.absorb_one(fact);
        jobs.extend(also.into_iter().flat_map(|fact| self.absorb_one(fact)));
        jobs
    }

    fn absorb_one(&mut self, fact: Fact) -> Vec<Job> {
        match fact {
            Fact::Loaded { agent, loaded } => self.take_loaded(agent, loaded),
            Fact::Impact { change, impact } => {
                self.take_impact(change, *impact);
                Vec::new()
            }
            Fact::FilesChanged { paths, calm, at } => self.files_changed(paths, calm, at),
            Fact::WatchLost(why) => {
                self.watch_lost(why);
                Vec::new()
            }
            Fact::WatchFound => {
                self.watch_found();
                Vec::new()
            }
            Fact::Echoed => {
                self.watch.echoes = self.watch.echoes.saturating_sub(1);
                Vec::new()
            }
            Fact::Waited { path, at } => self.waited(path, at),
            Fact::Started { firing, run, pid, at } => {
                if let Some(record) = self.run_mut(firing, run) {
                    record.pid = pid;
                    record.state = RunState::Running { at };
                }
                self.note(firing, at, EntryKind::Started { run });
                Vec::new()
            }
            Fact::Grew { firing, run, stream, bytes, skipped, at } => {
                if let Some(record) = self.run_mut(firing, run) {
                    let live = if stream == Stream::Stderr { &mut record.stderr } else { &mut record.stdout };
                    live.grow(&bytes, skipped);
                }
                self.note(firing, at, EntryKind::Grew { run, stream, bytes, skipped });
                Vec::new()
            }
            Fact::Ended { firing, report } => self.drive(firing, |machine| machine.report(*report)),
            Fact::Contained { firing, how } => {
                if let Some(record) = self.history.record_mut(firing) {
                    record.contained = Some(how);
                }
                Vec::new()
            }
            Fact::Expired { firing } => self.drive(firing, Firing::expire),
            Fact::Shelf(news) => self.absorb_shelf(news),
            Fact::Live(fact) => self.absorb_live(*fact),
            Fact::Linted(report) => self.take_problems(report),
            Fact::Wrote { says } => {
                self.messages.push(says);
                // The change has to be seen even if files are not watched.
                self.look_again()
            }
            Fact::Trouble { says } => {
                self.messages.push(says);
                Vec::new()
            }
        }
    }

    fn take_loaded(&mut self, agent: &'static str, loaded: Arc<Loaded>) -> Vec<Job> {
        let Some(state) = self.agents.iter_mut().find(|a| a.dialect.id() == agent) else { return Vec::new() };
        if state.loaded.as_ref() == Some(&loaded) {
            // The configuration is unchanged, so pending consent and displayed results stay valid.
            return self.reloaded();
        }
        state.stale = stale_after(state, &loaded);
        let mut jobs: Vec<Job> = state.changed(loaded, self.options.headless).into_iter().collect();
        if self.consent_for_all {
            // The user has to be asked again, because an agent may now run other commands.
            self.bench.consent = None;
        }
        if agent == self.bench.agent {
            if self.bench.event.is_some() {
                self.replan();
            } else {
                self.choose_first_event();
            }
        }
        jobs.extend(self.reloaded());
        jobs.extend(self.listen(agent));
        jobs
    }
}
