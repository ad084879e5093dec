//! The stress test of a hook: consent, its progress, and its result.

use super::firing_start::WaitingStart;
use super::state::Session;
use super::update::SessionEffect;
use crate::session::job::Job;
use crate::session::task::{Task, TaskKind};
use crate::stress::{StressParts, StressReport, StressRequest, StressUpdate};
use hookbench_core::hook::HookInput;
use hookbench_core::names::AgentId;

/// The stress test that runs or has run.
#[derive(Debug, Clone, PartialEq)]
pub struct StressTest {
    pub agent: AgentId,
    /// The id of the hook.
    pub hook: String,
    /// The event of the hook.
    pub event: String,
    /// The name of the hook.
    pub label: String,
    pub report: StressReport,
    /// The reason why it could not run.
    pub failure: Option<String>,
    /// Whether the user has stopped it.
    pub stopped: bool,
}

impl StressTest {
    /// Whether it still runs.
    pub fn is_running(&self) -> bool {
        !self.report.finished
    }

    /// The progress of a running test, or the result in one line.
    pub fn headline(&self) -> String {
        let report = &self.report;
        match &self.failure {
            Some(why) => why.clone(),
            None if self.is_running() => report.progress(),
            None if self.stopped && report.verdict.is_none() => "stopped before the first result".to_owned(),
            None if self.stopped && report.variants.len() < report.expected_variants => {
                format!(
                    "stopped after {} of {} variants; {}",
                    report.variants.len(),
                    report.expected_variants,
                    report.headline()
                )
            }
            None if self.stopped => {
                let conditions = format!("{} of {} conditions", report.world.len(), report.expected_conditions);
                format!("stopped after {conditions}; {}", report.headline())
            }
            None => report.headline(),
        }
    }
}

impl Session {
    /// The last stress test.
    pub fn stress_test(&self) -> Option<&StressTest> {
        self.stress_test.as_ref()
    }

    /// Starts a stress test of a hook of the agent on the bench, with the event on the bench if it is of the same
    /// event and was edited. The test runs in a copy of the project, unless `in_place` is set.
    pub(super) fn start_stress(&mut self, hook: &str, in_place: bool) -> Vec<Job> {
        let prepared = self.current().and_then(|agent| {
            let definition = agent.loaded.as_ref()?.definition(hook)?.clone();
            let is_same = |input: &&HookInput| agent.dialect.is_same_event(&input.event, &definition.event);
            let input = self.bench.payload.input.as_ref().filter(is_same);
            let payload = input.filter(|_| self.bench.payload.edited).map(|input| input.body.clone());
            self.stress_request(agent, &definition, payload, StressParts::All)
        });
        let Some(request) = prepared else {
            self.say("this hook has no event that can be fired".to_owned());
            return Vec::new();
        };
        let request = StressRequest { contain: !in_place, ..request };
        let missing = request.consent_missing(&self.consent);
        self.start_with_consent(WaitingStart::Stress(Box::new(request)), |_| missing.into_iter().collect())
    }

    pub(super) fn run_stress(&mut self, request: Box<StressRequest>) -> Vec<Job> {
        self.stress_test = Some(StressTest {
            agent: request.dialect.id(),
            hook: request.definition.id.clone(),
            event: request.definition.event.clone(),
            label: request.definition.label(),
            report: StressReport::default(),
            failure: None,
            stopped: false,
        });
        self.effects.push(SessionEffect::StressStarted);
        vec![self.tasks.start(Task::Stress(request))]
    }

    /// Stops the running test. Its results so far stay.
    pub(super) fn stop_stress(&mut self) -> Option<Job> {
        let test = self.stress_test.as_mut().filter(|test| test.is_running())?;
        test.report.finished = true;
        test.stopped = true;
        self.tasks.stop(TaskKind::Stress)
    }

    pub(super) fn absorb_stress(&mut self, update: StressUpdate) {
        let Some(test) = &mut self.stress_test else { return };
        let ends = matches!(update, StressUpdate::Finished { .. } | StressUpdate::Failed(_));
        if let StressUpdate::Failed(why) = &update {
            test.failure = Some(why.clone());
        }
        test.report.absorb(update);
        if ends {
            self.effects.push(SessionEffect::StressFinished);
        }
    }
}
