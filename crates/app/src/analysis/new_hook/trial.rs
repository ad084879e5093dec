//! The trial of a new hook: its examples, fired in each of its agents, and the result in words.

use super::NewHook;
use hookbench_core::decide::Verdict;
use hookbench_core::dialects::{self, Version};
use hookbench_core::names::AgentId;

hookbench_core::words! {
    /// The directory in which an example is fired.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum TrialPlace {
        /// In the project.
        Project = "project" | "",
        /// In a session that starts in a subdirectory, or after `cd` to it.
        Subdirectory = "subdirectory" | " in a subdirectory",
        /// After `cd` to a directory outside the project.
        Elsewhere = "elsewhere" | " after cd /",
    }
    /// The word in documents.
    fn word;
    /// The place at the end of a phrase.
    fn in_words;
}

/// A hook to write, and the agents in which it is tried then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookToWrite {
    pub hook: NewHook,
    pub agents: Vec<(AgentId, Version)>,
}

/// The result of the trial of a written hook, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialResult {
    /// Each example had the expected verdict.
    Passed(String),
    /// The hook does not do what it was written for.
    Failed { name: String, why: String },
}

impl TrialResult {
    /// The result of trials. `None` without a trial.
    pub(crate) fn of(name: &str, trials: &[HookTrial]) -> Option<TrialResult> {
        let mut agents: Vec<&str> = Vec::new();
        for trial in trials {
            let agent = trial.agent_name();
            if !agents.contains(&agent) {
                agents.push(agent);
            }
        }
        let Some(failed) = trials.iter().find(|trial| trial.problem.is_some()) else {
            let example = |caught: bool| trials.iter().find(|trial| trial.caught == caught);
            let acts = example(true).map(|trial| format!("acts on {}", trial.example));
            let allows = example(false).map(|trial| format!("allows {}", trial.example));
            let does: Vec<String> = acts.into_iter().chain(allows).collect();
            let says = format!("{name} {}; tried in {}", does.join(" and "), agents.join(", "));
            return (!trials.is_empty()).then_some(TrialResult::Passed(says));
        };
        let (agent, event, example) = (failed.agent_name(), failed.event, &failed.example);
        let at = failed.place.in_words();
        let problem = failed.problem.as_deref().unwrap_or_default();
        let why = format!("{agent} {event} {example}{at}: {problem}");
        Some(TrialResult::Failed { name: name.to_owned(), why })
    }
}

/// One example, fired in one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct HookTrial {
    pub agent: AgentId,
    pub event: &'static str,
    /// The command, path or prompt of the event.
    pub example: String,
    /// Whether the hook must act on it.
    pub caught: bool,
    pub place: TrialPlace,
    /// Whether the session starts in the place, and does not go there with `cd`.
    pub starts_there: bool,
    /// `None` if the event could not be fired.
    pub verdict: Option<Verdict>,
    /// Why the hook did not pass. `None` if it did.
    pub problem: Option<String>,
    /// The reason that the agent gets.
    pub(crate) reason: Option<String>,
}

impl HookTrial {
    fn agent_name(&self) -> &'static str {
        dialects::by_id(self.agent.as_str()).map_or("", |dialect| dialect.name())
    }
}
