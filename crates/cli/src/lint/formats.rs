//! Findings for other programs: one line each, or workflow annotations.

use crate::test::annotation;
use hookbench_app::lint::{Finding, Group, Report, groups};
use hookbench_core::diagnostic::Severity;
use hookbench_core::text::one_line;

/// `file:line:column: severity[code]: message`.
pub(super) fn short(report: &Report) -> String {
    let line = |group: &Group| one_line(&format!("{}{}{}", place(&group.finding), said(&group.finding), more(group)));
    let lines: Vec<String> = groups(&report.findings).iter().map(line).collect();
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
fn more(group: &Group) -> String {
    match group.also.len() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    }
}

fn said(found: &Finding) -> String {
    format!("{}[{}]: {}", found.severity.word(), found.code, found.message)
}

/// GitHub workflow commands that put each finding on its line.
pub(super) fn github(report: &Report) -> String {
    let of = |group: &Group| {
        let found = &group.finding;
        let level = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let help = found.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
        let also = group.also().map(|also| format!("\nalso at {also}")).unwrap_or_default();
        // Without a line, the annotation is not shown beside the file.
        let at = found.place.map_or((1, 1), |(start, _)| (start.line, start.column));
        let at = found.file.is_some().then_some(at);
        annotation(level, found.file.as_deref(), at, found.code, &format!("{}{help}{also}", found.message))
    };
    groups(&report.findings).iter().map(of).collect()
}
