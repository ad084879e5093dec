//! Parses one handler object, or explains why the agent drops it (spec §1.3).

use hookbench_base::diagnostic::Code;
use indexmap::IndexMap;
use serde_json::Value;

use hookbench_base::hook::{CommandHandler, Handler};
use hookbench_base::text::{to_js_string, truthy};

/// Why a handler is dropped: a code, a message and a help text.
#[derive(Debug, Clone, PartialEq)]
pub struct HandlerError {
    pub code: Code,
    pub message: String,
    pub help: &'static str,
}

fn handler_error(code: Code, says: impl Into<String>, help: &'static str) -> HandlerError {
    HandlerError { code, message: says.into(), help }
}

/// Parses a handler, or explains why the agent drops it. The agent treats `plugin` like `command`; `runtime` is
/// for programs that embed the agent. Both are registered, and fail at run time if a required key is missing.
pub fn read(raw: &Value) -> Result<Handler, HandlerError> {
    const COMMAND: &str = "write { \"type\": \"command\", \"command\": \"…\" }";
    let Some(object) = raw.as_object() else {
        let kind = if raw.is_null() { "null" } else { "not an object" };
        return Err(handler_error(Code::HW105, format!("the hook is {kind}, so it is skipped"), COMMAND));
    };
    let command = object.get("command").filter(|c| truthy(c)).map(to_js_string);
    let env = || {
        let env = object.get("env").and_then(Value::as_object);
        env.map(|env| env.iter().map(|(k, v)| (k.clone(), to_js_string(v))).collect()).unwrap_or_default()
    };
    match object.get("type") {
        Some(Value::String(kind)) if kind == "command" => match command {
            Some(command) => Ok(command_handler(command, env())),
            None => Err(handler_error(
                Code::HW105,
                "`command` is missing in the command hook, so it is skipped",
                "add a `command`",
            )),
        },
        Some(Value::String(kind)) if kind == "plugin" => Ok(command_handler(command.unwrap_or_default(), env())),
        Some(Value::String(kind)) if kind == "runtime" => match object.get("name").filter(|n| truthy(n)) {
            Some(_) => Ok(Handler::Unknown(raw.clone())),
            None => Err(handler_error(Code::HW105, "`name` is missing in the runtime hook, so it is skipped", COMMAND)),
        },
        None => Err(handler_error(Code::HW106, "`type` is missing in the hook, so it is skipped", COMMAND)),
        Some(Value::String(kind)) => {
            let near = if kind.eq_ignore_ascii_case("command") { " (it is written `command`)" } else { "" };
            Err(handler_error(
                Code::HW106,
                format!("the hook type `{kind}` does not run here{near}, so the hook is skipped"),
                COMMAND,
            ))
        }
        Some(_) => {
            Err(handler_error(Code::HW106, "the hook's `type` is not a string, so the hook is skipped", COMMAND))
        }
    }
}

fn command_handler(command: String, env: IndexMap<String, String>) -> Handler {
    Handler::Command(CommandHandler { command, env, ..CommandHandler::default() })
}

/// Returns why a registered handler fails as soon as it runs.
pub fn runtime_error(raw: &Value) -> Option<&'static str> {
    match raw.get("command").filter(|c| truthy(c)) {
        _ if raw.get("type").and_then(Value::as_str) == Some("runtime") => Some("hookConfig.action is not a function"),
        None => Some("Command hook missing command"),
        Some(Value::String(_)) => None,
        Some(_) => Some("command.replace is not a function"),
    }
}

/// Returns the name that `hooksConfig.disabled` uses for a hook: its name, or else its command.
fn disabled_name(raw: &Value) -> Value {
    let set = |key: &str| raw.get(key).filter(|v| truthy(v)).cloned();
    let command = raw.get("type").and_then(Value::as_str) == Some("command");
    let (other, none) = if command { (set("command"), "unknown-command") } else { (None, "unknown-hook") };
    set("name").or(other).unwrap_or_else(|| Value::from(none))
}

/// Returns the hook's name in the merged `hooksConfig.disabled`, or `None` if it is not listed.
pub fn disabled_as(raw: &Value, list: &Value) -> Option<String> {
    let name = disabled_name(raw);
    let hit = match list {
        Value::Array(items) => !name.is_array() && !name.is_object() && items.contains(&name),
        // A text is searched for the name as a substring.
        Value::String(text) => text.contains(&to_js_string(&name)),
        _ => false,
    };
    hit.then(|| to_js_string(&name))
}

/// Returns the key for dropping duplicates: name and command; other keys are ignored.
pub fn duplicate_key(raw: &Value) -> String {
    let text = |key: &str| raw.get(key).filter(|v| truthy(v)).map(to_js_string).unwrap_or_default();
    let command = raw.get("type").and_then(Value::as_str) == Some("command");
    format!("{}:{}", text("name"), if command { text("command") } else { String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_whole_handlers_are_kept() {
        for (raw, want) in [
            (json!({"type": "command", "command": "x"}), Ok("x")),
            (json!({"type": "command", "command": ["a", "b"]}), Ok("a,b")),
            (json!({"type": "command", "command": ""}), Err(Code::HW105)),
            (json!({"type": "Command", "command": "x"}), Err(Code::HW106)),
            (json!({"type": "http", "url": "x"}), Err(Code::HW106)),
            (json!({"command": "x"}), Err(Code::HW106)),
            (json!({"type": "plugin", "name": "p"}), Ok("")),
            (json!({"type": "runtime"}), Err(Code::HW105)),
            (json!(null), Err(Code::HW105)),
            (json!("x"), Err(Code::HW105)),
        ] {
            let found = read(&raw).map(|h| h.text());
            assert_eq!(found.as_deref().map_err(|d| d.code), want, "{raw}");
        }
    }

    #[test]
    fn names_come_before_commands() {
        for (raw, list, want) in [
            (json!({"type": "command", "command": "x"}), json!(["x"]), true),
            (json!({"type": "command", "command": "x", "name": "n"}), json!(["x"]), false),
            (json!({"type": "command", "command": "x", "name": "n"}), json!(["N", "n"]), true),
            (json!({"type": "plugin", "command": "x"}), json!(["x"]), false),
            (json!({"type": "command", "command": "x"}), json!(null), false),
        ] {
            assert_eq!(disabled_as(&raw, &list).is_some(), want, "{raw} {list}");
        }
        assert_eq!(duplicate_key(&json!({"type": "plugin", "command": "x", "name": "n"})), "n:");
        assert_eq!(duplicate_key(&json!({"type": "command", "command": "x", "name": ""})), ":x");
    }
}
