//! The stored form of an outcome, without its trace.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The fields of an outcome that are compared with another outcome. The verdict is a field of the event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedOutcome {
    pub blocked: bool,
    /// The names of the hooks that decided.
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
    /// One sentence that describes the agent's action.
    pub agent_does: String,
    /// Fields that only this agent has, under the agent's keys.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// The environment of the hooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<RecordedEnvironment>,
}

/// The environment in which the hooks of a fired event ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedEnvironment {
    /// `shell`, `login` or `agent`.
    pub source: String,
    /// The PATH that the hooks got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The origin of that PATH, if it is not that of the environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_from: Option<String>,
}

/// The agent continues as if there were no hooks.
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
            environment: None,
        }
    }
}
