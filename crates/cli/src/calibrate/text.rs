//! The page of a calibration.

use crate::print::text_page::{TextPage, Tone};
use hookbench_app::{CalibrationResult, ProbeOutcome};
use hookbench_core::dialects::Agent;
use hookbench_core::text::pluralize;

/// The headline, then each probe that is not as predicted.
pub(super) fn page(result: &CalibrationResult, dialect: &Agent) -> String {
    let mut page = TextPage::new();
    let version = result.installed.as_ref().map_or_else(|| "of an unknown version".to_owned(), ToString::to_string);
    page.put(Tone::Strong, &format!("{} {version}", dialect.name()));
    if let Some(why) = result.nothing_shown() {
        page.end().put(Tone::Warn, &why).end();
        return page.finish();
    }
    let (agreed, count) = (result.agreed(), result.probes.len());
    let all = agreed == count;
    let says = format!("  {agreed} of {} as predicted", pluralize(count, "probe"));
    page.put(if all { Tone::Good } else { Tone::Warn }, &says).end();
    if let Some(warning) = result.isolation_warning() {
        page.put(Tone::Quiet, &format!("  {warning}")).end();
    }
    for probe in &result.probes {
        let (tone, word) = match &probe.outcome {
            ProbeOutcome::Agrees => continue,
            ProbeOutcome::Differs(_) => (Tone::Bad, "DIFFERS"),
            ProbeOutcome::Failed(_) => (Tone::Warn, "FAILED"),
        };
        page.end().put(tone, word).put(Tone::Strong, &format!("  {}", probe.id)).end();
        page.put(Tone::Quiet, &format!("  {}", probe.says)).end();
        match &probe.outcome {
            ProbeOutcome::Agrees => {}
            ProbeOutcome::Failed(why) => {
                page.put(Tone::Plain, &format!("  {why}")).end();
            }
            ProbeOutcome::Differs(differences) => {
                for found in differences {
                    page.put(Tone::Plain, &format!("  {}, {}", found.event, found.aspect)).end();
                    page.put(Tone::Plain, &format!("    predicted  {}", found.predicted)).end();
                    page.put(Tone::Plain, &format!("    seen       {}", found.seen)).end();
                }
                let rules = result.broken_rules(probe);
                if !rules.is_empty() {
                    let names: Vec<String> = rules.iter().map(ToString::to_string).collect();
                    page.put(Tone::Quiet, &format!("  rules: {}", names.join(", "))).end();
                }
            }
        }
    }
    page.finish()
}
