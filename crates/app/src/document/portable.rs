//! The document of `portable`.

use hookbench_core::convert::PortedHook;
use hookbench_core::lint::Refusal;
use serde::Serialize;
use serde_json::Value;

use super::hook::SourceDoc;
use crate::views::portability::PortableHook;

/// In which agents hooks, or answers, refuse.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PortableDoc {
    /// `portable/1`.
    pub schema: &'static str,
    pub hooks: Vec<PortableHookDoc>,
    /// The answers that were asked for, on the event of the first agent that has it.
    pub answers: Vec<PortableAnswerDoc>,
}

/// A hook of one agent, with its settings converted and its script unchanged in every agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PortableHookDoc {
    pub agent: String,
    pub hook: String,
    pub name: String,
    pub event: String,
    pub matcher: Value,
    pub source: SourceDoc,
    /// The answers with which its script refuses, as far as reading it shows; null if it is not understood.
    pub refusals: Option<Vec<Refusal>>,
    pub agents: Vec<PortedHook>,
}

/// One answer in every agent that has the event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PortableAnswerDoc {
    pub answer: String,
    pub agents: Vec<PortedHook>,
}

/// Builds the document.
pub fn portable_doc(hooks: &[PortableHook], answers: Vec<PortableAnswerDoc>) -> PortableDoc {
    let hook = |one: &PortableHook| {
        let definition = &one.definition;
        PortableHookDoc {
            agent: one.agent.id().to_string(),
            hook: definition.id.clone(),
            name: definition.label(),
            event: definition.event.clone(),
            matcher: definition.matcher.clone().unwrap_or(Value::Null),
            source: SourceDoc::of(definition),
            refusals: one.refusals.clone(),
            agents: one.ported.clone(),
        }
    };
    PortableDoc { schema: "portable/1", hooks: hooks.iter().map(hook).collect(), answers }
}
