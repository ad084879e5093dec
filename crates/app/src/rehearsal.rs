//! One event fired apart from the bench, from beginning to end: what tests and replays are made of. Several may go on at
//! once; each has its own session and its own processes.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::consent::Consent;
use super::driver::Driver;
use super::fact::Fact;
use super::files::DiskFiles;
use super::firing_record::FiringRecord;
use super::input::{BuiltInput, InputError, InputRequest, build_input};
use super::job::Job;
use super::place::{PlaceError, make_place};
use super::session::{Session, SessionOptions};
use super::{Command, ConsentItem};
use hookbench_core::config::{Files, Loaded, Place};
use hookbench_core::dialects::{self, Dialect, Memory, Version};
use hookbench_core::hook::DefinitionId;
use hookbench_core::run::{Launch, RunReport};

/// Where an agent would run, and what it has loaded there.
#[derive(Debug, Clone)]
pub struct Stage {
    pub place: Place,
    pub dialect: &'static dyn Dialect,
    pub version: Version,
    pub loaded: Arc<Loaded>,
    /// Nobody can be asked by the agent.
    pub headless: bool,
    /// Hooks run in a place of their own.
    pub contain: bool,
    /// Stretches every timeout of a hook.
    pub timeout_scale: f64,
}

/// Hooks that do not run, with what they answer instead.
pub type Given = HashMap<DefinitionId, RunReport>;

impl Stage {
    /// Reads what the agent would read. Without a version the newest whose behaviour is known.
    ///
    /// # Errors
    /// When there is no such project or home folder.
    pub fn set(
        project: &Path,
        home: Option<&Path>,
        dialect: &'static dyn Dialect,
        version: Option<Version>,
    ) -> Result<Stage, PlaceError> {
        Ok(Stage::with(make_place(Some(project), home)?, dialect, version, &DiskFiles))
    }

    /// The same with other files than those on the disk.
    pub fn with(place: Place, dialect: &'static dyn Dialect, version: Option<Version>, files: &dyn Files) -> Stage {
        let version = version.unwrap_or_else(|| dialects::default_version(dialect));
        let loaded = Arc::new(dialect.load(&place, files, &version));
        Stage { place, dialect, version, loaded, headless: false, contain: false, timeout_scale: 1.0 }
    }

    /// The whole input of an event.
    ///
    /// # Errors
    /// As [`build_input`].
    pub fn build(&self, request: &InputRequest) -> Result<BuiltInput, InputError> {
        let request = InputRequest { agent: Some(self.dialect.id()), ..request.clone() };
        build_input(&request, &self.place, &DiskFiles, &|_| self.version.clone())
    }

    /// A session with the event on its bench, planned. Runs nothing.
    pub fn plan(&self, input: BuiltInput) -> Option<Session> {
        self.session(input, Consent::default())
    }

    fn session(&self, input: BuiltInput, consent: Consent) -> Option<Session> {
        let options = SessionOptions {
            headless: self.headless,
            yes: true,
            agent_version: Some(self.version.clone()),
            keep_firings: 1,
            ..SessionOptions::default()
        };
        let id = self.dialect.id();
        let installed = [(id, Some(self.version.clone()))];
        let mut session = Session::new(options, self.place.clone(), Box::new(DiskFiles), id, &installed, consent);
        session.absorb(Fact::Loaded { agent: id, loaded: Arc::clone(&self.loaded) });
        session.put_input(input);
        session.bench.plan.is_some().then_some(session)
    }

    /// The commands that an event would run and that its user has not agreed to.
    pub fn consent_missing(&self, input: BuiltInput, consent: &Consent) -> Vec<ConsentItem> {
        self.session(input, consent.clone()).map(|session| session.consent_missing()).unwrap_or_default()
    }

    /// Fires an event and waits until all is over. Dropping the future ends every process that it has started.
    pub async fn fire(&self, input: BuiltInput, given: &Given) -> Option<FiringRecord> {
        self.fire_after(Memory::default(), input, given).await
    }

    /// The same for an event that is not the first of its session.
    pub async fn fire_after(&self, memory: Memory, input: BuiltInput, given: &Given) -> Option<FiringRecord> {
        let mut session = self.plan(input)?;
        session.suppose(memory);
        session.apply(Command::Contain(self.contain));
        let (sender, mut facts) = mpsc::channel(Driver::QUEUE);
        let mut driver = Driver::new(Arc::clone(&session.place), sender, self.timeout_scale);
        let mut jobs = VecDeque::from(session.apply(Command::Fire));
        loop {
            while let Some(job) = jobs.pop_front() {
                match instead(&job, given) {
                    Some(ended) => jobs.extend(session.absorb(ended)),
                    None => driver.perform(vec![job]),
                }
            }
            if !session.busy() {
                return session.history.newest_record().cloned();
            }
            jobs.extend(session.absorb(facts.recv().await?));
        }
    }
}

/// That a run has ended which is not to be started.
fn instead(job: &Job, given: &Given) -> Option<Fact> {
    let Job::Start { firing, request } = job else { return None };
    let report = given.get(&request.hook)?;
    let stdin_read = match &request.launch {
        Launch::Process(spec) => spec.stdin.len() as u64,
        Launch::Http(spec) => spec.body.len() as u64,
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => 0,
    };
    let report = RunReport { run: request.run, stdin_read, ..report.clone() };
    Some(Fact::Ended { firing: *firing, report: Box::new(report) })
}
