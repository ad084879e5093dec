//! `calibrate --format json`.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::calibration::{CalibrationResult, ProbeOutcome, ProbeResult};
use hookbench_core::calibration::{Difference, NewFact};

/// The comparison of the installed agents with the rules. Paths are placeholders, so nothing private is in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CalibrateDoc {
    /// `calibrate/1`.
    pub schema: &'static str,
    pub agents: Vec<CalibratedAgentDoc>,
}

/// The probes of one agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CalibratedAgentDoc {
    pub agent: String,
    /// The version of the program; null if its files do not state it.
    pub version: Option<String>,
    /// The digest of the program: `sha256:…`; null if it cannot be read.
    pub program: Option<String>,
    /// The version whose rules predicted.
    pub predicted_as: String,
    /// The number of probes that ran.
    pub probes: usize,
    /// The number of probes in which the agent did as predicted.
    pub agree: usize,
    pub differ: Vec<ProbeDoc>,
    /// Every probe, in the order of the data, with the rules on which its prediction rests.
    pub results: Vec<ProbeResultDoc>,
    /// The probes that could not be asked: their sessions say nothing.
    pub failed: Vec<FailedProbeDoc>,
    /// Whether the agent ran without a network on read-only files.
    pub isolated: bool,
    /// The reason why it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_isolated_because: Option<String>,
    /// The rules that no probe can show.
    pub not_measurable: Vec<NotMeasurableDoc>,
    /// The number of rules that hold and the number of new facts, as one sentence.
    pub says: String,
    /// The number of rules that a probe shows, and that no probe shows to be broken.
    pub rules_hold: usize,
    /// Facts of the program that hookbench does not know.
    pub new: Vec<NewFactDoc>,
    /// The tables of the program as its sessions show them: events, tools, variables, payload keys and limits.
    pub tables: Value,
}

/// A fact about a program that hookbench does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewFactDoc {
    /// `event`, `payload_key`, `missing_key`, `tool`, `tool_name`, `answer_key`, `variable` or `limit`.
    pub kind: &'static str,
    pub name: String,
    /// The event whose payload has the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The fact in a few words.
    pub says: String,
}

/// The result of a probe in one word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProbeResultDoc {
    pub probe: String,
    /// `agrees`, `differs` or `failed`.
    pub result: &'static str,
    pub rules: Vec<String>,
}

/// A probe in which the agent did something else. The keys of `predicted` and `seen` say what was compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProbeDoc {
    pub probe: String,
    /// The question that the probe asks.
    pub says: String,
    /// The rules that the agent probably does not follow.
    pub rules: Vec<String>,
    pub predicted: Map<String, Value>,
    pub seen: Map<String, Value>,
    /// The settings that show it.
    pub settings: Value,
}

/// A probe whose session says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailedProbeDoc {
    pub probe: String,
    pub why: String,
}

/// A rule that no probe can show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotMeasurableDoc {
    pub rule: String,
    pub why: String,
}

/// The document of calibrations.
pub fn calibrate_doc(results: &[CalibrationResult]) -> CalibrateDoc {
    CalibrateDoc { schema: "calibrate/1", agents: results.iter().map(agent_doc).collect() }
}

fn agent_doc(result: &CalibrationResult) -> CalibratedAgentDoc {
    let failed = |probe: &ProbeResult| match &probe.outcome {
        ProbeOutcome::Failed(why) => Some(FailedProbeDoc { probe: probe.id.clone(), why: why.clone() }),
        ProbeOutcome::Agrees | ProbeOutcome::Differs(_) => None,
    };
    let unreachable = result.not_measurable.iter();
    let unanswered = result.unanswered.iter();
    let unanswered = unanswered.map(|survey| FailedProbeDoc { probe: survey.id.clone(), why: survey.why.clone() });
    let new = |fact: &NewFact| NewFactDoc {
        kind: fact.kind.word(),
        name: fact.name.clone(),
        event: fact.event.clone(),
        says: fact.words(),
    };
    CalibratedAgentDoc {
        agent: result.agent.to_string(),
        version: result.installed.as_ref().map(ToString::to_string),
        program: result.digest.clone(),
        predicted_as: result.version.to_string(),
        probes: result.probes.len(),
        agree: result.agreed(),
        differ: result.probes.iter().filter_map(|probe| probe_doc(result, probe)).collect(),
        results: result.probes.iter().map(result_doc).collect(),
        failed: result.probes.iter().filter_map(failed).chain(unanswered).collect(),
        isolated: result.not_isolated.is_none(),
        not_isolated_because: result.not_isolated.clone(),
        not_measurable: unreachable.map(|of| NotMeasurableDoc { rule: of.rule.clone(), why: of.why.clone() }).collect(),
        says: result.coverage(),
        rules_hold: result.holding_rules(),
        new: result.news.iter().map(new).collect(),
        tables: serde_json::to_value(&result.tables).unwrap_or_default(),
    }
}

fn result_doc(probe: &ProbeResult) -> ProbeResultDoc {
    let result = match &probe.outcome {
        ProbeOutcome::Agrees => "agrees",
        ProbeOutcome::Differs(_) => "differs",
        ProbeOutcome::Failed(_) => "failed",
    };
    ProbeResultDoc { probe: probe.id.clone(), result, rules: probe.rules.iter().map(ToString::to_string).collect() }
}

fn probe_doc(result: &CalibrationResult, probe: &ProbeResult) -> Option<ProbeDoc> {
    let ProbeOutcome::Differs(differences) = &probe.outcome else { return None };
    let by_aspect = |value: fn(&Difference) -> &String| {
        let entry =
            |found: &Difference| (format!("{}, {}", found.event, found.aspect), Value::from(value(found).as_str()));
        differences.iter().map(entry).collect()
    };
    Some(ProbeDoc {
        probe: probe.id.clone(),
        says: probe.says.clone(),
        rules: result.broken_rules(probe).iter().map(ToString::to_string).collect(),
        predicted: by_aspect(|found| &found.predicted),
        seen: by_aspect(|found| &found.seen),
        settings: probe.settings.clone(),
    })
}
