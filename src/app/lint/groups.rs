//! The same finding in several agents, told once.

use std::collections::HashMap;

use super::Finding;

/// A finding, and the agents that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// As the first of them has it, as bad as it is in any.
    pub finding: Finding,
    /// Their ids, in their order.
    pub agents: Vec<&'static str>,
}

/// What makes findings the same: a place, or else what is said.
type Key<'a> = (&'a str, Option<&'a str>, Option<[u32; 4]>, &'a str);

/// Findings that are the same, in the order in which they first appear.
pub fn groups(findings: &[Finding]) -> Vec<Group> {
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
            groups.push(Group { finding: finding.clone(), agents: vec![finding.agent] });
        }
    }
    groups
}
