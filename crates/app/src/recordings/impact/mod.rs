//! The impact of a settings change: every recorded event that it affects is planned under the old and the new
//! settings, without running anything.
//!
//! Plans are exact, because everything they depend on is recorded: agent, version, project, event, subject, and the
//! payload values that a definition reads. A verdict is claimed only if recorded reports exist for every hook, as
//! in a replay. Verdicts are computed only for events whose set of running hooks changes.

mod by_payload;
mod cache;
mod computation;
mod config_pair;
mod config_pairs;
mod summary;

use hookbench_core::names::AgentId;
use std::sync::Arc;

use crate::recordings::replay::{ReplayRule, ReplaySummary};
use hookbench_core::config::{LoadedConfig, Place};
use hookbench_core::dialects::{Agent, Version};
use hookbench_core::filter::{Filter, FilterTest, WordPattern};

pub use cache::ImpactCache;
pub use computation::{ImpactControl, impact, read_ahead};

/// A change: the configuration that an agent loads in a place, before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingsChange {
    pub dialect: &'static Agent,
    pub version: Version,
    pub place: Arc<Place>,
    pub headless: bool,
    pub before: Arc<LoadedConfig>,
    pub after: Arc<LoadedConfig>,
}

/// The impact of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impact {
    pub agent: AgentId,
    /// The project whose events are affected; `None` for all projects, if a file outside the project has changed.
    pub project: Option<String>,
    /// Counts and rules. If the reason of a rule depends on payload values, it is that of the first event.
    pub summary: ReplaySummary,
    /// Whether the counts are lower bounds.
    pub at_least: bool,
}

impl Impact {
    /// A phrase such as `412 gain a hook, 3 verdicts change, 409 unknown until run`; `None` if no recorded event is
    /// affected.
    pub fn words(&self) -> Option<String> {
        let sign = if self.at_least { "≥ " } else { "" };
        let parts: Vec<String> = self
            .summary
            .changes()
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(n, what)| format!("{sign}{n} {what}"))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// A filter for the events of a rule. If versions or payload values decide, it also matches other events with
    /// the same name and subject.
    pub fn filter(&self, rule: &ReplayRule) -> Filter {
        let pattern = |text: &str| WordPattern(text.to_owned());
        let mut tests = vec![FilterTest::Agent(pattern(self.agent.as_str())), FilterTest::Event(pattern(&rule.event))];
        tests.extend(rule.subject.as_deref().map(|subject| FilterTest::Subject(pattern(subject))));
        tests.extend(self.project.clone().map(FilterTest::Project));
        Filter::All(tests.into_iter().map(Filter::Test).collect())
    }
}
