//! HW603, HW613, HW622, HW624: keys of an answer that are ignored or have an unexpected effect.

use serde_json::{Map, Value};

use super::context::{RunContext, short};
use crate::decide::{FiringRuns, HookRun, Outcome};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::output::{AnswerForm, FieldUse, KeyUse, Vote};
use crate::run::CapturedStream;
use crate::text::stringify;

/// Keys that decide or change something. If one is ignored, that is a mistake.
const DECIDING_KEYS: [&str; 8] =
    ["decision", "permissionDecision", "behavior", "continue", "updatedInput", "tool_input", "retry", "action"];
/// Keys that change the input of a tool.
const REWRITING_KEYS: [&str; 3] = ["updatedInput", "tool_input", "modifiedArgs"];
/// Keys with a text for the user or the model.
const TEXT_KEYS: [&str; 4] = ["additionalContext", "systemMessage", "stopReason", "message"];

pub(super) fn check(at: &RunContext<'_>) -> Vec<Diagnostic> {
    // The dialect already reports an answer that the agent rejects as a whole.
    if !at.awaited() || at.run.output.form != AnswerForm::Json || at.run.output.failure.is_some() {
        return Vec::new();
    }
    let Some(answer) = &at.run.output.value else { return Vec::new() };
    if repeats_event(at, answer) {
        let says = format!("the hook prints the event back, and {} ignores that", at.agent());
        let help = "print nothing if the hook has no answer";
        return vec![Diagnostic::lowered(Code::HW622, Severity::Info, says).with_help(help)];
    }
    let mut found = Vec::new();
    for field in &at.run.output.fields {
        let Some(value) = answer.pointer(&field.pointer).filter(|v| !v.is_null()) else { continue };
        found.extend(match field.key_use {
            KeyUse::Used => check_replaced_input(at, field, value),
            KeyUse::Ignored => check_ignored_key(at, field, value),
            KeyUse::Invalid => Some(invalid_value(at, field, value)),
        });
    }
    if found.is_empty() {
        found.extend(check_unknown_keys(at));
    }
    found
}

/// Whether an answer is the payload of the event.
fn repeats_event(at: &RunContext<'_>, answer: &Value) -> bool {
    let same = |key: &str| answer.get(key).is_some_and(|value| at.run.input.body.get(key) == Some(value));
    ["session_id", "hook_event_name"].into_iter().all(same) && at.run.output.vote == Vote::None
}

/// Reports an answer whose only keys are unknown, so that nothing of it arrives.
fn check_unknown_keys(at: &RunContext<'_>) -> Option<Diagnostic> {
    const NAME: &str = "/hookSpecificOutput/hookEventName";
    let fields = || at.run.output.fields.iter().filter(|field| field.pointer != NAME);
    let is_used = |field: &&FieldUse| field.key_use == KeyUse::Used;
    let is_inner = |field: &&FieldUse| field.pointer.starts_with("/hookSpecificOutput/");
    let answer = at.run.output.value.as_ref()?;
    let says_more = |field: &&FieldUse| {
        answer.pointer(&field.pointer).is_some_and(|value| !asks_for_nothing(at, key(field), value))
    };
    let (inner, unknown) = if !fields().any(|field| is_used(&field)) && at.run.output.vote == Vote::None {
        let inner = fields().find(|field| is_inner(field) && says_more(field));
        let top = || fields().find(|field| field.pointer.rfind('/') == Some(0) && says_more(field));
        (inner, inner.or_else(top)?)
    } else {
        // A key that counts may do nothing alone, such as a reason without a decision.
        let says_more = |field: &&FieldUse| match answer.pointer(&field.pointer) {
            Some(Value::Bool(true)) => false,
            Some(Value::String(text)) if text.trim().is_empty() => !is_used(field),
            _ => says_more(field),
        };
        let unknown = fields().filter(|field| !is_used(field)).find(says_more).or_else(|| fields().find(says_more))?;
        if at.run.output.vote != Vote::None || has_effect(at) {
            return None;
        }
        (Some(unknown).filter(is_inner), unknown)
    };
    let event = at.event.name;
    let place = if inner.is_some() { " in hookSpecificOutput" } else { "" };
    let what = if is_used(&unknown) {
        format!("`{}`{place} alone does nothing in", key(unknown))
    } else {
        format!("`{}`{place} is not a key of", key(unknown))
    };
    let says = format!("{what} {} on {event}, so nothing of this answer arrives", at.agent());
    let counts: Vec<&str> = at.event.honoured_output.iter().map(|key| key.trim_start_matches('/')).collect();
    let decides = at.event.honoured_output.iter().map(|key| key.trim_start_matches('/').replace('/', "."));
    let decision = decides.into_iter().find(|key| key.ends_with("ecision"));
    let help = if let Some(decision) = decision.filter(|_| key(unknown).to_lowercase().ends_with("reason")) {
        format!("write `{decision}` beside it: a reason alone decides nothing")
    } else if at.event.honoured_output.contains(&"/hookSpecificOutput/additionalContext") {
        let shape = serde_json::json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": "…"}});
        format!("to tell the model a text, print {}", stringify(&shape))
    } else if counts.is_empty() {
        "this event ignores answers: delete it".to_owned()
    } else {
        format!("keys that count here: {}", counts.join(", ").replace('/', "."))
    };
    Some(Diagnostic::new(Code::HW622, says).with_help(help))
}

/// Whether a value only repeats the agent's default.
fn asks_for_nothing(at: &RunContext<'_>, key: &str, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(true) => matches!(key, "continue" | "suppressOutput"),
        Value::Number(number) => key == "continue" && number.as_u64() == Some(1),
        // Before a tool runs, an approval spares the user the question.
        Value::String(word) => {
            let is_asked = at.event.fields.iter().any(|field| field.name == "tool_input")
                && !at.event.fields.iter().any(|field| field.name == "tool_response");
            DECIDING_KEYS.contains(&key) && matches!(word.as_str(), "allow" | "approve") && !is_asked
        }
        _ => false,
    }
}

/// Whether the firing ends otherwise than with an empty answer.
fn has_effect(at: &RunContext<'_>) -> bool {
    let plan = at.dialect.plan(at.scene);
    let outcome = |run: &HookRun| {
        let runs = FiringRuns { finished: std::slice::from_ref(run), expired: false, aborted: None };
        let outcome = at.dialect.decide(&plan, runs, at.scene);
        Outcome { trace: Vec::new(), merged: None, ..outcome }
    };
    let mut report = at.run.report.clone();
    report.stdout = CapturedStream::whole("{}".to_owned());
    let output = at.dialect.interpret_run(at.definition, &report, at.scene);
    outcome(at.run) != outcome(&HookRun { report, output, ..at.run.clone() })
}

fn key(field: &FieldUse) -> &str {
    field.pointer.rsplit('/').next().unwrap_or_default()
}

fn check_ignored_key(at: &RunContext<'_>, field: &FieldUse, value: &Value) -> Option<Diagnostic> {
    let key = key(field);
    let decides = DECIDING_KEYS.contains(&key);
    // Ignoring a value that would change nothing does not matter: `continue: true`, or `allow` where nothing can
    // be blocked.
    let harmless = match value {
        Value::String(text) => text.trim().is_empty() || (decides && matches!(text.as_str(), "allow" | "approve")),
        Value::Bool(flag) => *flag,
        other => asks_for_nothing(at, key, other),
    };
    // A hook may answer in the forms of several agents. One of them was read. A refused call needs no other input.
    let heard = if REWRITING_KEYS.contains(&key) {
        let used = |one: &FieldUse| one.key_use == KeyUse::Used && REWRITING_KEYS.contains(&self::key(one));
        matches!(at.run.output.vote, Vote::Deny | Vote::Block) || at.run.output.fields.iter().any(used)
    } else {
        decides && at.run.output.vote != Vote::None
    };
    if harmless || heard || !(decides || TEXT_KEYS.contains(&key)) {
        return None;
    }
    let event = at.event.name;
    let inner = format!("/hookSpecificOutput/{key}");
    let outer = format!("/{key}");
    let (misplaced, place) = if field.pointer == outer && at.event.honoured_output.contains(&inner.as_str()) {
        (true, "move it into hookSpecificOutput, beside hookEventName".to_owned())
    } else if field.pointer == inner && at.event.honoured_output.contains(&outer.as_str()) {
        (true, "move it to the top of the answer".to_owned())
    } else {
        (false, String::new())
    };
    if misplaced {
        let top = field.pointer == outer;
        let says = if top {
            format!("`{key}` at the top of the answer does nothing on {event}")
        } else {
            format!("`{key}` inside hookSpecificOutput does nothing on {event}")
        };
        return Some(
            Diagnostic::new(Code::HW603, says).with_help(format!("{place}, so: {}", corrected_answer(at, top))),
        );
    }
    let why = if field.message.is_empty() { format!("not read on {event}") } else { field.message.clone() };
    let says = format!("`{key}` in the answer is ignored by {} on {event}: {why}", at.agent());
    let counts: Vec<&str> = at.event.honoured_output.iter().map(|key| key.trim_start_matches('/')).collect();
    let found = if decides {
        Diagnostic::new(Code::HW622, says)
    } else {
        Diagnostic::lowered(Code::HW622, Severity::Info, says)
    };
    Some(if counts.is_empty() {
        found.with_help("this event ignores answers: delete it")
    } else {
        found.with_help(format!("keys that count here: {}", counts.join(", ").replace('/', ".")))
    })
}

/// Returns the corrected answer: misplaced keys are moved to the right level, and required keys are added.
fn corrected_answer(at: &RunContext<'_>, inside: bool) -> String {
    const LONGEST: usize = 40;
    let brief = |value: &Value| match value.as_str() {
        Some(text) if text.chars().count() > LONGEST => Value::from("…"),
        _ => value.clone(),
    };
    let answer = at.run.output.value.clone().unwrap_or_default();
    let own = answer.get("hookSpecificOutput").and_then(Value::as_object).cloned().unwrap_or_default();
    let counts = |pointer: String| at.event.honoured_output.contains(&pointer.as_str());
    let mut kept: Map<String, Value> = Map::new();
    if inside {
        kept.insert("hookEventName".to_owned(), Value::from(at.event.name));
        kept.extend(own.iter().filter(|(key, _)| *key != "hookEventName").map(|(key, v)| (key.clone(), brief(v))));
        for (key, value) in answer.as_object().into_iter().flatten() {
            // The key for the reason has another name there.
            let decides = answer.get("permissionDecision").is_some() && key == "reason";
            let name = if decides { "permissionDecisionReason" } else { key.as_str() };
            if counts(format!("/hookSpecificOutput/{name}")) && !counts(format!("/{key}")) || decides {
                kept.insert(name.to_owned(), brief(value));
            }
        }
        return stringify(&serde_json::json!({ "hookSpecificOutput": kept }));
    }
    for (key, value) in own.iter().chain(answer.as_object().into_iter().flatten()) {
        if counts(format!("/{key}")) {
            kept.insert(key.clone(), brief(value));
        }
    }
    stringify(&Value::Object(kept))
}

fn invalid_value(at: &RunContext<'_>, field: &FieldUse, value: &Value) -> Diagnostic {
    let says =
        format!("`{}` is {}, and {} does not accept this value", key(field), short(&stringify(value)), at.agent());
    let help = match accepted_denial(at, field, value) {
        Some(word) => format!("write \"{word}\": without it the hook denies nothing"),
        None if DECIDING_KEYS.contains(&key(field)) => format!("write a value that {} accepts", at.agent()),
        None => format!("write a value that {} accepts, or delete the key", at.agent()),
    };
    let found = Diagnostic::new(Code::HW624, says).with_help(help);
    if field.message.is_empty() { found } else { found.with_note(field.message.clone()) }
}

/// Words that mean a denial in some agent.
const DENIALS: [&str; 8] = ["deny", "denied", "block", "blocked", "reject", "rejected", "refuse", "forbid"];

/// Returns the word with which the agent would read the answer as the denial that was meant.
fn accepted_denial(at: &RunContext<'_>, field: &FieldUse, value: &Value) -> Option<&'static str> {
    value.as_str().filter(|word| DENIALS.contains(&word.to_ascii_lowercase().as_str()))?;
    ["block", "deny"].into_iter().find(|word| {
        let mut answer = at.run.output.value.clone().unwrap_or_default();
        let Some(place) = answer.pointer_mut(&field.pointer) else { return false };
        *place = Value::from(*word);
        let mut report = at.run.report.clone();
        report.stdout = CapturedStream::whole(stringify(&answer));
        let output = at.dialect.interpret_run(at.definition, &report, at.scene);
        matches!(output.vote, Vote::Deny | Vote::Block)
    })
}

/// HW613: a new input that replaces the whole old input.
fn check_replaced_input(at: &RunContext<'_>, field: &FieldUse, value: &Value) -> Option<Diagnostic> {
    if !matches!(key(field), "updatedInput" | "tool_input") {
        return None;
    }
    let before = at.run.input.body.get("tool_input")?.as_object()?;
    let after = value.as_object()?;
    let lost: Vec<&str> = before.keys().filter(|key| !after.contains_key(*key)).map(String::as_str).collect();
    if lost.is_empty() {
        return None;
    }
    let says = format!(
        "`{}` replaces the whole tool input: {} {} lost",
        key(field),
        lost.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", "),
        if lost.len() == 1 { "is" } else { "are" }
    );
    Some(Diagnostic::new(Code::HW613, says).with_help("copy the old input, then change only the keys you need"))
}
