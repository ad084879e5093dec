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
    pub line: Option<u32>,
    /// As shown.
    pub file: Option<String>,
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

    /// Takes in what says the same of another place.
    fn add(&mut self, group: Group) {
        let again = Again { file: group.finding.file.clone(), line: group.finding.place.map(|(start, _)| start.line) };
        // Several on one line of one file are one place.
        let own = Again { file: self.finding.file.clone(), line: self.finding.place.map(|(start, _)| start.line) };
        if again != own && !self.also.contains(&again) {
            self.also.push(again);
        }
        let more: Vec<&'static str> = group.agents.into_iter().filter(|id| !self.agents.contains(id)).collect();
        self.agents.extend(more);
        merge_fixes(&mut self.finding.fix, group.finding.fix);
        self.finding.severity = self.finding.severity.max(group.finding.severity);
    }
}

/// What makes findings the same: a place, or else what is said.
type Key<'a> = (&'a str, Option<&'a str>, Option<[u32; 4]>, &'a str);

/// Findings that are the same, in the order in which they first appear: in several agents, or of one cause.
pub fn groups(findings: &[Finding]) -> Vec<Group> {
    let mut out: Vec<Group> = Vec::new();
    let mut known: HashMap<Cause, Vec<usize>> = HashMap::new();
    for group in by_place(findings) {
        let cause = Cause::of(&group.finding);
        let like = cause.as_ref().and_then(|cause| known.get(cause)).map_or(&[][..], Vec::as_slice);
        // What has no place at all is told each time.
        let first = like.iter().copied().find(|index| {
            group.finding.path.is_some() || out.get(*index).is_some_and(|first| first.finding.path.is_some())
        });
        if let Some(first) = first.and_then(|index| out.get_mut(index)) {
            first.add(group);
        } else {
            if let Some(cause) = cause {
                known.entry(cause).or_default().push(out.len());
            }
            out.push(group);
        }
    }
    out
}

/// What several findings say of several places.
#[derive(PartialEq, Eq, Hash)]
enum Cause {
    /// As the rule names it.
    Named(&'static str, String),
    /// The sentences themselves. What is mended place by place stays apart.
    Said(&'static str, String, Option<String>, Option<String>),
}

impl Cause {
    fn of(finding: &Finding) -> Option<Cause> {
        match &finding.cause {
            Some(cause) => Some(Cause::Named(finding.code, cause.clone())),
            None if finding.fix.is_some() => None,
            None => {
                Some(Cause::Said(finding.code, finding.message.clone(), finding.note.clone(), finding.help.clone()))
            }
        }
    }
}

/// What mends both, where their places are apart.
fn merge_fixes(first: &mut Option<Mend>, more: Option<Mend>) {
    let (Some(first), Some(more)) = (first.as_mut(), more) else { return };
    let meets = |a: &FileEdit| {
        let next = first.edits.partition_point(|b| (&b.path, b.start) < (&a.path, a.end));
        let before = next.checked_sub(1).and_then(|index| first.edits.get(index));
        before.is_some_and(|b| b.path == a.path && a.start < b.end)
    };
    if more.edits.iter().any(meets) {
        return;
    }
    first.safe &= more.safe;
    for edit in more.edits {
        let at = first.edits.partition_point(|b| (&b.path, b.start) <= (&edit.path, edit.start));
        first.edits.insert(at, edit);
    }
    first.executable.extend(more.executable);
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
