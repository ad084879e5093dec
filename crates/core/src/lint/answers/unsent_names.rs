//! HW627: a script that compares the tool name or the event name with one that its agent never sends.

use super::hook_text::HookText;
use crate::catalogue::{AgentTools, MatchExactness, catalogue};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::{ALL, RuleContext, default_version};
use crate::port::mapping;
use crate::script_keys::{ComparedText, Comparisons, comparisons};

/// A name that is never sent, and the name that is sent instead.
struct UnsentName<'a> {
    compared: &'a ComparedText,
    /// `None` if the agent has no equivalent.
    right: Option<String>,
    owner: Option<&'static str>,
}

pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some(text) = HookText::of(at) else { return Vec::new() };
    let mut found = Vec::new();
    if at.event.fields.iter().any(|field| field.name == "tool_name")
        && let Some(tools) = catalogue().agent(at.agent.dialect.id().as_str())
    {
        let seen = comparisons(&text.text, "tool_name");
        found.extend(check_tool_names(at, &text, tools, &seen));
    }
    found.extend(check_event_names(at, &text, &comparisons(&text.text, "hook_event_name")));
    found
}

fn check_tool_names(
    at: &RuleContext<'_>,
    text: &HookText<'_>,
    tools: &AgentTools,
    seen: &Comparisons,
) -> Option<Diagnostic> {
    let sends =
        |one: &ComparedText| one.name.starts_with("mcp") || tools.tools.iter().any(|tool| seen.matches(one, tool.id));
    if seen.unclear {
        return None;
    }
    let live = seen.names.iter().any(sends);
    let strange = |one: &ComparedText| catalogue().resolve(&one.name, tools).exactness == MatchExactness::Unknown;
    let mut dead: Vec<UnsentName<'_>> = Vec::new();
    for compared in seen.names.iter().filter(|one| !sends(one) && !strange(one)) {
        let resolved = catalogue().resolve(&compared.name, tools);
        let former = tools.others.iter().any(|other| other.name == compared.name);
        let right = resolved.id.filter(|id| *id != compared.name);
        let owner = catalogue().owner(&compared.name, tools.id).map(|agent| agent.name);
        match &right {
            // A script that also contains the right name supports several agents.
            Some(right) if mentions(&text.text, right) || (former && live) || !may_match(at, right) => {}
            Some(_) => dead.push(UnsentName { compared, right, owner }),
            None if live || former => {}
            None => dead.push(UnsentName { compared, right, owner }),
        }
    }
    // Names without an equivalent are not reported while the script compares with another name that may be sent.
    if dead.iter().all(|one| one.right.is_none()) && (live || seen.names.iter().any(strange)) {
        return None;
    }
    let severity = if live || seen.names.iter().any(strange) { Severity::Warning } else { Severity::Error };
    unsent_name_finding(at, text, "tool_name", &dead, severity)
}

fn check_event_names(at: &RuleContext<'_>, text: &HookText<'_>, seen: &Comparisons) -> Option<Diagnostic> {
    let events = at.agent.dialect.events(at.agent.version);
    let is = |one: &ComparedText| events.iter().any(|event| seen.matches(one, event.name));
    if seen.unclear || seen.names.iter().any(is) {
        return None;
    }
    let newer = |one: &&ComparedText| {
        at.agent.dialect.events(&default_version(at.agent.dialect)).iter().any(|event| seen.matches(one, event.name))
    };
    let mut dead = Vec::new();
    for compared in seen.names.iter().filter(|one| !newer(one)) {
        let has = |other: &&&'static crate::dialects::Agent| {
            other.events(&default_version(other)).iter().any(|event| event.name == compared.name)
        };
        let Some(owner) = ALL.iter().find(has) else { continue };
        let row = mapping().row_of(owner.id().as_str(), &compared.name);
        let right = row.and_then(|row| row.events.get(at.agent.dialect.id().as_str())).map(str::to_owned);
        if right.as_ref().is_some_and(|right| mentions(&text.text, right)) {
            continue;
        }
        dead.push(UnsentName { compared, right, owner: Some(owner.name()) });
    }
    unsent_name_finding(at, text, "hook_event_name", &dead, Severity::Error)
}

fn unsent_name_finding(
    at: &RuleContext<'_>,
    text: &HookText<'_>,
    key: &str,
    dead: &[UnsentName<'_>],
    severity: Severity,
) -> Option<Diagnostic> {
    let first = dead.iter().find(|one| one.right.is_some()).or_else(|| dead.first())?;
    let agent = at.agent_name();
    let mut names: Vec<&str> = Vec::new();
    for one in dead.iter().filter(|one| one.right.is_some() == first.right.is_some()) {
        if !names.contains(&one.compared.name.as_str()) {
            names.push(&one.compared.name);
        }
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let says = format!("this script compares `{key}` with {}, which {agent} never sends", quoted.join(", "));
    let help = match (&first.right, first.owner) {
        (Some(_), _) => {
            let mut pairs: Vec<String> = Vec::new();
            for one in dead {
                let Some(right) = &one.right else { continue };
                let pair = format!("\"{right}\" for \"{}\"", one.compared.name);
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
            format!("{agent} sends {}: compare with this name, or with both", pairs.join(", "))
        }
        (None, Some(owner)) => format!("it is a name from {owner}; use a name that {agent} sends, or remove this hook"),
        (None, None) => format!("use a name that {agent} sends, or remove this hook"),
    };
    let place = text.span_of(first.compared.at.clone());
    let found = match severity {
        Severity::Error => Diagnostic::new(Code::HW627, says),
        _ => Diagnostic::lowered(Code::HW627, Severity::Warning, says),
    };
    let found = found.at(place).with_help(help);
    Some(if text.is_script() {
        found.with_note(format!(
            "the hook is configured in {}:{}",
            at.definition.provenance.file, at.definition.provenance.line
        ))
    } else {
        found
    })
}

/// Whether a text contains a name as a word.
fn mentions(text: &str, name: &str) -> bool {
    let word = |c: char| c == '_' || c.is_alphanumeric();
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).is_some_and(|before| before.ends_with(word));
        let after = text.get(at + name.len()..).is_some_and(|after| after.starts_with(word));
        !before && !after
    })
}

/// Whether the hook's matcher may match a tool.
fn may_match(at: &RuleContext<'_>, tool: &str) -> bool {
    let whole = at.agent;
    let body: serde_json::Map<String, serde_json::Value> =
        whole.dialect.tool_body(tool, serde_json::json!({})).into_iter().collect();
    let subject = whole.dialect.subject(at.event, &serde_json::Value::Object(body), whole.version);
    whole.dialect.matches(at.event, at.definition.matcher.as_ref(), &subject, whole.version) != Some(false)
}
