//! A calibration as `JUnit` XML: one case for each probe.

use std::fmt::Write as _;

use crate::print::ci::xml;
use hookbench_app::{CalibrationResult, ProbeOutcome};

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
