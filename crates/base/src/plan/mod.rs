//! Who would run, in what order, and for everything else why not.

use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::hook::DefinitionId;
use crate::trace::{Evidence, RuleId};

pub use crate::names::RungName;

/// Whether hooks of one firing run side by side or one after the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    #[default]
    Parallel,
    Sequential,
}

impl Schedule {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Schedule::Parallel => "parallel",
            Schedule::Sequential => "sequential",
        }
    }
}

/// A rule and its sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Why {
    pub rule: RuleId,
    pub says: String,
}

impl Why {
    /// A rule with its sentence.
    pub fn new(rule: RuleId, says: impl Into<String>) -> Why {
        Why { rule, says: says.into() }
    }
}

/// What a plan says of one definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Runs, as number `order` (from 1).
    Fires {
        order: u32,
    },
    Skipped,
    /// Not known, for the reason that `why` gives.
    Unknown,
}

/// How a rung stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RungState {
    Ok,
    No,
    Skipped,
    Unknown,
}

impl RungState {
    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            RungState::Ok => "ok",
            RungState::No => "NO",
            RungState::Skipped => "-",
            RungState::Unknown => "?",
        }
    }
}

/// One rung of one definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Rung {
    pub name: RungName,
    pub state: RungState,
    pub says: String,
    pub evidence: Vec<Evidence>,
}

/// What the plan says of one definition, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanEntry {
    pub hook: DefinitionId,
    pub selection: Selection,
    pub why: Why,
    /// The first rung that is red decides; rungs after it are skipped.
    pub fell_at: Option<RungName>,
    /// The value nearest to the event's that this definition would fire for ("Bash" for the matcher "bash").
    pub nearest: Vec<String>,
}

/// The whole firing loses its hooks, or its verdict, for one reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    pub why: Why,
}

/// The answer to "who runs".
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Those who run in their order, then the others in the order of the configuration.
    pub entries: Vec<PlanEntry>,
    pub schedule: Schedule,
    /// So many of the first of them run ahead, and decide whether the others start.
    pub ahead: usize,
    /// How long the agent waits for the whole firing, where that is less than the hooks may take.
    pub budget: Option<Duration>,
    /// Set when the agent loses the whole event; nobody runs then.
    pub lost: Option<Loss>,
    pub notes: Vec<Diagnostic>,
}

impl Plan {
    /// Those who run, in order.
    pub fn firing(&self) -> impl Iterator<Item = &PlanEntry> {
        self.entries.iter().filter(|e| matches!(e.selection, Selection::Fires { .. }))
    }

    /// Every entry by its definition, for those who ask for many.
    pub fn by_hook(&self) -> HashMap<&str, &PlanEntry> {
        self.entries.iter().map(|entry| (entry.hook.as_str(), entry)).collect()
    }

    /// The entry of a definition.
    pub fn entry(&self, hook: &str) -> Option<&PlanEntry> {
        self.entries.iter().find(|e| e.hook == hook)
    }
}
