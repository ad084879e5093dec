//! The answer of a hook: its exit status, and the JSON object on stdout.

use serde_json::Value;

use crate::shared::missing_keys::list_fields;
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::output::{AnswerForm, FieldUse, KeyUse};
use hookbench_base::run::{Exit, RunReport};

/// The decision of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookDecision {
    Allow,
    Deny,
    /// The response is replaced.
    Modify,
}

/// The interpreted answer of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookAnswer {
    pub form: AnswerForm,
    pub value: Option<Value>,
    /// The reason why the answer cannot be used.
    pub failure: Option<String>,
    /// Whether the hook is critical, so that its failure denies.
    pub critical: bool,
    pub decision: Option<HookDecision>,
    /// Whether the exit status is 2.
    pub blocks_by_status: bool,
    pub reason: Option<String>,
    pub context: Option<String>,
    pub message: Option<String>,
    pub updated_input: Option<Value>,
    pub updated_response: Option<String>,
    /// Whether `continue` is false.
    pub stops: bool,
    pub stop_reason: Option<String>,
    pub suppresses: bool,
    pub fields: Vec<FieldUse>,
}

impl HookAnswer {
    fn of(form: AnswerForm, critical: bool) -> HookAnswer {
        HookAnswer { form, critical, ..HookAnswer::default() }
    }

    /// Whether a critical hook failed.
    pub fn fails_closed(&self) -> bool {
        self.critical && self.failure.is_some()
    }

    /// Whether no hook runs after this one on an event. On an event that cannot be blocked, only status 2 ends the
    /// sequence.
    pub fn ends_sequence(&self, event: &EventSpec) -> bool {
        let denies = self.decision == Some(HookDecision::Deny) || self.fails_closed();
        self.stops || self.blocks_by_status || (denies && event.blockable_action.is_some())
    }
}

/// Reads the answer of a run.
pub fn read_answer(event: &EventSpec, definition: &HookDefinition, report: &RunReport) -> HookAnswer {
    let critical = definition.raw.get("critical") == Some(&Value::Bool(true));
    let failed = |why: String| HookAnswer { failure: Some(why), ..HookAnswer::of(AnswerForm::Lost, critical) };
    match &report.exit {
        Exit::Code(0) | Exit::Answered { .. } => read_output(event, critical, report),
        Exit::Code(2) => {
            let reason = report.stderr.text().trim().to_owned();
            let label = definition.label();
            let reason = if reason.is_empty() { format!("blocked by {label}, no reason given") } else { reason };
            let decision = event.blockable_action.is_some().then_some(HookDecision::Deny);
            let answer = HookAnswer::of(AnswerForm::Text, critical);
            HookAnswer { decision, blocks_by_status: true, reason: Some(reason), ..answer }
        }
        Exit::Code(code) => failed(format!("exit {code} does not block")),
        Exit::FailedToStart { error } => failed(error.clone()),
        other => failed(other.describe()),
    }
}

fn read_output(event: &EventSpec, critical: bool, report: &RunReport) -> HookAnswer {
    let stdout = report.stdout.text();
    let text = stdout.trim();
    if text.is_empty() {
        return HookAnswer::of(AnswerForm::Nothing, critical);
    }
    let Some(value) = serde_json::from_str::<Value>(text).ok().filter(Value::is_object) else {
        return HookAnswer::of(AnswerForm::Text, critical);
    };
    let mut answer = HookAnswer::of(AnswerForm::Json, critical);
    let own = |key: &str| value.get("hookSpecificOutput").and_then(|own| own.get(key));
    let either = |key: &str| own(key).or_else(|| value.get(key));
    let text_of = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    answer.stops = value.get("continue") == Some(&Value::Bool(false));
    answer.stop_reason = text_of(value.get("stopReason")).filter(|_| answer.stops);
    answer.suppresses = value.get("suppressOutput") == Some(&Value::Bool(true));
    answer.message = text_of(value.get("systemMessage"));
    let reads = |pointer: &str| event.honoured_output.contains(&pointer);
    let deciding = if own("permissionDecision").is_some() { own("permissionDecision") } else { value.get("decision") };
    if reads("/decision") {
        answer.decision = deciding.and_then(Value::as_str).and_then(|word| decision(event, word));
        answer.reason = text_of(own("permissionDecisionReason")).or_else(|| text_of(value.get("reason")));
    }
    if reads("/updatedInput") {
        let kind = if event.subject.is_some() { Value::is_object } else { Value::is_string };
        answer.updated_input = either("updatedInput").filter(|value| kind(value)).cloned();
    }
    if answer.decision == Some(HookDecision::Modify) {
        answer.updated_response = text_of(either("updatedResponse"));
        if answer.updated_response.is_none() {
            answer.decision = Some(HookDecision::Allow);
        }
    }
    if reads("/additionalContext") {
        answer.context = text_of(either("additionalContext"));
    }
    answer.fields = list_fields(
        &value,
        |pointer| pointer == "/hookSpecificOutput",
        |pointer, value| field_use(event, &answer, deciding, pointer, value),
    );
    answer.value = Some(value);
    answer
}

/// The decision of a word. Each polarity has two words.
fn decision(event: &EventSpec, word: &str) -> Option<HookDecision> {
    match word {
        "allow" | "approve" => Some(HookDecision::Allow),
        "deny" | "block" => Some(HookDecision::Deny),
        "modify" if event.honoured_output.contains(&"/updatedResponse") => Some(HookDecision::Modify),
        _ => None,
    }
}

fn field_use(
    event: &EventSpec,
    answer: &HookAnswer,
    deciding: Option<&Value>,
    pointer: &str,
    value: &Value,
) -> (KeyUse, String) {
    let used = (KeyUse::Used, String::new());
    let ignored = |says: String| (KeyUse::Ignored, says);
    let name = pointer.rsplit('/').next().unwrap_or(pointer);
    let wrong_type = match name {
        "continue" | "suppressOutput" => (!value.is_boolean()).then_some("true or false"),
        "stopReason"
        | "systemMessage"
        | "reason"
        | "permissionDecisionReason"
        | "additionalContext"
        | "updatedResponse" => (!value.is_string()).then_some("a string"),
        _ => None,
    };
    if let Some(wanted) = wrong_type {
        return (KeyUse::Invalid, format!("`{name}` must be {wanted}, so it is ignored"));
    }
    match name {
        "hookEventName" => ignored("only names the event".to_owned()),
        "suppressOutput" | "continue" if !answer.stops && !answer.suppresses => ignored("the default".to_owned()),
        "suppressOutput" => used,
        _ if !event.honoured_output.contains(&pointer) => ignored(format!("not read on {}", event.name)),
        "decision" | "permissionDecision" => {
            let counts = deciding.is_some_and(|counted| std::ptr::eq(counted, value)) || deciding == Some(value);
            let known = value.as_str().and_then(|word| decision(event, word));
            match known {
                _ if !counts => ignored("`permissionDecision` has another value, and takes precedence".to_owned()),
                None => (KeyUse::Invalid, format!("{value} is not a decision of {}", event.name)),
                Some(HookDecision::Modify) if answer.updated_response.is_none() => {
                    (KeyUse::Invalid, "`modify` needs `updatedResponse`; it counts as allow".to_owned())
                }
                Some(_) => used,
            }
        }
        "updatedResponse" if answer.updated_response.is_none() => {
            ignored("only `modify` replaces the response".to_owned())
        }
        "updatedInput" if answer.updated_input.is_none() => (KeyUse::Invalid, "has the wrong type".to_owned()),
        "stopReason" if !answer.stops => ignored("read only with `\"continue\": false`".to_owned()),
        _ => used,
    }
}
