//! A summary of a session, computed from its events without a model: goal, files, commands, todos. Tool output,
//! thoughts, reminders and listing commands are left out.

use std::fmt::Write as _;

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;
use serde_json::Value;

use super::session_commands::{ToolOutcome, is_listing, is_test, outcome};
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

/// Maximum number of characters.
const LONGEST: usize = 8_000;
/// Maximum numbers of list entries, tried in turn until the text is short enough.
const ENTRIES: [usize; 8] = [60, 40, 25, 15, 8, 4, 2, 0];

/// Formats the summary as YAML of at most 8,000 characters. Lists are cut first, with the number of omitted
/// entries.
pub fn yaml(summary: &SessionSummary) -> String {
    let fits = |text: &String| text.chars().count() <= LONGEST;
    let shortest = || yaml_with_limit(summary, 0).chars().take(LONGEST).collect();
    ENTRIES.iter().map(|most| yaml_with_limit(summary, *most)).find(fits).unwrap_or_else(shortest)
}

fn yaml_with_limit(summary: &SessionSummary, most: usize) -> String {
    let mut out = String::from("# Summary of this session, which hookbench created from its transcript.\n");
    if summary.partial {
        out.push_str("partial: true # the transcript is missing, or was not read to its end\n");
    }
    let one = |out: &mut String, key: &str, text: Option<&String>| {
        if let Some(text) = text {
            let _ = writeln!(out, "{key}: {}", quoted(text));
        }
    };
    one(&mut out, "goal", summary.goal.as_ref());
    list(&mut out, "earlier_prompts", &summary.earlier_prompts, summary.earlier_prompts.len(), |text| quoted(text));
    list(&mut out, "files_changed", &summary.files_changed, most, |changed| {
        format!("{{path: {}, times: {}}}", quoted(&changed.path), changed.times)
    });
    list(&mut out, "files_read", &summary.files_read, most, |path| quoted(path));
    // The newest commands are the most important.
    let from = summary.commands.len().saturating_sub(most);
    list(&mut out, "commands", &summary.commands[from..], most, ran);
    if from > 0 {
        let _ = writeln!(out, "commands_before: {from}");
    }
    if let Some(test) = &summary.last_test {
        let _ = writeln!(out, "last_test: {}", ran(test));
    }
    list(&mut out, "todos", &summary.todos, most, |todo: &Todo| {
        format!("{{status: {}, text: {}}}", quoted(&todo.status), quoted(&todo.text))
    });
    one(&mut out, "last_message", summary.last_message.as_ref());
    let counts = summary.counts;
    let _ = writeln!(
        out,
        "counts: {{prompts: {}, tool_calls: {}, failed_calls: {}}}",
        counts.prompts, counts.tool_calls, counts.failed_calls
    );
    out
}

fn ran(ran: &CommandRun) -> String {
    let times = if ran.times > 1 { format!(", times: {}", ran.times) } else { String::new() };
    format!("{{command: {}, outcome: {}{times}}}", quoted(&ran.command), ran.outcome.word())
}

fn list<T>(out: &mut String, key: &str, all: &[T], most: usize, write: impl Fn(&T) -> String) {
    if all.is_empty() {
        return;
    }
    let _ = writeln!(out, "{key}:");
    for one in all.iter().take(most) {
        let _ = writeln!(out, "  - {}", write(one));
    }
    if all.len() > most {
        let _ = writeln!(out, "  - \"… {} more\"", all.len() - most);
    }
}

/// Quotes a text. JSON strings are also YAML strings.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Tags of text that the agent inserts into the user's messages.
const REMINDERS: [(&str, &str); 4] = [
    ("<system-reminder>", "</system-reminder>"),
    ("<command-name>", "</command-name>"),
    ("<command-message>", "</command-message>"),
    ("<local-command-stdout>", "</local-command-stdout>"),
];

/// Removes inserted text.
pub fn without_reminders(text: &str) -> String {
    let mut text = text.to_owned();
    for (begin, end) in REMINDERS {
        while let Some(at) = text.find(begin) {
            let length = text[at..].find(end).map_or(text.len() - at, |found| found + end.len());
            text.replace_range(at..at + length, "");
        }
    }
    text
}

/// Whether the text is a real prompt and not a command of the agent, such as `/compact`.
pub fn is_prompt(text: &str) -> bool {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    let own = first.strip_prefix('/').is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b':' | b'_'))
    });
    !text.is_empty() && !own && !text.starts_with("[Request interrupted")
}

/// Shortens a text to this many characters and removes control characters.
pub fn short(text: &str, most: usize) -> String {
    let clean = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let mut letters = text.trim().chars().filter(clean);
    let mut out: String = letters.by_ref().take(most.saturating_sub(1)).collect();
    match (letters.next(), letters.next()) {
        (Some(last), None) => out.push(last),
        (Some(_), Some(_)) => out.push('…'),
        (None, _) => {}
    }
    out
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

#[cfg(test)]
mod text_cleanup_tests {
    use super::*;

    #[test]
    fn inserted_text_is_removed() {
        for (text, left) in [
            ("a<system-reminder>b</system-reminder>c<system-reminder>d</system-reminder>", "ac"),
            ("a<system-reminder>b", "a"),
            ("<command-name>/compact</command-name>", ""),
            ("a < b", "a < b"),
        ] {
            assert_eq!(without_reminders(text), left);
        }
        for (text, is) in [
            ("/compact keep it", false),
            ("/clear", false),
            ("/etc/hosts is wrong", true),
            (" \n", false),
            ("go", true),
        ] {
            assert_eq!(is_prompt(text), is, "{text}");
        }
    }

    #[test]
    fn a_text_is_cut_to_so_many_characters() {
        for (text, most, cut) in
            [("abc", 3, "abc"), ("abcd", 3, "ab…"), (" a\u{1b}[2Jb ", 9, "a[2Jb"), ("äöü€", 3, "äö…"), ("", 3, "")]
        {
            assert_eq!(short(text, most), cut);
        }
    }
}
