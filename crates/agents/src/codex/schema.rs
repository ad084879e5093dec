//! The shape of hooks, as strict as Codex itself (spec §2.1): one wrong type makes the whole file invalid. Codex
//! also accepts an object as a list of its values in their order, so an empty list is valid in place of an empty
//! object.

use hookbench_base::diagnostic::Code;
use serde_json::Value;

use super::config_node::{ConfigEntry, ConfigNode, ConfigValue};
use super::events::EVENTS;
use crate::kernel::settings::SchemaError;
use hookbench_base::hook::EventSpec;
use hookbench_base::text::Span;

/// The default of `additionalContextLimit`, in tokens. It also applies to every other text for the model.
pub const TEXT_LIMIT: u64 = 2_500;

/// The groups of one event.
pub struct EventGroups<'t> {
    pub event: &'static EventSpec,
    pub groups: Vec<MatcherGroup<'t>>,
}

/// One matcher with its handlers.
pub struct MatcherGroup<'t> {
    pub tree: &'t ConfigNode,
    pub matcher: Option<(&'t str, Span)>,
    pub handlers: Vec<ParsedHandler<'t>>,
}

/// One handler.
pub struct ParsedHandler<'t> {
    pub tree: &'t ConfigNode,
    pub kind: HandlerKind,
    /// In seconds, as written.
    pub timeout: Option<u64>,
}

/// The action of a handler, by type.
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerKind {
    Command {
        command: String,
        windows: Option<String>,
        detached: bool,
        status: Option<String>,
        limit: Option<u64>,
    },
    McpTool {
        server: String,
        tool: String,
        input: Option<Value>,
    },
    /// Known types that Codex never runs.
    Prompt,
    Agent,
}

/// Parses `hooks.json`: an object with only `description` and `hooks`.
pub fn hooks_file(root: &ConfigNode) -> Result<Option<&ConfigNode>, SchemaError> {
    let stray = root.entries().into_iter().flatten().find(|e| !matches!(e.key.as_str(), "description" | "hooks"));
    if let Some(stray) = stray {
        let event = EVENTS.events.iter().any(|e| e.name == stray.key);
        let help = if event { "move the events into \"hooks\": { … }" } else { "delete it" };
        let says = format!("\"{}\" is not allowed here, only `description` and `hooks`", stray.key);
        return Err(SchemaError::new(Code::HW108, stray.key_span, says, help));
    }
    let [description, hooks] = fields(root, ["description", "hooks"], "the file")?;
    text(description, "`description`")?;
    Ok(hooks)
}

/// Parses a map from event names to groups. Ignores keys that are not events.
pub fn events(hooks: &ConfigNode) -> Result<Vec<EventGroups<'_>>, SchemaError> {
    let names: [&str; 14] = std::array::from_fn(|index| EVENTS.events.get(index).map_or("", |e| e.name));
    let values = fields(hooks, names, "`hooks`")?;
    let mut out = Vec::new();
    for (event, value) in EVENTS.events.iter().zip(values) {
        let Some(value) = value else { continue };
        out.push(EventGroups { event, groups: groups(value, event.name)? });
    }
    Ok(out)
}

/// Parses the groups of an event.
pub fn groups<'t>(value: &'t ConfigNode, event: &str) -> Result<Vec<MatcherGroup<'t>>, SchemaError> {
    let Some(items) = value.items() else {
        let says = format!("{event} is {}, but must be a list", value.kind());
        return Err(SchemaError::new(Code::HW103, value.span, says, "write a list: [ { \"hooks\": [ … ] } ]"));
    };
    items.iter().map(group).collect()
}

fn group(tree: &ConfigNode) -> Result<MatcherGroup<'_>, SchemaError> {
    let [matcher, hooks] = fields(tree, ["matcher", "hooks"], "a group")?;
    let matcher = match matcher.map(|m| (m, &m.value)) {
        None | Some((_, ConfigValue::Null)) => None,
        Some((m, ConfigValue::Text(text))) => Some((text.as_str(), m.span)),
        Some((m, _)) => {
            let says = format!("the matcher is {}, but must be a string", m.kind());
            return Err(SchemaError::new(Code::HW102, m.span, says, "write a string, such as \"Bash|Edit\""));
        }
    };
    let handlers = match hooks {
        None => Vec::new(),
        Some(hooks) => match hooks.items() {
            Some(items) => items.iter().map(handler).collect::<Result<_, _>>()?,
            None => {
                let says = format!("`hooks` of a group is {}, but must be a list", hooks.kind());
                return Err(SchemaError::new(
                    Code::HW103,
                    hooks.span,
                    says,
                    "write a list: [ { \"type\": \"command\", … } ]",
                ));
            }
        },
    };
    Ok(MatcherGroup { tree, matcher, handlers })
}

fn handler(tree: &ConfigNode) -> Result<ParsedHandler<'_>, SchemaError> {
    const SHAPE: &str = "write { \"type\": \"command\", \"command\": \"…\" }";
    // In a list, the type comes first.
    let (kind, rest) = match &tree.value {
        ConfigValue::Table(_) => (fields(tree, ["type"], "a hook")?[0], tree.clone()),
        ConfigValue::List(items) => {
            let rest = items.get(1..).unwrap_or(&[]).to_vec();
            (items.first(), ConfigNode { span: tree.span, value: ConfigValue::List(rest) })
        }
        _ => {
            return Err(SchemaError::new(
                Code::HW105,
                tree.span,
                format!("a hook is {}, but must be an object", tree.kind()),
                SHAPE,
            ));
        }
    };
    let Some(kind) = kind else {
        return Err(SchemaError::new(Code::HW106, tree.span, "the `type` of a hook is missing", SHAPE));
    };
    let Some(word) = kind.as_str() else {
        return Err(SchemaError::new(
            Code::HW106,
            kind.span,
            format!("the `type` of a hook is {}", kind.kind()),
            SHAPE,
        ));
    };
    let (kind, timeout) = match word {
        "command" => command(&rest)?,
        "mcp_tool" => mcp_tool(&rest)?,
        "prompt" => (HandlerKind::Prompt, None),
        "agent" => (HandlerKind::Agent, None),
        other => {
            let near = ["command", "mcp_tool", "prompt", "agent"].into_iter().find(|t| t.eq_ignore_ascii_case(other));
            let near = near.map_or(String::new(), |t| format!(" (it is written `{t}`)"));
            let says = format!("the hook type `{other}` is unknown{near}");
            return Err(SchemaError::new(Code::HW106, kind.span, says, "write `command` or `mcp_tool`"));
        }
    };
    Ok(ParsedHandler { tree, kind, timeout })
}

fn command(tree: &ConfigNode) -> Result<(HandlerKind, Option<u64>), SchemaError> {
    const NAMES: [&str; 6] =
        ["command", "commandWindows", "timeout", "async", "statusMessage", "additionalContextLimit"];
    let [command, windows, timeout, detached, status, limit] = fields(tree, NAMES, "a hook")?;
    let Some(command) = command else {
        return Err(SchemaError::new(
            Code::HW105,
            tree.span,
            "the `command` of the command hook is missing",
            "add a `command`, or delete it",
        ));
    };
    let Some(line) = command.as_str() else {
        let says = format!("`command` is {}, but must be a string", command.kind());
        return Err(SchemaError::new(Code::HW105, command.span, says, "write the command line as one string"));
    };
    let detached = match detached {
        None => false,
        Some(flag) => flag.as_bool().ok_or_else(|| {
            let says = format!("`async` is {}, but must be true or false", flag.kind());
            SchemaError::new(Code::HW105, flag.span, says, "write true or false, or delete it")
        })?,
    };
    let kind = HandlerKind::Command {
        command: line.to_owned(),
        windows: text(windows, "`commandWindows`")?,
        detached,
        status: text(status, "`statusMessage`")?,
        limit: number(limit, Code::HW105, "`additionalContextLimit`", "a whole number of tokens")?,
    };
    Ok((kind, seconds(timeout)?))
}

fn mcp_tool(tree: &ConfigNode) -> Result<(HandlerKind, Option<u64>), SchemaError> {
    const SHAPE: &str = "write { \"type\": \"mcp_tool\", \"server\": \"…\", \"tool\": \"…\" }";
    let [server, tool, input, timeout, status] =
        fields(tree, ["server", "tool", "input", "timeout", "statusMessage"], "a hook")?;
    text(status, "`statusMessage`")?;
    let need = |value: Option<&ConfigNode>, name: &str| match value.map(|v| (v, v.as_str())) {
        Some((_, Some(text))) => Ok(text.to_owned()),
        Some((v, None)) => {
            Err(SchemaError::new(Code::HW105, v.span, format!("`{name}` is {}, but must be a string", v.kind()), SHAPE))
        }
        None => Err(SchemaError::new(
            Code::HW105,
            tree.span,
            format!("the `{name}` of the mcp_tool hook is missing"),
            SHAPE,
        )),
    };
    let (server, tool) = (need(server, "server")?, need(tool, "tool")?);
    let input = match input {
        None => None,
        Some(input) if input.entries().is_some() => {
            if let Some((bad, what)) = find_non_toml(input) {
                let says = format!("`input` contains {what}, which TOML cannot represent, so Codex does not accept it");
                return Err(SchemaError::new(Code::HW105, bad.span, says, "delete it, or write it as a string"));
            }
            Some(input.to_value())
        }
        Some(input) => {
            let says = format!("`input` is {}, but must be an object", input.kind());
            return Err(SchemaError::new(Code::HW105, input.span, says, "write an object: { \"path\": \"${cwd}\" }"));
        }
    };
    Ok((HandlerKind::McpTool { server, tool, input }, seconds(timeout)?))
}

/// Returns the first nested value that TOML cannot express: null, or an integer that needs all 64 bits.
fn find_non_toml(tree: &ConfigNode) -> Option<(&ConfigNode, &'static str)> {
    match &tree.value {
        ConfigValue::Null => Some((tree, "null")),
        ConfigValue::Integer(number) if i64::try_from(*number).is_err() && u64::try_from(*number).is_ok() => {
            Some((tree, "a number above 9223372036854775807"))
        }
        ConfigValue::List(items) => items.iter().find_map(find_non_toml),
        ConfigValue::Table(entries) => entries.iter().find_map(|entry| find_non_toml(&entry.value)),
        _ => None,
    }
}

fn seconds(value: Option<&ConfigNode>) -> Result<Option<u64>, SchemaError> {
    number(value, Code::HW501, "`timeout`", "a whole number of seconds")
}

fn number(value: Option<&ConfigNode>, code: Code, name: &str, want: &str) -> Result<Option<u64>, SchemaError> {
    let Some(value) = value else { return Ok(None) };
    match value.value {
        ConfigValue::Null => Ok(None),
        ConfigValue::Integer(number) if u64::try_from(number).is_ok() => Ok(u64::try_from(number).ok()),
        ConfigValue::Integer(number) => {
            let says = format!("{name} is {number}, but must be {want}, not below 0");
            Err(SchemaError::new(code, value.span, says, format!("write {want}")))
        }
        _ => {
            let says = format!("{name} is {}, but must be {want}", value.kind());
            Err(SchemaError::new(code, value.span, says, format!("write {want}")))
        }
    }
}

fn text(value: Option<&ConfigNode>, name: &str) -> Result<Option<String>, SchemaError> {
    match value.map(|v| (v, &v.value)) {
        None | Some((_, ConfigValue::Null)) => Ok(None),
        Some((_, ConfigValue::Text(text))) => Ok(Some(text.clone())),
        Some((v, _)) => {
            let says = format!("{name} is {}, but must be a string", v.kind());
            Err(SchemaError::new(Code::HW105, v.span, says, "write a string, or delete it"))
        }
    }
}

/// Returns the values of these keys. Other keys are ignored; a duplicate key is an error. A list assigns its items
/// to the keys in their order.
fn fields<'t, const N: usize>(
    tree: &'t ConfigNode,
    names: [&str; N],
    what: &str,
) -> Result<[Option<&'t ConfigNode>; N], SchemaError> {
    let mut out = [None; N];
    match &tree.value {
        ConfigValue::Table(entries) => {
            for entry in entries {
                let Some(slot) = slot_of(entry, names).and_then(|index| out.get_mut(index)) else { continue };
                if slot.replace(&entry.value).is_some() {
                    let says = format!("\"{}\" is defined twice", entry.key);
                    return Err(SchemaError::new(Code::HW101, entry.key_span, says, "keep one of them"));
                }
            }
        }
        ConfigValue::List(items) => {
            if let Some(item) = items.get(N) {
                let says = format!("{what} is a list with more than {N} items, but must be an object");
                return Err(SchemaError::new(Code::HW104, item.span, says, "write an object: { … }"));
            }
            for (slot, item) in out.iter_mut().zip(items) {
                *slot = Some(item);
            }
        }
        _ => {
            let says = format!("{what} is {}, but must be an object", tree.kind());
            return Err(SchemaError::new(Code::HW104, tree.span, says, "write an object: { … }"));
        }
    }
    Ok(out)
}

fn slot_of<const N: usize>(entry: &ConfigEntry, names: [&str; N]) -> Option<usize> {
    let key = if entry.key == "command_windows" { "commandWindows" } else { entry.key.as_str() };
    names.iter().position(|name| *name == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::text::{JsonSyntax, SourceMap, parse_json};

    /// Returns the code and the text at the place of the mistake, or `None` if the file is valid.
    fn refused(text: &str) -> Option<(Code, String)> {
        let mut sources = SourceMap::default();
        let source = sources.add("a", "/a", text);
        let tree = ConfigNode::from_json(&parse_json(source, text, JsonSyntax::default()).unwrap(), &sources);
        let read = hooks_file(&tree).and_then(|hooks| hooks.map_or(Ok(Vec::new()), events).map(|_| ()));
        read.err().map(|why| (why.code, sources.slice(why.span).to_owned()))
    }

    #[test]
    fn one_wrong_type_costs_the_file() {
        let hook = |hook: &str| format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{hook}]}}]}}}}"#);
        for (text, want) in [
            ("{}".to_owned(), None),
            ("[]".to_owned(), None),
            (r#"{"hooks": []}"#.to_owned(), None),
            (r#"{"description": null, "hooks": {"Foo": 7, "Foo": 8}}"#.to_owned(), None),
            (r#"{"version": 1}"#.to_owned(), Some((Code::HW108, "\"version\""))),
            (r#"{"hooks": null}"#.to_owned(), Some((Code::HW104, "null"))),
            (r#"{"hooks": {}, "hooks": {}}"#.to_owned(), Some((Code::HW101, "\"hooks\""))),
            (r#"{"hooks": {"Stop": {}}}"#.to_owned(), Some((Code::HW103, "{}"))),
            (r#"{"hooks": {"Stop": [null]}}"#.to_owned(), Some((Code::HW104, "null"))),
            (r#"{"hooks": {"Stop": [{"matcher": 3}]}}"#.to_owned(), Some((Code::HW102, "3"))),
            (r#"{"hooks": {"Stop": [{"hooks": {}}]}}"#.to_owned(), Some((Code::HW103, "{}"))),
            (r#"{"hooks": {"Stop": [{"type": "command", "command": "x"}]}}"#.to_owned(), None),
            (hook("\"sh x\""), Some((Code::HW105, "\"sh x\""))),
            (hook(r#"{"command": "x"}"#), Some((Code::HW106, r#"{"command": "x"}"#))),
            (hook(r#"{"type": "http"}"#), Some((Code::HW106, "\"http\""))),
            (hook(r#"{"type": "prompt", "timeout": "x"}"#), None),
            (hook(r#"{"type": "command", "command": null}"#), Some((Code::HW105, "null"))),
            (hook(r#"{"type": "command", "command": "x", "timeout": 5.0}"#), Some((Code::HW501, "5.0"))),
            (hook(r#"{"type": "command", "command": "x", "timeout": -1}"#), Some((Code::HW501, "-1"))),
            (hook(r#"{"type": "command", "command": "x", "timeout": null, "statusMessage": null}"#), None),
            (hook(r#"{"type": "command", "command": "x", "async": null}"#), Some((Code::HW105, "null"))),
            (hook(r#"{"type": "command", "command": "x", "command": "y"}"#), Some((Code::HW101, "\"command\""))),
            (hook(r#"{"type": "command", "command": "x", "name": 1, "name": 2, "env": 3}"#), None),
            (hook(r#"["command", "x"]"#), None),
            (
                hook(r#"{"type": "mcp_tool", "server": "s"}"#),
                Some((Code::HW105, r#"{"type": "mcp_tool", "server": "s"}"#)),
            ),
            (hook(r#"{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": 1}}"#), None),
            (hook(r#"{"type": "mcp_tool", "server": "s", "tool": "t", "input": null}"#), Some((Code::HW105, "null"))),
            (
                hook(r#"{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": [null]}}"#),
                Some((Code::HW105, "null")),
            ),
            (
                hook(r#"{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": 9223372036854775808}}"#),
                Some((Code::HW105, "9223372036854775808")),
            ),
            (hook(r#"{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": 18446744073709551616}}"#), None),
            (hook(r#"{"type": "command", "command": "x", "timeout": -0}"#), None),
            (hook(r#"{"type": "command", "command": "x", "timeout": -0.0}"#), Some((Code::HW501, "-0.0"))),
        ] {
            let got = refused(&text);
            assert_eq!(got.as_ref().map(|(code, at)| (*code, at.as_str())), want, "{text}");
        }
    }
}
