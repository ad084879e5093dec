//! The files in which agents keep the todos of a session.

use std::time::UNIX_EPOCH;

use hookbench_core::config::Place;
use hookbench_core::dialects::{self, Agent};
use hookbench_core::live::handlers::{Todo, todos_of_file};
use hookbench_system::disk;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 4 << 20;

/// The todos in a file.
pub(super) struct TodoFile {
    pub path: String,
    pub todos: Vec<Todo>,
    /// Mistakes in the file.
    pub problems: Vec<String>,
    /// The time of the last change, in milliseconds since 1970.
    pub changed: Option<i64>,
}

/// The first file with todos of a session, beginning with those of its own agent. An id that could lead to another
/// directory is not looked up. An unreadable file has no todos.
pub(super) fn find(agent: &str, session: &str, place: &Place) -> Option<TodoFile> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if session.is_empty() || session.len() > 128 || !session.chars().all(plain) || session.starts_with('.') {
        return None;
    }
    let own = dialects::by_id(agent).into_iter();
    let others = dialects::ALL.iter().copied().filter(|dialect| dialect.id() != agent);
    own.chain(others).filter_map(|dialect: &Agent| dialect.todo_file(place, session)).find_map(|path| {
        let changed = std::fs::metadata(&path).ok()?.modified().ok();
        let changed = changed.and_then(|at| i64::try_from(at.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok());
        let bytes = disk::read_up_to(&path, LARGEST).unwrap_or_default();
        let (todos, problems) = todos_of_file(&String::from_utf8_lossy(&bytes));
        Some(TodoFile { path, todos, problems, changed })
    })
}
