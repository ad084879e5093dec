//! The plan of a firing: which hooks run, in which order, and why the others do not.

use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::hook::DefinitionId;
use crate::trace::{Evidence, RuleId};

pub use crate::names::RungName;

crate::words! {
    /// Whether the hooks of one firing run in parallel or one after the other.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Schedule {
        #[default]
        Parallel = "parallel",
        Sequential = "sequential",
    }
    /// The word in JSON documents.
    fn word;
}

/// A rule and its explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    pub rule: RuleId,
    #[serde(rename = "says")]
    pub message: String,
}

impl Reason {
    /// A rule with its explanation.
    pub fn new(rule: RuleId, says: impl Into<String>) -> Reason {
        Reason { rule, message: says.into() }
    }
}

/// Whether the plan runs a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Runs as number `order`, counted from 1.
    Fires {
        order: u32,
    },
    Skipped,
    /// It is unknown whether the definition runs. [`PlanEntry::why`] has the reason.
    Unknown,
}

crate::words! {
    /// The state of a rung.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum RungState {
        Ok = "ok",
        No = "NO",
        Skipped = "-",
        Unknown = "?",
    }
    /// The word on the screen.
    fn word;
}

/// One rung of the ladder of one definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Rung {
    pub name: RungName,
    pub state: RungState,
    pub message: String,
    pub evidence: Vec<Evidence>,
}

/// One definition in a plan: whether it runs, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanEntry {
    pub hook: DefinitionId,
    pub selection: Selection,
    pub why: Reason,
    /// The first failed rung. It decides; the rungs after it are skipped.
    pub failed_rung: Option<RungName>,
    /// The values nearest to the event's subject that this definition would match ("Bash" for the matcher "bash").
    pub nearest: Vec<String>,
}

/// The reason why the agent runs none of the event's hooks.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    pub why: Reason,
}

/// The plan of one firing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The definitions that run, in order, followed by the others in configuration order.
    pub entries: Vec<PlanEntry>,
    pub schedule: Schedule,
    /// The first `ahead_count` definitions run before the others. Their results decide whether the others start.
    pub ahead_count: usize,
    /// The agent's time limit for all hooks of the firing together. `None` if only each hook's own timeout applies.
    pub budget: Option<Duration>,
    /// Set if the agent loses the whole event; no hook runs then.
    pub lost: Option<Loss>,
    pub notes: Vec<Diagnostic>,
}

impl Plan {
    /// The entries that run, in order.
    pub fn firing(&self) -> impl Iterator<Item = &PlanEntry> {
        self.entries.iter().filter(|e| matches!(e.selection, Selection::Fires { .. }))
    }

    /// All entries by definition, for many lookups.
    pub fn by_hook(&self) -> HashMap<&str, &PlanEntry> {
        self.entries.iter().map(|entry| (entry.hook.as_str(), entry)).collect()
    }

    /// The entry of a definition.
    pub fn entry(&self, hook: &str) -> Option<&PlanEntry> {
        self.entries.iter().find(|e| e.hook == hook)
    }
}
