//! The bench: one event of one agent, its payload and its plan.

use hookbench_core::names::AgentId;
use serde_json::Value;

use crate::firing::approval::ConsentItem;
use crate::firing::record::FiringId;
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::hook::{EventSpec, ExamplePayload, HookInput};
use hookbench_core::plan::Plan;
use hookbench_core::transcript::TranscriptCut;

/// The event being edited and fired.
#[derive(Debug, Clone)]
pub struct Bench {
    pub payload: BenchPayload,
    /// The payload templates of the event.
    pub templates: Vec<ExamplePayload>,
    pub plan: Option<Plan>,
    /// The commands to ask consent for; set while the user is being asked.
    pub consent: Option<Vec<ConsentItem>>,
}

/// The payload on the bench, with the agent and the event that it is for. The undo stack keeps earlier ones.
#[derive(Debug, Clone)]
pub struct BenchPayload {
    pub agent: AgentId,
    pub event: Option<&'static EventSpec>,
    /// The index of the template that the payload started from.
    pub template: Option<usize>,
    /// Whether the payload may differ from its template. Also true if it did not start from a template.
    pub edited: bool,
    /// The source of the payload.
    pub origin: PayloadOrigin,
    pub input: Option<HookInput>,
    pub filled: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
    /// The transcript of a recorded event, and where to cut it for the hooks.
    pub transcript: Option<TranscriptCut>,
    /// A payload text that could not be parsed, kept exactly as typed, and the reason.
    pub refused: Option<InvalidPayload>,
}

impl BenchPayload {
    /// Whether both are the same payload for the same agent.
    pub(super) fn is_same(&self, other: &BenchPayload) -> bool {
        self.agent == other.agent && self.input == other.input && self.refused == other.refused
    }

    /// The size of the payload as text.
    pub(super) fn bytes(&self) -> usize {
        let body = self.input.as_ref().map_or(0, |i| hookbench_core::text::stringify(&i.body).len());
        body + self.refused.as_ref().map_or(0, |r| r.text.len())
    }
}

/// The source of a payload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PayloadOrigin {
    /// A template, edited or not.
    #[default]
    Template,
    /// Another source, edited by the user. An edited template stays `Template`.
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
    /// The event of another agent, by the agent's id.
    Agent(&'static str),
}

/// A payload text that could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidPayload {
    pub text: String,
    pub reason: String,
}

/// The counts of a plan: hooks that would run, hooks that would not, and undetermined ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HookCounts {
    pub fires: usize,
    pub skipped: usize,
    pub unknown: usize,
}

impl Bench {
    /// An empty bench for an agent.
    pub fn new(agent: AgentId) -> Bench {
        let payload = BenchPayload {
            agent,
            event: None,
            template: None,
            edited: false,
            origin: PayloadOrigin::default(),
            input: None,
            filled: Vec::new(),
            diagnostics: Vec::new(),
            transcript: None,
            refused: None,
        };
        Bench { payload, templates: Vec::new(), plan: None, consent: None }
    }

    /// Describes the source of the payload in a word or two.
    pub fn origin_words(&self) -> String {
        match (self.payload.origin, self.payload.template, self.payload.edited) {
            (PayloadOrigin::Template, Some(index), false) => {
                format!("template {} of {}", index + 1, self.templates.len())
            }
            (PayloadOrigin::Template, Some(_), true) => "template, edited".to_owned(),
            (PayloadOrigin::Template, None, _) | (PayloadOrigin::Edited, ..) => "edited".to_owned(),
            (PayloadOrigin::Pasted, ..) => "pasted".to_owned(),
            (PayloadOrigin::Pin, ..) => "pinned".to_owned(),
            (PayloadOrigin::Run(id), ..) => format!("from run {}", id.0),
            (PayloadOrigin::Recorded(seq), ..) => format!("recorded #{seq}"),
            (PayloadOrigin::Live, ..) => "from a running agent".to_owned(),
            (PayloadOrigin::Agent(name), ..) => format!("from {name}"),
        }
    }

    /// Marks the payload as edited by the user.
    pub(crate) fn mark_edited(&mut self) {
        self.payload.edited = true;
        if self.payload.origin != PayloadOrigin::Template {
            self.payload.origin = PayloadOrigin::Edited;
        }
    }

    /// The payload as JSON.
    pub fn body(&self) -> Option<&Value> {
        self.payload.input.as_ref().map(|input| &input.body)
    }
}
