//! Reconstruction of hook payloads from a session file (spec §6, §12).

use serde_json::{Map, Value};

use super::reader::{NON_PROMPT_PREFIXES, result_text};
use crate::claude_code::events::common_keys;
use crate::shared::reconstruction::{PayloadBuilder, flag, stem, text};
use hookbench_base::config::Place;
use hookbench_base::recorded::{CallOutput, CalledTool, FileContext, MessagePart};

/// The order of keys in a tool's input as hooks receive it. The model may write another order.
const KEY_ORDER: [(&str, &[&str]); 4] = [
    ("Edit", &["file_path", "old_string", "new_string", "replace_all"]),
    ("Write", &["file_path", "content"]),
    ("Read", &["file_path", "offset", "limit"]),
    ("NotebookEdit", &["notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"]),
];

/// The sub-agent that a record belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubAgent {
    pub id: Option<String>,
    pub kind: Option<String>,
}

/// The values of the common keys.
#[derive(Debug, Clone, Default)]
pub struct CommonFields {
    pub cwd: Option<String>,
    pub prompt_id: Option<String>,
    pub permission_mode: Option<String>,
    pub effort: Option<String>,
    pub sub_agent: Option<SubAgent>,
}

/// Returns the common keys, in the agent's order. Unknown ones are left out.
pub fn common_fields(event: &str, session: &str, about: &FileContext, around: &CommonFields) -> PayloadBuilder {
    let carries = common_keys(event);
    let inside = around.sub_agent.as_ref();
    PayloadBuilder::default()
        .put("session_id", session)
        .put_some("transcript_path", session_file(about, inside.is_some()))
        .put_some("cwd", around.cwd.clone())
        .put_some("prompt_id", around.prompt_id.clone().filter(|_| carries.prompt_id))
        .put_some("permission_mode", around.permission_mode.clone().filter(|_| carries.permission_mode))
        .put_some("agent_id", inside.and_then(|sub| sub.id.clone()))
        .put_some("agent_type", inside.and_then(|sub| sub.kind.clone()))
        .put_some("effort", effort(around).filter(|_| carries.effort))
        .put("hook_event_name", event)
}

fn effort(around: &CommonFields) -> Option<Value> {
    Some(PayloadBuilder::default().put("level", around.effort.clone()?).into_value())
}

/// Returns the path of the session's file. A sub-agent's file is two directories below it; for a file elsewhere it is
/// unknown.
fn session_file(about: &FileContext, inside: bool) -> Option<String> {
    if !inside || !stem(&about.path).starts_with("agent-") {
        return Some(about.path.clone());
    }
    let (directory, _) = about.path.rsplit_once('/')?;
    Some(format!("{}.jsonl", directory.strip_suffix("/subagents")?))
}

/// Returns a tool's input as hooks receive it: with absolute paths, and with keys in the tool's order.
pub fn tool_input(tool: &str, input: &Value, cwd: Option<&str>, about: &FileContext) -> Value {
    let Value::Object(given) = input else { return input.clone() };
    let order = KEY_ORDER.iter().find(|(name, _)| *name == tool).map_or(&[] as &[&str], |(_, keys)| *keys);
    let mut out = Map::new();
    let rest = given.keys().map(String::as_str).filter(|key| !order.contains(key));
    for key in order.iter().copied().chain(rest) {
        if let Some(value) = given.get(key) {
            out.insert(key.to_owned(), value.clone());
        }
    }
    if matches!(tool, "Read" | "Write" | "Edit")
        && let (Some(path), Some(cwd)) = (text(input, "file_path"), cwd)
    {
        let place = Place { home: about.home.clone(), ..Place::default() };
        out.insert("file_path".to_owned(), Value::from(place.absolute(cwd, path)));
    }
    Value::Object(out)
}

/// The beginning of the message by which a stop hook continues a turn.
const STOP_FEEDBACK: &str = "Stop hook feedback:";

/// Returns the parts of a record. Injected texts, such as reminders and the messages of hooks, are left out.
pub fn parts(record: &Value) -> Vec<MessagePart> {
    let Some(content) = record.pointer("/message/content") else { return Vec::new() };
    let from_user = match text(record, "type") {
        Some("user") => true,
        Some("assistant") => false,
        _ => return Vec::new(),
    };
    let injected = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"];
    let injected = injected.iter().any(|key| flag(record, key));
    let spoken = |text: &str| {
        let text = without_reminders(text);
        let prompt = |text: &str| {
            !text.starts_with(STOP_FEEDBACK) && !NON_PROMPT_PREFIXES.iter().any(|prefix| text.starts_with(prefix))
        };
        if text.is_empty() || injected {
            None
        } else if from_user {
            prompt(&text).then_some(MessagePart::UserText(text))
        } else {
            Some(MessagePart::ModelText(text))
        }
    };
    match content {
        Value::String(text) => spoken(text).into_iter().collect(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| part(block, &spoken)).collect(),
        _ => Vec::new(),
    }
}

fn part(block: &Value, spoken: &dyn Fn(&str) -> Option<MessagePart>) -> Option<MessagePart> {
    let owned = |key: &str| text(block, key).map(str::to_owned);
    match text(block, "type")? {
        "text" => spoken(text(block, "text")?),
        "tool_use" => {
            let input = block.get("input").cloned().unwrap_or(Value::Null);
            Some(MessagePart::Call(CalledTool { id: owned("id"), tool: owned("name")?, input }))
        }
        "tool_result" => {
            let text = without_reminders(&result_text(block.get("content").unwrap_or(&Value::Null)));
            Some(MessagePart::Result(CallOutput {
                call: owned("tool_use_id"),
                text,
                failed: Some(flag(block, "is_error")),
            }))
        }
        _ => None,
    }
}

/// Removes the reminders that the agent adds to texts.
fn without_reminders(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("<system-reminder>") {
        kept.push_str(before);
        rest = after.split_once("</system-reminder>").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::text::stringify;
    use serde_json::json;

    #[test]
    fn inputs_are_what_hooks_saw() {
        let about = FileContext { home: "/h".to_owned(), ..FileContext::default() };
        for (tool, input, want) in [
            (
                "Edit",
                json!({"replace_all": false, "file_path": "src/../a.py", "old_string": "x", "new_string": "y"}),
                r#"{"file_path":"/p/a.py","old_string":"x","new_string":"y","replace_all":false}"#,
            ),
            ("Read", json!({"limit": 3, "file_path": "~/x"}), r#"{"file_path":"/h/x","limit":3}"#),
            ("Grep", json!({"path": "src", "pattern": "x"}), r#"{"path":"src","pattern":"x"}"#),
            ("Write", json!("odd"), r#""odd""#),
        ] {
            assert_eq!(stringify(&tool_input(tool, &input, Some("/p"), &about)), want);
        }
    }

    #[test]
    fn the_session_s_file() {
        for (path, inside, want) in [
            ("/c/projects/-p/s.jsonl", false, Some("/c/projects/-p/s.jsonl")),
            ("/c/projects/-p/s/subagents/agent-a1.jsonl", true, Some("/c/projects/-p/s.jsonl")),
            ("/tmp/agent-a1.jsonl", true, None),
            ("/c/projects/-p/s.jsonl", true, Some("/c/projects/-p/s.jsonl")),
        ] {
            let about = FileContext { path: path.to_owned(), ..FileContext::default() };
            assert_eq!(session_file(&about, inside).as_deref(), want, "{path}");
        }
    }
}
