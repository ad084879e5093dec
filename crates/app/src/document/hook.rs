//! Hooks and diagnostics, shared by all documents.

use serde::Serialize;
use serde_json::Value;

use hookbench_core::config::LoadedConfig;
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::hook::HookDefinition;
use hookbench_core::plan::{Plan, PlanEntry, Selection};

/// One hook, with its result in the plan if there is a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanHookDoc {
    pub hook: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub command: String,
    pub source: SourceDoc,
    pub matcher: Value,
    /// Only set in lists of all events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// `fires`, `skipped` or `unknown`.
    pub verdict: &'static str,
    pub order: Option<u32>,
    pub why: WhyRuleDoc,
}

/// The location of a hook in its settings file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceDoc {
    pub layer: &'static str,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl SourceDoc {
    /// The location of a definition.
    pub fn of(definition: &HookDefinition) -> SourceDoc {
        let place = &definition.provenance;
        SourceDoc { layer: place.layer.word(), file: place.file.clone(), line: place.line, column: place.column }
    }
}

/// A rule and its explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WhyRuleDoc {
    pub rule: String,
    pub says: String,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiagnosticDoc {
    pub code: String,
    pub severity: &'static str,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    pub fix: Option<Value>,
}

/// Builds the document of a hook with its result in a plan.
pub fn hook_doc(definition: &HookDefinition, entry: Option<&PlanEntry>) -> PlanHookDoc {
    let (verdict, order) = match entry.map(|e| &e.selection) {
        Some(Selection::Fires { order }) => ("fires", Some(*order)),
        Some(Selection::Unknown) => ("unknown", None),
        Some(Selection::Skipped) | None => ("skipped", None),
    };
    let why = match (entry, &definition.rejection) {
        (Some(entry), _) => WhyRuleDoc { rule: entry.why.rule.to_string(), says: entry.why.message.clone() },
        (None, Some(refused)) => WhyRuleDoc { rule: refused.rule.to_string(), says: refused.message.clone() },
        (None, None) => {
            WhyRuleDoc { rule: "plan.other-event".to_owned(), says: format!("configured for {}", definition.event) }
        }
    };
    PlanHookDoc {
        hook: definition.id.clone(),
        name: definition.label(),
        kind: definition.handler.kind().to_owned(),
        command: definition.handler.text(),
        source: SourceDoc::of(definition),
        matcher: definition.matcher.clone().unwrap_or(Value::Null),
        event: None,
        verdict,
        order,
        why,
    }
}

/// All entries of a plan, in order.
pub fn plan_hooks(plan: &Plan, loaded: &LoadedConfig) -> Vec<PlanHookDoc> {
    plan.entries.iter().filter_map(|e| Some(hook_doc(loaded.definition(&e.hook)?, Some(e)))).collect()
}

/// Builds the document of a finding with its location.
pub fn diagnostic(diagnostic: &Diagnostic, loaded: &LoadedConfig) -> DiagnosticDoc {
    let place = diagnostic.place(&loaded.sources);
    let at = place.as_ref().and_then(|(_, at)| *at);
    DiagnosticDoc {
        code: diagnostic.code.to_string(),
        severity: diagnostic.severity.word(),
        message: diagnostic.message.clone(),
        file: place.map(|(file, _)| file),
        line: at.map(|(line, _)| line),
        column: at.map(|(_, column)| column),
        help: diagnostic.help.clone(),
        fix: None,
    }
}
