//! A record of a transcript as a message of the conversation: texts, tool calls and results of tool calls.

use serde_json::Value;

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum MessagePart {
    /// A prompt that a user wrote.
    UserText(String),
    /// A text of the model.
    ModelText(String),
    Call(CalledTool),
    Result(CallOutput),
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct CalledTool {
    pub id: Option<String>,
    /// The tool's name in the agent.
    pub tool: String,
    pub input: Value,
}

/// The output of a tool call, as the model received it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOutput {
    /// The id of the call. `None` if the format does not record it.
    pub call: Option<String>,
    pub text: String,
    /// Whether the agent marked the call as failed. `None` if the format does not record it.
    pub failed: Option<bool>,
}
