//! HW104: events next to `hooks` instead of inside it.

use super::settings_tree::SettingsTree;
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::dialects::AgentContext;
use crate::text::edit::TextEdit;
use crate::text::{Member, Span, quote_literal};

/// Checks for an event at the root of a file, and for a root key that is a misspelling of `hooks`.
pub(super) fn check(at: &AgentContext<'_>, trees: &[SettingsTree]) -> Vec<Diagnostic> {
    let known = at.dialect.events(at.version);
    let agent = at.dialect.name();
    let mut found = Vec::new();
    for settings in trees {
        let root = settings.root.members().unwrap_or(&[]);
        let has = root.iter().any(|member| member.key == "hooks");
        // Some files have their events at the root.
        if root.iter().any(|member| is_read(at, member)) {
            continue;
        }
        let event =
            |member: &Member| known.iter().any(|spec| spec.name == member.key) && member.value.items().is_some();
        let events: Vec<&Member> = root.iter().filter(|member| event(member)).collect();
        for member in &events {
            let says = format!("`{}` is outside `hooks`, so {agent} ignores it", member.key);
            let mut wrong = Diagnostic::new(Code::HW104, says).at(member.key_span);
            wrong.fix = if has { None } else { wrap_in_hooks(root, &events) };
            found.push(wrong.with_help("move the events into \"hooks\": { … }"));
        }
        for member in root.iter().filter(|member| member.key != "hooks" && !member.key.starts_with(['_', '/', '$'])) {
            let inner = member.value.members().unwrap_or(&[]);
            let nested = inner.iter().find(|one| {
                let events = one.value.members().unwrap_or(&[]);
                one.key == "hooks" && events.iter().any(|own| event(own) && holds_hooks(own))
            });
            let nested = nested.or_else(|| inner.iter().find(|one| event(one) && holds_hooks(one)));
            if let Some(nested) = nested {
                let says = format!("`{}` is inside `{}`, so {agent} ignores it", nested.key, member.key);
                found.push(Diagnostic::new(Code::HW104, says).at(nested.key_span).with_help(
                    if nested.key == "hooks" {
                        "move it to the top of the file"
                    } else {
                        "move it into \"hooks\": { … } at the top of the file"
                    },
                ));
            }
        }
        let nearly = |key: &str| key != "hooks" && matches!(key.to_ascii_lowercase().as_str(), "hook" | "hooks");
        for member in root.iter().filter(|member| nearly(&member.key) && member.value.members().is_some()) {
            let says = format!("`{}` is not `hooks`, so {agent} ignores it", member.key);
            let wrong = Diagnostic::new(Code::HW104, says).at(member.key_span).with_help("rename it to \"hooks\"");
            found.push(if has {
                wrong
            } else {
                wrong.with_fix(Fix::proposal(member.key_span, quote_literal("hooks")))
            });
        }
    }
    found
}

/// Whether the agent reads hooks in a member of the root.
fn is_read(at: &AgentContext<'_>, member: &Member) -> bool {
    let value = member.value.span;
    let inside = |span: Span| span.source == value.source && (value.start..value.end).contains(&span.start);
    member.key != "hooks" && at.loaded.definitions.iter().any(|definition| inside(definition.provenance.span))
}

/// Whether the value of an event is a list of groups with hooks.
fn holds_hooks(event: &Member) -> bool {
    event.value.items().is_some_and(|groups| groups.iter().any(|group| group.get("hooks").is_some()))
}

/// Wraps the events in a `hooks` object, if they are consecutive.
fn wrap_in_hooks(root: &[Member], events: &[&Member]) -> Option<Fix> {
    let (first, last) = (events.first()?, events.last()?);
    let at = |member: &Member| root.iter().position(|other| other.key_span == member.key_span);
    if at(last)?.checked_sub(at(first)?)? + 1 != events.len() {
        return None;
    }
    let edits = TextEdit::wrap(first.key_span.start, last.value.span.end, "\"hooks\": { ", " }");
    Some(Fix::new(false, first.key_span.source, edits))
}
