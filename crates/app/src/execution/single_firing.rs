//! Fires one event outside the bench, from beginning to end; tests and replays are built on it. Several firings may
//! run concurrently, each with its own session and processes.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::process_jobs::ProcessJobs;
use crate::disk::files::DiskFiles;
use crate::environment::installed_agents::Installation;
use crate::firing::approval::ConsentItem;
use crate::firing::consent::Consent;
use crate::firing::input::BuiltInput;
use crate::firing::record::FiringRecord;
use crate::firing::setup::{CannedReports, FiringSetup};
use crate::session::command::Command;
use crate::session::fact::FACT_QUEUE;
use crate::session::{Session, SessionOptions};
use hookbench_core::dialects::SessionMemory;

impl FiringSetup {
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
        let installed = [(id, Installation::Version(self.version.clone()))];
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
        let (sender, mut facts) = mpsc::channel(FACT_QUEUE);
        let mut processes = ProcessJobs::new(Arc::clone(session.place()), sender, self.timeout_scale, given.clone());
        processes.start_with(self.prefix.clone());
        let mut jobs = session.apply(Command::Fire).jobs;
        loop {
            for job in jobs {
                processes.perform(job);
            }
            if !session.busy() {
                return session.history().newest_record().cloned();
            }
            jobs = session.absorb(facts.recv().await?).jobs;
        }
    }
}
