//! A stress test as sentences.

use crate::model::Model;
use hookbench_app::{StressTest, VariantResult, WorldResult};
use hookbench_core::stress::{KeyEffect, PayloadCoverage};

/// The last stress test: that it has started, or its result, the misses, and the conditions that are not as usual.
pub fn sentences(model: &Model) -> Vec<String> {
    let Some(test) = model.session.stress_test() else { return Vec::new() };
    if test.is_running() {
        return vec![
            format!("The stress test of {} runs in a copy of the project.", test.label),
            "Say stress again to stop it.".to_owned(),
        ];
    }
    let mut all = vec![format!("Stress test of {}: {}.", test.label, test.headline())];
    all.extend(misses(test));
    all.extend(test.report.coverage.iter().flat_map(payload));
    for row in test.report.world.iter().filter(|row| row.result != WorldResult::Holds) {
        all.push(format!("{} {}: {}.", row.result.words(), row.condition.phrase(), row.explanation));
    }
    all
}

fn payload(coverage: &PayloadCoverage) -> Vec<String> {
    let mut all = vec![format!("Payload: {}.", coverage.headline())];
    for key in coverage.keys.iter().filter(|key| !key.explanation.is_empty()) {
        all.push(format!("{} {}: {}.", key.effect.words(), key.key, key.explanation));
    }
    all.extend(coverage.missing.iter().map(|key| format!("missing {}: {}.", key.coverage.key, key.explanation())));
    let ignored = coverage.keys_with(KeyEffect::Ignored);
    all.extend((!ignored.is_empty()).then(|| format!("ignored: {}.", ignored.join(", "))));
    all.extend(coverage.limits.iter().map(|limit| format!("{limit}.")));
    all
}

fn misses(test: &StressTest) -> impl Iterator<Item = String> {
    test.report.misses().map(|row| {
        let failed = if row.result == VariantResult::FailedOpen { "failed open" } else { "not refused" };
        format!("{failed}: {}, because {}.", row.text, row.why_the_same)
    })
}
