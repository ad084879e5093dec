//! The guards and their names.

use crate::live::SKILL_COMMAND;

/// A guard: a group of rules that one hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardName {
    /// Stops of the agent.
    Response,
    /// Todos that become completed.
    Todo,
    /// Commands and changes that switch checks off or open a back door.
    Malicious,
    /// Changes of code that weaken it.
    Quality,
    /// Changes of files that the agent has not read.
    Research,
}

impl GuardName {
    /// All guards, in the order in which they are worth installing.
    pub const ALL: [GuardName; 5] =
        [GuardName::Response, GuardName::Todo, GuardName::Malicious, GuardName::Quality, GuardName::Research];

    /// The name in commands and settings.
    pub const fn word(self) -> &'static str {
        match self {
            GuardName::Response => "response",
            GuardName::Todo => "todo",
            GuardName::Malicious => "malicious",
            GuardName::Quality => "quality",
            GuardName::Research => "research",
        }
    }

    /// Longer names that are accepted too, in lower case.
    const fn aliases(self) -> &'static [&'static str] {
        match self {
            GuardName::Response => &["response-scanner", "responsescanner"],
            GuardName::Todo => &["todo-validator", "todovalidator", "todovalidatorhook"],
            GuardName::Malicious => &["malicious-behavior", "maliciousbehaviorvalidator"],
            GuardName::Quality => &["code-quality-core", "codequalityvalidator", "corequalityvalidator"],
            GuardName::Research => &["research-validator", "researchvalidator"],
        }
    }

    /// Parses a name, ignoring case.
    pub fn from_word(text: &str) -> Option<GuardName> {
        let text = text.to_ascii_lowercase();
        GuardName::ALL.into_iter().find(|name| name.word() == text || name.aliases().contains(&text.as_str()))
    }

    /// Its subject, in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            GuardName::Response => "stops with open todos, running tasks or failed tests",
            GuardName::Todo => "todos that are completed without work",
            GuardName::Malicious => "skipped hooks, weakened checks, back doors",
            GuardName::Quality => "suppressed checks, skipped tests, secrets in code",
            GuardName::Research => "changes of files that the agent has not read",
        }
    }

    /// The wire names of the events that it checks.
    pub const fn events(self) -> &'static [&'static str] {
        match self {
            GuardName::Response => &["stop", "subagent_stop"],
            GuardName::Todo => &["pre_tool_use", "todo_completed"],
            GuardName::Malicious => &["pre_tool_use", SKILL_COMMAND],
            _ => &["pre_tool_use"],
        }
    }

    /// The catalogue's names of the tools that it checks on an event. Empty if it checks no tools there.
    pub fn tools_on(self, event: &str) -> &'static [&'static str] {
        match event {
            "pre_tool_use" => self.tools(),
            SKILL_COMMAND if self.tools().contains(&"shell") => &["shell"],
            _ => &[],
        }
    }

    /// The catalogue's names of the tools that it checks. Empty if it checks no tools.
    pub const fn tools(self) -> &'static [&'static str] {
        match self {
            GuardName::Response => &[],
            GuardName::Todo => &["todo"],
            GuardName::Malicious => &["write_file", "edit_file", "notebook", "shell"],
            GuardName::Quality | GuardName::Research => &["write_file", "edit_file", "notebook"],
        }
    }

    /// Whether it refuses what it cannot check because it is too large.
    pub const fn is_critical(self) -> bool {
        matches!(self, GuardName::Malicious | GuardName::Quality)
    }
}
