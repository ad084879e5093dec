//! Suite cases for the variants that a hook did not refuse.

use serde_json::Value;

use super::{StressReport, VariantRow};
use crate::firing::suite_case::NewCase;
use hookbench_core::names::AgentId;
use hookbench_core::text::truncate;

/// The most characters of a variant in a case's name.
const NAME: usize = 60;

/// The variants that a hook does not refuse, as cases that expect the verdict about the deed itself.
pub fn missed_cases(report: &StressReport, agent: AgentId, event: &str) -> Vec<NewCase> {
    let verdict = report.verdict.map_or("deny", |verdict| verdict.word());
    let case = |row: &VariantRow| {
        let text = |key: &str| row.body.get(key).and_then(Value::as_str).map(str::to_owned);
        let line = row.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        NewCase {
            name: format!("{}: {}", row.family.name(), truncate(line, NAME)),
            agents: vec![agent],
            event: event.to_owned(),
            tool: text("tool_name"),
            input: row.body.get("tool_input").cloned(),
            set: text("prompt").map(|prompt| ("prompt".to_owned(), Value::from(prompt))).into_iter().collect(),
            expect: vec![("verdict", Value::from(verdict))],
        }
    };
    report.misses().map(case).collect()
}
