//! The page of a calibration.

use std::fmt::Write as _;

use crate::print::ci::xml;
use crate::print::text_page::{TextPage, Tone};
use hookbench_app::{CalibrationResult, ProbeOutcome};
use hookbench_core::dialects::Agent;

/// The headline, then each probe that is not as predicted.
pub(super) fn page(result: &CalibrationResult, dialect: &Agent) -> String {
    let mut page = TextPage::new();
    let version = result.installed.as_ref().map_or_else(|| "of an unknown version".to_owned(), ToString::to_string);
    page.put(Tone::Strong, &format!("{} {version}", dialect.name()));
    if let Some(why) = result.nothing_shown() {
        page.end().put(Tone::Warn, &why).end();
        return page.finish();
    }
    let tone = |good: bool| if good { Tone::Good } else { Tone::Warn };
    page.put(tone(result.agreed() == result.probes.len()), &format!("  {}", result.counts())).end();
    page.put(if result.news.is_empty() { Tone::Quiet } else { Tone::Warn }, &format!("  {}", result.coverage())).end();
    if !result.news.is_empty() {
        for fact in &result.news {
            page.put(Tone::Plain, &format!("    {}", fact.words())).end();
        }
    }
    if let Some(warning) = result.isolation_warning() {
        page.put(Tone::Quiet, &format!("  {warning}")).end();
    }
    for probe in &result.probes {
        let (tone, word) = match &probe.outcome {
            ProbeOutcome::Agrees => continue,
            ProbeOutcome::Differs(_) => (Tone::Bad, "DIFFERS"),
            ProbeOutcome::Failed(_) => (Tone::Warn, "NOT ASKED"),
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
    for survey in &result.unanswered {
        page.end().put(Tone::Warn, "NOT ASKED").put(Tone::Strong, &format!("  {}", survey.id)).end();
        page.put(Tone::Plain, &format!("  {}", survey.why)).end();
    }
    page.finish()
}

pub(super) fn junit(results: &[CalibrationResult]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for result in results {
        let (different, silent) = (result.different().count(), result.probes.len() - result.agreed());
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "  <testsuite name=\"calibrate {}\" tests=\"{}\" failures=\"{different}\" skipped=\"{}\">",
            result.agent,
            result.probes.len(),
            silent - different
        );
        for probe in &result.probes {
            let seconds = probe.duration.as_secs_f64();
            let _ = write!(
                out,
                "    <testcase classname=\"{}\" name=\"{}\" time=\"{seconds:.3}\"",
                result.agent,
                xml(&probe.id)
            );
            let message = match &probe.outcome {
                ProbeOutcome::Agrees => None,
                ProbeOutcome::Failed(why) => {
                    let _ = writeln!(out, "><skipped message=\"{}\"/></testcase>", xml(why));
                    continue;
                }
                ProbeOutcome::Differs(differences) => {
                    let lines = differences.iter().map(|found| {
                        format!("{}, {}: predicted {}, seen {}", found.event, found.aspect, found.predicted, found.seen)
                    });
                    Some(lines.collect::<Vec<_>>().join("; "))
                }
            };
            let _ = match message {
                None => writeln!(out, "/>"),
                Some(message) => {
                    writeln!(out, "><failure message=\"{}\">{}</failure></testcase>", xml(&message), xml(&probe.says))
                }
            };
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}
