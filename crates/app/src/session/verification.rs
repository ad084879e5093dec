//! Verifications: the event on the bench is fired here and, with the same hooks, in the installed agent. The session of
//! the agent runs on a copy that is made before the hooks run here.

use std::sync::Arc;

use serde_json::Value;

use super::firing_start::WaitingStart;
use super::running_verification::RunningVerification;
use super::state::Session;
use super::update::SessionEffect;
use crate::firing::record::{FiringId, FiringRecord};
use crate::session::job::Job;
use crate::session::task::{Task, TaskKind};
use crate::verification::{VerificationRequest, VerificationUpdate};
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::dialects::{Agent, Scene};
use hookbench_core::firing::{Firing, FiringStep};
use hookbench_core::hook::Handler;
use hookbench_core::names::AgentId;
use hookbench_core::run::Launch;
use hookbench_core::verification::{
    PredictedRun, Prediction, Verification, VerificationScript, VerifiedSession, hook_name, verification_script, verify,
};

impl Session {
    /// The agent whose verification runs.
    pub fn verifying(&self) -> Option<AgentId> {
        self.verification.as_ref().map(|running| running.agent)
    }

    /// Fires the event on the bench here and in the installed agent. `insists` is true if a tool that can do harm may
    /// run without isolation.
    pub(super) fn start_verification(&mut self, insists: bool) -> Vec<Job> {
        if self.is_refused() {
            return Vec::new();
        }
        if self.verification.is_some() {
            self.say("a verification still runs; Ctrl+C stops it");
            return Vec::new();
        }
        self.start_with_consent(WaitingStart::Verification { insists }, Session::consent_missing)
    }

    pub(super) fn run_verification(&mut self, insists: bool) -> Vec<Job> {
        let Some(start) = self.bench_start(false) else { return Vec::new() };
        let (dialect, input, loaded) = (start.dialect, start.scene.input.clone(), Arc::clone(&start.scene.loaded));
        let place = Arc::clone(&self.place);
        let files = Arc::clone(&self.files);
        let exists = |path: &str| files.exists(&place.absolute(&place.project, path));
        let script = match verification_script(dialect, &input, exists) {
            Ok(script) => script,
            Err(why) => {
                let jobs = self.start_on_bench(start);
                let firing = self.history.newest().map(|row| row.id);
                self.verification = Some(RunningVerification {
                    agent: dialect.id(),
                    script: VerificationScript::default(),
                    start: None,
                    firing,
                    session: Some(Err(why)),
                });
                // Without hooks, the firing has ended by now.
                return jobs.into_iter().chain(self.finish_verification()).collect();
            }
        };
        let request = VerificationRequest {
            dialect,
            place: Arc::clone(&self.place),
            loaded,
            input,
            script: script.clone(),
            files: self.settings_files().into_iter().chain(self.scripts()).collect(),
            insists,
        };
        self.verification =
            Some(RunningVerification { agent: dialect.id(), script, start: Some(start), firing: None, session: None });
        self.effects.push(SessionEffect::VerificationStarted);
        vec![self.tasks.start(Task::Verify(Box::new(request)))]
    }

    /// Stops the running verification.
    pub(super) fn stop_verification(&mut self) -> Vec<Job> {
        let Some(running) = self.verification.as_mut().filter(|running| running.session.is_none()) else {
            return Vec::new();
        };
        running.session = Some(Err("cancelled by the user".to_owned()));
        let stop = self.tasks.stop(TaskKind::Verification);
        let never_fired = running.start.take().is_some();
        if never_fired {
            self.verification = None;
            self.say("the verification is cancelled");
        }
        stop.into_iter().chain(self.finish_verification()).collect()
    }

    pub(super) fn absorb_verification(&mut self, update: VerificationUpdate) -> Vec<Job> {
        let Some(running) = &mut self.verification else { return Vec::new() };
        let result = match update {
            VerificationUpdate::Prepared => None,
            VerificationUpdate::Ended(session) => Some(Ok(session)),
            VerificationUpdate::Failed(why) => Some(Err(why)),
        };
        running.session = result;
        let mut jobs = Vec::new();
        // The event is fired here even if the session has failed.
        if let Some(start) = running.start.take() {
            jobs.extend(self.start_on_bench(start));
            let firing = self.history.newest().map(|row| row.id);
            if let Some(running) = &mut self.verification {
                running.firing = firing;
            }
        }
        jobs.extend(self.finish_verification());
        jobs
    }

    /// Whether a firing is compared with a session that has not ended.
    pub(super) fn awaits_verification(&self, id: FiringId) -> bool {
        self.verification.as_ref().is_some_and(|running| running.firing == Some(id))
    }

    /// Compares both sides when both have ended, and keeps the result in the record.
    pub(super) fn finish_verification(&mut self) -> Vec<Job> {
        let firing = self.verification.as_ref().and_then(|running| running.firing);
        if !firing.and_then(|id| self.firing(id)).is_some_and(|record| record.settled) {
            return Vec::new();
        }
        let Some(running) = self.verification.take_if(|running| running.session.is_some()) else { return Vec::new() };
        let (Some(id), Some(session)) = (running.firing, running.session) else { return Vec::new() };
        let asks = self
            .firing(id)
            .and_then(|record| record.outcome.as_ref())
            .is_some_and(|outcome| outcome.verdict == Verdict::Ask);
        let waits = |why: String| {
            if asks { format!("{why}; a hook answers ask, and without a terminal no user can reply") } else { why }
        };
        let compared = session.map_err(waits).and_then(|session| match self.firing(id) {
            Some(record) if record.cancelled => Err("cancelled by the user".to_owned()),
            Some(record) => self.compare(record, &running.script, &session),
            None => Err("the firing here was lost".to_owned()),
        });
        if let Some(record) = self.history.record_mut(id) {
            record.verification = Some(Box::new(compared));
        }
        self.history.outcome_changed(id);
        self.effects.push(SessionEffect::VerificationFinished(id));
        self.log_run(id).into_iter().collect()
    }

    fn compare(
        &self,
        record: &FiringRecord,
        script: &VerificationScript,
        session: &VerifiedSession,
    ) -> Result<Verification, String> {
        let agent = self.agent(record.agent.as_str()).ok_or("the agent is unknown")?;
        let scene = self.scene_without_terminal(record, session);
        let outcome = outcome_in(record, agent.dialect, &scene);
        let outcome = outcome.or_else(|| record.outcome.clone()).ok_or("the firing here has no outcome")?;
        let runs = record.runs.iter().filter_map(|run| {
            let definition = record.loaded.definition(&run.hook)?;
            let (Handler::Command(handler), Launch::Process(spec)) = (&definition.handler, &run.launch) else {
                return None;
            };
            let text = String::from_utf8_lossy(&spec.stdin);
            Some(PredictedRun {
                name: hook_name(handler),
                label: definition.label(),
                stdin: serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text.into_owned())),
                variables: match agent.dialect.launch(definition, &scene) {
                    Launch::Process(there) => there.env,
                    _ => spec.env.clone(),
                }
                .pairs()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
                report: &run.ended()?.report,
                awaited: run.awaited,
            })
        });
        let prediction = Prediction {
            dialect: agent.dialect,
            input: &record.input,
            filled: &record.filled,
            script,
            runs: runs.collect(),
            outcome: &outcome,
            reason: record.reason(),
            schedule: record.plan.schedule,
        };
        verify(&prediction, session)
    }

    /// The scene of the same event in a session without a terminal, in the mode of that session.
    fn scene_without_terminal(&self, record: &FiringRecord, session: &VerifiedSession) -> Scene {
        let mut input = record.input.clone();
        let event = Some(input.event.as_str());
        let seen = session.runs.iter().find(|run| run.stdin.get("hook_event_name").and_then(Value::as_str) == event);
        if let (Some(seen), Value::Object(body)) = (seen, &mut input.body)
            && let Some(mode) = seen.stdin.get("permission_mode")
        {
            body.insert("permission_mode".to_owned(), mode.clone());
        }
        Scene {
            input,
            loaded: Arc::clone(&record.loaded),
            place: Arc::clone(&self.place),
            version: record.version.clone(),
            headless: true,
            memory: record.memory.clone(),
        }
    }
}

/// The outcome of the runs of a firing in another scene.
fn outcome_in(record: &FiringRecord, dialect: &'static Agent, scene: &Scene) -> Option<Outcome> {
    let (mut machine, mut steps) = Firing::start_planned(dialect, scene.clone(), record.plan.clone());
    let reports = record.ended.iter().filter_map(|run| Some(record.run(*run)?.ended()?.report.clone()));
    for report in reports {
        steps.extend(machine.report(report));
    }
    steps.into_iter().rev().find_map(|step| match step {
        FiringStep::Settled(outcome) | FiringStep::Decided(outcome) => Some(*outcome),
        _ => None,
    })
}
