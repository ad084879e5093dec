//! The stored results of calibrations: one file an agent, with the program that was tested.

use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::result::{CalibrationResult, ProbeOutcome, SilentProbe};
use crate::disk::state_dir::{StateDir, StateError};
use crate::environment::installed_agents::find_program;
use crate::recordings::store::now_ms;
use hookbench_core::calibration::NewFact;
use hookbench_core::config::Place;
use hookbench_core::dialects::{self, Agent, BrokenRule, Calibration};
use hookbench_core::names::AgentId;
use hookbench_core::recorded::format_time;
use hookbench_system::disk::canonical;

/// The identity of a program: values that change when it is replaced. Reading its content at each start takes too long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ProgramStamp {
    path: String,
    bytes: u64,
    /// Milliseconds since 1970.
    modified: Option<u64>,
}

impl ProgramStamp {
    fn of(program: &Path) -> Option<ProgramStamp> {
        let path = canonical(program).ok()?;
        let about = std::fs::metadata(&path).ok()?;
        let since = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified = since.and_then(|since| u64::try_from(since.as_millis()).ok());
        Some(ProgramStamp { path: path.to_string_lossy().into_owned(), bytes: about.len(), modified })
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredCalibration {
    program: ProgramStamp,
    calibration: Calibration,
    #[serde(default)]
    findings: CalibrationFindings,
}

fn file_name(agent: AgentId) -> String {
    format!("calibration-{agent}.json")
}

fn read_stored(state: &StateDir, agent: AgentId) -> Option<StoredCalibration> {
    serde_json::from_str(&state.read(&file_name(agent))?).ok()
}

/// The kept calibration of the installed program, if the program is still the same.
fn read_current(state: &StateDir, place: &Place, dialect: &Agent) -> Option<StoredCalibration> {
    let stored = read_stored(state, dialect.id())?;
    let program = find_program(&dialect.install(), place)?.program;
    (ProgramStamp::of(&program)? == stored.program).then_some(stored)
}

/// The calibrations of the installed programs that are still the same.
pub fn read_calibrations(place: &Place) -> Vec<(AgentId, Arc<Calibration>)> {
    let state = StateDir::of(place);
    let read =
        |dialect: &&'static Agent| Some((dialect.id(), Arc::new(read_current(&state, place, dialect)?.calibration)));
    dialects::released().filter_map(|dialect| read(&dialect)).collect()
}

/// The findings of these calibrations.
pub fn read_findings(place: &Place) -> Vec<(AgentId, Arc<CalibrationFindings>)> {
    let state = StateDir::of(place);
    let read =
        |dialect: &&'static Agent| Some((dialect.id(), Arc::new(read_current(&state, place, dialect)?.findings)));
    dialects::released().filter_map(|dialect| read(&dialect)).collect()
}

/// The kept calibration of one agent with its findings.
pub(super) fn read_calibration(
    state: &StateDir,
    place: &Place,
    dialect: &Agent,
) -> Option<(Arc<Calibration>, Arc<CalibrationFindings>)> {
    let stored = read_current(state, place, dialect)?;
    Some((Arc::new(stored.calibration), Arc::new(stored.findings)))
}

/// Stores a calibration, so that it is the basis of later answers.
pub fn store_calibration(state: &StateDir, program: &Path, result: &CalibrationResult) -> Result<(), StateError> {
    let (Some(program), Some(version)) = (ProgramStamp::of(program), &result.installed) else { return Ok(()) };
    let on = today();
    let mut broken_rules: Vec<BrokenRule> = Vec::new();
    for probe in &result.probes {
        for rule in result.broken_rules(probe) {
            if !broken_rules.iter().any(|broken| broken.rule == rule.as_str()) {
                broken_rules.push(BrokenRule { rule: rule.to_string(), probe: probe.id.clone() });
            }
        }
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let (probes, agreed) = (count(result.probes.len()), count(result.agreed()));
    // A quick run without a finding does not replace the findings of a full run.
    let fuller = |known: &StoredCalibration| known.program == program && known.calibration.probes > probes;
    let news = count(result.news.len());
    if broken_rules.is_empty() && news == 0 && read_stored(state, result.agent).as_ref().is_some_and(fuller) {
        return Ok(());
    }
    let calibration = Calibration { version: version.to_string(), on, probes, agreed, broken_rules, news };
    let stored = StoredCalibration { program, calibration, findings: CalibrationFindings::of(result) };
    let text = serde_json::to_string(&stored).unwrap_or_default();
    state.write(&file_name(result.agent), &text)
}

/// The day of today: `2026-11-24`.
pub(super) fn today() -> String {
    format_time(now_ms()).and_then(|text| Some(text.get(..10)?.to_owned())).unwrap_or_default()
}

/// The digest of a program: `sha256:…`. `None` if it cannot be read.
pub(super) fn program_digest(program: &Path) -> Option<String> {
    let mut hasher = Sha256::new();
    std::io::copy(&mut hookbench_system::disk::open(program).ok()?, &mut hasher).ok()?;
    Some(format!("sha256:{:x}", hasher.finalize()))
}

/// The probes that did not agree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CalibrationFindings {
    pub different: Vec<DifferentProbe>,
    pub failed: Vec<SilentProbe>,
    /// A warning about the rights of the sessions.
    #[serde(default)]
    pub isolation_warning: Option<String>,
    /// Facts of the program that hookbench does not know.
    #[serde(default)]
    pub news: Vec<NewFact>,
    /// The number of rules that hold and the number of new facts, in one line. Empty for a result of an older hookbench.
    #[serde(default)]
    pub coverage: String,
}

/// A probe in which the agent did something else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DifferentProbe {
    pub id: String,
    /// The question of the probe, as a sentence.
    pub says: String,
    /// The rules that the agent probably does not follow.
    pub rules: Vec<String>,
    pub differences: Vec<ObservedDifference>,
    /// The settings that show it.
    pub settings: Value,
}

/// Something that was seen to be other than predicted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedDifference {
    pub event: String,
    pub aspect: String,
    pub predicted: String,
    pub seen: String,
}

impl CalibrationFindings {
    /// The findings of a calibration.
    pub fn of(result: &CalibrationResult) -> CalibrationFindings {
        let isolation_warning = result.isolation_warning();
        let (news, coverage) = (result.news.clone(), result.coverage());
        let mut found = CalibrationFindings { isolation_warning, news, coverage, ..CalibrationFindings::default() };
        found.failed.extend(result.unanswered.iter().cloned());
        for probe in &result.probes {
            match &probe.outcome {
                ProbeOutcome::Agrees => {}
                ProbeOutcome::Failed(why) => {
                    found.failed.push(SilentProbe { id: probe.id.clone(), why: why.clone() });
                }
                ProbeOutcome::Differs(differences) => {
                    let observed = differences.iter().map(|found| ObservedDifference {
                        event: found.event.clone(),
                        aspect: found.aspect.clone(),
                        predicted: found.predicted.clone(),
                        seen: found.seen.clone(),
                    });
                    found.different.push(DifferentProbe {
                        id: probe.id.clone(),
                        says: probe.says.clone(),
                        rules: result.broken_rules(probe).iter().map(ToString::to_string).collect(),
                        differences: observed.collect(),
                        settings: probe.settings.clone(),
                    });
                }
            }
        }
        found
    }
}
