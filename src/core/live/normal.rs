//! What every agent says of an event under one name each, for lists and rules. The payload itself is kept beside it.

use serde::Serialize;

/// The fields of an event that rules can ask for; none where the agent does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Normal {
    /// The tool's name in the catalogue, which is nobody's.
    pub tool: Option<String>,
    /// The tool as the agent calls it.
    pub tool_native: Option<String>,
    pub path: Option<String>,
    /// The paths after the first, of tools that change several files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more_paths: Vec<String>,
    pub command: Option<String>,
    pub content: Option<String>,
    pub old: Option<String>,
    pub new: Option<String>,
    /// What belongs together before and after a tool; made from the sequence where the agent has no such id.
    pub call_id: Option<String>,
    pub prompt: Option<String>,
    pub last_message: Option<String>,
    /// What a matcher of this event is held against, where that is no tool.
    pub matcher_value: Option<String>,
    pub agent_id: Option<String>,
    pub agent_type: Option<String>,
    pub permission_mode: Option<String>,
    pub turn: Option<String>,
    pub stop_hook_active: Option<bool>,
    pub transcript_path: Option<String>,
}

impl Normal {
    /// Reads a payload; nothing of one that is no object.
    pub fn read(provider: &str, event: &str, seq: u64, payload: &str) -> Normal {
        let _ = (provider, event, seq, payload);
        Normal::default()
    }

    /// All paths.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.path.iter().chain(&self.more_paths).map(String::as_str)
    }
}
