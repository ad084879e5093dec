//! A summary of a session, computed from its events without a model: goal, files, commands, todos. Tool output,
//! thoughts, reminders and listing commands are left out.

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;
use serde_json::Value;

use super::session_commands::{ToolOutcome, is_listing, is_test, outcome};
use super::text_cleanup::{is_prompt, short, without_reminders};
use super::todos::{Todo, TodoTracker};
use crate::live::normalized_event::NormalizedEvent;
use crate::live::{live_form, wire_event};
use crate::recorded::RecordedEvent;

/// Maximum number of characters in the current prompt.
const GOAL: usize = 1_000;
/// Maximum number of characters in each earlier prompt.
const PROMPT: usize = 300;
/// Maximum number of earlier prompts.
const EARLIER: usize = 3;
/// Maximum number of characters in the last message.
const LAST: usize = 1_500;
/// Maximum number of characters in a command.
const COMMAND: usize = 200;
/// Maximum number of characters in a path.
const PATH: usize = 300;
/// Maximum number of entries in a list.
const MANY: usize = 300;

/// The summary of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// Whether the transcript is missing or was not read to its end.
    pub partial: bool,
    pub goal: Option<String>,
    /// The prompts before the goal, newest first.
    pub earlier_prompts: Vec<String>,
    pub files_changed: Vec<ChangedFile>,
    pub files_read: Vec<String>,
    /// In the order of their last run.
    pub commands: Vec<CommandRun>,
    pub last_test: Option<CommandRun>,
    pub todos: Vec<Todo>,
    pub last_message: Option<String>,
    pub counts: SummaryCounts,
}

/// A file and the number of writes to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedFile {
    pub path: String,
    pub times: u32,
}

/// A command and its latest outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandRun {
    pub command: String,
    pub outcome: ToolOutcome,
    pub times: u32,
}

/// Totals of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryCounts {
    pub prompts: u32,
    pub tool_calls: u32,
    pub failed_calls: u32,
}

/// Builds a summary from the events of a session, in their order.
#[derive(Debug, Default)]
pub struct SummaryBuilder {
    project: String,
    prompts: Vec<String>,
    changed: IndexMap<String, u32>,
    read: IndexSet<String>,
    commands: IndexMap<String, (ToolOutcome, u32)>,
    last_test: Option<CommandRun>,
    todos: TodoTracker,
    /// Calls of todo tools that have no result yet.
    open: Vec<OpenCall>,
    last_message: Option<String>,
    counts: SummaryCounts,
}

/// A call without a result.
#[derive(Debug)]
struct OpenCall {
    id: Option<String>,
    tool: String,
    input: Value,
}

/// Returns the id that a call and its result share.
fn call_id(body: &Value) -> Option<String> {
    ["tool_use_id", "tool_call_id", "callId"].iter().find_map(|key| body[*key].as_str()).map(str::to_owned)
}

impl SummaryBuilder {
    /// Creates an empty summary for a session in this project directory.
    pub fn new(project: &str) -> SummaryBuilder {
        SummaryBuilder { project: project.trim_end_matches('/').to_owned(), ..SummaryBuilder::default() }
    }

    /// Adds the next event.
    pub fn add(&mut self, event: &RecordedEvent) {
        let wire = wire_event(live_form(&event.agent), &event.event);
        if !matches!(
            wire.as_str(),
            "user_prompt_submit" | "pre_tool_use" | "post_tool_use" | "post_tool_use_failure" | "stop"
        ) {
            return;
        }
        let payload = String::from_utf8_lossy(&event.payload);
        let normal = NormalizedEvent::read(&event.agent, &wire, 0, &payload);
        let inside = event.agent_id.is_some() || normal.agent_id.is_some();
        match wire.as_str() {
            "user_prompt_submit" if !inside => self.prompt(normal.prompt.as_deref().unwrap_or_default()),
            "stop" if !inside => {
                if let Some(text) = normal.last_message.filter(|text| !text.trim().is_empty()) {
                    self.last_message = Some(text);
                }
            }
            "pre_tool_use" => self.add_open_call(&normal, &payload),
            "post_tool_use" | "post_tool_use_failure" => self.add_tool_result(&wire, &normal, &payload),
            _ => {}
        }
    }

    fn prompt(&mut self, text: &str) {
        let text = without_reminders(text);
        if !is_prompt(&text) {
            return;
        }
        self.counts.prompts += 1;
        self.prompts.push(short(&text, GOAL));
        if self.prompts.len() > EARLIER + 1 {
            self.prompts.remove(0);
        }
    }

    /// Records a call that changes the todo list. Its result may not be written yet, but the list is already
    /// known.
    fn add_open_call(&mut self, normal: &NormalizedEvent, payload: &str) {
        let tool = normal.tool.as_deref().unwrap_or_default();
        if matches!(tool, "todo" | "task_create" | "task_update") {
            let body: Value = serde_json::from_str(payload).unwrap_or_default();
            self.open.push(OpenCall { id: call_id(&body), tool: tool.to_owned(), input: body["tool_input"].clone() });
        }
    }

    fn add_tool_result(&mut self, wire: &str, normal: &NormalizedEvent, payload: &str) {
        self.counts.tool_calls += 1;
        let body: Value = serde_json::from_str(payload).unwrap_or_default();
        let outcome =
            if wire == "post_tool_use_failure" { ToolOutcome::Failed } else { outcome(&body["tool_response"]) };
        if outcome == ToolOutcome::Failed {
            self.counts.failed_calls += 1;
        }
        match normal.tool.as_deref().unwrap_or_default() {
            "write_file" | "edit_file" | "notebook" if outcome != ToolOutcome::Failed => {
                for path in normal.paths().filter(|path| !path.trim().is_empty()) {
                    let path = self.in_project(path);
                    if self.changed.len() < MANY || self.changed.contains_key(&path) {
                        *self.changed.entry(path).or_default() += 1;
                    }
                }
            }
            "read_file" if outcome != ToolOutcome::Failed && self.read.len() < MANY => {
                self.read.extend(normal.paths().map(|path| self.in_project(path)).collect::<Vec<_>>());
            }
            "shell" => self.command(normal.command.as_deref().unwrap_or_default(), outcome),
            tool @ ("todo" | "task_create" | "task_update") => {
                let (id, input) = (call_id(&body), &body["tool_input"]);
                let same = |call: &OpenCall| match (&id, &call.id) {
                    (Some(id), Some(open)) => id == open,
                    _ => call.tool == tool && call.input == *input,
                };
                if let Some(at) = self.open.iter().position(same) {
                    self.open.remove(at);
                }
                self.todos.apply(normal.tool.as_deref().unwrap_or_default(), &body["tool_input"]);
            }
            _ => {}
        }
    }

    fn command(&mut self, command: &str, outcome: ToolOutcome) {
        if command.trim().is_empty() || is_listing(command) {
            return;
        }
        let command = short(command, COMMAND);
        let times = self.commands.shift_remove(&command).map_or(0, |(_, times)| times) + 1;
        if is_test(&command) {
            self.last_test = Some(CommandRun { command: command.clone(), outcome, times });
        }
        self.commands.insert(command, (outcome, times));
        if self.commands.len() > MANY {
            self.commands.shift_remove_index(0);
        }
    }

    fn in_project(&self, path: &str) -> String {
        let inside = path.strip_prefix(&self.project).and_then(|rest| rest.strip_prefix('/'));
        short(inside.unwrap_or(path), PATH)
    }

    /// Returns the summary. The caller may know a newer last message, because transcripts are written late.
    pub fn finish(mut self, last_message: Option<&str>, partial: bool) -> SessionSummary {
        for call in std::mem::take(&mut self.open) {
            self.todos.apply(&call.tool, &call.input);
        }
        let goal = self.prompts.pop();
        let last = last_message.filter(|text| !text.trim().is_empty()).or(self.last_message.as_deref());
        SessionSummary {
            partial,
            goal,
            earlier_prompts: self.prompts.iter().rev().map(|prompt| short(prompt, PROMPT)).collect(),
            files_read: self.read.into_iter().filter(|path| !self.changed.contains_key(path)).collect(),
            files_changed: self.changed.into_iter().map(|(path, times)| ChangedFile { path, times }).collect(),
            commands: self
                .commands
                .into_iter()
                .map(|(command, (outcome, times))| CommandRun { command, outcome, times })
                .collect(),
            last_test: self.last_test,
            todos: self.todos.finish(),
            last_message: last.map(|text| short(&without_reminders(text), LAST)),
            counts: self.counts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::ALL;
    use crate::recorded::PayloadSource;

    fn event(name: &str, payload: &Value) -> RecordedEvent {
        RecordedEvent {
            payload_source: PayloadSource::Recorded,
            ..RecordedEvent::new(
                ALL.first().map_or("", |dialect| dialect.id().as_str()),
                "s",
                name,
                payload.to_string().into_bytes(),
            )
        }
    }

    #[test]
    fn a_list_of_todos_counts_before_its_result_is_written() {
        let call = |id: &str, text: &str| {
            serde_json::json!({
                "tool_name": "TodoWrite",
                "tool_use_id": id,
                "tool_input": {"todos": [{"content": text, "status": "pending"}]},
            })
        };
        let mut gathering = SummaryBuilder::new("/p");
        for (name, payload) in [
            ("PreToolUse", call("1", "first")),
            ("PostToolUse", call("1", "first")),
            ("PreToolUse", call("2", "second")),
        ] {
            gathering.add(&event(name, &payload));
        }
        let todos: Vec<String> = gathering.finish(None, false).todos.into_iter().map(|todo| todo.text).collect();
        assert_eq!(todos, ["second"]);
    }
}
