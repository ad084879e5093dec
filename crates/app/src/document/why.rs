//! The document of `why`.

use serde::Serialize;
use serde_json::Value;

use super::hook::{PlanHookDoc, hook_doc};
use crate::analysis::ladder::Ladder;
use hookbench_core::hook::HookDefinition;
use hookbench_core::plan::PlanEntry;

/// The ladder of one hook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WhyDoc {
    /// `why/1`.
    pub schema: &'static str,
    pub hook: PlanHookDoc,
    pub event: Option<String>,
    pub rungs: Vec<RungDoc>,
    pub answer: String,
    pub nearest: Vec<String>,
}

/// One rung.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RungDoc {
    /// `file_found`, `parsed`, `layer_active`, `event_known`, `surface`, `trusted`, `matcher`, `condition`, `command` or
    /// `started`.
    pub rung: Value,
    /// `ok`, `no`, `skipped` or `unknown`.
    pub state: Value,
    pub says: String,
    pub evidence: Vec<Value>,
}

/// Builds the document of a ladder.
pub fn why_doc(definition: &HookDefinition, entry: Option<&PlanEntry>, event: Option<&str>, ladder: &Ladder) -> WhyDoc {
    let word = |value: serde_json::Result<Value>| value.unwrap_or_default();
    WhyDoc {
        schema: "why/1",
        hook: hook_doc(definition, entry),
        event: event.map(str::to_owned),
        rungs: ladder
            .rungs
            .iter()
            .map(|rung| RungDoc {
                rung: word(serde_json::to_value(rung.name)),
                state: word(serde_json::to_value(rung.state)),
                says: rung.message.clone(),
                evidence: rung.evidence.iter().map(|e| word(serde_json::to_value(e))).collect(),
            })
            .collect(),
        answer: ladder.answer.clone(),
        nearest: ladder.nearest.clone(),
    }
}
