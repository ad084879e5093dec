//! Fires one event outside the bench, from beginning to end; tests and replays are built on it. Several firings may
//! run concurrently, each with its own session and processes.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::disk::files::DiskFiles;
use crate::driver::Driver;
use crate::environment::place::{PlaceError, make_place};
use crate::firing::consent::Consent;
use crate::firing::input::{BuiltInput, InputError, InputRequest, build_input};
use crate::firing::record::FiringRecord;
use crate::session::fact::Fact;
use crate::session::job::Job;
use crate::session::{Session, SessionOptions};
use crate::{Command, ConsentItem};
use hookbench_core::config::{Files, LoadedConfig, Place};
use hookbench_core::dialects::{self, Dialect, SessionMemory, Version};
use hookbench_core::hook::DefinitionId;
use hookbench_core::run::{Launch, RunReport};

/// The place where an agent would run, and the configuration that it loads there.
#[derive(Debug, Clone)]
pub struct FiringSetup {
    pub place: Place,
    pub dialect: &'static dyn Dialect,
    pub version: Version,
    pub loaded: Arc<LoadedConfig>,
    /// Whether the agent runs without a user to ask.
    pub headless: bool,
    /// Whether hooks run contained, in a copy of the project.
    pub contain: bool,
    /// Multiplies every timeout of a hook.
    pub timeout_scale: f64,
}

/// Canned reports for hooks that are not started.
pub type CannedReports = HashMap<DefinitionId, RunReport>;

impl FiringSetup {
    /// Loads the configuration that the agent would load. Without a version, uses the newest one whose behaviour is
    /// known.
    ///
    /// # Errors
    /// Returns an error if the project or home directory does not exist.
    pub fn load(
        project: &Path,
        home: Option<&Path>,
        dialect: &'static dyn Dialect,
        version: Option<Version>,
    ) -> Result<FiringSetup, PlaceError> {
        Ok(FiringSetup::load_with(make_place(Some(project), home)?, dialect, version, &DiskFiles))
    }

    /// Loads the configuration from the given files, for example with unsaved changes.
    pub fn load_with(
        place: Place,
        dialect: &'static dyn Dialect,
        version: Option<Version>,
        files: &dyn Files,
    ) -> FiringSetup {
        let version = version.unwrap_or_else(|| dialects::default_version(dialect));
        let loaded = dialect.load(&place, files, &version);
        FiringSetup { place, dialect, version, loaded, headless: false, contain: false, timeout_scale: 1.0 }
    }

    /// Builds the complete input of an event.
    ///
    /// # Errors
    /// Same as [`build_input`].
    pub fn build(&self, request: &InputRequest) -> Result<BuiltInput, InputError> {
        let request = InputRequest { agent: Some(self.dialect.id()), ..request.clone() };
        build_input(&request, &self.place, &DiskFiles, &|_| self.version.clone())
    }

    /// Creates a session with the event on its bench and a plan. Runs nothing.
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
        session.set_loaded(id, Arc::clone(&self.loaded));
        session.put_input(input);
        session.bench().plan.is_some().then_some(session)
    }

    /// The commands that an event would run and that the user has not consented to.
    pub fn consent_missing(&self, input: BuiltInput, consent: &Consent) -> Vec<ConsentItem> {
        self.session(input, consent.clone()).map(|session| session.consent_missing()).unwrap_or_default()
    }

    /// Fires an event and waits until every run has ended. Dropping the future ends every process that it has
    /// started.
    pub async fn fire(&self, input: BuiltInput, given: &CannedReports) -> Option<FiringRecord> {
        self.fire_after(SessionMemory::default(), input, given).await
    }

    /// Fires an event with the state that earlier events of its session have left.
    pub async fn fire_after(
        &self,
        memory: SessionMemory,
        input: BuiltInput,
        given: &CannedReports,
    ) -> Option<FiringRecord> {
        let mut session = self.plan(input)?;
        session.assume_memory(memory);
        session.apply(Command::SetContained(self.contain));
        let (sender, mut facts) = mpsc::channel(Driver::QUEUE);
        let mut driver = Driver::new(Arc::clone(session.place()), sender, self.timeout_scale);
        let mut jobs = VecDeque::from(session.apply(Command::Fire).jobs);
        loop {
            while let Some(job) = jobs.pop_front() {
                match canned_end(&job, given) {
                    Some(ended) => jobs.extend(session.absorb(ended).jobs),
                    None => driver.perform(vec![job]),
                }
            }
            if !session.busy() {
                return session.history().newest_record().cloned();
            }
            jobs.extend(session.absorb(facts.recv().await?).jobs);
        }
    }
}

/// The end of a run that has a canned report, instead of starting it.
fn canned_end(job: &Job, given: &CannedReports) -> Option<Fact> {
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
