//! HW114: a duplicate key, of which only the last one counts.

use super::settings_tree::{SettingsTree, groups, handlers};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::AgentContext;
use crate::text::{Member, Node};

/// Checks `hooks`, events, and the keys of groups and handlers. Parsers do not report duplicates; the first value
/// is silently lost.
pub(super) fn check(at: &AgentContext<'_>, trees: &[SettingsTree]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for settings in trees {
        let root = settings.root.members().unwrap_or(&[]);
        let hooks: Vec<&Member> = root.iter().filter(|member| member.key == "hooks").collect();
        report_duplicates(at, &hooks, &mut found);
        report_duplicates(at, &settings.events().iter().collect::<Vec<_>>(), &mut found);
        for group in settings.events().iter().flat_map(|event| groups(&event.value)) {
            check_object(at, group, &mut found);
            handlers(group).for_each(|handler| check_object(at, handler, &mut found));
        }
    }
    found
}

fn check_object(at: &AgentContext<'_>, node: &Node, found: &mut Vec<Diagnostic>) {
    report_duplicates(at, &node.members().unwrap_or(&[]).iter().collect::<Vec<_>>(), found);
}

fn report_duplicates(at: &AgentContext<'_>, members: &[&Member], found: &mut Vec<Diagnostic>) {
    for (index, member) in members.iter().enumerate() {
        let Some(last) = members.iter().rposition(|other| other.key == member.key).filter(|last| *last > index) else {
            continue;
        };
        let line = members.get(last).map_or(0, |last| at.sources.start(last.key_span).line);
        let says = format!(
            "\"{}\" is defined twice, and only the last one counts (line {line}): this one is ignored",
            member.key
        );
        found.push(Diagnostic::new(Code::HW114, says).at(member.key_span).with_help("merge the two"));
    }
}
