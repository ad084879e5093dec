//! Trials of hooks on the screen: consent, and what they have shown.

use super::agent::AgentState;
use super::firing_start::WaitingStart;
use super::state::Session;
use crate::analysis::lint::HookObservation;
use crate::session::job::Job;
use crate::session::task::Task;
use crate::stress::{LintTrial, StressRequest};
use hookbench_core::hook::HookDefinition;

impl Session {
    /// What the trial of a hook has shown, as long as neither the hook nor its script has changed.
    pub fn observation(&self, agent: &AgentState, definition: &HookDefinition) -> Option<&HookObservation> {
        let of_hook = |one: &&HookObservation| one.agent == agent.dialect.id() && one.definition == *definition;
        self.trials.observed.iter().find(of_hook)
    }

    /// The id of the hook of the agent on the bench that is being tried.
    pub fn hook_in_trial(&self) -> Option<&str> {
        self.trials.running.as_deref()
    }

    /// Whether a hook is being tried or stress-tested.
    pub fn tests_hook(&self) -> bool {
        self.trials.running.is_some() || self.stress_test.as_ref().is_some_and(|test| test.is_running())
    }

    /// Runs a hook of the agent on the bench once, in a copy of the project, to see its answer.
    pub(super) fn start_trial(&mut self, hook: &str) -> Vec<Job> {
        let prepared = self.current().and_then(|agent| {
            let trial = self.lint_trial(agent, agent.loaded.as_ref()?.definition(hook)?)?;
            Some(LintTrial { request: StressRequest { contain: true, ..trial.request }, ..trial })
        });
        let Some(trial) = prepared else {
            self.say("this hook starts no process that could be tried");
            return Vec::new();
        };
        let missing = trial.request.consent_missing(&self.consent);
        self.start_with_consent(WaitingStart::Trial(Box::new(trial)), |_| missing.into_iter().collect())
    }

    pub(super) fn run_trial(&mut self, trial: Box<LintTrial>) -> Vec<Job> {
        self.say(format!("trying {} once, in a copy of the project", trial.request.definition.label()));
        self.trials.running = Some(trial.request.definition.id.clone());
        vec![self.tasks.start(Task::TryHook(trial))]
    }

    /// Keeps what a trial has shown, and judges it with the other findings.
    pub(super) fn absorb_trial(&mut self, observed: Result<Box<HookObservation>, String>) -> Vec<Job> {
        self.trials.running = None;
        match observed {
            Ok(observed) => {
                self.say(format!("{} tried once: {}", observed.definition.label(), observed.message));
                self.trials
                    .observed
                    .retain(|one| (one.agent, &one.definition) != (observed.agent, &observed.definition));
                self.trials.observed.push(*observed);
                self.request_lint()
            }
            Err(why) => {
                self.say(format!("the hook was not tried: {why}"));
                Vec::new()
            }
        }
    }

    /// Forgets what trials have shown of hooks and scripts that have changed since.
    pub(super) fn forget_changed_trials(&mut self) {
        let mut observed = std::mem::take(&mut self.trials.observed);
        observed.retain(|one| {
            let agent = self.agent(one.agent.as_str());
            let is_there = agent
                .and_then(|agent| agent.loaded.as_ref())
                .is_some_and(|loaded| loaded.definitions.contains(&one.definition));
            let digest = agent.and_then(|agent| self.script_digest(agent, &one.definition));
            is_there && digest.as_ref() == one.script.as_ref().map(|(_, digest)| digest)
        });
        self.trials.observed = observed;
    }
}
