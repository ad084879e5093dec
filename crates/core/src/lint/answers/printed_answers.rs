//! HW602 to HW608, HW622, HW624 and HW628 without running anything: answers that a script prints literally are
//! read by the agent's own reader.

use std::ops::Range;

use hookbench_script::{DECISION_POINTERS, Run, ScriptStream, Walked, decision};
use serde_json::{Value, json};

use super::hook_text::HookText;
use super::plain_output::first_brace;
use super::simulation::{Simulation, simulate};
use crate::decide::Verdict;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::{self, RuleContext};
use crate::lint::script_context::{ScriptAuthor, file_owner};
use crate::lint::{CommandFacts, run_advice};
use crate::names::AgentId;
use crate::output::Vote;

/// The findings that are possible without a run.
const CODES: [Code; 9] = [
    Code::HW602,
    Code::HW603,
    Code::HW604,
    Code::HW605,
    Code::HW606,
    Code::HW607,
    Code::HW608,
    Code::HW622,
    Code::HW624,
];

pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    if at.definition.detached {
        return Vec::new();
    }
    let Some(text) = HookText::of(at) else { return Vec::new() };
    let Some(walked) = text.walk(at) else { return Vec::new() };
    let answers = printed_answers(at, &text, &walked);
    let owner = if answers.is_empty() { None } else { file_owner(at) };
    let mut found: Vec<Diagnostic> = Vec::new();
    for answer in &answers {
        let for_other = is_for_another_event(at, &answers, &answer.value);
        let names_other = event_name(&answer.value).is_some_and(|name| name != at.event.name);
        if names_other && !for_other && answers.iter().any(|one| event_name(&one.value) == Some(at.event.name)) {
            continue;
        }
        // A function that returns nothing on one of its ways may never take that way here.
        let others =
            || answers.iter().filter(|other| other.at == answer.at).map(|other| &other.value).collect::<Vec<_>>();
        if holds_null(&answer.value) && is_filled_elsewhere(&answer.value, &others()) {
            continue;
        }
        let Some(value) = completed_answer(at, &answer.value) else { continue };
        let exit = answer.run.status.unwrap_or(0);
        let stderr = if exit == 2 { "no" } else { "" };
        let Some(simulation) = simulate(at, &value.to_string(), stderr, exit) else { continue };
        let place = text.span_of(answer.at.clone());
        let mut said = answer_findings(at, &simulation);
        if let Some(owner) = owner.as_ref().filter(|owner| !said.is_empty() && counts_for(owner, at, answer)) {
            for one in &mut said {
                lower(one, owner, &value);
            }
        }
        let whole = !answer.run.is_open();
        // A refusal on stderr may be repeated as an answer, for agents that read stdout with status 2, too.
        let repeats = exit == 2 && !answer.run.printed_on(ScriptStream::Stderr).is_empty() && refuses(&value);
        let said =
            said.into_iter().filter(|one| (whole || one.code != Code::HW608) && (!repeats || one.code != Code::HW602));
        for mut one in said.chain(check_blanket_allow(at, &walked, answer, &simulation)) {
            if !found.iter().any(|known| known.code == one.code && known.message == one.message) {
                one.span = Some(place);
                if for_other && one.code == Code::HW604 {
                    // One name cannot be right for both events.
                    one.help =
                        Some("print the name of the event that is fired: read `hook_event_name` from stdin".to_owned());
                }
                found.push(one);
            }
        }
    }
    found
}

/// The agent's findings about the answer of a simulated run.
fn answer_findings(at: &RuleContext<'_>, simulation: &Simulation) -> Vec<Diagnostic> {
    let outside = CommandFacts::default();
    let ran = simulation.run_context(at, &outside);
    run_advice::check_answer(&ran).into_iter().filter(|one| CODES.contains(&one.code)).collect()
}

/// Whether the agent whose file configures the hook has nothing to say about the answer.
fn counts_for(owner: &ScriptAuthor, at: &RuleContext<'_>, answer: &PrintedAnswer<'_>) -> bool {
    let there = owner.context(at);
    let value = completed_answer(&there, &answer.value);
    let simulation = value.and_then(|value| simulate(&there, &value.to_string(), "", answer.run.status.unwrap_or(0)));
    simulation.is_some_and(|simulation| answer_findings(&there, &simulation).is_empty())
}

/// Lowers a finding about an answer that is right for the agent whose file configures the hook. A lost refusal weighs more
/// than a lost text.
fn lower(one: &mut Diagnostic, owner: &ScriptAuthor, value: &Value) {
    let severity = if refuses(value) { Severity::Warning } else { Severity::Info };
    one.severity = one.severity.min(severity);
    one.note.get_or_insert_with(|| format!("the answer is right for {}, whose file configures the hook", owner.name()));
}

/// A value that is not known before a run.
pub(super) const COMPUTED: &str = "…";

/// An answer that a script prints on one of its ways.
pub(super) struct PrintedAnswer<'a> {
    pub value: Value,
    /// The first character of the answer in the script, or the command that prints it.
    pub at: Range<usize>,
    pub run: &'a Run,
}

/// The answers of a script, without those that it prints for other agents alone.
pub(super) fn printed_answers<'a>(
    at: &RuleContext<'_>,
    text: &HookText<'_>,
    walked: &'a Walked,
) -> Vec<PrintedAnswer<'a>> {
    let answers = walked.runs.iter().filter_map(|run| {
        let printed = run.printed_on(ScriptStream::Stdout).into_iter().find(|one| one.is_of_script())?;
        let value = Value::Object(run.answer(COMPUTED)?);
        Some(PrintedAnswer { value, at: first_brace(text, printed), run })
    });
    answers.filter(|answer| !is_for_another_agent(at, &text.text, answer.run)).collect()
}

/// Whether the way leads through a condition that only another agent meets.
pub(super) fn is_for_another_agent(at: &RuleContext<'_>, text: &str, run: &Run) -> bool {
    let own = at.agent.dialect.id();
    run.branches.iter().any(|branch| {
        let condition = text.get(branch.at.clone()).unwrap_or_default().to_ascii_lowercase();
        // The name in a path is that of a directory.
        let in_path = |at: usize| condition.get(..at).is_some_and(|before| before.ends_with(['.', '/']));
        let names = |id: AgentId| condition.match_indices(id.as_str()).any(|(at, _)| !in_path(at));
        let others = dialects::released().any(|other| other.id() != own && names(other.id()));
        if branch.holds { others && !names(own) } else { names(own) && !others }
    })
}

/// Whether each null of an answer is a value in one of the others.
fn is_filled_elsewhere(value: &Value, others: &[&Value]) -> bool {
    match value {
        Value::Null => others.iter().any(|other| !other.is_null()),
        Value::Object(keys) => keys.iter().all(|(key, value)| {
            let others: Vec<&Value> = others.iter().filter_map(|other| other.get(key)).collect();
            is_filled_elsewhere(value, &others)
        }),
        _ => true,
    }
}

fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(keys) => keys.values().any(holds_null),
        _ => false,
    }
}

fn event_name(value: &Value) -> Option<&str> {
    value.pointer("/hookSpecificOutput/hookEventName").and_then(Value::as_str).filter(|name| *name != COMPUTED)
}

/// Whether a script prints the name of another event although the same command is configured for this one, too, and
/// nothing in it tells the two apart.
fn is_for_another_event(at: &RuleContext<'_>, answers: &[PrintedAnswer<'_>], value: &Value) -> bool {
    let Some(other) = event_name(value).filter(|name| *name != at.event.name) else { return false };
    let own = answers.iter().any(|answer| event_name(&answer.value) == Some(at.event.name));
    !own && at.agent.handlers.events_of(&at.definition.handler).contains(&other)
}

/// Whether an answer refuses, in the form of any agent.
pub(super) fn refuses(value: &Value) -> bool {
    decision(value).is_some_and(|word| word == "deny" || word == "block")
}

/// Returns the answer as it would be printed on this event. `None` if its decision is computed.
pub(super) fn completed_answer(at: &RuleContext<'_>, value: &Value) -> Option<Value> {
    let mut value = value.clone();
    if value.pointer("/hookSpecificOutput/hookEventName").is_some_and(|name| name == COMPUTED) {
        *value.pointer_mut("/hookSpecificOutput/hookEventName")? = Value::from(at.event.name);
    }
    if DECISION_POINTERS.iter().any(|key| value.pointer(key).is_some_and(|word| word == COMPUTED)) {
        return None;
    }
    if value.get("hookSpecificOutput").is_some_and(|own| own == COMPUTED) {
        return None;
    }
    if value.get("continue").is_some_and(|flag| flag == COMPUTED) {
        *value.get_mut("continue")? = Value::Bool(false);
    }
    for key in ["/hookSpecificOutput/updatedInput", "/updatedInput", "/hookSpecificOutput/tool_input"] {
        if value.pointer(key).is_some_and(|input| input == COMPUTED) {
            *value.pointer_mut(key)? = json!({"command": "true"});
        }
    }
    // Any other computed value may have any type. A key that no event has is one mistake whatever its value is.
    let unknown = unknown_keys(at, &value);
    let mut value = without_unknown(value);
    for (holder, key) in unknown {
        let object = value.pointer_mut(holder).and_then(Value::as_object_mut);
        object.map(|object| object.insert(key, Value::from(COMPUTED)));
    }
    Some(value)
}

/// The keys with a computed value that no event of the agent reads, each with the pointer to its object.
fn unknown_keys(at: &RuleContext<'_>, value: &Value) -> Vec<(&'static str, String)> {
    let events = at.agent.dialect.events(at.agent.version);
    let is_read = |key: &str| {
        let ends = |pointer: &&str| pointer.rsplit('/').next() == Some(key);
        TEXTS.contains(&key) || events.iter().any(|event| event.honoured_output.iter().any(ends))
    };
    let objects = ["", "/hookSpecificOutput"].into_iter().filter_map(|holder| {
        let entries = value.pointer(holder)?.as_object()?.iter().filter(|(_, value)| **value == COMPUTED);
        Some(entries.filter(|(key, _)| !is_read(key)).map(move |(key, _)| (holder, key.clone())).collect::<Vec<_>>())
    });
    objects.flatten().collect()
}

/// Keys whose value is a text.
const TEXTS: [&str; 7] = [
    "reason",
    "permissionDecisionReason",
    "stopReason",
    "systemMessage",
    "additionalContext",
    "message",
    "hookEventName",
];

/// Keeps computed texts and removes other computed values.
fn without_unknown(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .filter(|(key, value)| *value != COMPUTED || TEXTS.contains(&key.as_str()))
                .map(|(key, value)| (key, without_unknown(value)))
                .collect(),
        ),
        other => other,
    }
}

/// HW628: a hook that allows everything it does not refuse, so that the user is no longer asked.
fn check_blanket_allow(
    at: &RuleContext<'_>,
    walked: &Walked,
    answer: &PrintedAnswer<'_>,
    simulation: &Simulation,
) -> Option<Diagnostic> {
    let decided = ["/decision", "/permissionDecision", "/hookSpecificOutput/permissionDecision"];
    let word = decided.iter().find_map(|key| answer.value.pointer(key).and_then(Value::as_str))?;
    let before_tool = at.event.fields.iter().any(|field| field.name == "tool_input")
        && !at.event.fields.iter().any(|field| field.name == "tool_response");
    if !before_tool || simulation.run.output.vote != Vote::Allow || !answer.run.is_last_resort() {
        return None;
    }
    // An approval of certain tools is intended. An approval after a guard, or of all tools, is not.
    let all_tools = at.definition.matcher.as_ref().is_none_or(|m| matches!(m.as_str(), Some("" | "*" | ".*")));
    let other_answer = |run: &Run| run.answer(COMPUTED).is_some_and(|other| Value::Object(other) != answer.value);
    if !walked.runs.iter().any(|run| run.status == Some(2) || other_answer(run)) && !all_tools {
        return None;
    }
    if simulation.outcome(at).verdict != Verdict::Allow {
        return None;
    }
    let says = format!(
        "this hook answers `{word}` to everything it does not deny, so {} no longer asks the user",
        at.agent_name()
    );
    Some(Diagnostic::new(Code::HW628, says).with_help("print nothing and exit 0 if the hook has no objection"))
}
