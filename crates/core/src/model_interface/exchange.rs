//! Requests of an agent to its model, and what a script answers.

use serde::Deserialize;
use serde_json::Value;

/// The placeholder for the id of a sub-agent, which the agent has chosen and told its model.
const SUBAGENT_ID: &str = "{{agent_id}}";
/// The key under which an agent tells its model that id.
const SUBAGENT_ID_KEY: &str = "agent_id";

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    pub tool: String,
    /// The group of tools that has this one, in an interface that groups tools.
    #[serde(default)]
    pub namespace: Option<String>,
    pub input: Value,
}

impl ScriptedCall {
    /// A call of a tool that belongs to no group.
    pub fn new(tool: impl Into<String>, input: Value) -> ScriptedCall {
        ScriptedCall { tool: tool.into(), namespace: None, input }
    }
}

/// One turn of the model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum ModelTurn {
    Sentence(String),
    Call(ScriptedCall),
    Calls(Vec<ScriptedCall>),
}

impl ModelTurn {
    /// The tools that the turn calls.
    pub fn calls(&self) -> &[ScriptedCall] {
        match self {
            ModelTurn::Sentence(_) => &[],
            ModelTurn::Call(call) => std::slice::from_ref(call),
            ModelTurn::Calls(calls) => calls,
        }
    }

    /// The tools that the turn calls, to change them.
    pub fn calls_mut(&mut self) -> &mut [ScriptedCall] {
        match self {
            ModelTurn::Sentence(_) => &mut [],
            ModelTurn::Call(call) => std::slice::from_mut(call),
            ModelTurn::Calls(calls) => calls,
        }
    }

    /// The turn with the id of the sub-agent that the conversation names last, where an input asks for it.
    pub(super) fn with_subagent_id(&self, conversation: &Value) -> ModelTurn {
        let mut turn = self.clone();
        for call in turn.calls_mut() {
            let text = call.input.to_string();
            if text.contains(SUBAGENT_ID)
                && let Some(id) = told_subagent_id(&conversation.to_string())
                && let Ok(input) = serde_json::from_str(&text.replace(SUBAGENT_ID, id))
            {
                call.input = input;
            }
        }
        turn
    }

    /// The sentence of a turn without calls.
    pub(super) fn sentence(&self) -> &str {
        match self {
            ModelTurn::Sentence(text) => text,
            ModelTurn::Call(_) | ModelTurn::Calls(_) => "",
        }
    }
}

/// An agent's request to its model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The names of the tools that the model may call.
    pub tools: Vec<String>,
    /// The number of turns that the model has made in this conversation.
    pub turns: usize,
    /// The conversation up to the model's first turn. It distinguishes the conversation of a sub-agent.
    pub opening: String,
    /// The conversation and the instructions, as the agent sent them.
    pub conversation: Value,
    /// Whether the response is a stream of events.
    pub streamed: bool,
}

/// The body of a response, with its content type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedReply {
    pub content_type: &'static str,
    pub body: String,
}

impl ScriptedReply {
    pub(super) fn document(value: &Value) -> ScriptedReply {
        ScriptedReply { content_type: "application/json", body: value.to_string() }
    }

    /// A stream of server-sent events, each with its name, if it has one, and its data.
    pub(super) fn stream<'a>(events: impl IntoIterator<Item = (Option<&'a str>, String)>) -> ScriptedReply {
        let mut body = String::new();
        for (name, data) in events {
            if let Some(name) = name {
                body.push_str(&format!("event: {name}\n"));
            }
            body.push_str(&format!("data: {data}\n\n"));
        }
        ScriptedReply { content_type: "text/event-stream", body }
    }
}

/// The elements of a list under a key. Empty if the key is missing or has another type.
pub(super) fn list<'a>(body: &'a Value, key: &str) -> &'a [Value] {
    body.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The elements before the first turn of the model, as JSON.
pub(super) fn opening(items: &[Value], is_turn: impl Fn(&Value) -> bool) -> String {
    items.iter().take_while(|item| !is_turn(item)).map(Value::to_string).collect()
}

/// The texts under a key of each element.
pub(super) fn texts<'a>(list: impl IntoIterator<Item = &'a Value>, key: &str) -> Vec<String> {
    list.into_iter().filter_map(|item| item.get(key)?.as_str()).map(str::to_owned).collect()
}

/// The last id of a sub-agent in a conversation. The result of a tool is JSON within a text, so quotes may be escaped.
fn told_subagent_id(conversation: &str) -> Option<&str> {
    let is_of_id = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    conversation.rmatch_indices(SUBAGENT_ID_KEY).find_map(|(at, key)| {
        let after = conversation.get(at + key.len()..)?;
        let value = after.trim_start_matches(['\\', '"', ':', ' ']);
        let id = value.split(|letter| !is_of_id(letter)).next().filter(|id| !id.is_empty())?;
        (value.len() < after.len()).then_some(id)
    })
}
