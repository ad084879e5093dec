//! The same finding in several agents, or at several places for one cause, told once.

use std::collections::HashMap;

use super::{FileEdit, Finding, Mend};

/// A finding, and the agents that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// As the first of them has it, as bad as it is in any.
    pub finding: Finding,
    /// Their ids, in their order.
    pub agents: Vec<&'static str>,
    /// The places at which the same cause shows again.
    pub also: Vec<Again>,
}

/// One more place of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Again {
    /// As shown.
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// Places that are named; of the others there is a number.
const NAMED: usize = 3;

impl Group {
    /// The other places in a few words: `.agent/settings.json:12, :20 and 5 more`. `None` if there are none.
    pub fn also(&self) -> Option<String> {
        let mut file = self.finding.file.as_deref();
        let mut named: Vec<String> = Vec::new();
        for again in self.also.iter().take(NAMED) {
            let line = again.line.map(|line| format!(":{line}")).unwrap_or_default();
            let shown = if again.file.as_deref() == file { "" } else { again.file.as_deref().unwrap_or_default() };
            let shown = if line.is_empty() { again.file.as_deref().unwrap_or_default() } else { shown };
            named.push(format!("{shown}{line}"));
            file = again.file.as_deref();
        }
        let more = self.also.len().saturating_sub(named.len());
        let text = named.join(", ");
        match (named.is_empty(), more) {
            (true, _) => None,
            (false, 0) => Some(text),
            (false, more) => Some(format!("{text} and {more} more")),
        }
    }
}

/// What makes findings the same: a place, or else what is said.
type Key<'a> = (&'a str, Option<&'a str>, Option<[u32; 4]>, &'a str);

/// Findings that are the same, in the order in which they first appear: in several agents, or of one cause.
pub fn groups(findings: &[Finding]) -> Vec<Group> {
    let mut out: Vec<Group> = Vec::new();
    for group in by_place(findings) {
        let first = out.iter_mut().find(|first| one_cause(first, &group));
        let Some(first) = first else {
            out.push(group);
            continue;
        };
        let again = Again { file: group.finding.file.clone(), line: group.finding.place.map(|(start, _)| start.line) };
        // Several on one line of one file are one place.
        let own = Again { file: first.finding.file.clone(), line: first.finding.place.map(|(start, _)| start.line) };
        if again != own && !first.also.contains(&again) {
            first.also.push(again);
        }
        let more: Vec<&'static str> = group.agents.into_iter().filter(|id| !first.agents.contains(id)).collect();
        first.agents.extend(more);
        merge_fixes(&mut first.finding.fix, group.finding.fix);
        first.finding.severity = first.finding.severity.max(group.finding.severity);
    }
    out
}

/// What mends both, where their places are apart.
fn merge_fixes(first: &mut Option<Mend>, more: Option<Mend>) {
    let (Some(first), Some(more)) = (first.as_mut(), more) else { return };
    let meets = |a: &FileEdit| first.edits.iter().any(|b| a.path == b.path && a.start < b.end && b.start < a.end);
    if more.edits.iter().any(meets) {
        return;
    }
    first.safe &= more.safe;
    first.edits.extend(more.edits);
    first.edits.sort_by(|a, b| (&a.path, a.start).cmp(&(&b.path, b.start)));
    first.executable.extend(more.executable);
}

/// Whether two findings say the same of two places. What is mended place by place stays apart.
fn one_cause(a: &Group, b: &Group) -> bool {
    let (a, b) = (&a.finding, &b.finding);
    if a.code != b.code || a.path.is_none() && b.path.is_none() {
        return false;
    }
    match (&a.cause, &b.cause) {
        (Some(a), Some(b)) => a == b,
        (None, None) => {
            let plain = a.fix.is_none() && b.fix.is_none();
            plain && (&a.message, &a.note, &a.help) == (&b.message, &b.note, &b.help)
        }
        _ => false,
    }
}

/// One group for each place.
pub fn by_place(findings: &[Finding]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<Key<'_>, usize> = HashMap::new();
    for finding in findings {
        let says = if finding.place.is_some() { "" } else { finding.message.as_str() };
        let key = (
            finding.code,
            finding.path.as_deref(),
            finding.place.map(|(a, b)| [a.line, a.column, b.line, b.column]),
            says,
        );
        // Twice in one agent they are two.
        let first = known.get(&key).copied();
        let group = first.and_then(|index| groups.get_mut(index)).filter(|g| !g.agents.contains(&finding.agent));
        if let Some(group) = group {
            group.agents.push(finding.agent);
            group.finding.severity = group.finding.severity.max(finding.severity);
            if group.finding.fix.is_none() {
                group.finding.fix.clone_from(&finding.fix);
            }
        } else {
            known.entry(key).or_insert(groups.len());
            groups.push(Group { finding: finding.clone(), agents: vec![finding.agent], also: Vec::new() });
        }
    }
    groups
}
