//! Handlers: the commands, requests and questions that hook definitions run.

use indexmap::IndexMap;
use serde_json::Value;

/// The handler of a definition. Types that only the agent itself can run are kept for display.
#[derive(Debug, Clone, PartialEq)]
pub enum Handler {
    Command(CommandHandler),
    Http(HttpHandler),
    Prompt(PromptHandler),
    Agent(AgentHandler),
    McpTool(McpToolHandler),
    /// A type that this agent does not know, or an entry that is not a handler.
    Unknown(Value),
}

/// A process.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CommandHandler {
    /// Shell text; the program if `args` is present.
    pub command: String,
    /// The arguments, if the command is run without a shell.
    pub args: Option<Vec<String>>,
    /// The configured `shell` key.
    pub shell: Option<String>,
    /// Environment variables that the definition sets.
    pub env: IndexMap<String, String>,
}

/// A POST request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HttpHandler {
    pub url: String,
    pub headers: IndexMap<String, String>,
    /// Environment variables that header values may use. `None` if the key is absent.
    pub allowed_env: Option<Vec<String>>,
}

/// A single question to the agent's model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptHandler {
    pub prompt: String,
    pub model: Option<String>,
    pub continue_on_block: bool,
}

/// A sub-agent that the agent starts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentHandler {
    pub prompt: String,
    pub model: Option<String>,
}

/// A tool of an MCP server that the agent is connected to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct McpToolHandler {
    pub server: String,
    pub tool: String,
    pub input: Option<Value>,
}

impl Handler {
    /// The `type` of the handler as configured.
    pub fn kind(&self) -> &str {
        match self {
            Handler::Command(_) => "command",
            Handler::Http(_) => "http",
            Handler::Prompt(_) => "prompt",
            Handler::Agent(_) => "agent",
            Handler::McpTool(_) => "mcp_tool",
            Handler::Unknown(value) => value.get("type").and_then(Value::as_str).unwrap_or("unknown"),
        }
    }

    /// The handler as one text: the command with its arguments, the URL, the prompt, `server/tool`.
    pub fn text(&self) -> String {
        match self {
            Handler::Command(c) => match &c.args {
                Some(args) => std::iter::once(&c.command).chain(args).cloned().collect::<Vec<_>>().join(" "),
                None => c.command.clone(),
            },
            Handler::Http(h) => h.url.clone(),
            Handler::Prompt(p) => p.prompt.clone(),
            Handler::Agent(a) => a.prompt.clone(),
            Handler::McpTool(m) => format!("{}/{}", m.server, m.tool),
            Handler::Unknown(value) => value
                .get("command")
                .and_then(Value::as_str)
                .map_or_else(|| crate::text::stringify(value), str::to_owned),
        }
    }
}
