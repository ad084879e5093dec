//! What an agent did with an event, as it is kept: the outcome without its trace.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The fields of an outcome that another one is compared with. The verdict stands with the event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedOutcome {
    pub blocked: bool,
    /// What the hooks that decided are called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decided_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_message: Option<String>,
    #[serde(rename = "continue")]
    pub continues: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    pub suppress_output: bool,
    /// One sentence.
    pub agent_does: String,
    /// What only this agent has, under its own keys.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// The agent goes on as if there were no hooks.
impl Default for RecordedOutcome {
    fn default() -> RecordedOutcome {
        RecordedOutcome {
            blocked: false,
            decided_by: Vec::new(),
            reason: None,
            additional_context: None,
            updated_input: None,
            system_message: None,
            continues: true,
            stop_reason: None,
            suppress_output: false,
            agent_does: String::new(),
            extra: Map::new(),
        }
    }
}
