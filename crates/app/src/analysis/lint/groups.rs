//! Groups findings that several agents share, or that one cause produces in several places, so that each is
//! reported once.

use std::collections::{HashMap, HashSet};

use super::finding::EVERY_AGENT;
use super::{FileEdit, FileFix, Finding};
use hookbench_core::diagnostic::Code;
use hookbench_core::names::AgentId;

/// A finding, and the agents that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingGroup {
    /// The finding of the first agent, with the highest severity among all agents.
    pub finding: Finding,
    /// The agents in their usual order; empty for a finding about hookbench's own files.
    pub agents: Vec<AgentId>,
    /// The other places at which the same cause appears.
    pub other_places: Vec<OtherPlace>,
}

/// One more place of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OtherPlace {
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// The path as displayed.
    pub file: Option<String>,
}

impl OtherPlace {
    fn of(finding: &Finding) -> OtherPlace {
        let start = finding.place.map(|(start, _)| start);
        OtherPlace {
            file: finding.file.clone(),
            line: start.map(|start| start.line),
            column: start.map(|start| start.column),
        }
    }
}

/// The number of places that are listed; the rest is only counted.
const NAMED: usize = 3;

impl FindingGroup {
    /// The other places as short text: `.agent/settings.json:12, :20 and 5 more`, with the column of a place on the same
    /// line as the one before it. `None` if there are none.
    pub fn other_places_text(&self) -> Option<String> {
        let own = OtherPlace::of(&self.finding);
        let mut before = &own;
        let mut named: Vec<String> = Vec::new();
        for again in self.other_places.iter().take(NAMED) {
            let line = again.line.map(|line| format!(":{line}")).unwrap_or_default();
            let same_line = (&again.file, again.line) == (&before.file, before.line);
            let column = again.column.filter(|_| same_line).map(|column| format!(":{column}")).unwrap_or_default();
            let shown = if again.file == before.file { "" } else { again.file.as_deref().unwrap_or_default() };
            let shown = if line.is_empty() { again.file.as_deref().unwrap_or_default() } else { shown };
            named.push(format!("{shown}{line}{column}"));
            before = again;
        }
        let more = self.other_places.len().saturating_sub(named.len());
        let text = named.join(", ");
        match (named.is_empty(), more) {
            (true, _) => None,
            (false, 0) => Some(text),
            (false, more) => Some(format!("{text} and {more} more")),
        }
    }

    /// The agents' ids in documents; `all` for a finding about hookbench's own files.
    pub fn agent_words(&self) -> Vec<&'static str> {
        if self.agents.is_empty() {
            vec![EVERY_AGENT]
        } else {
            self.agents.iter().map(|agent| agent.as_str()).collect()
        }
    }

    /// Whether a finding of this agent is in the group.
    fn is_of(&self, agent: Option<AgentId>) -> bool {
        agent.map_or(self.agents.is_empty(), |agent| self.agents.contains(&agent))
    }

    /// Merges a group with the same cause at another place.
    fn merge(&mut self, group: FindingGroup, known_places: &mut HashSet<OtherPlace>) {
        let again = OtherPlace::of(&group.finding);
        if again != OtherPlace::of(&self.finding) && known_places.insert(again.clone()) {
            self.other_places.push(again);
        }
        let more: Vec<AgentId> = group.agents.into_iter().filter(|id| !self.agents.contains(id)).collect();
        self.agents.extend(more);
        merge_fixes(&mut self.finding.fix, group.finding.fix);
        self.finding.severity = self.finding.severity.max(group.finding.severity);
    }
}

/// The identity of a finding: its place, or its message if it has no place.
type PlaceKey<'a> = (Code, Option<&'a str>, Option<[u32; 4]>, &'a str);

/// Groups findings by place and cause, in the order in which they first appear.
pub fn group_findings(findings: &[Finding]) -> Vec<FindingGroup> {
    let mut out: Vec<FindingGroup> = Vec::new();
    let mut known: HashMap<FindingCause, Vec<usize>> = HashMap::new();
    let mut known_places: HashMap<usize, HashSet<OtherPlace>> = HashMap::new();
    for group in group_by_place(findings) {
        let cause = FindingCause::of(&group.finding);
        let like = cause.as_ref().and_then(|cause| known.get(cause)).map_or(&[][..], Vec::as_slice);
        // Two findings without a file are never merged.
        let first = like.iter().copied().find(|index| {
            group.finding.path.is_some() || out.get(*index).is_some_and(|first| first.finding.path.is_some())
        });
        if let Some((index, first)) = first.and_then(|index| Some((index, out.get_mut(index)?))) {
            first.merge(group, known_places.entry(index).or_default());
        } else {
            if let Some(cause) = cause {
                known.entry(cause).or_default().push(out.len());
            }
            out.push(group);
        }
    }
    out
}

/// The cause that several findings have in common.
#[derive(PartialEq, Eq, Hash)]
enum FindingCause {
    /// A cause that the rule names.
    Named(Code, String),
    /// The texts of the finding. A finding that has its own fix for each place is never grouped by its texts.
    Texts(Code, String, Option<String>, Option<String>),
}

impl FindingCause {
    fn of(finding: &Finding) -> Option<FindingCause> {
        match &finding.cause {
            Some(cause) => Some(FindingCause::Named(finding.code, cause.clone())),
            None if finding.fix.is_some() => None,
            None => Some(FindingCause::Texts(
                finding.code,
                finding.message.clone(),
                finding.note.clone(),
                finding.help.clone(),
            )),
        }
    }
}

/// Combines two fixes unless their edits overlap.
fn merge_fixes(first: &mut Option<FileFix>, more: Option<FileFix>) {
    let (Some(first), Some(more)) = (first.as_mut(), more) else { return };
    let meets = |a: &FileEdit| {
        let next = first.edits.partition_point(|b| (&b.path, b.edit.start) < (&a.path, a.edit.end));
        let before = next.checked_sub(1).and_then(|index| first.edits.get(index));
        before.is_some_and(|b| b.path == a.path && a.edit.start < b.edit.end)
    };
    if more.edits.iter().any(meets) {
        return;
    }
    first.safe &= more.safe;
    for edit in more.edits {
        let at = first.edits.partition_point(|b| (&b.path, b.edit.start) <= (&edit.path, edit.edit.start));
        first.edits.insert(at, edit);
    }
    first.executable.extend(more.executable);
}

/// Groups findings by place only.
pub fn group_by_place(findings: &[Finding]) -> Vec<FindingGroup> {
    let mut groups: Vec<FindingGroup> = Vec::new();
    let mut known: HashMap<PlaceKey<'_>, usize> = HashMap::new();
    for finding in findings {
        let says = if finding.place.is_some() { "" } else { finding.message.as_str() };
        let key = (
            finding.code,
            finding.path.as_deref(),
            finding.place.map(|(a, b)| [a.line, a.column, b.line, b.column]),
            says,
        );
        // Two findings of one agent at the same place stay separate.
        let first = known.get(&key).copied();
        let group = first.and_then(|index| groups.get_mut(index)).filter(|g| !g.is_of(finding.agent));
        if let Some(group) = group {
            group.agents.extend(finding.agent);
            group.finding.severity = group.finding.severity.max(finding.severity);
            if group.finding.fix.is_none() {
                group.finding.fix.clone_from(&finding.fix);
            }
        } else {
            known.entry(key).or_insert(groups.len());
            groups.push(FindingGroup {
                finding: finding.clone(),
                agents: finding.agent.into_iter().collect(),
                other_places: Vec::new(),
            });
        }
    }
    groups
}
