//! What lies on the bench: one event of one agent, its payload, its plan.

use serde_json::Value;

use crate::core::diagnostic::Diagnostic;
use crate::core::hook::{EventSpec, Example, HookInput};
use crate::core::plan::{Plan, Selection};

/// The event that is worked on.
#[derive(Debug, Clone)]
pub struct Bench {
    pub agent: &'static str,
    pub event: Option<&'static EventSpec>,
    /// Templates of the event.
    pub templates: Vec<Example>,
    /// Which of them the payload started from.
    pub template: Option<usize>,
    /// The payload is no longer the template's.
    pub edited: bool,
    pub input: Option<HookInput>,
    pub filled: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
    /// A payload text that could not be taken, kept as its author left it, and why.
    pub refused: Option<RefusedPayload>,
    pub plan: Option<Plan>,
    /// Set while the user is asked whether the commands may run.
    pub consent: Option<Vec<ConsentItem>>,
}

/// A payload that could not be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedPayload {
    pub text: String,
    pub why: String,
}

/// One command that waits for consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentItem {
    pub key: String,
    pub hook: String,
    /// The command as configured.
    pub command: String,
    /// `file:line`.
    pub source: String,
}

/// What a plan comes to, before anything ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ready {
    pub fires: usize,
    pub never: usize,
    pub unknown: usize,
}

impl Bench {
    /// An empty bench for an agent.
    pub fn new(agent: &'static str) -> Bench {
        Bench {
            agent,
            event: None,
            templates: Vec::new(),
            template: None,
            edited: false,
            input: None,
            filled: Vec::new(),
            diagnostics: Vec::new(),
            refused: None,
            plan: None,
            consent: None,
        }
    }

    /// The payload.
    pub fn body(&self) -> Option<&Value> {
        self.input.as_ref().map(|input| &input.body)
    }

    /// How many would run, and how many not.
    pub fn ready(&self) -> Ready {
        let mut ready = Ready::default();
        for entry in self.plan.iter().flat_map(|plan| &plan.entries) {
            match entry.selection {
                Selection::Fires { .. } => ready.fires += 1,
                Selection::Skipped => ready.never += 1,
                Selection::Unknown => ready.unknown += 1,
            }
        }
        ready
    }
}
