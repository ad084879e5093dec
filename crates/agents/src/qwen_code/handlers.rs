//! Parses one handler object and the keys that the agent reads with it (spec §1.3, §1.4).

use hookbench_base::diagnostic::Code;
use indexmap::IndexMap;
use serde_json::Value;

use super::version_behaviour::VersionBehaviour;
use hookbench_base::hook::{CommandHandler, Handler, HttpHandler, PromptHandler};
use hookbench_base::text::{to_js_string, truthy};

/// Why a handler is dropped: a code, a message and a help text.
#[derive(Debug, Clone, PartialEq)]
pub struct HandlerError {
    pub code: Code,
    pub message: String,
    pub help: String,
}

fn handler_error(code: Code, says: impl Into<String>, help: impl Into<String>) -> HandlerError {
    HandlerError { code, message: says.into(), help: help.into() }
}

/// Parses a handler, or explains why the agent drops it.
pub fn read(behaviour: &VersionBehaviour, raw: &Value) -> Result<Handler, HandlerError> {
    let Some(object) = raw.as_object() else {
        let kind = if raw.is_null() { "null" } else { "not an object" };
        return Err(handler_error(
            Code::HW105,
            format!("the hook is {kind}, so it is skipped"),
            "write { \"type\": \"command\", \"command\": \"…\" }",
        ));
    };
    let kind = object.get("type").and_then(Value::as_str);
    let Some(kind) = kind.filter(|k| behaviour.types.contains(k)) else {
        return Err(bad_type(behaviour, object.get("type")));
    };
    let field = match kind {
        "http" => "url",
        "prompt" => "prompt",
        _ => "command",
    };
    let Some(main) = object.get(field).filter(|v| truthy(v)).map(to_js_string) else {
        return Err(handler_error(
            Code::HW105,
            format!("`{field}` is missing in the {kind} hook, so it is skipped"),
            format!("add `{field}`, or delete it"),
        ));
    };
    let text = |key: &str| object.get(key).filter(|v| truthy(v)).map(to_js_string);
    Ok(match kind {
        "http" => Handler::Http(HttpHandler {
            url: main,
            headers: strings(object.get("headers")),
            allowed_env: object
                .get("allowedEnvVars")
                .and_then(Value::as_array)
                .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        }),
        "prompt" => Handler::Prompt(PromptHandler { prompt: main, model: text("model"), continue_on_block: false }),
        _ => Handler::Command(CommandHandler {
            command: main,
            args: None,
            shell: text("shell"),
            env: strings(object.get("env")),
        }),
    })
}

fn bad_type(behaviour: &VersionBehaviour, kind: Option<&Value>) -> HandlerError {
    let types = behaviour.types.join("`, `");
    let help = format!("write one of `{types}`");
    match kind {
        None => handler_error(Code::HW106, "`type` is missing in the hook, so it is skipped", help),
        Some(Value::String(kind)) if kind == "function" => {
            handler_error(Code::HW106, "function hooks exist only in the SDK, so this one is skipped", help)
        }
        Some(Value::String(kind)) => {
            let near = behaviour.types.iter().find(|t| t.eq_ignore_ascii_case(kind));
            let near = near.map_or(String::new(), |t| format!(" (it is written `{t}`)"));
            handler_error(Code::HW106, format!("the hook type `{kind}` is unknown{near}, so the hook is skipped"), help)
        }
        Some(_) => handler_error(Code::HW106, "the hook's `type` is not a string, so the hook is skipped", help),
    }
}

/// Converts an object to texts, as JavaScript converts other values.
fn strings(value: Option<&Value>) -> IndexMap<String, String> {
    let object = value.and_then(Value::as_object);
    object.map(|o| o.iter().map(|(k, v)| (k.clone(), to_js_string(v))).collect()).unwrap_or_default()
}

/// Returns the configured value that a handler runs: the command, the URL or the prompt.
pub fn main_value<'a>(handler: &Handler, raw: &'a Value) -> Option<&'a Value> {
    raw.get(match handler {
        Handler::Http(_) => "url",
        Handler::Prompt(_) => "prompt",
        _ => "command",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qwen_code::version_behaviour;
    use hookbench_base::dialects::Version;
    use serde_json::json;

    #[test]
    fn only_whole_handlers_are_kept() {
        let today = version_behaviour::for_version(&Version::new(0, 24, 4));
        let command =
            |text: &str| Ok(Handler::Command(CommandHandler { command: text.to_owned(), ..CommandHandler::default() }));
        for (raw, want) in [
            (json!({"type": "command", "command": "x"}), command("x")),
            (json!({"type": "command", "command": ["a", "b"]}), command("a,b")),
            (json!({"type": "command", "command": ""}), Err(Code::HW105)),
            (json!({"type": "Command", "command": "x"}), Err(Code::HW106)),
            (json!({"type": "function", "id": "x"}), Err(Code::HW106)),
            (json!({"command": "x"}), Err(Code::HW106)),
            (json!({"type": "http", "command": "x"}), Err(Code::HW105)),
            (json!(null), Err(Code::HW105)),
            (json!("x"), Err(Code::HW105)),
        ] {
            assert_eq!(read(today, &raw).map_err(|d| d.code), want, "{raw}");
        }
        let old = version_behaviour::for_version(&Version::new(0, 14, 0));
        assert_eq!(read(old, &json!({"type": "http", "url": "http://x"})).map_err(|d| d.code), Err(Code::HW106));
    }
}
