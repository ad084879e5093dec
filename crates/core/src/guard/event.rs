//! A payload as the rules read it.

use serde_json::Value;

use super::content::{ContentChange, changes};
use super::surroundings::{Surroundings, TranscriptEnd};
use super::tool_kind::ToolKind;
use crate::catalogue::{AgentTools, catalogue};
use crate::dialects::{self, Agent};
use crate::live::wire_event;

/// An event that a guard checks.
pub struct GuardEvent<'a> {
    pub body: &'a Value,
    pub dialect: &'static Agent,
    pub tools: &'static AgentTools,
    /// The wire name of the event.
    pub event: String,
    pub tool: Option<ToolKind>,
    pub tool_name: Option<&'a str>,
    /// The tool's input.
    pub input: Option<&'a Value>,
    /// The working directory.
    pub cwd: String,
    /// The project's directory.
    pub project: String,
    pub session: Option<&'a str>,
}

/// Returns the first of these keys that is present and not null.
fn first<'a>(body: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().find_map(|key| body.get(*key).filter(|value| !value.is_null()))
}

impl<'a> GuardEvent<'a> {
    /// Reads a payload. The agent is the named one, else the one that sends such payloads. `None` if the catalogue
    /// does not know the agent's tools. `project` is the project's directory if the caller knows it.
    pub fn read(body: &'a Value, agent: Option<&'static Agent>, project: Option<&str>) -> Option<GuardEvent<'a>> {
        let dialect = agent.or_else(|| dialects::recognise(body)).unwrap_or(dialects::DEFAULT);
        let tools = catalogue().agent(dialect.id().as_str())?;
        let text = |keys: &[&str]| first(body, keys).and_then(Value::as_str);
        let named = text(&["hook_event_name", "event"]);
        let named = named.or_else(|| Some(dialect.event_of(body)?.name)).unwrap_or_default();
        let event = wire_event(Some(dialect.live_format()), named);
        let tool_name = text(&["tool_name", "toolName", "tool"]);
        let cwd = text(&["cwd"]).filter(|path| path.starts_with('/')).unwrap_or("/").to_owned();
        Some(GuardEvent {
            body,
            dialect,
            tools,
            event,
            tool: tool_name.map(|name| ToolKind::of(name, tools)),
            tool_name,
            input: first(body, &["tool_input", "toolArgs", "args", "params"]).filter(|input| input.is_object()),
            project: project.filter(|path| path.starts_with('/')).unwrap_or(&cwd).to_owned(),
            cwd,
            session: text(&["session_id", "sessionId"]).filter(|id| is_session_id(id)),
        })
    }

    /// Whether the agent shows a `systemMessage` of a hook of this event to its user.
    pub fn shows_messages(&self) -> bool {
        let version = dialects::default_version(self.dialect);
        let named = first(self.body, &["hook_event_name", "event"]).and_then(Value::as_str);
        let event = named.and_then(|name| dialects::find_event(self.dialect, &version, name));
        event.is_some_and(|event| event.honoured_output.contains(&"/systemMessage"))
    }

    /// Returns a text of the payload.
    pub fn text(&self, keys: &[&str]) -> Option<&'a str> {
        first(self.body, keys).and_then(Value::as_str)
    }

    /// Returns the id of the tool call.
    pub fn call_id(&self) -> Option<&'a str> {
        self.text(&["tool_use_id", "tool_call_id", "callId"])
    }

    /// Returns the command of a shell tool.
    pub fn command(&self) -> Option<&'a str> {
        let input = self.input.filter(|_| self.tool == Some(ToolKind::Shell))?;
        input.get("command").and_then(Value::as_str)
    }

    /// Returns the changes of files that the tool call makes.
    pub fn changes(&self, around: &dyn Surroundings) -> Vec<ContentChange> {
        match (self.tool, self.input) {
            (Some(kind), Some(input)) => changes(kind, input, &self.cwd, around),
            _ => Vec::new(),
        }
    }

    /// Returns the message with which the turn ends, if the payload has it.
    pub fn last_message(&self) -> Option<&'a str> {
        self.text(&["last_assistant_message", "prompt_response", "final_message", "response"])
    }

    /// Reads the end of the transcript that the payload names. `None` if it names none: an agent may write the file of a
    /// session later than the event, so a file that it does not name proves nothing.
    pub fn transcript(&self, around: &dyn Surroundings) -> Option<TranscriptEnd> {
        let path = self.text(&["transcript_path", "transcriptPath"]);
        let path = path.filter(|path| !path.is_empty() && !path.contains('\0'))?;
        around.transcript(&if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.cwd) })
    }

    /// Returns a path relative to the project, for messages.
    pub fn shown(&self, path: &str) -> String {
        let inside = path.strip_prefix(self.project.as_str()).and_then(|rest| rest.strip_prefix('/'));
        inside.unwrap_or(path).to_owned()
    }

    /// Whether a path is inside the project.
    pub fn is_in_project(&self, path: &str) -> bool {
        self.project != "/" && path.strip_prefix(self.project.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Whether a session's id may become part of a path.
fn is_session_id(id: &str) -> bool {
    (1..=128).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        && !id.bytes().all(|b| b == b'.')
}
