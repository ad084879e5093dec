//! The results of a calibration.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use hookbench_core::calibration::{
    Difference, NewFact, Probe, ProbeError, ProgramTables, Survey, UnreachableRule, news_sentence, read_probes,
};
use hookbench_core::dialects::{Agent, Version};
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
    /// The tables of the program, as its sessions show them.
    pub tables: ProgramTables,
    /// The facts that hookbench does not know.
    pub news: Vec<NewFact>,
    /// The questions for whole tables that the program did not answer.
    pub unanswered: Vec<SilentProbe>,
}

/// A probe, or a question for a whole table, whose session shows nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SilentProbe {
    pub id: String,
    pub why: String,
}

impl CalibrationResult {
    /// The counts in one line: `8 probes agree, 0 differ, 7 could not be asked`.
    pub fn counts(&self) -> String {
        let (agreed, different) = (self.agreed(), self.different().count());
        let verb = if agreed == 1 { "agrees" } else { "agree" };
        let silent = self.probes.len() - agreed - different;
        format!("{} {verb}, {}, {silent} could not be asked", pluralize(agreed, "probe"), differ_words(different))
    }

    /// The number of rules that hold, and the new facts: `138 rules hold; 1 event and 2 tools are new to hookbench: …`.
    pub fn coverage(&self) -> String {
        let hold = pluralize(self.holding_rules(), "rule");
        let verb = if self.holding_rules() == 1 { "holds" } else { "hold" };
        let news = news_sentence(&self.news).unwrap_or_else(|| match self.tables.counts() {
            counts if counts.is_empty() => "no table of the program was seen".to_owned(),
            counts => format!("nothing is new in {counts}"),
        });
        format!("{hold} {verb}; {news}")
    }

    /// The number of rules that a probe shows and that no probe shows to be broken.
    pub fn holding_rules(&self) -> usize {
        let agreeing = self.probes.iter().filter(|probe| probe.outcome == ProbeOutcome::Agrees);
        let shown: BTreeSet<RuleId> = agreeing.flat_map(|probe| probe.rules.iter().copied()).collect();
        let broken: BTreeSet<RuleId> = self.probes.iter().flat_map(|probe| self.broken_rules(probe)).collect();
        shown.difference(&broken).count()
    }

    /// Whether the agent did as predicted wherever it could be asked, and nothing is new.
    pub fn holds(&self) -> bool {
        self.nothing_shown().is_none() && self.different().next().is_none() && self.news.is_empty()
    }

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
    /// The program's tables, as its sessions show them.
    pub tables: ProgramTables,
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

/// The calibration that runs or has run in this session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalibrationProgress {
    pub agent: AgentId,
    /// Whether only the quick probes run.
    pub quick: bool,
    /// `None` before the first probe starts.
    pub probes: Option<usize>,
    pub done: usize,
    pub different: usize,
    /// Whether it still runs.
    pub running: bool,
    /// The result in one line, or the reason for its absence. Empty while it runs.
    pub message: String,
}

impl CalibrationProgress {
    /// The progress or the result in one line.
    pub fn headline(&self) -> String {
        match self.probes {
            _ if !self.running => self.message.clone(),
            None => "the first sessions start".to_owned(),
            Some(probes) => {
                format!("{} of {}, {}", self.done, pluralize(probes, "probe"), differ_words(self.different))
            }
        }
    }
}

/// `1 differs`, `2 differ`.
pub fn differ_words(different: usize) -> String {
    format!("{different} {}", if different == 1 { "differs" } else { "differ" })
}

/// The request for a calibration of one agent.
#[derive(Debug, Clone)]
pub struct CalibrationRequest {
    pub dialect: &'static Agent,
    /// The program to run.
    pub program: PathBuf,
    /// The version that the program's files state.
    pub installed: Option<Version>,
    /// Whether only the quick probes run.
    pub quick: bool,
    /// Only probes whose ids contain this text.
    pub filter: Option<String>,
    /// The number of sessions at a time.
    pub jobs: usize,
    /// The time limit of a session.
    pub limit: Duration,
    /// Whether the limit is fixed. Otherwise it grows if the first sessions show that the machine is slow.
    pub limit_is_fixed: bool,
}

impl CalibrationRequest {
    /// The rules that no probe can show.
    pub(super) fn unreachable_rules(&self) -> Vec<UnreachableRule> {
        read_probes(self.dialect).map(|set| set.unreachable).unwrap_or_default()
    }

    /// The questions for whole tables.
    pub fn surveys(&self) -> Vec<Survey> {
        let surveys = read_probes(self.dialect).map(|set| set.surveys).unwrap_or_default();
        surveys.into_iter().filter(|survey| self.has(&survey.probe)).collect()
    }

    /// Whether a probe is to run.
    fn has(&self, probe: &Probe) -> bool {
        (probe.quick || !self.quick) && self.filter.as_ref().is_none_or(|text| probe.id.contains(text.as_str()))
    }

    /// The probes to run.
    ///
    /// # Errors
    /// Returns an error if the agent's probes are invalid.
    pub fn probes(&self) -> Result<Vec<Probe>, ProbeError> {
        Ok(read_probes(self.dialect)?.probes.into_iter().filter(|probe| self.has(probe)).collect())
    }
}
