//! The part of a firing's document that compares it with the installed agent.

use serde::Serialize;
use serde_json::Value;

use hookbench_core::calibration::Difference;
use hookbench_core::verification::{Verification, VerifiedRun};

/// The comparison of a firing with a session of the installed agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifiedDoc {
    /// Null if the event did not happen in a session; `why` says why.
    pub agrees: Option<bool>,
    pub differences: Vec<Difference>,
    /// The texts that the model was told because of the event.
    pub told_the_model: Vec<String>,
    /// The version of the agent. Null if the session failed.
    pub version: Option<String>,
    /// The runs of the hooks in the agent, in the order in which they started.
    pub runs: Vec<VerifiedRun>,
    /// Whether the announced action was blocked in the agent. Null if the session does not show it.
    pub blocked: Option<bool>,
    /// The input that the tool was given. Null if it did not run or the session does not show it.
    pub tool_input: Option<Value>,
    /// Whether the agent ran without a network on read-only files.
    pub isolated: bool,
    /// Differences from the event, and parts that are not compared.
    pub notes: Vec<String>,
    /// The reason why the event is not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Builds the document of a comparison.
pub fn verified_doc(verification: &Result<Verification, String>) -> VerifiedDoc {
    match verification {
        Ok(found) => VerifiedDoc {
            agrees: Some(found.agrees()),
            differences: found.differences.clone(),
            told_the_model: found.told_the_model.clone(),
            version: Some(found.version.clone()),
            runs: found.runs.clone(),
            blocked: found.blocked,
            tool_input: found.tool_input.clone(),
            isolated: found.isolated,
            notes: found.notes.clone(),
            why: None,
        },
        Err(why) => VerifiedDoc { why: Some(why.clone()), ..VerifiedDoc::default() },
    }
}
