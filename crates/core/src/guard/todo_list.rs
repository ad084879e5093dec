//! The items of a todo list.

use serde_json::Value;

use super::event::GuardEvent;
use super::surroundings::{GuardFile, Surroundings};
use super::tool_kind::ToolKind;
use super::window::Window;
use crate::config::Place;
use crate::dialects;

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
