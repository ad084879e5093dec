//! Parses one handler object of a settings file, and reports everything that makes the agent reject it (spec §2.1,
//! §2.2).

use std::time::Duration;

use indexmap::IndexMap;

use super::url;
use super::version_behaviour::VersionBehaviour;
use crate::kernel::settings::SchemaError;
use hookbench_base::diagnostic::Code;
use hookbench_base::hook::{AgentHandler, CommandHandler, Handler, HttpHandler, McpToolHandler, PromptHandler};
use hookbench_base::text::{Node, Span, nearest};

/// A handler with the keys that all handler types share.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedHandler {
    pub handler: Handler,
    pub condition: Option<String>,
    /// The configured timeout. `None` if the handler does not set one.
    pub timeout: Option<Duration>,
    pub detached: bool,
}

const TYPES: [&str; 5] = ["command", "http", "mcp_tool", "prompt", "agent"];

/// Parses a handler object.
///
/// # Errors
/// Returns the first field that the agent's schema rejects.
pub fn read(node: &Node, rules: VersionBehaviour) -> Result<ParsedHandler, SchemaError> {
    if node.members().is_none() {
        let says = format!("a handler must be an object, not {}", node.kind());
        return Err(SchemaError::new(
            Code::HW105,
            node.span,
            says,
            "write {\"type\": \"command\", \"command\": \"…\"}",
        ));
    }
    let fields = HandlerFields { node };
    let kind = fields.required("type", "handler", Code::HW106)?;
    let handler = match kind.as_str() {
        "command" => Handler::Command(CommandHandler {
            command: fields.required("command", "command", Code::HW105)?,
            args: fields.string_list("args")?,
            shell: fields.choice("shell", &["bash", "powershell"])?,
            env: IndexMap::new(),
        }),
        "http" => Handler::Http(HttpHandler {
            url: fields.url()?,
            headers: fields.headers()?,
            allowed_env: fields.string_list("allowedEnvVars")?,
        }),
        "mcp_tool" => Handler::McpTool(McpToolHandler {
            server: fields.required("server", "mcp_tool", Code::HW105)?,
            tool: fields.required("tool", "mcp_tool", Code::HW105)?,
            input: fields.object("input")?,
        }),
        "prompt" => Handler::Prompt(PromptHandler {
            prompt: fields.required("prompt", "prompt", Code::HW105)?,
            model: fields.text("model")?,
            continue_on_block: fields.flag("continueOnBlock")?,
        }),
        "agent" => Handler::Agent(AgentHandler {
            prompt: fields.required("prompt", "agent", Code::HW105)?,
            model: fields.text("model")?,
        }),
        other => return Err(unknown_type(&fields, other)),
    };
    if rules.has_on_failure && matches!(handler, Handler::Command(_) | Handler::Http(_)) {
        fields.choice("onFailure", &["continue", "block"])?;
    }
    let condition = fields.text("if")?;
    let timeout = fields.timeout()?;
    fields.text("statusMessage")?;
    fields.flag("once")?;
    let command = matches!(handler, Handler::Command(_));
    if command {
        fields.check_not_empty("rewakeMessage")?;
        fields.check_not_empty("rewakeSummary")?;
    }
    let detached = command && (fields.flag("async")? | fields.flag("asyncRewake")?);
    Ok(ParsedHandler { handler, condition, timeout, detached })
}

fn unknown_type(fields: &HandlerFields<'_>, kind: &str) -> SchemaError {
    let near = nearest(kind, &TYPES);
    let says = format!("the handler type \"{kind}\" is unknown");
    let help = match near {
        Some(near) => format!("write \"{near}\"; types are case-sensitive"),
        None => format!("the types are {}", TYPES.join(", ")),
    };
    SchemaError::new(Code::HW106, fields.span("type"), says, help)
}

struct HandlerFields<'a> {
    node: &'a Node,
}

impl HandlerFields<'_> {
    fn span(&self, key: &str) -> Span {
        self.node.get(key).map_or(self.node.span, |n| n.span)
    }

    fn type_error(&self, key: &str, wanted: &str) -> SchemaError {
        let node = self.node.get(key).unwrap_or(self.node);
        let says = format!("`{key}` must be {wanted}, not {}", node.kind());
        SchemaError::new(Code::HW105, node.span, says, format!("correct `{key}`, or delete it"))
    }

    fn required(&self, key: &str, kind: &str, code: Code) -> Result<String, SchemaError> {
        match self.node.get(key) {
            None => {
                let says = format!("`{key}` is missing in this {kind} handler");
                let says = if key == "type" { "`type` is missing in this handler".to_owned() } else { says };
                Err(SchemaError::new(code, self.node.span, says, format!("add `{key}`, or delete the handler")))
            }
            // The key is required, so the help must not suggest leaving it out.
            Some(node) => node.as_str().map(str::to_owned).ok_or_else(|| SchemaError {
                help: format!("write `{key}` as one string in double quotes"),
                ..self.type_error(key, "a string")
            }),
        }
    }

    fn text(&self, key: &str) -> Result<Option<String>, SchemaError> {
        match self.node.get(key) {
            None => Ok(None),
            Some(node) => node.as_str().map(|s| Some(s.to_owned())).ok_or_else(|| self.type_error(key, "a string")),
        }
    }

    fn check_not_empty(&self, key: &str) -> Result<(), SchemaError> {
        match self.text(key)? {
            Some(text) if text.is_empty() => Err(self.type_error(key, "a non-empty string")),
            _ => Ok(()),
        }
    }

    fn flag(&self, key: &str) -> Result<bool, SchemaError> {
        match self.node.get(key) {
            None => Ok(false),
            Some(node) => node.as_bool().ok_or_else(|| self.type_error(key, "true or false")),
        }
    }

    fn choice(&self, key: &str, values: &[&str]) -> Result<Option<String>, SchemaError> {
        let text = self.text(key)?;
        match &text {
            Some(value) if !values.contains(&value.as_str()) => {
                let says = format!("`{key}` must be \"{}\", not \"{value}\"", values.join("\" or \""));
                Err(SchemaError::new(Code::HW105, self.span(key), says, format!("correct `{key}`, or delete it")))
            }
            _ => Ok(text),
        }
    }

    fn string_list(&self, key: &str) -> Result<Option<Vec<String>>, SchemaError> {
        let Some(node) = self.node.get(key) else { return Ok(None) };
        let items = node.items().ok_or_else(|| self.type_error(key, "a list of strings"))?;
        let texts: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        texts.map(Some).ok_or_else(|| self.type_error(key, "a list of strings only"))
    }

    fn object(&self, key: &str) -> Result<Option<serde_json::Value>, SchemaError> {
        match self.node.get(key) {
            None => Ok(None),
            Some(node) if node.members().is_some() => Ok(Some(node.to_value())),
            Some(_) => Err(self.type_error(key, "an object")),
        }
    }

    fn headers(&self) -> Result<IndexMap<String, String>, SchemaError> {
        let mut headers = IndexMap::new();
        let Some(node) = self.node.get("headers") else { return Ok(headers) };
        if node.members().is_none() {
            return Err(self.type_error("headers", "an object"));
        }
        for member in node.effective_members() {
            let value = member.value.as_str().ok_or_else(|| {
                let says = format!("the header `{}` must be a string, not {}", member.key, member.value.kind());
                SchemaError::new(Code::HW105, member.value.span, says, "put the value in double quotes")
            })?;
            headers.insert(member.key.clone(), value.to_owned());
        }
        Ok(headers)
    }

    fn url(&self) -> Result<String, SchemaError> {
        let text = self.required("url", "http", Code::HW105)?;
        if url::Url::parse(&text).is_none() {
            let says = format!("`url` is \"{text}\", which is not a URL");
            return Err(SchemaError::new(
                Code::HW105,
                self.span("url"),
                says,
                "write a complete URL, such as https://example.com/hook",
            ));
        }
        Ok(text)
    }

    fn timeout(&self) -> Result<Option<Duration>, SchemaError> {
        let Some(node) = self.node.get("timeout") else { return Ok(None) };
        let seconds = node.as_f64().ok_or_else(|| self.type_error("timeout", "a number of seconds"))?;
        if seconds > 0.0 && seconds.is_finite() {
            return Ok(Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)));
        }
        let says = if seconds > 0.0 {
            "`timeout` is too large for a number".to_owned()
        } else {
            format!("`timeout` must be more than 0, not {seconds}")
        };
        Err(SchemaError::new(Code::HW105, node.span, says, "write seconds, or delete `timeout` for the default"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::version_behaviour::NEWEST;
    use hookbench_base::text::{JsonSyntax, SourceId, parse_json};

    fn read_text(text: &str, rules: VersionBehaviour) -> Result<ParsedHandler, SchemaError> {
        read(&parse_json(SourceId(0), text, JsonSyntax::default()).unwrap(), rules)
    }

    #[test]
    fn good_ones() {
        let got = read_text(
            r#"{"type":"command","command":"c","args":["a"],"if":"Bash","timeout":0.5,"async":true,"foo":1}"#,
            NEWEST,
        );
        let handler = CommandHandler {
            command: "c".to_owned(),
            args: Some(vec!["a".to_owned()]),
            shell: None,
            env: IndexMap::new(),
        };
        assert_eq!(
            got,
            Ok(ParsedHandler {
                handler: Handler::Command(handler),
                condition: Some("Bash".to_owned()),
                timeout: Some(Duration::from_millis(500)),
                detached: true,
            })
        );
        for text in [
            r#"{"type":"http","url":"http://127.0.0.1:9/x","headers":{"a":"b"},"allowedEnvVars":["A"]}"#,
            r#"{"type":"mcp_tool","server":"s","tool":"t","input":{"a":1}}"#,
            r#"{"type":"prompt","prompt":"p","continueOnBlock":true,"onFailure":"x"}"#,
            r#"{"type":"agent","prompt":"p","model":"m"}"#,
            r#"{"type":"command","command":"c","timeout":1e300}"#,
        ] {
            assert!(read_text(text, NEWEST).is_ok(), "{text}");
        }
    }

    #[test]
    fn refused_ones() {
        for (text, says) in [
            ("5", "a handler must be an object, not a number"),
            ("{}", "`type` is missing in this handler"),
            (r#"{"type":"Command","command":"c"}"#, "the handler type \"Command\" is unknown"),
            (r#"{"type":"command"}"#, "`command` is missing in this command handler"),
            (r#"{"type":"command","command":5}"#, "`command` must be a string, not a number"),
            (r#"{"type":"command","command":"c","args":"x"}"#, "`args` must be a list of strings, not a string"),
            (r#"{"type":"command","command":"c","if":null}"#, "`if` must be a string, not null"),
            (r#"{"type":"command","command":"c","async":"yes"}"#, "`async` must be true or false, not a string"),
            (
                r#"{"type":"command","command":"c","shell":"zsh"}"#,
                "`shell` must be \"bash\" or \"powershell\", not \"zsh\"",
            ),
            (r#"{"type":"command","command":"c","timeout":0}"#, "`timeout` must be more than 0, not 0"),
            (r#"{"type":"command","command":"c","timeout":1e999}"#, "`timeout` is too large for a number"),
            (
                r#"{"type":"command","command":"c","timeout":"5"}"#,
                "`timeout` must be a number of seconds, not a string",
            ),
            (
                r#"{"type":"command","command":"c","onFailure":"x"}"#,
                "`onFailure` must be \"continue\" or \"block\", not \"x\"",
            ),
            (r#"{"type":"http","url":"not a url"}"#, "`url` is \"not a url\", which is not a URL"),
            (r#"{"type":"prompt"}"#, "`prompt` is missing in this prompt handler"),
        ] {
            assert_eq!(read_text(text, NEWEST).map_err(|p| p.message), Err(says.to_owned()), "{text}");
        }
        let old = VersionBehaviour { has_on_failure: false, ..NEWEST };
        assert!(read_text(r#"{"type":"command","command":"c","onFailure":"x"}"#, old).is_ok());
    }
}
