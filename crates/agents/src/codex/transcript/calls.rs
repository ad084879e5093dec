//! Tool calls as the model makes them, converted to what hooks receive (spec §3.1).

use serde_json::{Value, json};

use crate::shared::rebuilt::text;

/// A call as hooks receive it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub tool: String,
    pub input: Value,
    /// The working directory of this call.
    pub workdir: Option<String>,
}

/// The event that an item fires, if any.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    Call(Call),
    /// A call that continues in the terminal with this number.
    GoesOn(String),
    /// Nothing.
    Silent,
    /// A program that makes its own calls, which are not in the file.
    Program,
}

fn shell(command: &str, workdir: Option<&str>) -> Told {
    Told::Call(Call {
        tool: "Bash".to_owned(),
        input: json!({"command": command}),
        workdir: workdir.map(str::to_owned),
    })
}

fn patch(text: &str) -> Told {
    Told::Call(Call { tool: "apply_patch".to_owned(), input: json!({"command": text}), workdir: None })
}

/// Returns what hooks receive for this item.
pub fn told(item: &Value) -> Told {
    match text(item, "type") {
        Some("function_call") => function(item),
        Some("custom_tool_call") => match text(item, "name") {
            Some("apply_patch") => patch(text(item, "input").unwrap_or_default()),
            _ => Told::Program,
        },
        Some("local_shell_call") => {
            let action = item.get("action").unwrap_or(&Value::Null);
            shell(&words(action.get("command")), text(action, "working_directory"))
        }
        _ => Told::Silent,
    }
}

fn function(item: &Value) -> Told {
    let name = text(item, "name").unwrap_or_default();
    let given = text(item, "arguments").unwrap_or_default();
    let given: Value = serde_json::from_str(given).unwrap_or_else(|_| json!({}));
    let workdir = text(&given, "workdir");
    match name {
        "exec_command" => shell(text(&given, "cmd").unwrap_or_default(), workdir),
        "shell" | "container.exec" => shell(&words(given.get("command")), workdir),
        "shell_command" => shell(text(&given, "command").unwrap_or_default(), workdir),
        "apply_patch" => patch(text(&given, "input").unwrap_or_default()),
        "write_stdin" => Told::GoesOn(given.get("session_id").map(Value::to_string).unwrap_or_default()),
        "" => Told::Silent,
        name => {
            let tool = match text(item, "namespace").filter(|space| space.starts_with("mcp__")) {
                Some(space) => format!("{}__{name}", space.trim_end_matches('_')),
                None => name.to_owned(),
            };
            Told::Call(Call { tool, input: given, workdir: None })
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
pub enum Ended {
    /// The call returned this value.
    With(Value),
    /// A command that still runs, in the terminal with this number.
    RunsOn(String),
    /// A hook refused the call.
    Refused,
    /// The call was not made, or failed: hooks receive no result.
    Without,
    /// The tool does not exist: hooks receive nothing.
    Unknown,
}

/// Interprets the output of a call.
pub fn ended(tool: &str, output: &Value) -> Ended {
    let Some(says) = plain(output) else { return Ended::With(output.clone()) };
    if says.contains("blocked by PreToolUse hook: ") && (says.starts_with("Command ") || says.starts_with("Tool call "))
    {
        return Ended::Refused;
    }
    if says.starts_with("unsupported call: ") || says.starts_with("unsupported custom tool call: ") {
        return Ended::Unknown;
    }
    let unmade = ["exec_command failed", "aborted by user", "exec command rejected by user", "execution error: "];
    if unmade.iter().any(|beginning| says.starts_with(beginning)) {
        return Ended::Without;
    }
    if tool != "Bash" {
        // MCP servers return objects, which the file stores as text.
        let object = tool.starts_with("mcp__").then(|| serde_json::from_str::<Value>(&says).ok()).flatten();
        return Ended::With(object.unwrap_or(Value::String(says)));
    }
    let head = says.split("\nOutput:\n").next().unwrap_or_default();
    if let Some(at) = head.find("Process running with session ID ") {
        let rest = head.get(at + "Process running with session ID ".len()..).unwrap_or_default();
        return Ended::RunsOn(rest.split_whitespace().next().unwrap_or_default().to_owned());
    }
    Ended::With(Value::String(printed(&says)))
}

/// Returns the text of an output, or the texts of its parts; `None` if a part is not text.
fn plain(output: &Value) -> Option<String> {
    match output {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => parts.iter().map(|part| text(part, "text").map(str::to_owned)).collect(),
        // The format of older versions.
        output => text(output, "content").map(str::to_owned),
    }
}

/// Returns what a command printed, without the header that Codex adds for the model.
fn printed(says: &str) -> String {
    if let Some((head, rest)) = says.split_once("\nOutput:\n")
        && (head.contains("Exit code:") || head.contains("Wall time:") || head.contains("Process exited"))
    {
        return rest.to_owned();
    }
    let older = serde_json::from_str::<Value>(says).ok().filter(|value| value.get("metadata").is_some());
    older.as_ref().and_then(|value| text(value, "output")).map_or_else(|| says.to_owned(), str::to_owned)
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
            let Told::Call(call) = told(&item) else { panic!("{item}") };
            assert_eq!((call.tool.as_str(), call.input), (tool, input));
        }
        assert_eq!(told(&json!({"type": "web_search_call"})), Told::Silent);
        assert_eq!(told(&json!({"type": "custom_tool_call", "name": "exec", "input": "1"})), Told::Program);
        assert_eq!(told(&call("write_stdin", r#"{"session_id":7}"#)), Told::GoesOn("7".to_owned()));
    }

    #[test]
    fn what_commands_print() {
        for (tool, output, want) in [
            ("Bash", json!("Exit code: 0\nWall time: 0 seconds\nOutput:\nhi\n"), Ended::With(json!("hi\n"))),
            (
                "Bash",
                json!("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nbad"),
                Ended::With(json!("bad")),
            ),
            (
                "Bash",
                json!("Wall time: 1 seconds\nProcess running with session ID 42\nOutput:\n"),
                Ended::RunsOn("42".to_owned()),
            ),
            ("Bash", json!(r#"{"output":"hi","metadata":{"exit_code":0}}"#), Ended::With(json!("hi"))),
            ("Bash", json!("Command blocked by PreToolUse hook: no. Command: rm"), Ended::Refused),
            ("view_image", json!("Tool call blocked by PreToolUse hook: no. Tool: view_image"), Ended::Refused),
            ("Bash", json!("exec_command failed: CreateProcess"), Ended::Without),
            ("nonsense", json!("unsupported call: nonsense"), Ended::Unknown),
            ("mcp__a__b", json!(r#"{"content":[]}"#), Ended::With(json!({"content": []}))),
            ("apply_patch", json!("Exit code: 0\nOutput:\nok"), Ended::With(json!("Exit code: 0\nOutput:\nok"))),
            ("view_image", json!([{"type": "input_image"}]), Ended::With(json!([{"type": "input_image"}]))),
        ] {
            assert_eq!(ended(tool, &output), want, "{output}");
        }
    }
}
