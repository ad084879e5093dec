//! Session files that are one JSON object with a list of messages (Gemini CLI, and earlier versions of Qwen Code),
//! and the text of messages that consist of parts.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::reconstruction::{line_breaks, text};
use hookbench_base::recorded::{CallOutput, CalledTool, FileHead, FormatFit, MessagePart};

/// A tool call, as listed in a message of the model.
#[derive(Debug)]
pub struct ToolCall<'a> {
    pub id: &'a str,
    pub tool: &'a str,
    pub args: Value,
    pub status: CallStatus,
    /// The output that the model received.
    pub output: Option<Value>,
    /// The error that the model received.
    pub error: Option<String>,
    /// The output that the user saw.
    pub displayed: Option<Value>,
}

/// The state of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStatus {
    Done,
    Failed,
    Cancelled,
    /// The call is still running, or its state is not recorded.
    Unknown,
}

impl CallStatus {
    /// Parses the word that the file uses for a state.
    pub fn from_word(word: Option<&str>) -> CallStatus {
        match word {
            Some("success") => CallStatus::Done,
            Some("error") => CallStatus::Failed,
            Some("cancelled") => CallStatus::Cancelled,
            _ => CallStatus::Unknown,
        }
    }
}

/// Returns the tool calls of a message.
pub fn tool_calls(message: &Value) -> Vec<ToolCall<'_>> {
    let calls = message.get("toolCalls").and_then(Value::as_array);
    calls.into_iter().flatten().filter_map(tool_call).collect()
}

fn tool_call(call: &Value) -> Option<ToolCall<'_>> {
    let (output, error) = function_response(call.get("result").unwrap_or(&Value::Null));
    Some(ToolCall {
        id: text(call, "id")?,
        tool: text(call, "name")?,
        args: call.get("args").cloned().unwrap_or_else(|| Value::Object(serde_json::Map::new())),
        status: CallStatus::from_word(text(call, "status")),
        output,
        error,
        displayed: call.get("resultDisplay").filter(|shown| !shown.is_null()).cloned(),
    })
}

/// Returns the response to a call that the model received, from the parts of a message: its output, or its error.
pub fn function_response(parts: &Value) -> (Option<Value>, Option<String>) {
    let one = |part: &Value| part.pointer("/functionResponse/response").cloned();
    let found = match parts {
        Value::Array(parts) => parts.iter().find_map(one),
        part => one(part),
    };
    let Some(found) = found else { return (None, None) };
    (found.get("output").cloned(), text(&found, "error").map(str::to_owned))
}

/// Whether a call failed before hooks ran: the tool does not exist, or it does not accept this input.
pub fn failed_before_hooks(error: &str) -> bool {
    (error.starts_with("Tool \"") && error.contains("not found")) || error.starts_with("params")
}

/// Whether the user refused the call.
pub fn is_user_refusal(error: &str) -> bool {
    error.contains("did not allow") || error.contains("User denied")
}

/// Returns the text of a message: a string, or the joined texts of its parts without the model's thoughts.
pub fn message_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let spoken = parts.iter().filter(|part| part.get("thought").and_then(Value::as_bool) != Some(true));
            spoken.filter_map(|part| part.as_str().or_else(|| text(part, "text"))).collect()
        }
        part => text(part, "text").unwrap_or_default().to_owned(),
    }
}

/// Returns the parts of a message of such a file: its text, its calls and their results. `model` is the type of the
/// model's messages.
pub fn message_parts(message: &Value, model: &str) -> Vec<MessagePart> {
    let content = message.get("content").unwrap_or(&Value::Null);
    if content.is_null() || message.get("message").is_some() {
        return Vec::new();
    }
    let kind = text(message, "type");
    if kind == Some("user") {
        let parts = content.as_array().map_or(&[] as &[Value], Vec::as_slice);
        if parts.iter().any(|part| part.get("functionResponse").is_some()) {
            return Vec::new();
        }
        let spoken = message_text(message.get("displayContent").unwrap_or(content));
        let own = !spoken.trim().is_empty() && !spoken.trim_start().starts_with("<session_context>");
        return if own { vec![MessagePart::UserText(spoken)] } else { Vec::new() };
    }
    if kind != Some(model) {
        return Vec::new();
    }
    let mut parts = Vec::new();
    let spoken = message_text(content);
    if !spoken.trim().is_empty() {
        parts.push(MessagePart::ModelText(spoken));
    }
    for call in tool_calls(message) {
        let id = Some(call.id.to_owned());
        parts.push(MessagePart::Call(CalledTool { id: id.clone(), tool: call.tool.to_owned(), input: call.args }));
        if call.status != CallStatus::Unknown {
            let output = call.output.as_ref().map(message_text);
            let failed = Some(call.status != CallStatus::Done);
            let text = call.error.or(output).unwrap_or_default();
            parts.push(MessagePart::Result(CallOutput { call: id, text, failed }));
        }
    }
    parts
}

/// A parsed session file. Each message comes with the line on which it begins.
pub struct Conversation {
    pub session: Option<String>,
    pub project_hash: Option<String>,
    pub messages: Vec<(u64, Value)>,
}

#[derive(Deserialize)]
struct RawConversation<'a> {
    #[serde(rename = "sessionId")]
    session: Option<String>,
    #[serde(rename = "projectHash")]
    project_hash: Option<String>,
    #[serde(borrow, default)]
    messages: Vec<&'a RawValue>,
}

/// Parses a session file. Returns `None` if it is not such a file.
pub fn parse(file: &str) -> Option<Conversation> {
    let raw: RawConversation<'_> = serde_json::from_str(file).ok()?;
    let (mut at, mut line) = (0, 1);
    let mut messages = Vec::new();
    for message in raw.messages {
        let begins = (message.get().as_ptr() as usize).saturating_sub(file.as_ptr() as usize);
        let between = file.as_bytes().get(at..begins).unwrap_or_default();
        line += line_breaks(between);
        at = begins;
        messages.push((line, serde_json::from_str(message.get()).ok()?));
    }
    Some(Conversation { session: raw.session, project_hash: raw.project_hash, messages })
}

/// Tells whether a file is such an object, in which messages of the model have the type `model`. A path that
/// contains `directory` is proof too.
pub fn fit(head: &FileHead<'_>, model: &str, directory: &str) -> FormatFit {
    let whole = head.text.trim_start().starts_with('{')
        && ["\"sessionId\"", "\"projectHash\"", "\"messages\""].iter().all(|key| head.text.contains(key))
        && head.records.first().is_none_or(|record| record.get("messages").is_some());
    if !whole {
        return FormatFit::No;
    }
    let named = [format!("\"type\": \"{model}\""), format!("\"type\":\"{model}\"")];
    if named.iter().any(|name| head.text.contains(name)) || head.path.contains(directory) {
        return FormatFit::Certain;
    }
    FormatFit::Possible
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_know_their_lines() {
        let file = "{\n  \"sessionId\": \"s\",\n  \"messages\": [\n    {\n      \"id\": \"a\"\n    },\n    {\"id\": \"b\"}\n  ]\n}\n";
        let lines: Vec<u64> = parse(file).unwrap().messages.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [4, 7]);
        assert!(parse("{\"messages\": 3}").is_none());
    }

    #[test]
    fn ends_of_calls() {
        assert!(
            failed_before_hooks("Tool \"x\" not found in registry.") && failed_before_hooks("params must be object")
        );
        assert!(!failed_before_hooks("File not found: /x") && !failed_before_hooks("Tool execution blocked: no"));
        assert!(
            is_user_refusal("[Operation Cancelled] Reason: User did not allow tool call")
                && !is_user_refusal("timed out")
        );
    }

    #[test]
    fn what_messages_say() {
        for (content, want) in [
            (json!("a"), "a"),
            (json!([{"text": "a"}, {"text": "hm", "thought": true}, "b", {"functionCall": {}}]), "ab"),
            (json!({"text": "a"}), "a"),
            (json!(null), ""),
        ] {
            assert_eq!(message_text(&content), want);
        }
        let parts = json!([{"functionResponse": {"id": "c", "response": {"error": "no"}}}]);
        assert_eq!(function_response(&parts), (None, Some("no".to_owned())));
    }
}
