//! The table of rules.

use GuardName::{Malicious, Quality, Research, Response, Todo};
use RuleSeverity::{Critical, High, Medium};

use crate::catalogue::{AgentTools, catalogue};
use crate::live::SKILL_COMMAND;
use crate::moderator::{MOD_BLOCK, MOD_UNAVAILABLE};

hookbench_base::words! {
    /// How bad a finding is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum RuleSeverity {
        /// A guard that refuses only warns about it, unless the settings name the rule.
        Medium = "medium",
        High = "high",
        Critical = "critical",
    }
    /// The word in documents.
    fn word;
}

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuardRule {
    pub id: &'static str,
    pub guard: GuardName,
    pub severity: RuleSeverity,
    /// Whether the rule is on by default. The others are on if the settings name them, or with `rules = "all"`.
    pub recommended: bool,
    /// The help of a refusal.
    pub instead: &'static str,
}

/// The finding about a payload that cannot be checked.
pub const IN_SIZE: &str = "IN-SIZE";

/// A reason of a refusal that no rule gives: the payload cannot be checked, or a model decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherReason {
    pub id: &'static str,
    /// The guards that can refuse for this reason.
    pub guards: &'static str,
    /// The help of the refusal.
    pub instead: &'static str,
}

/// All such reasons.
pub const OTHER_REASONS: &[OtherReason] = &[
    OtherReason { id: IN_SIZE, guards: "malicious, quality", instead: "make the call smaller" },
    OtherReason {
        id: MOD_BLOCK,
        guards: "each guard that asks a model",
        instead: "do what the reason says, or ask the user",
    },
    OtherReason {
        id: MOD_UNAVAILABLE,
        guards: "malicious, quality",
        instead: "ask the user; hookbench doctor checks the model",
    },
];

const fn rule(
    id: &'static str,
    guard: GuardName,
    severity: RuleSeverity,
    recommended: bool,
    instead: &'static str,
) -> GuardRule {
    GuardRule { id, guard, severity, recommended, instead }
}

/// All rules, ordered by id within their guard.
pub const RULES: &[GuardRule] = &[
    rule("RS-P1", Response, High, false, "check the claim and say what you found"),
    rule("RS-P2", Response, High, false, "show the evidence for the cause"),
    rule("RS-P3", Response, High, false, "fix the problem, or show that it is outside your task"),
    rule(
        "RS-R1",
        Response,
        High,
        false,
        "finish the work and end with WORK DONE, or ask with FEEDBACK: and your question",
    ),
    rule("RS-R2", Response, High, false, "write your question after FEEDBACK:"),
    rule("RS-R3", Response, High, true, "finish the open todos, or say what keeps you from it"),
    rule("RS-R4", Response, High, true, "wait for the background tasks, or stop them"),
    rule("RS-R5", Response, High, true, "fix the failure and run the command again, or report it"),
    rule("RS-R6", Response, High, false, "fix the problem instead of suppressing the check"),
    rule("RS-R7", Response, High, false, "continue until the work is done"),
    rule(
        "RS-R8",
        Response,
        High,
        false,
        "decide yourself and continue; ask only if something outside your reach is missing",
    ),
    rule("TV-R1", Todo, High, false, "send a list whose items have a text, a known status and different ids"),
    rule("TV-R2", Todo, High, true, "do the work first, then complete the todo"),
    rule("TV-R3", Todo, High, true, "fix the failure and run the command again"),
    rule("TV-R4", Todo, High, false, "run the command, then complete the todo"),
    rule("TV-R5", Todo, High, true, "make the change, then complete the todo"),
    rule("TV-R6", Todo, High, false, "keep the todo's text, and complete it when the work is done"),
    rule("TV-R7", Todo, High, false, "work on the file that the todo names"),
    rule("MB-R1", Malicious, Critical, true, "let the hooks run, and fix what they report"),
    rule("MB-R2", Malicious, Critical, true, "run the check, and fix what it reports"),
    rule("MB-R3", Malicious, Critical, false, "run the commands directly, where they can be checked"),
    rule("MB-R4", Malicious, Critical, false, "let the hooks run in scripts too"),
    rule("MB-R5", Malicious, Critical, false, "fix the code, and keep the limits of the checks"),
    rule("MB-R6", Malicious, Critical, true, "keep the hooks, or ask the user to change them"),
    rule("MB-R8", Malicious, Critical, true, "save the download to a file, read it, and ask the user before it runs"),
    rule("CQ-R1", Quality, Critical, true, "fix what the check reports"),
    rule("CQ-R2", Quality, Critical, true, "make the test pass, and keep it on"),
    rule("CQ-R3", Quality, High, false, "handle the error or let it propagate"),
    rule("CQ-R4", Quality, High, false, "let the command fail, and handle its failure"),
    rule("CQ-R5", Quality, Critical, false, "implement the check"),
    rule("CQ-R6", Quality, Critical, true, "read the secret from the environment or a key store"),
    rule("CQ-R8", Quality, Medium, false, "implement it now"),
    rule("CQ-R9", Quality, High, false, "use the safe variant of this call"),
    rule("CQ-R10", Quality, Medium, false, "give the reason of the exception"),
    rule("RV-R1", Research, High, true, "read the file, and edit the text that it has"),
    rule("RV-R2", Research, High, true, "read the file before you change it"),
    rule("RV-R3", Research, High, true, "read the file before you replace it"),
    rule("RV-R4", Research, High, false, "read the documentation of the package, or how this project uses it"),
];

/// Returns the better action for an agent that was refused for this reason.
pub fn instead(id: &str) -> Option<&'static str> {
    let other = OTHER_REASONS.iter().find(|reason| reason.id == id).map(|reason| reason.instead);
    other.or_else(|| Some(find(id)?.instead))
}

/// Returns the rule with this id.
pub fn find(id: &str) -> Option<&'static GuardRule> {
    RULES.iter().find(|rule| rule.id == id)
}

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

/// A file that a rule reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardFile {
    Missing,
    /// Bytes that are not UTF-8 are replaced.
    Text(String),
    /// It exists, but is not a regular file, or cannot be read.
    Unreadable,
}

/// The end of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TranscriptEnd {
    pub bytes: Vec<u8>,
    /// Whether this is the whole file.
    pub whole: bool,
}

/// The files around an event.
pub trait Surroundings {
    /// Reads a file. The path is absolute.
    fn file(&self, path: &str) -> GuardFile;
    /// Reads the end of a transcript. `None` if it cannot be read.
    fn transcript(&self, path: &str) -> Option<TranscriptEnd>;
    /// The home directory. Empty if unknown.
    fn home(&self) -> &str;
    /// The directory for temporary files (`TMPDIR`), if it is set.
    fn temporary(&self) -> Option<&str>;
}

hookbench_base::words! {
    /// A guard: a group of rules that one hook runs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum GuardName {
        /// Stops of the agent.
        Response = "response" | "stops with open todos, running tasks or failed tests",
        /// Todos that become completed.
        Todo = "todo" | "todos that are completed without work",
        /// Commands and changes that switch checks off or open a back door.
        Malicious = "malicious" | "skipped hooks, weakened checks, back doors",
        /// Changes of code that weaken it.
        Quality = "quality" | "suppressed checks, skipped tests, secrets in code",
        /// Changes of files that the agent has not read.
        Research = "research" | "changes of files that the agent has not read",
    }
    /// The name in commands and settings.
    fn word;
    /// Its subject, in a few words.
    fn about; const ALL;
}

impl GuardName {
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
