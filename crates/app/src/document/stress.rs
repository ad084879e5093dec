//! `stress --format json`.

use serde::Serialize;

use super::hook::{PlanHookDoc, hook_doc};
use crate::stress::{StressReport, VariantResult};
use hookbench_core::hook::HookDefinition;
use hookbench_core::stress::{DecidingText, PayloadCoverage};

/// The variants of a deed and the conditions of the world at one hook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StressDoc {
    pub schema: &'static str,
    pub hook: PlanHookDoc,
    /// The text of the deed; null if the event announces none.
    pub deed: Option<String>,
    /// The verdict about the deed itself.
    pub verdict: Option<&'static str>,
    /// The result in one line.
    pub says: String,
    pub rows: Vec<StressRowDoc>,
    pub summary: StressSummaryDoc,
    /// The keys of the payload that the hook reads; null if it was not tried.
    pub coverage: Option<CoverageDoc>,
    /// The description of the containment; null if the hook ran in the project itself.
    pub contained: Option<String>,
}

/// One variant, or one condition of the family `world`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StressRowDoc {
    pub family: &'static str,
    /// The text of the variant, or the name of the condition.
    pub variant: String,
    /// Why the variant is the same deed, or what the condition changes.
    pub why_the_same: String,
    /// The verdict; `not_tried` for a condition that cannot be made here.
    pub verdict: &'static str,
    /// Whether the hook can be relied on; null if it was not tried.
    pub ok: Option<bool>,
    /// `refused`, `let_through` or `failed_open`; for a condition `holds`, `fails_closed`, `fails_open`, `hangs`,
    /// `leaks`, `differs` or `not_tried`.
    pub result: &'static str,
    /// The reason of the hook, its failure, or why it did not run.
    pub says: String,
}

/// The numbers of results.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StressSummaryDoc {
    /// Of the variants.
    pub refused: usize,
    pub let_through: usize,
    pub failed_open: usize,
    /// Of the conditions.
    pub world_ok: usize,
    pub world_not_ok: usize,
    pub world_not_tried: usize,
}

/// The coverage of the payload.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoverageDoc {
    /// The result in one line.
    pub says: String,
    /// The keys of the payload, in its order.
    pub keys: Vec<CoveredKeyDoc>,
    /// Keys that the script names and the payload does not have; their effect is that of adding them.
    pub missing: Vec<CoveredKeyDoc>,
    /// The part of a text that the decision depends on; null if it depends on no text.
    pub hangs_on: Option<DecidingText>,
    /// What could not be observed, one sentence each.
    pub limits: Vec<String>,
}

/// One key and its effect on the hook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoveredKeyDoc {
    /// The keys that lead to it, joined by dots.
    pub key: String,
    /// `decides`, `read`, `named` (only the script's text shows it), `ignored` or `not_tried`.
    pub effect: &'static str,
    /// The change that shows the effect.
    pub says: String,
}

fn coverage_doc(coverage: &PayloadCoverage) -> CoverageDoc {
    let keys = coverage.keys.iter().map(|key| CoveredKeyDoc {
        key: key.key.clone(),
        effect: key.effect.word(),
        says: key.explanation.clone(),
    });
    let missing = coverage.missing.iter().map(|key| CoveredKeyDoc {
        key: key.coverage.key.clone(),
        effect: key.coverage.effect.word(),
        says: key.explanation(),
    });
    CoverageDoc {
        says: coverage.headline(),
        keys: keys.collect(),
        missing: missing.collect(),
        hangs_on: coverage.deciding_text.clone(),
        limits: coverage.limits.clone(),
    }
}

/// Builds the document of a stress test.
pub fn stress_doc(report: &StressReport, definition: &HookDefinition) -> StressDoc {
    let variants = report.variants.iter().map(|row| StressRowDoc {
        family: row.family.name(),
        variant: row.text.clone(),
        why_the_same: row.why_the_same.clone(),
        verdict: row.verdict.word(),
        ok: Some(row.result == VariantResult::Refused),
        result: row.result.word(),
        says: row.explanation.clone(),
    });
    let world = report.world.iter().map(|row| StressRowDoc {
        family: "world",
        variant: row.condition.name(),
        why_the_same: row.condition.description(),
        verdict: row.verdict.map_or("not_tried", |verdict| verdict.word()),
        ok: row.result.is_ok(),
        result: row.result.word(),
        says: row.explanation.clone(),
    });
    let count = |ok: Option<bool>| report.world.iter().filter(|row| row.result.is_ok() == ok).count();
    StressDoc {
        schema: "stress/1",
        hook: hook_doc(definition, report.entry.as_ref()),
        deed: report.deed.clone(),
        verdict: report.verdict.map(|verdict| verdict.word()),
        says: report.headline(),
        rows: variants.chain(world).collect(),
        summary: StressSummaryDoc {
            refused: report.count(VariantResult::Refused),
            let_through: report.count(VariantResult::LetThrough),
            failed_open: report.count(VariantResult::FailedOpen),
            world_ok: count(Some(true)),
            world_not_ok: count(Some(false)),
            world_not_tried: count(None),
        },
        coverage: report.coverage.as_ref().map(coverage_doc),
        contained: report.contained.clone(),
    }
}
