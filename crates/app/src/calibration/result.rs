//! The results of a calibration.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use hookbench_core::calibration::{Difference, UnreachableRule};
use hookbench_core::dialects::Version;
use hookbench_core::names::{AgentId, RuleId};
use hookbench_core::text::pluralize;

/// The results of all probes of an agent.
#[derive(Debug, Clone)]
pub struct CalibrationResult {
    pub agent: AgentId,
    /// The version whose rules predicted.
    pub version: Version,
    /// The version that was run, if it is known.
    pub installed: Option<Version>,
    /// The digest of the program: `sha256:…`.
    pub digest: Option<String>,
    /// The reason why the sessions had the network and the user's rights. `None` if they were isolated.
    pub not_isolated: Option<String>,
    /// The rules that no probe can show.
    pub not_measurable: Vec<UnreachableRule>,
    /// In the order of the data.
    pub probes: Vec<ProbeResult>,
}

impl CalibrationResult {
    /// The number of probes that agreed.
    pub fn agreed(&self) -> usize {
        self.probes.iter().filter(|probe| probe.outcome == ProbeOutcome::Agrees).count()
    }

    /// The reason why the calibration says nothing about single rules: no session showed anything, or the program is
    /// older than every known version and nothing is as predicted. `None` if it says something.
    pub fn nothing_shown(&self) -> Option<String> {
        let failed = self.probes.iter().all(|probe| matches!(probe.outcome, ProbeOutcome::Failed(_)));
        match self.probes.first().map(|probe| &probe.outcome) {
            Some(ProbeOutcome::Failed(why)) if failed => Some(why.clone()),
            Some(_) if self.is_unknown_version() => Some(format!(
                "it is older than {}, the oldest version that hookbench knows, and none of the first {} is as predicted",
                self.version,
                pluralize(self.probes.len(), "probe")
            )),
            _ => None,
        }
    }

    /// Whether the program is older than every known version, and nothing is as predicted.
    fn is_unknown_version(&self) -> bool {
        self.installed.as_ref().is_some_and(|installed| *installed < self.version) && self.agreed() == 0
    }

    /// The rules that a probe shows to be broken: of those on which its prediction rests, the ones that the fewest
    /// probes with agreement rest on.
    pub fn broken_rules(&self, probe: &ProbeResult) -> Vec<RuleId> {
        let ProbeOutcome::Differs(differences) = &probe.outcome else { return Vec::new() };
        let suspected: BTreeSet<RuleId> = differences.iter().flat_map(|found| found.rules.iter().copied()).collect();
        let agreeing = |rule: &RuleId| {
            let agrees = |probe: &&ProbeResult| probe.outcome == ProbeOutcome::Agrees && probe.rules.contains(rule);
            self.probes.iter().filter(agrees).count()
        };
        let fewest = suspected.iter().map(agreeing).min();
        suspected.into_iter().filter(|rule| Some(agreeing(rule)) == fewest).collect()
    }

    /// A warning about the rights of the sessions. `None` if they were isolated.
    pub fn isolation_warning(&self) -> Option<String> {
        let why = self.not_isolated.as_ref()?;
        Some(format!(
            "the agent was not isolated: it ran in scratch directories, with your rights and the network ({why})"
        ))
    }

    /// The probes in which the agent did something else.
    pub fn different(&self) -> impl Iterator<Item = &ProbeResult> {
        self.probes.iter().filter(|probe| matches!(probe.outcome, ProbeOutcome::Differs(_)))
    }
}

/// The result of one probe.
#[derive(Debug, Clone)]
pub struct ProbeResult {
    pub id: String,
    /// The question of the probe, as a sentence.
    pub says: String,
    /// The rules on which the prediction rests.
    pub rules: Vec<RuleId>,
    pub outcome: ProbeOutcome,
    /// The settings of the probe.
    pub settings: Value,
    pub duration: Duration,
}

/// Whether the agent did what the rules predict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeOutcome {
    Agrees,
    Differs(Vec<Difference>),
    /// The session says nothing; the reason.
    Failed(String),
}
