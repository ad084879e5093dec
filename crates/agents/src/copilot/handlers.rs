//! Parses one handler object, or explains why the agent skips it (spec §2.1).

use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use hookbench_base::config::Os;
use hookbench_base::diagnostic::Code;
use hookbench_base::hook::{CommandHandler, Handler, HttpHandler};

/// The limit of a hook that does not set one.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// The largest limit, in seconds: the longest timer of Node.js.
const LONGEST: f64 = 2_147_483.0;

/// Why a handler is skipped: a code, a message and a help text.
#[derive(Debug, Clone, PartialEq)]
pub struct HandlerError {
    pub code: Code,
    pub message: String,
    pub help: &'static str,
}

fn handler_error(code: Code, message: impl Into<String>, help: &'static str) -> HandlerError {
    HandlerError { code, message: message.into(), help }
}

const COMMAND: &str = "write { \"type\": \"command\", \"command\": \"…\" }";

/// Parses a handler. `is_strict` is whether it is in settings, where less is accepted than in a file of hooks.
pub fn read(raw: &Value, os: Os, is_strict: bool) -> Result<Handler, HandlerError> {
    let Some(object) = raw.as_object() else {
        return Err(handler_error(Code::HW105, "the hook is not an object", COMMAND));
    };
    check_timeouts(object)?;
    match object.get("type") {
        None => command(object, os),
        Some(Value::String(kind)) if kind == "command" => command(object, os),
        Some(Value::String(kind)) if kind == "http" => http(object, is_strict),
        Some(Value::String(kind)) if kind == "prompt" && !is_strict => Ok(Handler::Unknown(raw.clone())),
        Some(Value::String(kind)) => {
            Err(handler_error(Code::HW106, format!("the hook type `{kind}` does not run here"), COMMAND))
        }
        Some(_) => Err(handler_error(Code::HW106, "the hook's `type` is not a string", COMMAND)),
    }
}

fn check_timeouts(object: &Map<String, Value>) -> Result<(), HandlerError> {
    for key in ["timeoutSec", "timeout"] {
        if let Some(value) = object.get(key)
            && value.as_f64().is_none_or(|seconds| seconds <= 0.0)
        {
            let message = format!("`{key}` is not a number above zero");
            return Err(handler_error(Code::HW105, message, "write seconds, such as 30"));
        }
    }
    Ok(())
}

/// The limit of a handler. `timeoutSec` counts before `timeout`.
pub fn timeout(raw: &Value) -> Duration {
    let seconds = ["timeoutSec", "timeout"].into_iter().find_map(|key| raw.get(key)?.as_f64());
    seconds.map_or(DEFAULT_TIMEOUT, |seconds| Duration::from_secs_f64(seconds.clamp(0.0, LONGEST)))
}

/// A string under this key. `None` if it is absent.
fn text<'a>(object: &'a Map<String, Value>, key: &'static str) -> Result<Option<&'a str>, HandlerError> {
    match object.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(handler_error(Code::HW105, format!("`{key}` is not a string"), COMMAND)),
    }
}

fn command(object: &Map<String, Value>, os: Os) -> Result<Handler, HandlerError> {
    let (own, shell) = match os {
        Os::Linux => ("linux", "bash"),
        Os::MacOs => ("macos", "bash"),
        Os::Windows => ("windows", "powershell"),
    };
    // The first key that is there counts, even if it is empty.
    let found = [text(object, own)?, text(object, shell)?, text(object, "command")?];
    let line = found.into_iter().flatten().next();
    let program = text(object, "exec")?;
    text(object, "windows")?;
    let other = text(object, "powershell")?.filter(|line| !line.is_empty());
    let env = environment(object)?;
    text(object, "cwd")?;
    let args = match object.get("args") {
        None => None,
        Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
            Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>())
        }
        Some(_) => return Err(handler_error(Code::HW105, "`args` is not a list of strings", COMMAND)),
    };
    let handler = |command: &str, args, shell: Option<&str>| {
        let shell = shell.map(str::to_owned);
        Ok(Handler::Command(CommandHandler { command: command.to_owned(), args, shell, env: env.clone() }))
    };
    match (program, line, other) {
        (_, Some(""), _) | (Some(""), _, _) => Err(handler_error(Code::HW105, "the command is empty", COMMAND)),
        (Some(_), Some(_), _) => {
            Err(handler_error(Code::HW105, "`exec` and a shell command are both there", "delete one of the two"))
        }
        (Some(program), None, _) => handler(program, Some(args.unwrap_or_default()), None),
        // Arguments beside a shell command have no effect.
        (None, Some(line), _) => handler(line, None, None),
        (None, None, Some(line)) => handler(line, None, Some("pwsh")),
        (None, None, None) => Err(handler_error(Code::HW105, "`command` is missing in the hook", "add a `command`")),
    }
}

/// Whether a handler's command is empty. The agent skips such a handler in any file.
pub fn is_empty(raw: &Value, os: Os) -> bool {
    let own = if os == Os::MacOs { "macos" } else { "linux" };
    let line = [own, "bash", "command"].iter().find_map(|key| raw.get(*key));
    line.and_then(Value::as_str) == Some("") && raw.get("exec").is_none()
}

/// The keys under which a shell command can be, from the one that counts most.
const COMMAND_KEYS: [&str; 4] = ["linux", "macos", "bash", "command"];

/// The same handler with its command line under `command` and its limit under `timeout`.
pub fn plain(raw: &Value) -> Value {
    let Some(object) = raw.as_object() else { return raw.clone() };
    let string = |key: &str| object.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let kind = object.get("type").cloned().unwrap_or_else(|| "command".into());
    let mut out = Map::from_iter([("type".to_owned(), kind)]);
    let line = COMMAND_KEYS.iter().find_map(|key| string(key)).map(str::to_owned);
    let line = line.or_else(|| string("exec").map(|program| words(program, object.get("args"))));
    let line = line.or_else(|| string("powershell").map(|line| format!("pwsh -c {}", quoted(line))));
    out.extend(line.map(|line| ("command".to_owned(), line.into())));
    let limit = ["timeoutSec", "timeout"].into_iter().find_map(|key| object.get(key));
    out.extend(limit.map(|limit| ("timeout".to_owned(), limit.clone())));
    let read = |key: &str| {
        COMMAND_KEYS.contains(&key)
            || ["type", "exec", "args", "powershell", "windows", "timeoutSec", "timeout", "matcher", "shell"]
                .contains(&key)
    };
    out.extend(object.iter().filter(|(key, _)| !read(key)).map(|(key, value)| (key.clone(), value.clone())));
    out.into()
}

/// A program with its arguments as a command line that a shell passes on unchanged.
fn words(program: &str, args: Option<&Value>) -> String {
    let args = args.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    std::iter::once(program).chain(args).map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn environment(object: &Map<String, Value>) -> Result<IndexMap<String, String>, HandlerError> {
    let wrong = || handler_error(Code::HW105, "`env` is not an object with strings", "write { \"NAME\": \"value\" }");
    match object.get("env") {
        None => Ok(IndexMap::new()),
        Some(Value::Object(pairs)) => {
            pairs.iter().map(|(name, value)| Ok((name.clone(), value.as_str().ok_or_else(wrong)?.to_owned()))).collect()
        }
        Some(_) => Err(wrong()),
    }
}

fn http(object: &Map<String, Value>, is_strict: bool) -> Result<Handler, HandlerError> {
    const URL: &str = "write { \"type\": \"http\", \"url\": \"https://…\" }";
    let Some(url) = text(object, "url")?.filter(|url| !url.is_empty()) else {
        return Err(handler_error(Code::HW105, "`url` is missing in the http hook", URL));
    };
    if is_strict && !url.starts_with("https://") {
        return Err(handler_error(Code::HW105, "the http hook does not use https", URL));
    }
    let headers = object.get("headers").and_then(Value::as_object).into_iter().flatten();
    let headers = headers.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
    Ok(Handler::Http(HttpHandler { url: url.to_owned(), headers, allowed_env: None }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn which_command_runs() {
        for (raw, want) in [
            (json!({"command": "c"}), Ok("c")),
            (json!({"type": "command", "bash": "b", "command": "c"}), Ok("b")),
            (json!({"linux": "l", "bash": "b", "command": "c"}), Ok("l")),
            (json!({"command": "c", "args": ["x"]}), Ok("c")),
            (json!({"exec": "p", "args": ["x", "a b"]}), Ok("p x a b")),
            (json!({"powershell": "w"}), Ok("w")),
            (json!({"exec": "p", "command": "c"}), Err(Code::HW105)),
            (json!({"exec": "p", "args": ["x", 5]}), Err(Code::HW105)),
            (json!({"command": ""}), Err(Code::HW105)),
            (json!({"bash": "", "command": "c"}), Err(Code::HW105)),
            (json!({"linux": "", "command": "c"}), Err(Code::HW105)),
            (json!({"exec": "", "command": "c"}), Err(Code::HW105)),
            (json!({"exec": "p", "command": ""}), Err(Code::HW105)),
            (json!({"bash": "b", "command": ""}), Ok("b")),
            (json!({"powershell": "", "windows": "", "macos": 5, "command": "c"}), Ok("c")),
            (json!({"windows": null, "command": "c"}), Err(Code::HW105)),
            (json!({"command": 5}), Err(Code::HW105)),
            (json!({"type": null, "command": "c"}), Err(Code::HW106)),
            (json!({"type": "magic", "command": "c"}), Err(Code::HW106)),
            (json!({"command": "c", "timeout": null}), Err(Code::HW105)),
            (json!({"command": "c", "timeoutSec": 0}), Err(Code::HW105)),
            (json!({"command": "c", "env": {"A": 1}}), Err(Code::HW105)),
            (json!("c"), Err(Code::HW105)),
        ] {
            let found = read(&raw, Os::Linux, false).map(|handler| handler.text());
            assert_eq!(found.as_deref().map_err(|error| error.code), want, "{raw}");
        }
        assert_eq!(timeout(&json!({"timeout": 1, "timeoutSec": 30})), Duration::from_secs(30));
        assert_eq!(timeout(&json!({"timeout": 0.5})), Duration::from_millis(500));
        assert_eq!(timeout(&json!({})), DEFAULT_TIMEOUT);
    }

    #[test]
    fn what_only_its_own_files_may_have() {
        for (raw, own, foreign) in [
            (json!({"type": "prompt", "prompt": "p"}), true, false),
            (json!({"type": "http", "url": "http://127.0.0.1/x"}), true, false),
            (json!({"type": "http", "url": "https://a/x"}), true, true),
            (json!({"type": "mcp_tool"}), false, false),
        ] {
            assert_eq!(read(&raw, Os::Linux, false).is_ok(), own, "{raw}");
            assert_eq!(read(&raw, Os::Linux, true).is_ok(), foreign, "{raw}");
        }
    }

    #[test]
    fn every_form_of_a_command_has_a_plain_one() {
        for (written, plain_form) in [
            (json!({"command": "a"}), json!({"type": "command", "command": "a"})),
            (
                json!({"bash": "b", "command": "c", "timeoutSec": 5, "timeout": 9}),
                json!({"type": "command", "command": "b", "timeout": 5}),
            ),
            (json!({"command": "c", "args": ["x"], "matcher": "M"}), json!({"type": "command", "command": "c"})),
            (
                json!({"exec": "my prog", "args": ["a b", "it's", "$HOME", "-x"]}),
                json!({"type": "command", "command": r"'my prog' 'a b' 'it'\''s' '$HOME' -x"}),
            ),
            (json!({"powershell": "p"}), json!({"type": "command", "command": "pwsh -c p"})),
            (
                json!({"type": "http", "url": "https://a/x", "timeoutSec": 1.5, "headers": {}}),
                json!({"type": "http", "timeout": 1.5, "url": "https://a/x", "headers": {}}),
            ),
            (
                json!({"command": "c", "cwd": "d", "if": "x"}),
                json!({"type": "command", "command": "c", "cwd": "d", "if": "x"}),
            ),
            (json!(5), json!(5)),
        ] {
            assert_eq!(plain(&written), plain_form, "{written}");
        }
    }
}
