//! Requests lint runs and stores their reports.

use std::sync::Arc;

use super::agent::AgentState;
use super::state::Session;
use crate::analysis::lint::{FindingsReport, LintInput, LoadedAgent};
use crate::session::job::Job;

impl Session {
    /// The input for linting everything that is loaded.
    pub fn lint_input(&self) -> LintInput {
        LintInput { place: Arc::clone(&self.place), files: Arc::clone(&self.files), agents: self.loaded_agents() }
    }

    fn loaded_agents(&self) -> Vec<LoadedAgent> {
        let of = |agent: &AgentState| {
            let (dialect, version, loaded) = (agent.dialect, agent.version.clone(), agent.loaded.clone()?);
            Some(LoadedAgent { dialect, version, loaded, failed_to_block: agent.failed_to_block.clone() })
        };
        self.agents.iter().filter_map(of).collect()
    }

    /// Requests a lint run when every agent is loaded. Only one run is active at a time.
    pub(super) fn request_lint(&mut self) -> Vec<Job> {
        if !self.options.lint || self.agents.iter().any(|agent| agent.loaded.is_none()) {
            return Vec::new();
        }
        if self.problems.running {
            self.problems.outdated = true;
            return Vec::new();
        }
        self.problems.running = true;
        self.forget_changed_trials();
        let (levels, observed) = (self.problems.levels.clone(), self.trials.observed.clone());
        vec![Job::Lint { agents: self.loaded_agents(), levels, observed }]
    }

    /// Stores a report, and requests another run if something has changed meanwhile.
    pub(super) fn set_problems(&mut self, report: Arc<FindingsReport>) -> Vec<Job> {
        self.problems.running = false;
        if self.problems.report.as_ref() != Some(&report) {
            self.problems.report = Some(report);
        }
        if std::mem::take(&mut self.problems.outdated) { self.request_lint() } else { Vec::new() }
    }
}
