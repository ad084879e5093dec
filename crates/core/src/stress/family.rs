//! The families of variants, under their stable names.

use serde::Serialize;

use crate::catalogue::AgentTools;

hookbench_base::words! {
    /// The way in which a variant differs from the deed. The names are part of the document `stress/1`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum DeedFamily {
        ShellQuoting = "shell-quoting",
        Blanks = "blanks",
        Unicode = "unicode",
        Case = "case",
        Flags = "flags",
        ProgramPath = "program-path",
        Wrappers = "wrappers",
        NestedShell = "nested-shell",
        Interpreters = "interpreters",
        Encoding = "encoding",
        Separators = "separators",
        Redirections = "redirections",
        Variables = "variables",
        Substitution = "substitution",
        Globs = "globs",
        Paths = "paths",
        Git = "git",
        Urls = "urls",
        Packages = "packages",
        Sql = "sql",
        OtherProgram = "other-program",
        OtherTool = "other-tool",
    }
    /// The name in documents and on the screen.
    fn name; const ALL;
}

/// The facts about the agent and the machine on which variants depend.
#[derive(Debug, Clone, Copy)]
pub struct DeedContext<'a> {
    /// The agent whose tool names and input keys the payloads use.
    pub tools: &'a AgentTools,
    /// The directory in which the tool would run: an absolute path.
    pub cwd: &'a str,
    /// The home directory of the user: an absolute path.
    pub home: &'a str,
    /// Whether the file system finds a file under its name in another case.
    pub ignores_case: bool,
}

/// The action of a tool call or a prompt, without the agent's names for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeedAction {
    Command(String),
    Read(String),
    Write { path: String, content: String },
    Edit { path: String, old: String, new: String },
    Fetch(String),
    Query(String),
    Prompt(String),
}

impl DeedAction {
    /// The text that is displayed.
    pub fn text(&self) -> String {
        match self {
            DeedAction::Command(text)
            | DeedAction::Read(text)
            | DeedAction::Fetch(text)
            | DeedAction::Query(text)
            | DeedAction::Prompt(text) => text.clone(),
            DeedAction::Write { path, .. } | DeedAction::Edit { path, .. } => path.clone(),
        }
    }
}

/// The evidence that a variant does the same as the deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariantEvidence {
    /// The tests execute variants of this rule and compare the effects.
    Executed,
    /// The rule follows from documentation; the reason says why the tests do not execute it.
    NotExecuted(&'static str),
}

/// A variant of a deed, independent of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantDraft {
    pub family: DeedFamily,
    pub action: DeedAction,
    pub why_the_same: String,
    pub evidence: VariantEvidence,
}

/// Collects variants.
#[derive(Debug, Default)]
pub(super) struct VariantList {
    pub drafts: Vec<VariantDraft>,
}

impl VariantList {
    /// Adds a shell command that tests execute.
    pub fn command(&mut self, family: DeedFamily, text: impl Into<String>, why: impl Into<String>) {
        self.add(family, DeedAction::Command(text.into()), why, VariantEvidence::Executed);
    }

    /// Adds a shell command that no test executes.
    pub fn unproven_command(
        &mut self,
        family: DeedFamily,
        text: impl Into<String>,
        why: impl Into<String>,
        reason: &'static str,
    ) {
        self.add(family, DeedAction::Command(text.into()), why, VariantEvidence::NotExecuted(reason));
    }

    pub fn add(&mut self, family: DeedFamily, action: DeedAction, why: impl Into<String>, evidence: VariantEvidence) {
        let why = why.into();
        let why_the_same = match evidence {
            VariantEvidence::Executed => why,
            VariantEvidence::NotExecuted(reason) => format!("{why} (not proven: {reason})"),
        };
        self.drafts.push(VariantDraft { family, action, why_the_same, evidence });
    }
}
