//! The kinds of tools that the rules distinguish.

use crate::catalogue::{AgentTools, catalogue};

/// The kind of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    Write,
    Edit,
    Notebook,
    Shell,
    Read,
    Search,
    List,
    Web,
    Todo,
    Agent,
    /// A tool of a server, or an unknown one: it may do anything.
    Other,
}

impl ToolKind {
    /// Returns the kind of a tool by its name in an agent, or in any other.
    pub fn of(name: &str, tools: &AgentTools) -> ToolKind {
        match catalogue().resolve(name, tools).canonical {
            "write_file" => ToolKind::Write,
            "edit_file" => ToolKind::Edit,
            "notebook" => ToolKind::Notebook,
            "shell" => ToolKind::Shell,
            "read_file" | "read_many" => ToolKind::Read,
            "grep" | "glob" => ToolKind::Search,
            "list_dir" => ToolKind::List,
            "web_fetch" | "web_search" => ToolKind::Web,
            "todo" => ToolKind::Todo,
            "task_create" | "task_update" | "ask_user" | "goal" => ToolKind::Todo,
            "agent" => ToolKind::Agent,
            _ => ToolKind::Other,
        }
    }

    /// Whether the tool changes a file.
    pub fn changes_files(self) -> bool {
        matches!(self, ToolKind::Write | ToolKind::Edit | ToolKind::Notebook)
    }

    /// Whether a call may have done the work of a todo.
    pub fn may_change_anything(self) -> bool {
        self.changes_files() || matches!(self, ToolKind::Shell | ToolKind::Agent | ToolKind::Other)
    }
}
