//! The explanation of an outcome, as steps that are produced together with the result. Each step cites its
//! evidence.

use serde::Serialize;

pub use crate::names::RuleId;
use crate::names::{RunId, Stream};

/// One step of an explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TraceStep {
    pub rule: RuleId,
    #[serde(rename = "says")]
    pub message: String,
    pub evidence: Vec<Evidence>,
    pub children: Vec<TraceStep>,
}

/// The evidence for a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Evidence {
    /// Bytes that a hook wrote. `pointer` names a field if the bytes are JSON.
    Output { run: RunId, stream: Stream, pointer: Option<String> },
    /// The end of a process.
    Exit { run: RunId },
    /// The fact that one run ended before another.
    Order { before: RunId, after: RunId },
    /// A place in a settings file.
    Source { file: String, line: u32, column: u32 },
    /// An involved definition, by its id.
    Hook { hook: String },
    /// The source of the rule: a section of the agent's specification, or `measured on 2.1.329`.
    Basis { text: &'static str },
}

impl TraceStep {
    /// A step without evidence.
    pub fn new(rule: RuleId, says: impl Into<String>) -> TraceStep {
        TraceStep { rule, message: says.into(), evidence: Vec::new(), children: Vec::new() }
    }

    /// Adds evidence.
    #[must_use]
    pub fn with_evidence(mut self, evidence: Evidence) -> TraceStep {
        self.evidence.push(evidence);
        self
    }

    /// Adds the end of a run as evidence.
    #[must_use]
    pub fn with_exit(self, run: RunId) -> TraceStep {
        self.with_evidence(Evidence::Exit { run })
    }

    /// Adds a field of a run's stdout as evidence (`""` is the whole output).
    #[must_use]
    pub fn with_stdout(self, run: RunId, pointer: &str) -> TraceStep {
        let pointer = (!pointer.is_empty()).then(|| pointer.to_owned());
        self.with_evidence(Evidence::Output { run, stream: Stream::Stdout, pointer })
    }

    /// Adds a run's stderr as evidence.
    #[must_use]
    pub fn with_stderr(self, run: RunId) -> TraceStep {
        self.with_evidence(Evidence::Output { run, stream: Stream::Stderr, pointer: None })
    }

    /// Adds a step that led to this one.
    #[must_use]
    pub fn because(mut self, step: TraceStep) -> TraceStep {
        self.children.push(step);
        self
    }

    /// Adds all steps that led to this one.
    #[must_use]
    pub fn because_all(mut self, steps: impl IntoIterator<Item = TraceStep>) -> TraceStep {
        self.children.extend(steps);
        self
    }
}
