//! The todo list of a session, from the calls of its todo tools.

use serde::Serialize;
use serde_json::Value;

use super::text_cleanup::short;

/// Maximum number of characters in a todo.
const TODO: usize = 200;
/// Maximum number of todos.
const MANY: usize = 100;

/// A todo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Todo {
    pub text: String,
    /// In the agent's words: `pending`, `in_progress`, `completed`.
    pub status: String,
}

/// A list that is replaced as a whole, and single tasks that are numbered from 1.
#[derive(Debug, Default)]
pub struct TodoTracker {
    list: Vec<Todo>,
    single: Vec<Todo>,
}

impl TodoTracker {
    /// Applies a call of a tool, given by its name in the catalogue.
    pub fn apply(&mut self, tool: &str, input: &Value) {
        let text = |keys: &[&str], of: &Value| keys.iter().find_map(|key| of[*key].as_str()).map(|t| short(t, TODO));
        let of = |item: &Value| {
            let text = text(&["content", "description", "subject", "step", "text"], item)?;
            let status = item["status"].as_str().unwrap_or("pending");
            Some(Todo { text, status: short(status, 40) })
        };
        match tool {
            "todo" => {
                if let Some(items) = input["todos"].as_array() {
                    self.list = items.iter().filter_map(of).take(MANY).collect();
                }
            }
            "task_create" if self.single.len() < MANY => {
                let subject = text(&["subject", "title", "content", "description"], input).unwrap_or_default();
                self.single.push(Todo { text: subject, status: "pending".to_owned() });
            }
            "task_update" => {
                let number = ["taskId", "task_id", "id"].iter().find_map(|key| match &input[*key] {
                    Value::String(text) => text.parse::<usize>().ok(),
                    other => usize::try_from(other.as_u64()?).ok(),
                });
                let task = number.and_then(|number| self.single.get_mut(number.checked_sub(1)?));
                if let (Some(task), Some(status)) = (task, input["status"].as_str()) {
                    status.clone_into(&mut task.status);
                }
            }
            _ => {}
        }
    }

    /// Returns the todos that are not deleted: those in progress first, completed and cancelled ones last.
    pub fn finish(self) -> Vec<Todo> {
        let mut all: Vec<Todo> = self.list.into_iter().chain(self.single).filter(|t| t.status != "deleted").collect();
        all.sort_by_key(|todo| match todo.status.as_str() {
            "in_progress" => 0,
            "completed" | "cancelled" => 2,
            _ => 1,
        });
        all
    }
}
