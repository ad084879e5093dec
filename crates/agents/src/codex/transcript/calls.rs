//! Tool calls as the model makes them, converted to what hooks receive (spec §3.1).

use serde_json::{Value, json};

use crate::shared::reconstruction::text;
use hookbench_base::recorded::{CallOutput, CalledTool, MessagePart};

/// A call as hooks receive it.
#[derive(Debug, Clone, PartialEq)]
pub struct HookCall {
    pub tool: String,
    pub input: Value,
    /// The working directory of this call.
    pub workdir: Option<String>,
}

/// The event that an item fires, if any.
#[derive(Debug, Clone, PartialEq)]
pub enum CallItem {
    Call(HookCall),
    /// A call that continues in the terminal with this number.
    Continuation(String),
    /// Nothing.
    Nothing,
    /// A program that makes its own calls, which are not in the file.
    Program,
}

fn shell(command: &str, workdir: Option<&str>) -> CallItem {
    CallItem::Call(HookCall {
        tool: "Bash".to_owned(),
        input: json!({"command": command}),
        workdir: workdir.map(str::to_owned),
    })
}

fn patch(text: &str) -> CallItem {
    CallItem::Call(HookCall { tool: "apply_patch".to_owned(), input: json!({"command": text}), workdir: None })
}

/// Returns what hooks receive for this item.
pub fn read_item(item: &Value) -> CallItem {
    match text(item, "type") {
        Some("function_call") => function(item),
        Some("custom_tool_call") => match text(item, "name") {
            Some("apply_patch") => patch(text(item, "input").unwrap_or_default()),
            _ => CallItem::Program,
        },
        Some("local_shell_call") => {
            let action = item.get("action").unwrap_or(&Value::Null);
            shell(&words(action.get("command")), text(action, "working_directory"))
        }
        _ => CallItem::Nothing,
    }
}

fn function(item: &Value) -> CallItem {
    let name = text(item, "name").unwrap_or_default();
    let given = text(item, "arguments").unwrap_or_default();
    let given: Value = serde_json::from_str(given).unwrap_or_else(|_| json!({}));
    let workdir = text(&given, "workdir");
    match name {
        "exec_command" => shell(text(&given, "cmd").unwrap_or_default(), workdir),
        "shell" | "container.exec" => shell(&words(given.get("command")), workdir),
        "shell_command" => shell(text(&given, "command").unwrap_or_default(), workdir),
        "apply_patch" => patch(text(&given, "input").unwrap_or_default()),
        "write_stdin" => CallItem::Continuation(given.get("session_id").map(Value::to_string).unwrap_or_default()),
        "" => CallItem::Nothing,
        name => {
            let tool = match text(item, "namespace").filter(|space| space.starts_with("mcp__")) {
                Some(space) => format!("{}__{name}", space.trim_end_matches('_')),
                None => name.to_owned(),
            };
            CallItem::Call(HookCall { tool, input: given, workdir: None })
        }
    }
}

/// Joins a command's list of words into one shell line.
fn words(command: Option<&Value>) -> String {
    match command {
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(" "),
        Some(Value::String(line)) => line.clone(),
        _ => String::new(),
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-./:=@_%^,]".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The end of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallResult {
    /// The call returned this value.
    Output(Value),
    /// A command that still runs, in the terminal with this number.
    StillRunning(String),
    /// A hook refused the call.
    Refused,
    /// The call was not made, or failed: hooks receive no result.
    NoResult,
    /// The tool does not exist: hooks receive nothing.
    UnknownTool,
}

/// Interprets the output of a call.
pub fn read_result(tool: &str, output: &Value) -> CallResult {
    let Some(says) = output_text(output) else { return CallResult::Output(output.clone()) };
    if says.contains("blocked by PreToolUse hook: ") && (says.starts_with("Command ") || says.starts_with("Tool call "))
    {
        return CallResult::Refused;
    }
    if says.starts_with("unsupported call: ") || says.starts_with("unsupported custom tool call: ") {
        return CallResult::UnknownTool;
    }
    let unmade = ["exec_command failed", "aborted by user", "exec command rejected by user", "execution error: "];
    if unmade.iter().any(|beginning| says.starts_with(beginning)) {
        return CallResult::NoResult;
    }
    if tool != "Bash" {
        // MCP servers return objects, which the file stores as text.
        let object = tool.starts_with("mcp__").then(|| serde_json::from_str::<Value>(&says).ok()).flatten();
        return CallResult::Output(object.unwrap_or(Value::String(says)));
    }
    let head = says.split("\nOutput:\n").next().unwrap_or_default();
    if let Some(at) = head.find("Process running with session ID ") {
        let rest = head.get(at + "Process running with session ID ".len()..).unwrap_or_default();
        return CallResult::StillRunning(rest.split_whitespace().next().unwrap_or_default().to_owned());
    }
    CallResult::Output(Value::String(printed_text(&says)))
}

/// Returns the text of an output, or the texts of its parts; `None` if a part is not text.
fn output_text(output: &Value) -> Option<String> {
    match output {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => parts.iter().map(|part| text(part, "text").map(str::to_owned)).collect(),
        // The format of older versions.
        output => text(output, "content").map(str::to_owned),
    }
}

/// Returns what a command printed, without the header that Codex adds for the model.
fn printed_text(says: &str) -> String {
    if let Some((head, rest)) = says.split_once("\nOutput:\n")
        && (head.contains("Exit code:") || head.contains("Wall time:") || head.contains("Process exited"))
    {
        return rest.to_owned();
    }
    let older = serde_json::from_str::<Value>(says).ok().filter(|value| value.get("metadata").is_some());
    older.as_ref().and_then(|value| text(value, "output")).map_or_else(|| says.to_owned(), str::to_owned)
}

/// The beginnings of user messages that the program writes itself.
const INJECTED: [&str; 6] =
    ["<environment_context>", "<user_instructions>", "<hook_prompt", "<turn_aborted>", "# AGENTS.md", "<permissions"];

/// Returns the parts of a record. Injected texts are left out.
pub fn parts(record: &Value) -> Vec<MessagePart> {
    let item = match text(record, "type") {
        Some("response_item") => record.get("payload").unwrap_or(&Value::Null),
        _ => return Vec::new(),
    };
    let call = || text(item, "call_id").or(text(item, "id")).map(str::to_owned);
    match text(item, "type") {
        Some("message") => {
            let spoken = item.get("content").and_then(Value::as_array).into_iter().flatten();
            let spoken = spoken.filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n");
            match text(item, "role") {
                Some("assistant") if !spoken.trim().is_empty() => vec![MessagePart::ModelText(spoken)],
                Some("user") if !INJECTED.iter().any(|tag| spoken.trim_start().starts_with(tag)) => {
                    vec![MessagePart::UserText(spoken)]
                }
                _ => Vec::new(),
            }
        }
        Some("function_call" | "custom_tool_call" | "local_shell_call") => {
            if text(item, "name") == Some("update_plan") {
                return plan(item).map(|input| called(call(), "todo_write", input)).into_iter().collect();
            }
            match read_item(item) {
                CallItem::Call(found) => vec![called(call(), &found.tool, found.input)],
                _ => Vec::new(),
            }
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            let output = item.get("output").unwrap_or(&Value::Null);
            let (text, failed) = output_text_message(output);
            vec![MessagePart::Result(CallOutput { call: call(), text, failed })]
        }
        Some("web_search_call") => vec![called(call(), "web_search", json!({}))],
        _ => Vec::new(),
    }
}

fn called(id: Option<String>, tool: &str, input: Value) -> MessagePart {
    MessagePart::Call(CalledTool { id, tool: tool.to_owned(), input })
}

/// Returns the steps of a plan as a list of todos.
fn plan(item: &Value) -> Option<Value> {
    let given: Value = serde_json::from_str(text(item, "arguments")?).ok()?;
    let steps = given.get("plan")?.as_array()?.iter();
    let todo = |step: &Value| json!({"content": step.get("step"), "status": step.get("status")});
    Some(json!({"todos": steps.map(todo).collect::<Vec<_>>()}))
}

/// Returns the text of an output, and whether its header reports a failure.
fn output_text_message(output: &Value) -> (String, Option<bool>) {
    let printed = match output {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n"),
        output => text(output, "content").unwrap_or_default().to_owned(),
    };
    let older = serde_json::from_str::<Value>(&printed).ok();
    if let Some(code) = older.as_ref().and_then(|value| value.pointer("/metadata/exit_code")).and_then(Value::as_i64) {
        let printed = older.as_ref().and_then(|value| text(value, "output")).unwrap_or_default().to_owned();
        return (printed, Some(code != 0));
    }
    let head = printed.split("\nOutput:\n").next().unwrap_or_default();
    let code = ["Process exited with code ", "Exit code: "].iter().find_map(|label| {
        let (_, rest) = head.split_once(label)?;
        rest.split_whitespace().next()?.parse::<i32>().ok()
    });
    let failed = code.map(|code| code != 0);
    (printed.split_once("\nOutput:\n").map_or(printed.as_str(), |(_, rest)| rest).to_owned(), failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_as_hooks_see_them() {
        let call = |name: &str, arguments: &str| json!({"type": "function_call", "name": name, "arguments": arguments});
        for (item, tool, input) in [
            (call("exec_command", r#"{"cmd":"ls -l","workdir":"/usr"}"#), "Bash", json!({"command": "ls -l"})),
            (
                call("shell", r#"{"command":["bash","-lc","ls | wc"]}"#),
                "Bash",
                json!({"command": "bash -lc 'ls | wc'"}),
            ),
            (call("shell_command", r#"{"command":"ls"}"#), "Bash", json!({"command": "ls"})),
            (call("view_image", r#"{"path":"a.png"}"#), "view_image", json!({"path": "a.png"})),
            (call("mcp__mem__put", r#"{"k":"v"}"#), "mcp__mem__put", json!({"k": "v"})),
            (
                json!({"type": "function_call", "namespace": "mcp__mem__", "name": "put", "arguments": "{}"}),
                "mcp__mem__put",
                json!({}),
            ),
            (
                json!({"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch"}),
                "apply_patch",
                json!({"command": "*** Begin Patch"}),
            ),
            (
                json!({"type": "local_shell_call", "action": {"type": "exec", "command": ["echo", "it's"]}}),
                "Bash",
                json!({"command": "echo 'it'\\''s'"}),
            ),
        ] {
            let CallItem::Call(call) = read_item(&item) else { panic!("{item}") };
            assert_eq!((call.tool.as_str(), call.input), (tool, input));
        }
        assert_eq!(read_item(&json!({"type": "web_search_call"})), CallItem::Nothing);
        assert_eq!(read_item(&json!({"type": "custom_tool_call", "name": "exec", "input": "1"})), CallItem::Program);
        assert_eq!(read_item(&call("write_stdin", r#"{"session_id":7}"#)), CallItem::Continuation("7".to_owned()));
    }

    #[test]
    fn what_commands_print() {
        for (tool, output, want) in [
            ("Bash", json!("Exit code: 0\nWall time: 0 seconds\nOutput:\nhi\n"), CallResult::Output(json!("hi\n"))),
            (
                "Bash",
                json!("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nbad"),
                CallResult::Output(json!("bad")),
            ),
            (
                "Bash",
                json!("Wall time: 1 seconds\nProcess running with session ID 42\nOutput:\n"),
                CallResult::StillRunning("42".to_owned()),
            ),
            ("Bash", json!(r#"{"output":"hi","metadata":{"exit_code":0}}"#), CallResult::Output(json!("hi"))),
            ("Bash", json!("Command blocked by PreToolUse hook: no. Command: rm"), CallResult::Refused),
            ("view_image", json!("Tool call blocked by PreToolUse hook: no. Tool: view_image"), CallResult::Refused),
            ("Bash", json!("exec_command failed: CreateProcess"), CallResult::NoResult),
            ("nonsense", json!("unsupported call: nonsense"), CallResult::UnknownTool),
            ("mcp__a__b", json!(r#"{"content":[]}"#), CallResult::Output(json!({"content": []}))),
            ("apply_patch", json!("Exit code: 0\nOutput:\nok"), CallResult::Output(json!("Exit code: 0\nOutput:\nok"))),
            ("view_image", json!([{"type": "input_image"}]), CallResult::Output(json!([{"type": "input_image"}]))),
        ] {
            assert_eq!(read_result(tool, &output), want, "{output}");
        }
    }
}
