//! Findings for other programs: one line each, or workflow annotations.

use crate::print::ci::annotation;
use hookbench_app::lint::{Finding, FindingGroup, FindingsReport, group_findings};
use hookbench_core::diagnostic::Severity;
use hookbench_core::text::one_line;

/// `file:line:column: severity[code]: message`.
pub(super) fn short(report: &FindingsReport) -> String {
    let line = |group: &FindingGroup| {
        one_line(&format!("{}{}{}", place(&group.finding), finding_text(&group.finding), count_suffix(group)))
    };
    let lines: Vec<String> = group_findings(&report.findings).iter().map(line).collect();
    if lines.is_empty() { String::new() } else { lines.join("\n") + "\n" }
}

fn place(found: &Finding) -> String {
    match (&found.file, found.place) {
        (Some(file), Some((start, _))) => format!("{file}:{}:{}: ", start.line, start.column),
        // Programs that read this format expect a line number.
        (Some(file), None) => format!("{file}:1:1: "),
        (None, _) => String::new(),
    }
}

/// The number of other places with the same finding.
fn count_suffix(group: &FindingGroup) -> String {
    match group.other_places.len() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    }
}

fn finding_text(found: &Finding) -> String {
    format!("{}[{}]: {}", found.severity.word(), found.code, found.message)
}

/// GitHub workflow commands that put each finding on its line.
pub(super) fn github(report: &FindingsReport) -> String {
    let of = |group: &FindingGroup| {
        let found = &group.finding;
        let level = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let help = found.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
        let also = group.other_places_text().map(|also| format!("\nalso at {also}")).unwrap_or_default();
        // Without a line, the annotation is not shown beside the file.
        let at = found.place.map_or((1, 1), |(start, _)| (start.line, start.column));
        let at = found.file.is_some().then_some(at);
        annotation(level, found.file.as_deref(), at, found.code.as_str(), &format!("{}{help}{also}", found.message))
    };
    group_findings(&report.findings).iter().map(of).collect()
}
