//! HW627: a script that compares the tool name or the event name with one that its agent never sends.

use hookbench_script::{Compared, Walked, place_in};

use super::hook_text::HookText;
use crate::catalogue::{AgentTools, MatchExactness, catalogue};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::{ALL, RuleContext, default_version};
use crate::port::mapping;

/// A name that is never sent, and the name that is sent instead.
struct UnsentName<'a> {
    compared: KnownName<'a>,
    /// `None` if the agent has no equivalent.
    right: Option<String>,
    owner: Option<&'static str>,
}

/// A text with which a value is compared.
#[derive(Clone, Copy)]
struct KnownName<'a> {
    name: &'a str,
    of: &'a Compared,
}

/// Finds the names with which a script compares a key. `None` if it also compares the key with an unknown text.
fn names_of<'a>(walked: &'a Walked, key: &str) -> Option<Vec<KnownName<'a>>> {
    let compared = walked.compared.iter().filter(|one| matches!(one.path.as_slice(), [only] if only == key));
    let names = compared.map(|of| Some(KnownName { name: of.text.as_deref()?, of }));
    names.collect::<Option<Vec<_>>>().filter(|_| walked.complete)
}

pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some(text) = HookText::of(at) else { return Vec::new() };
    let Some(walked) = text.walk(at) else { return Vec::new() };
    let mut found = Vec::new();
    if at.event.fields.iter().any(|field| field.name == "tool_name")
        && let Some(tools) = catalogue().agent(at.agent.dialect.id().as_str())
        && let Some(names) = names_of(&walked, "tool_name")
    {
        found.extend(check_tool_names(at, &text, tools, &names));
    }
    let names = names_of(&walked, "hook_event_name");
    found.extend(names.and_then(|names| check_event_names(at, &text, &names)));
    found
}

fn check_tool_names(
    at: &RuleContext<'_>,
    text: &HookText<'_>,
    tools: &AgentTools,
    names: &[KnownName<'_>],
) -> Option<Diagnostic> {
    let sends =
        |one: &KnownName<'_>| one.name.starts_with("mcp") || tools.tools.iter().any(|tool| one.of.matches(tool.id));
    let live = names.iter().any(sends);
    let strange = |one: &KnownName<'_>| catalogue().resolve(one.name, tools).exactness == MatchExactness::Unknown;
    let mut dead: Vec<UnsentName<'_>> = Vec::new();
    let included = at.model().map(|model| model.included.as_slice()).unwrap_or_default();
    let is_mentioned =
        |name: &str| mentions(&text.text, name) || included.iter().any(|(_, file)| mentions(&file.text, name));
    // A library may serve other agents, too, unless it compares with no name that this one sends.
    let is_own = |one: &KnownName<'_>| !live && !names.iter().any(strange) || !at.is_of_library(one.name);
    for compared in names.iter().copied().filter(|one| !sends(one) && !strange(one) && is_own(one)) {
        let resolved = catalogue().resolve(compared.name, tools);
        let former = tools.others.iter().any(|other| other.name == compared.name);
        let right = resolved.id.filter(|id| *id != compared.name);
        let owner = catalogue().owner(compared.name, tools.id).map(|agent| agent.name);
        match &right {
            // A script that also contains the right name supports several agents.
            Some(right) if is_mentioned(right) || (former && live) || !may_match(at, right) => {}
            Some(_) => dead.push(UnsentName { compared, right, owner }),
            None if live || former => {}
            None => dead.push(UnsentName { compared, right, owner }),
        }
    }
    // Names without an equivalent are not reported while the script compares with another name that may be sent.
    if dead.iter().all(|one| one.right.is_none()) && (live || names.iter().any(strange)) {
        return None;
    }
    let severity = if live || names.iter().any(strange) { Severity::Warning } else { Severity::Error };
    unsent_name_finding(at, text, "tool_name", &dead, severity)
}

fn check_event_names(at: &RuleContext<'_>, text: &HookText<'_>, names: &[KnownName<'_>]) -> Option<Diagnostic> {
    let events = at.agent.dialect.events(at.agent.version);
    let is = |one: &KnownName<'_>| events.iter().any(|event| one.of.matches(event.name));
    if names.iter().any(is) {
        return None;
    }
    let newer = |one: &KnownName<'_>| {
        at.agent.dialect.events(&default_version(at.agent.dialect)).iter().any(|event| one.of.matches(event.name))
    };
    let mut dead = Vec::new();
    for compared in names.iter().copied().filter(|one| !newer(one) && !at.is_of_library(one.name)) {
        let has = |other: &&&'static crate::dialects::Agent| {
            other.events(&default_version(other)).iter().any(|event| event.name == compared.name)
        };
        let Some(owner) = ALL.iter().find(has) else { continue };
        let row = mapping().row_of(owner.id().as_str(), compared.name);
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
        if !names.contains(&one.compared.name) {
            names.push(one.compared.name);
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
    let place = text.span_of(place_in(&text.text, first.compared.name, &first.compared.of.at));
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
