//! What lies on the bench: one event of one agent, its payload, its plan.

use serde_json::Value;

use crate::firing_record::FiringId;
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::hook::{EventSpec, Example, HookInput};
use hookbench_core::plan::{Plan, Selection};

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
    /// Where it came from.
    pub origin: Origin,
    pub input: Option<HookInput>,
    pub filled: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
    /// A payload text that could not be taken, kept as its author left it, and why.
    pub refused: Option<RefusedPayload>,
    pub plan: Option<Plan>,
    /// Set while the user is asked whether the commands may run.
    pub consent: Option<Vec<ConsentItem>>,
}

/// Where a payload came from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    /// A template, changed or not.
    #[default]
    Template,
    /// Its author.
    Edited,
    Pasted,
    /// A pinned event.
    Pin,
    /// An earlier run.
    Run(FiringId),
    /// A recorded event, by its number.
    Recorded(i64),
    /// An event of a running agent.
    Live,
    /// The event of another agent, whose name this is.
    Agent(&'static str),
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
    /// The command as configured, behind the variables that settings give it.
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
            origin: Origin::default(),
            input: None,
            filled: Vec::new(),
            diagnostics: Vec::new(),
            refused: None,
            plan: None,
            consent: None,
        }
    }

    /// Where the payload came from, in a word or two.
    pub fn origin_words(&self) -> String {
        match (self.origin, self.template, self.edited) {
            (Origin::Template, Some(index), false) => format!("template {} of {}", index + 1, self.templates.len()),
            (Origin::Template, Some(_), true) => "template, edited".to_owned(),
            (Origin::Template, None, _) | (Origin::Edited, ..) => "edited".to_owned(),
            (Origin::Pasted, ..) => "pasted".to_owned(),
            (Origin::Pin, ..) => "pinned".to_owned(),
            (Origin::Run(id), ..) => format!("from run {}", id.0),
            (Origin::Recorded(seq), ..) => format!("recorded #{seq}"),
            (Origin::Live, ..) => "from a running agent".to_owned(),
            (Origin::Agent(name), ..) => format!("from {name}"),
        }
    }

    /// A payload of one's own is another one now.
    pub(super) fn own(&mut self) {
        self.edited = true;
        if self.origin != Origin::Template {
            self.origin = Origin::Edited;
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
