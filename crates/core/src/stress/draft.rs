//! Variants before they are payloads, and the list that collects them.

use super::family::DeedFamily;

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
