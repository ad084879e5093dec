//! The todo list of a session, from the calls of its todo tools.

use serde::Serialize;
use serde_json::Value;

use super::summary::short;
use crate::recorded::parse_time;

/// Maximum number of characters in a todo.
const TODO: usize = 200;
/// Maximum number of todos.
const MANY: usize = 100;

/// One todo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TodoDoc"))]
pub struct Todo {
    pub text: String,
    /// `pending`, `in_progress`, `completed`, or another word of the agent.
    pub status: String,
}

/// The todos in a file of an agent, and mistakes in them: a list, or an object with a list. An invalid file has none.
pub fn todos_of_file(text: &str) -> (Vec<Todo>, Vec<String>) {
    let root: Value = serde_json::from_str(text).unwrap_or_default();
    let items = root.as_array().or_else(|| root["todos"].as_array()).map_or(&[] as &[Value], Vec::as_slice);
    let mut tracker = TodoTracker::default();
    tracker.apply("todo", &serde_json::json!({ "todos": items }));
    let problem = |item: &Value| {
        let text = item["content"].as_str().unwrap_or("a todo");
        let completed = item["completed_at"].as_str()?;
        let (from, to) = (parse_time(item["created_at"].as_str().unwrap_or_default()), parse_time(completed));
        if item["status"] != "completed" {
            return Some(format!("\"{}\" has completed_at but is not completed", short(text, TODO)));
        }
        let backwards = from.zip(to).is_some_and(|(from, to)| to < from);
        backwards.then(|| format!("\"{}\" was completed before it was created", short(text, TODO)))
    };
    let problems = items.iter().take(MANY).filter_map(problem).collect();
    (tracker.finish(), problems)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_todos() {
        for (text, todos, problems) in [
            (
                r#"[{"content":"a","status":"completed"},{"content":"b","status":"in_progress","activeForm":"bing"}]"#,
                "b in_progress, a completed",
                0,
            ),
            (
                r#"{"sessionId":"s","todos":[{"id":"1","content":"a","status":"pending","blockedBy":["2"]}]}"#,
                "a pending",
                0,
            ),
            (r#"[{"content":"a","status":"pending","completed_at":"2026-01-01T00:00:00Z"}]"#, "a pending", 1),
            (
                r#"[{"content":"a","status":"completed","created_at":"2026-01-02T00:00:00Z","completed_at":"2026-01-01T00:00:00Z"}]"#,
                "a completed",
                1,
            ),
            (r#"[{"content":"a","status":"pending","completed_at":null}]"#, "a pending", 0),
            ("[{", "", 0),
            ("", "", 0),
            ("{}", "", 0),
            ("7", "", 0),
        ] {
            let (found, wrong) = todos_of_file(text);
            let shown: Vec<String> = found.iter().map(|todo| format!("{} {}", todo.text, todo.status)).collect();
            assert_eq!((shown.join(", ").as_str(), wrong.len()), (todos, problems), "{text}: {wrong:?}");
        }
    }
}
