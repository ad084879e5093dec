//! The rules of the guard `todo`: a todo is completed by work, and not by saying so.

use serde_json::Value;

use super::event::GuardEvent;
use super::hit::GuardFinding;
use super::pattern::Pattern;
use super::rule::{GuardFile, Surroundings, ToolKind};
use super::window::{Window, WindowCall};
use super::work::newest_failure;
use crate::config::Place;
use crate::dialects;
use crate::recorded::MessagePart;

const STATUSES: [&str; 6] = ["pending", "in_progress", "completed", "cancelled", "blocked", "deleted"];

static VERIFY: Pattern = Pattern::new(&[], r"(?i)\b(test|tests|verify|check|lint|build|run|deploy|benchmark)\b");
static DO: Pattern = Pattern::new(
    &[],
    r"(?i)\b(add|implement|fix|write|refactor|remove|delete|update|rename|create|replace|migrate|extract)\b",
);
static ALREADY: Pattern = Pattern::new(
    &[],
    r"(?i)\b(already (done|fixed|implemented|exists?|handled|complete[d]?)|no longer needed|not needed|nothing to do|fixed already)\b",
);
static SOURCE_FILE: Pattern = Pattern::new(
    &["."],
    r"[A-Za-z0-9_\-./]*[A-Za-z0-9_\-]+\.(py|rs|ts|tsx|js|jsx|go|java|rb|c|cc|cpp|h|sh|toml|yml|yaml|json|php|kt|swift|cs|sql|css|html|vue)\b",
);

/// Checks a todo call, or a todo that becomes completed.
pub fn check(event: &GuardEvent<'_>, around: &dyn Surroundings) -> Vec<GuardFinding> {
    let new = if event.event == "todo_completed" {
        // After the list is written, nothing can be refused.
        if event.text(&["phase"]).is_some_and(|phase| phase != "validation") {
            return Vec::new();
        }
        let text = |keys: &[&str]| event.text(keys).map(str::to_owned);
        vec![TodoItem {
            id: text(&["todo_id"]),
            text: text(&["todo_content"]).unwrap_or_default(),
            status: "completed".to_owned(),
        }]
    } else {
        let Some(new) = event.input.filter(|_| event.tool == Some(ToolKind::Todo)).and_then(items) else {
            return Vec::new();
        };
        let malformed = malformed(&new);
        if !malformed.is_empty() {
            return malformed;
        }
        new
    };
    let Some(end) = event.transcript(around) else { return Vec::new() };
    let is_todo = |part: &MessagePart| match part {
        MessagePart::Call(call) => ToolKind::of(&call.tool, event.tools) == ToolKind::Todo,
        _ => false,
    };
    let mut window = Window::read(&end, |messages| {
        let another = |part: &MessagePart| is_todo(part) && !is_this(part, messages, event);
        messages.last().is_some_and(|parts| parts.iter().any(another))
    });
    // The transcript may already contain the call that is checked.
    let messages = std::mem::take(&mut window.messages);
    window.messages = messages
        .iter()
        .map(|parts| parts.iter().filter(|part| !is_this(part, &messages, event)).cloned().collect())
        .collect();
    let old = stored_list(event, around).or_else(|| called_list(&window, event)).unwrap_or_default();
    window.start_after(is_todo);
    let calls = window.calls(event.tools);
    let mut found = Vec::new();
    for (index, item) in new.iter().enumerate() {
        let before = before(item, index, &new, &old).filter(|_| event.event != "todo_completed");
        if item.status == "completed" && before.is_none_or(|before| before.status != "completed") {
            found.extend(completed(item, &calls));
        }
        found.extend(before.and_then(|before| reworded(item, before, &calls)));
    }
    found
}

/// Whether a part of a transcript is the call that is checked: by its id, by its input, or because it completes the todo
/// of the event. An agent that sends no id may write the same list twice, and a call that has its output is an earlier
/// one.
fn is_this(part: &MessagePart, messages: &[Vec<MessagePart>], event: &GuardEvent<'_>) -> bool {
    let MessagePart::Call(call) = part else { return false };
    let is_over = || {
        let mut parts = messages.iter().flatten();
        parts.any(|part| matches!(part, MessagePart::Result(output) if output.call == call.id))
    };
    match (call.id.as_deref(), event.call_id()) {
        (Some(id), Some(own)) => id == own,
        _ if is_over() => false,
        _ if event.event == "todo_completed" => {
            let completes = |item: &TodoItem| {
                item.status == "completed" && event.text(&["todo_content"]) == Some(item.text.as_str())
            };
            items(&call.input).is_some_and(|list| list.iter().any(completes))
        }
        _ => event.input == Some(&call.input),
    }
}

fn malformed(list: &[TodoItem]) -> Vec<GuardFinding> {
    let mut found = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let what = if item.text.trim().is_empty() {
            "a todo without a text".to_owned()
        } else if !STATUSES.contains(&item.status.as_str()) {
            format!("\"{}\" is not a status", item.status)
        } else if item.id.is_some() && list.iter().take(index).any(|other| other.id == item.id) {
            "two todos have the same id".to_owned()
        } else {
            continue;
        };
        found.push(GuardFinding::new("TV-R1", "", what, &item.text));
    }
    found
}

/// Returns the item before the change: by id, else by text, else by position if the list has no ids.
fn before<'a>(item: &TodoItem, index: usize, new: &[TodoItem], old: &'a [TodoItem]) -> Option<&'a TodoItem> {
    let by_id = item.id.as_ref().and_then(|id| old.iter().find(|old| old.id.as_ref() == Some(id)));
    by_id.or_else(|| old.iter().find(|old| old.text == item.text)).or_else(|| {
        let without_ids = old.iter().chain(new).all(|item| item.id.is_none());
        old.get(index).filter(|_| without_ids && old.len() == new.len())
    })
}

fn completed(item: &TodoItem, calls: &[WindowCall<'_>]) -> Vec<GuardFinding> {
    let find = |rule, what: String, evidence: &str| GuardFinding::new(rule, "", what, evidence);
    let name = &item.text;
    if calls.iter().all(|call| call.kind == ToolKind::Todo) {
        return vec![find("TV-R2", format!("\"{name}\" is completed, but no tool was used since"), name)];
    }
    if let Some((command, result)) = newest_failure(calls) {
        let evidence = format!("{command}: {result}");
        return vec![find("TV-R3", format!("\"{name}\" is completed, but the last check failed"), &evidence)];
    }
    let mut found = Vec::new();
    let (does, verifies) = (DO.is_match(name), VERIFY.is_match(name));
    let runs = |call: &WindowCall<'_>| matches!(call.kind, ToolKind::Shell | ToolKind::Agent | ToolKind::Other);
    if verifies && !does && !calls.iter().any(runs) {
        found.push(find("TV-R4", format!("\"{name}\" is completed, but no command was run"), name));
    }
    if does && !calls.iter().any(|call| call.kind.may_change_anything()) {
        found.push(find("TV-R5", format!("\"{name}\" is completed, but nothing was changed"), name));
    }
    if let Some(file) = SOURCE_FILE.first(name) {
        let base = super::event::base_name(file);
        if !calls.iter().any(|call| call.mentions(base) || call.kind == ToolKind::Agent) {
            found.push(find("TV-R7", format!("\"{name}\" is completed, but no tool used {base}"), name));
        }
    }
    found
}

fn reworded(item: &TodoItem, before: &TodoItem, calls: &[WindowCall<'_>]) -> Option<GuardFinding> {
    let changed = item.text != before.text && ALREADY.is_match(&item.text) && !ALREADY.is_match(&before.text);
    if !changed || calls.iter().any(|call| call.kind.may_change_anything()) {
        return None;
    }
    let what = format!("\"{}\" became \"{}\" without work", before.text, item.text);
    Some(GuardFinding::new("TV-R6", "", what, &item.text))
}

/// One item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TodoItem {
    pub id: Option<String>,
    pub text: String,
    pub status: String,
}

impl TodoItem {
    /// Whether it is neither completed nor given up.
    pub fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "pending" | "in_progress")
    }
}

/// Returns the items of a list, or of an object with a list or with a text that has one item a line.
pub fn items(value: &Value) -> Option<Vec<TodoItem>> {
    if let Some(lines) = value.get("todos").and_then(Value::as_str) {
        return Some(lines.lines().filter_map(item_of_line).collect());
    }
    let list = value.as_array().or_else(|| value.get("todos")?.as_array())?;
    Some(list.iter().map(item).collect())
}

/// Reads `1. [pending] Write the test`. `None` for a line without a status.
fn item_of_line(line: &str) -> Option<TodoItem> {
    let (status, text) = line.trim().split_once('[')?.1.split_once(']')?;
    Some(TodoItem { id: None, text: text.trim().to_owned(), status: status.trim().to_owned() })
}

fn item(value: &Value) -> TodoItem {
    let text = |keys: &[&str]| keys.iter().find_map(|key| value.get(*key)?.as_str()).unwrap_or_default().to_owned();
    let id = value.get("id").and_then(|id| id.as_str().map(str::to_owned).or_else(|| Some(id.as_u64()?.to_string())));
    TodoItem { id, text: text(&["content", "description", "text", "step"]), status: text(&["status"]) }
}

/// Returns the list that an agent keeps in a file.
pub fn stored_list(event: &GuardEvent<'_>, around: &dyn Surroundings) -> Option<Vec<TodoItem>> {
    let session = event.session?;
    let place = Place { home: around.home().to_owned(), ..Place::default() };
    let files = dialects::released().filter_map(|dialect| dialect.todo_file(&place, session));
    for file in files {
        match around.file(&file) {
            GuardFile::Missing => {}
            GuardFile::Text(text) => {
                return Some(serde_json::from_str(&text).ok().and_then(|value| items(&value)).unwrap_or_default());
            }
            GuardFile::Unreadable => return Some(Vec::new()),
        }
    }
    None
}

/// Returns the list of the newest todo call.
pub fn called_list(window: &Window, event: &GuardEvent<'_>) -> Option<Vec<TodoItem>> {
    let calls = window.calls(event.tools);
    calls.iter().rev().filter(|call| call.kind == ToolKind::Todo).find_map(|call| items(&call.call.input))
}
