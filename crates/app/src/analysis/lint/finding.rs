//! One finding, with its place and its fix.

use hookbench_core::diagnostic::{Code, Severity};
use hookbench_core::hook::HookDefinition;
use hookbench_core::names::AgentId;
use hookbench_core::text::Position;
use hookbench_core::text::edit::TextEdit;

/// The word of a finding about hookbench's own files, in place of an agent's id.
pub(super) const EVERY_AGENT: &str = "all";

/// One finding, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// `None` for a finding about hookbench's own files.
    pub agent: Option<AgentId>,
    pub code: Code,
    pub severity: Severity,
    pub message: String,
    pub note: Option<String>,
    pub help: Option<String>,
    pub fix: Option<FileFix>,
    /// See [`hookbench_core::diagnostic::Diagnostic::cause`].
    pub cause: Option<String>,
    /// The file as displayed; `None` if the finding is not about a file.
    pub file: Option<String>,
    /// The file's path as opened.
    pub path: Option<String>,
    /// The start and end; `None` for the whole file.
    pub place: Option<(Position, Position)>,
    /// The text of the line at which the finding begins.
    pub line: String,
    /// The hook that the finding is about, if any.
    pub hook: Option<FindingHook>,
}

impl Finding {
    /// A finding of which only these facts are known. `None` for one about hookbench's own files.
    pub(crate) fn new(agent: Option<AgentId>, code: Code, message: String) -> Finding {
        Finding {
            agent,
            code,
            severity: code.severity(),
            message,
            note: None,
            help: None,
            fix: None,
            cause: None,
            file: None,
            path: None,
            place: None,
            line: String::new(),
            hook: None,
        }
    }

    /// The agent's id in documents; `all` for a finding about hookbench's own files.
    pub fn agent_word(&self) -> &'static str {
        self.agent.map_or(EVERY_AGENT, AgentId::as_str)
    }

    /// Whether the finding is about a hook of an agent, or about the script that the hook starts for the same event.
    pub fn is_about(&self, agent: AgentId, definition: &HookDefinition, script: Option<&str>) -> bool {
        let of_script = script.is_some() && self.path.as_deref() == script;
        let of_hook = |hook: &FindingHook| hook.id == definition.id || (of_script && hook.event == definition.event);
        self.agent == Some(agent) && self.hook.as_ref().is_some_and(of_hook)
    }

    /// The code with the place: `HW603 at hooks/guard.sh:2`.
    pub fn title(&self) -> String {
        let line = self.place.map(|(start, _)| format!(":{}", start.line)).unwrap_or_default();
        self.file.as_ref().map_or_else(|| self.code.to_string(), |file| format!("{} at {file}{line}", self.code))
    }

    /// The action of the fix in a few words: `remove comma`, `fix guard.sh:6`.
    pub fn fix_label(&self) -> Option<String> {
        let fix = self.fix.as_ref()?;
        let file = self.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file));
        let start = self.place.map(|(start, _)| start);
        let column = start.map_or(0, |start| start.column.saturating_sub(1) as usize);
        let before: String = self.line.chars().take(column).collect();
        let after: String = self.line.chars().skip(column).collect();
        // The key that is before a value, or at the place itself.
        let key = || before.rsplit('"').nth(1).map(str::to_owned);
        let name = || after.split('"').nth(1).map(str::to_owned);
        Some(match self.code {
            Code::HW101 => "remove comma".to_owned(),
            Code::HW701 => key().map_or_else(|| "delete the switch".to_owned(), |key| format!("delete {key}")),
            Code::HW207 => "switch hooks on".to_owned(),
            Code::HW201 => name().map_or_else(|| "rename the event".to_owned(), |name| format!("rename {name}")),
            _ if !fix.executable.is_empty() => {
                let script = fix.executable.first().and_then(|path| path.rsplit('/').next());
                format!("chmod +x {}", script.unwrap_or_default())
            }
            _ => match (file, start) {
                (Some(file), Some(start)) => format!("fix {file}:{}", start.line),
                (Some(file), None) => format!("fix {file}"),
                (None, _) => "fix".to_owned(),
            },
        })
    }
}

/// The hook of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingHook {
    /// The hook's id in the current configuration.
    pub id: String,
    pub event: String,
    pub label: String,
    pub matcher: String,
}

/// A change of files that fixes a finding.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileFix {
    pub safe: bool,
    /// Sorted by file and place.
    pub edits: Vec<FileEdit>,
    /// Paths, as opened, of files that become executable.
    pub executable: Vec<String>,
}

/// An edit of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The path as displayed.
    pub file: String,
    /// The path as opened.
    pub path: String,
    pub edit: TextEdit,
    /// The range of the edit as lines and columns.
    pub place: (Position, Position),
    /// The text that is replaced.
    pub was: String,
}
