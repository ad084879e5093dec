//! Trace documents, in which runs carry the id of their hook.

use serde::Serialize;

use crate::firing::record::FiringRecord;
use hookbench_core::run::{RunId, Stream};
use hookbench_core::trace::{Evidence, TraceStep};

/// One step of an explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceDoc {
    pub rule: String,
    pub says: String,
    pub evidence: Vec<EvidenceDoc>,
    pub children: Vec<TraceDoc>,
}

/// The evidence for a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EvidenceDoc {
    Output { hook: String, run: u32, stream: &'static str, pointer: Option<String> },
    Exit { hook: String, run: u32 },
    Order { before: String, after: String },
    Source { file: String, line: u32, column: u32 },
    Hook { hook: String },
    Basis { text: String },
}

/// Builds the documents of trace steps.
pub fn trace_docs(steps: &[TraceStep], firing: &FiringRecord) -> Vec<TraceDoc> {
    steps
        .iter()
        .map(|step| TraceDoc {
            rule: step.rule.to_string(),
            says: step.message.clone(),
            evidence: step.evidence.iter().map(|e| evidence_doc(e, firing)).collect(),
            children: trace_docs(&step.children, firing),
        })
        .collect()
}

pub(super) fn evidence_doc(evidence: &Evidence, firing: &FiringRecord) -> EvidenceDoc {
    let hook = |run: RunId| firing.run(run).map(|r| r.hook.clone()).unwrap_or_default();
    match evidence {
        Evidence::Output { run, stream, pointer } => EvidenceDoc::Output {
            hook: hook(*run),
            run: run.0,
            stream: match stream {
                Stream::Stdin => "stdin",
                Stream::Stdout => "stdout",
                Stream::Stderr => "stderr",
            },
            pointer: pointer.clone(),
        },
        Evidence::Exit { run } => EvidenceDoc::Exit { hook: hook(*run), run: run.0 },
        Evidence::Order { before, after } => EvidenceDoc::Order { before: hook(*before), after: hook(*after) },
        Evidence::Source { file, line, column } => {
            EvidenceDoc::Source { file: file.clone(), line: *line, column: *column }
        }
        Evidence::Hook { hook } => EvidenceDoc::Hook { hook: hook.clone() },
        Evidence::Basis { text } => EvidenceDoc::Basis { text: (*text).to_owned() },
    }
}
