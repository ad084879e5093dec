//! Findings as JUnit XML: a suite for each file. An error is a failed case, any other finding a passed case with
//! output.

use std::fmt::Write as _;

use indexmap::IndexMap;

use crate::print::ci::xml;
use hookbench_app::lint::{FindingGroup, FindingsReport, group_by_place};
use hookbench_core::diagnostic::Severity;

/// Returns the whole report.
pub(super) fn junit(report: &FindingsReport) -> String {
    let all = group_by_place(&report.findings);
    let failed = |groups: &[&FindingGroup]| groups.iter().filter(|g| g.finding.severity == Severity::Error).count();
    let every: Vec<&FindingGroup> = all.iter().collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail.
    let tests = every.len().max(1);
    let _ = writeln!(out, "<testsuites name=\"hookbench lint\" tests=\"{tests}\" failures=\"{}\">", failed(&every));
    if every.is_empty() {
        // Readers treat a report without cases as a failed run.
        out.push_str("  <testsuite name=\"hooks\" tests=\"1\" failures=\"0\">\n");
        out.push_str("    <testcase classname=\"hookbench.lint\" name=\"no problems\"/>\n  </testsuite>\n");
    }
    let mut files: IndexMap<&str, Vec<&FindingGroup>> = IndexMap::new();
    for group in &all {
        files.entry(file_of(group)).or_default().push(group);
    }
    for (file, of_file) in files {
        let (tests, failures) = (of_file.len(), failed(&of_file));
        let _ = writeln!(out, "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\">", xml(file));
        for group in of_file {
            case(&mut out, group, file);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn file_of(group: &FindingGroup) -> &str {
    group.finding.file.as_deref().unwrap_or("settings")
}

fn case(out: &mut String, group: &FindingGroup, file: &str) {
    let found = &group.finding;
    let line = found.place.map(|(start, _)| format!(" line=\"{}\"", start.line)).unwrap_or_default();
    let at = found.place.map(|(start, _)| format!(":{}:{}", start.line, start.column)).unwrap_or_default();
    let name = format!("{} {file}{at} ({})", found.code, group.agent_words().join(", "));
    let _ = write!(
        out,
        "    <testcase classname=\"hookbench.lint.{}\" name=\"{}\" file=\"{}\"{line}>",
        xml(found.code.as_str()),
        xml(&name),
        xml(file)
    );
    let more: Vec<&str> = [&found.note, &found.help].into_iter().flatten().flat_map(|text| ["\n", text]).collect();
    let more = more.concat();
    let text = xml(&format!("{}{more}", found.message));
    let _ = match found.severity {
        Severity::Error => writeln!(out, "<failure message=\"{}\">{text}</failure></testcase>", xml(&found.message)),
        _ => writeln!(out, "<system-out>{}: {text}</system-out></testcase>", found.severity.word()),
    };
}
