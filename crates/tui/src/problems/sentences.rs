//! The Problems page as sentences.

use crate::model::Model;
use crate::widgets::StyledLine;
use hookbench_app::lint::FindingGroup;
use hookbench_core::diagnostic::Severity;
use hookbench_core::text::pluralize;

/// The page as sentences: the number of findings and the selected one.
pub fn page(model: &Model) -> Vec<String> {
    let Some(report) = &model.session.problems().report else { return Vec::new() };
    let (fits, all) = model.problems.counts();
    if all == 0 {
        return vec![format!("No problems found in {}.", pluralize(report.hooks, "hook"))];
    }
    let of = |severity| model.problems.all().iter().filter(|group| group.finding.severity == severity).count();
    let counts = [
        pluralize(of(Severity::Error), "error"),
        pluralize(of(Severity::Warning), "warning"),
        pluralize(of(Severity::Info), "remark"),
    ];
    let shown = if fits == all { String::new() } else { format!(" {fits} of them fit.") };
    let mut says = vec![format!("{}.{shown}", counts.join(", "))];
    says.extend(model.problems.group().map(finding));
    says
}

/// Every finding that matches the filter.
pub fn rows(model: &Model) -> Vec<String> {
    model.problems.shown().map(finding).collect()
}

/// A finding in a sentence.
fn finding(group: &FindingGroup) -> String {
    let found = &group.finding;
    let at = found.place.map(|(start, _)| format!(" line {}", start.line)).unwrap_or_default();
    let place = found.file.as_ref().map(|file| format!(", {file}{at}")).unwrap_or_default();
    let also = group.other_places_text().map(|also| format!(" Also at {also}.")).unwrap_or_default();
    format!("{} {}{place}: {}.{also}", found.severity.word(), found.code, found.message)
}

/// The selected finding in full.
pub fn full_finding(model: &Model) -> Vec<String> {
    let text = |line: &StyledLine| line.iter().map(|(_, text)| text.as_str()).collect::<String>();
    model.problems.lines.iter().map(text).filter(|line| !line.trim().is_empty()).collect()
}
