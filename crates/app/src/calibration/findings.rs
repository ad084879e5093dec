//! The findings of a calibration, in full. They are kept with the result and shown on the screen.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::result::{CalibrationResult, ProbeOutcome, UnansweredSurvey};
use hookbench_core::calibration::NewFact;

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

/// A probe whose session shows nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SilentProbe {
    pub id: String,
    pub why: String,
}

impl CalibrationFindings {
    /// The findings of a calibration.
    pub fn of(result: &CalibrationResult) -> CalibrationFindings {
        let isolation_warning = result.isolation_warning();
        let (news, coverage) = (result.news.clone(), result.coverage());
        let mut found = CalibrationFindings { isolation_warning, news, coverage, ..CalibrationFindings::default() };
        let silent = |survey: &UnansweredSurvey| SilentProbe { id: survey.id.clone(), why: survey.why.clone() };
        found.failed.extend(result.unanswered.iter().map(silent));
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
