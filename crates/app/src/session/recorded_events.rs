//! Recorded events: queries to the store, and putting one of them on the bench.

use super::payload_history::PayloadChange;
use super::state::Session;
use super::update::SessionEffect;
use crate::firing::input::{InputRequest, read_payload};
use crate::firing::record::FiringId;
use crate::recordings::event_list::{EventListCommand, EventStoreRequest, EventStoreResponse};
use crate::recordings::run_log::{LoggedRun, OpenedRun, RunLogSettings};
use crate::session::bench::PayloadOrigin;
use crate::session::job::Job;
use hookbench_core::dialects;
use hookbench_core::hook::HookDefinition;
use hookbench_core::recorded::RecordedEvent;
use hookbench_core::run::{Launch, ProcessSpec};
use hookbench_core::transcript::TranscriptCut;

impl Session {
    pub(super) fn apply_event_list(&mut self, command: EventListCommand) -> Vec<Job> {
        if command == EventListCommand::ToBench {
            self.recorded_to_bench();
        }
        let mut jobs = Vec::new();
        if let EventListCommand::ReplayApproved(_, agreed) = &command {
            for (key, says) in agreed {
                self.consent.give(key.clone(), says.clone());
            }
            jobs.push(Job::SaveConsent(agreed.clone()));
        }
        let mut asks = self.event_list.apply(command);
        for ask in &mut asks {
            if let EventStoreRequest::Replay { consent, may_ask: asks, .. } = ask {
                consent.clone_from(&self.consent);
                *asks = !self.options.yes;
            }
        }
        jobs.extend(self.event_list_jobs(asks));
        jobs
    }

    pub(super) fn absorb_event_list(&mut self, mut news: EventStoreResponse) -> Vec<Job> {
        match &mut news {
            EventStoreResponse::HookStats { stats, .. } => self.add_configured(stats),
            EventStoreResponse::RunLogged => self.runs_in_writing = self.runs_in_writing.saturating_sub(1),
            EventStoreResponse::RunNotLogged(why) => {
                self.runs_in_writing = self.runs_in_writing.saturating_sub(1);
                self.effects.push(SessionEffect::RunNotLogged(format!("the run is not in the log: {why}")));
            }
            EventStoreResponse::OpenedRun { seq, event } => match event.clone() {
                Some(event) => self.open_logged_run(*seq, &event),
                None => self.say(format!("#{seq} is no longer in the store")),
            },
            _ => {}
        }
        let asks = self.event_list.absorb(news);
        self.event_list_jobs(asks)
    }

    /// Keeps a settled firing in the log, if the setting is on.
    pub(super) fn log_run(&mut self, id: FiringId) -> Option<Job> {
        let RunLogSettings { runs, masked } = self.options.run_log;
        let run = self.firing(id).filter(|_| runs).and_then(|record| LoggedRun::of(record, &self.place.project))?;
        self.runs_in_writing += 1;
        Some(Job::EventList(EventStoreRequest::LogRun { run: Box::new(run), masked }))
    }

    fn event_list_jobs(&mut self, asks: Vec<EventStoreRequest>) -> Vec<Job> {
        self.effects.append(&mut self.event_list.effects);
        asks.into_iter().map(Job::EventList).collect()
    }

    /// How a hook of a recorded event of this project would be launched now. Uses the hook with this command, or
    /// the first hook that fires if no command is given.
    pub fn process_for(&self, event: &RecordedEvent, command: Option<&str>) -> Option<ProcessSpec> {
        if event.project.as_deref() != Some(self.place.project.as_str()) {
            return None;
        }
        let agent = self.agent(&event.agent)?;
        let request = InputRequest {
            agent: Some(agent.dialect.id()),
            event: Some(event.event.clone()),
            payload: Some(read_payload("payload", &event.payload).ok()?),
            ..InputRequest::default()
        };
        let scene = self.scene_of(agent, &self.build(&request).ok()?.input)?;
        let plan = agent.dialect.plan(&scene);
        let fires = || plan.firing().filter_map(|entry| scene.loaded.definition(&entry.hook));
        let meant = fires().find(|d| command.is_some_and(|command| d.handler.text() == command));
        let definition = meant.or_else(|| fires().next().filter(|_| command.is_none()))?;
        match agent.dialect.launch(definition, &scene) {
            Launch::Process(spec) => Some(spec),
            Launch::Http(_) | Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => None,
        }
    }

    /// The number of hooks that are currently configured for the event of a row. `None` if the row is from another
    /// project.
    pub fn configured_for(&self, row: &crate::EventListRow) -> Option<usize> {
        let agent = self.agent(&row.agent)?;
        let loaded = agent.loaded.as_ref()?;
        let here = row.project.as_deref() == Some(self.place.project.as_str());
        let is_hook = |d: &&HookDefinition| d.rejection.is_none() && agent.dialect.is_same_event(&d.event, &row.event);
        here.then(|| loaded.definitions.iter().filter(is_hook).count())
    }

    /// Puts the selected event on the bench, as its agent would send it here.
    fn recorded_to_bench(&mut self) {
        let Some((seq, Some(event))) = self.event_list.selected_event.clone() else {
            self.say("the event is still being read".to_owned());
            return;
        };
        self.put_recorded(seq, &event);
    }

    /// Puts the event of a logged run on the bench, with its outcome.
    fn open_logged_run(&mut self, seq: i64, event: &RecordedEvent) {
        let before = PayloadChange { payload: self.payload(), edit: false };
        if self.put_recorded(seq, event) {
            self.remember_payload(Some(before));
            self.opened_run = OpenedRun::of(seq, event);
            self.effects.push(SessionEffect::RunOpened);
        }
    }

    /// Puts a recorded event on the bench. Returns whether it could be read; if not, says why.
    fn put_recorded(&mut self, seq: i64, event: &RecordedEvent) -> bool {
        let Some(dialect) = dialects::by_id(&event.agent) else {
            self.say(format!("unknown agent {:?}", event.agent));
            return false;
        };
        let payload = match read_payload("payload", &event.payload) {
            Ok(payload) => payload,
            Err(why) => {
                self.say(format!("#{seq} cannot be opened on the bench: {why}"));
                return false;
            }
        };
        let request = InputRequest {
            agent: Some(dialect.id()),
            event: Some(event.event.clone()),
            payload: Some(payload),
            transcript: TranscriptCut::of(event),
            ..InputRequest::default()
        };
        match self.build(&request) {
            Ok(built) => {
                self.put_input(built);
                self.bench.payload.origin = PayloadOrigin::Recorded(seq);
                true
            }
            Err(why) => {
                self.say(format!("#{seq} cannot be opened on the bench: {why}"));
                false
            }
        }
    }
}
