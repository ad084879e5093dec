//! Why an outcome is what it is: steps that are produced together with the result, each citing what it rests on.

use serde::Serialize;

pub use crate::names::RuleId;
use crate::names::{RunId, Stream};

/// One step of an explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TraceStep {
    pub rule: RuleId,
    pub says: String,
    pub evidence: Vec<Evidence>,
    pub children: Vec<TraceStep>,
}

/// What a step rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Evidence {
    /// Bytes that a hook wrote. `pointer` names a field when the bytes are JSON.
    Output { run: RunId, stream: Stream, pointer: Option<String> },
    /// How a process ended.
    Exit { run: RunId },
    /// That one run ended before another.
    Order { before: RunId, after: RunId },
    /// A place in a settings file.
    Source { file: String, line: u32, column: u32 },
    /// A definition that has a part in it, by its id.
    Hook { hook: String },
    /// Where the rule was learnt: a section of the agent's specification, or `measured on 2.1.329`.
    Basis { text: &'static str },
}

impl TraceStep {
    /// A step without evidence yet.
    pub fn new(rule: RuleId, says: impl Into<String>) -> TraceStep {
        TraceStep { rule, says: says.into(), evidence: Vec::new(), children: Vec::new() }
    }

    /// The same, citing `evidence`.
    #[must_use]
    pub fn on(mut self, evidence: Evidence) -> TraceStep {
        self.evidence.push(evidence);
        self
    }

    /// The same, citing how a run ended.
    #[must_use]
    pub fn on_exit(self, run: RunId) -> TraceStep {
        self.on(Evidence::Exit { run })
    }

    /// The same, citing a field of a run's stdout (`""` is the whole).
    #[must_use]
    pub fn on_stdout(self, run: RunId, pointer: &str) -> TraceStep {
        let pointer = (!pointer.is_empty()).then(|| pointer.to_owned());
        self.on(Evidence::Output { run, stream: Stream::Stdout, pointer })
    }

    /// The same, citing a run's stderr.
    #[must_use]
    pub fn on_stderr(self, run: RunId) -> TraceStep {
        self.on(Evidence::Output { run, stream: Stream::Stderr, pointer: None })
    }

    /// The same, with a step that led to it.
    #[must_use]
    pub fn because(mut self, step: TraceStep) -> TraceStep {
        self.children.push(step);
        self
    }

    /// The same, with all steps that led to it.
    #[must_use]
    pub fn because_all(mut self, steps: impl IntoIterator<Item = TraceStep>) -> TraceStep {
        self.children.extend(steps);
        self
    }
}
