//! The answers that may give the caller the effect that the script's agent would have had.

use serde_json::{Map, Value, json};

use super::adapter::{AdaptedAnswer, HookAdapter, IntendedEffect, strictness};
use crate::decide::Verdict;
use crate::dialects::find_event;
use crate::hook::HookInput;
use crate::live::{Decision, LiveAnswer, RawJson, hook_response, wire_event};
use crate::run::{Exit, RunId, RunReport};
use crate::text::stringify;

/// The exit status that most agents read as a refusal.
const REFUSAL: i32 = 2;
/// The exit status that no agent reads as a refusal.
const FAILURE: i32 = 1;

/// One possible answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnswerOption {
    pub exit: i32,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl AnswerOption {
    pub fn report(&self) -> RunReport {
        RunReport::new(RunId(0), Exit::Code(self.exit), self.stdout.clone(), self.stderr.clone())
    }

    /// The same answer with the losses on stderr.
    pub fn with_losses(&self, losses: &[String]) -> AnswerOption {
        let mut told = self.clone();
        if !told.stderr.is_empty() && !told.stderr.ends_with(b"\n") {
            told.stderr.push(b'\n');
        }
        for loss in losses {
            told.stderr.extend(format!("hookbench adapt: {loss}\n").bytes());
        }
        told
    }

    pub fn into_answer(self, losses: Vec<String>) -> AdaptedAnswer {
        AdaptedAnswer { exit: self.exit, stdout: self.stdout, stderr: self.stderr, losses }
    }
}

/// The possible answers other than `unchanged`, which is what the script wrote. The most faithful comes first.
pub(super) fn answer_options(
    adapter: &HookAdapter,
    input: &HookInput,
    intended: &IntendedEffect,
    unchanged: &AnswerOption,
) -> Vec<AnswerOption> {
    let composer = AnswerComposer { adapter, input, intended };
    let json = |value: &Value| AnswerOption {
        exit: 0,
        // An empty object says as much as no output.
        stdout: if *value == json!({}) { Vec::new() } else { (stringify(value) + "\n").into_bytes() },
        stderr: unchanged.stderr.clone(),
    };
    let outcome = &intended.outcome;
    let mut options = Vec::new();
    if outcome.verdict == Verdict::FailedOpen {
        let why = intended.failure.as_deref().unwrap_or("the script failed");
        let says = format!("{}: {why}\n", adapter.script.dialect.name()).into_bytes();
        for stderr in [unchanged.stderr.clone(), says, Vec::new()] {
            options.push(AnswerOption { exit: FAILURE, stdout: Vec::new(), stderr });
        }
    }
    let whole = composer.compose(composer.decision());
    options.push(json(&whole));
    options.push(AnswerOption { stderr: Vec::new(), ..json(&whole) });
    options.push(json(&without_permission(whole)));
    // A text on stdout is context in some agents that know no JSON for it.
    if let Some(text) = &outcome.additional_context {
        options.push(AnswerOption { exit: 0, stdout: text.clone().into_bytes(), stderr: Vec::new() });
    }
    if let Some(reason) = composer.refusal() {
        options.push(json(&composer.compose_without_input(Decision::Deny { reason: Some(reason.clone()) })));
        options.push(AnswerOption { exit: REFUSAL, stdout: Vec::new(), stderr: reason.into_bytes() });
    }
    // The reason of a hook that blocks nothing is a text for the model, if nothing else delivers it.
    if let Some(reason) = outcome.reason.clone().filter(|_| !outcome.blocked) {
        options.push(json(&composer.compose_without_input(Decision::Replace { content: reason })));
    }
    options
}

/// A changed input carries an allow in some agents, which may be more than the script said.
fn without_permission(mut answer: Value) -> Value {
    if let Some(own) = answer.get_mut("hookSpecificOutput").and_then(Value::as_object_mut) {
        own.shift_remove("permissionDecision");
        own.shift_remove("permissionDecisionReason");
    }
    answer
}

struct AnswerComposer<'a> {
    adapter: &'a HookAdapter,
    input: &'a HookInput,
    intended: &'a IntendedEffect,
}

impl AnswerComposer<'_> {
    /// The decision of the outcome.
    fn decision(&self) -> Decision {
        let outcome = &self.intended.outcome;
        let reason = outcome.reason.clone();
        match outcome.verdict {
            Verdict::Deny | Verdict::FailedClosed => Decision::Deny { reason },
            _ if outcome.blocked => Decision::Deny { reason },
            Verdict::Ask => Decision::Ask { reason },
            Verdict::Allow => Decision::Allow { reason },
            _ => Decision::Observe,
        }
    }

    /// The reason of a refusal: of one that the script asked for, or of one that stands for what the caller cannot
    /// do. `None` if the outcome needs no refusal.
    fn refusal(&self) -> Option<String> {
        let outcome = &self.intended.outcome;
        let name = self.adapter.caller.dialect.name();
        let reason = outcome.reason.clone().unwrap_or_default();
        let reason = if reason.is_empty() { "refused by a hook".to_owned() } else { reason };
        if let Some(why) = &self.intended.untranslated_input {
            return Some(format!("a hook changed the input of this tool, and {name} cannot use it: {why}"));
        }
        if let Some(changed) = &outcome.updated_input {
            let changed = stringify(changed);
            return Some(format!("a hook changed the input of this tool, which {name} cannot do; use {changed}"));
        }
        match strictness(outcome) {
            3 => Some(outcome.stop_reason.clone().filter(|_| !outcome.continues).unwrap_or(reason)),
            2 => Some(format!("{reason}\n{name} cannot ask its user here, so this is refused.")),
            _ => None,
        }
    }

    /// One JSON answer with a decision and all other parts of the outcome.
    fn compose(&self, decision: Decision) -> Value {
        let input = self.intended.outcome.updated_input.as_ref();
        let mut whole = match input.and_then(|input| RawJson::parse(&stringify(input))) {
            Some(updated_input) => self.answer(Decision::Modify { updated_input, reason: None }),
            None => json!({}),
        };
        merge(&mut whole, self.compose_without_input(decision));
        whole
    }

    fn compose_without_input(&self, decision: Decision) -> Value {
        let outcome = &self.intended.outcome;
        let mut parts: Vec<Value> = Vec::new();
        if let Some(content) = outcome.additional_context.clone() {
            parts.push(self.answer(Decision::Replace { content }));
        }
        if !outcome.continues {
            parts.push(self.answer(Decision::Halt { reason: outcome.stop_reason.clone() }));
        }
        parts.push(self.answer(decision));
        if outcome.suppress_output {
            parts.push(json!({"suppressOutput": true}));
        }
        if let Some(text) = &outcome.system_message {
            parts.push(json!({"systemMessage": text}));
        }
        let caller = &self.adapter.caller;
        let spec = find_event(caller.dialect, &caller.version, &self.input.event);
        for (pointer, value) in &self.intended.other_keys {
            if spec.is_some_and(|spec| spec.honoured_output.contains(&pointer.as_str())) {
                parts.push(at_pointer(pointer, value.clone()));
            }
        }
        let mut whole = json!({});
        for part in parts {
            merge(&mut whole, part);
        }
        let own = whole.get_mut("hookSpecificOutput").and_then(Value::as_object_mut);
        if let Some(own) = own {
            own.entry("hookEventName").or_insert_with(|| Value::from(self.input.event.as_str()));
        }
        whole
    }

    fn answer(&self, decision: Decision) -> Value {
        let format = self.adapter.caller.dialect.live_format();
        let response = hook_response(format, &wire_event(Some(format), &self.input.event), &LiveAnswer::new(decision));
        serde_json::from_str(&response.stdout).unwrap_or(Value::Null)
    }
}

/// An object with one value at a JSON pointer.
fn at_pointer(pointer: &str, value: Value) -> Value {
    pointer
        .rsplit('/')
        .filter(|key| !key.is_empty())
        .fold(value, |inner, key| Value::Object(Map::from_iter([(key.replace("~1", "/").replace("~0", "~"), inner)])))
}

/// Adds the keys of `part` to `whole`; of two values that are no objects, the later one stays.
fn merge(whole: &mut Value, part: Value) {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            for (key, value) in part {
                match whole.get_mut(&key) {
                    Some(known) if known.is_object() && value.is_object() && key != "updatedInput" => {
                        merge(known, value);
                    }
                    _ => drop(whole.insert(key, value)),
                }
            }
        }
        (whole, part) => *whole = part,
    }
}
