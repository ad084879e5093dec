//! The schema of a JSON answer. A known field with a wrong type or value invalidates the whole answer (spec §7.2).

use serde_json::{Map, Value};

use super::events;
use super::near;

/// The reason why the agent rejects an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The JSON pointer to the invalid field; empty for the whole answer.
    pub pointer: String,
    pub says: String,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Flag,
    Object,
    List,
    OneOf(&'static [&'static str]),
}

const TOP: &[(&str, Kind)] = &[
    ("continue", Kind::Flag),
    ("suppressOutput", Kind::Flag),
    ("stopReason", Kind::Text),
    ("decision", Kind::OneOf(&["approve", "block"])),
    ("systemMessage", Kind::Text),
    ("terminalSequence", Kind::Text),
    ("reason", Kind::Text),
    ("hookSpecificOutput", Kind::Object),
];

const CONTEXT: (&str, Kind) = ("additionalContext", Kind::Text);
const WATCH: (&str, Kind) = ("watchPaths", Kind::List);
const DECISION_REASON: (&str, Kind) = ("permissionDecisionReason", Kind::Text);

/// An answer that matches the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    Whole,
    /// `hookSpecificOutput` names another event. The rest of the answer counts only if it blocks.
    OtherEvent(Refused),
}

/// The events whose answers have no `hookSpecificOutput`. Measured on 2.1.330: an answer that names one of them is
/// rejected.
const WITHOUT_OWN: [&str; 11] = [
    "SessionEnd",
    "StopFailure",
    "PreCompact",
    "PostCompact",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "ConfigChange",
    "InstructionsLoaded",
    "WorktreeRemove",
    "DirectoryAdded",
];

/// Returns the field of `hookSpecificOutput` that an event requires.
fn required(event: &str) -> Option<&'static str> {
    match event {
        "PermissionRequest" => Some("decision"),
        "WorktreeCreate" => Some("worktreePath"),
        _ => None,
    }
}

/// Returns the known fields of `hookSpecificOutput` on an event.
fn own_fields(event: &str) -> &'static [(&'static str, Kind)] {
    match event {
        "PreToolUse" => &[
            ("permissionDecision", Kind::OneOf(&["allow", "deny", "ask", "defer"])),
            DECISION_REASON,
            ("updatedInput", Kind::Object),
            CONTEXT,
        ],
        "PreModelSwitch" => &[("permissionDecision", Kind::OneOf(&["allow", "deny", "ask"])), DECISION_REASON],
        "UserPromptSubmit" => &[CONTEXT, ("sessionTitle", Kind::Text), ("suppressOriginalPrompt", Kind::Flag)],
        "UserPromptExpansion" => &[CONTEXT, ("suppressOriginalPrompt", Kind::Flag)],
        "SessionStart" => &[
            CONTEXT,
            ("initialUserMessage", Kind::Text),
            ("sessionTitle", Kind::Text),
            WATCH,
            ("reloadSkills", Kind::Flag),
        ],
        "PostToolUse" => &[CONTEXT, ("classifierContext", Kind::Text)],
        "PermissionRequest" => &[("decision", Kind::Object)],
        "PermissionDenied" => &[("retry", Kind::Flag)],
        "Elicitation" | "ElicitationResult" => {
            &[("action", Kind::OneOf(&["accept", "decline", "cancel"])), ("content", Kind::Object)]
        }
        "CwdChanged" | "FileChanged" => &[WATCH],
        "WorktreeCreate" => &[("worktreePath", Kind::Text)],
        "MessageDisplay" => &[("displayContent", Kind::Text)],
        _ => &[CONTEXT],
    }
}

const ALLOW_FIELDS: &[(&str, Kind)] = &[("updatedInput", Kind::Object), ("updatedPermissions", Kind::List)];
const DENY_FIELDS: &[(&str, Kind)] = &[("message", Kind::Text), ("interrupt", Kind::Flag)];

const NAME: &str = "/hookSpecificOutput/hookEventName";

/// Checks an answer to an event.
///
/// # Errors
/// Returns the first invalid field.
pub fn check(json: &Map<String, Value>, event: &str) -> Result<Fit, Refused> {
    fields(json, TOP, "")?;
    let Some(own) = json.get("hookSpecificOutput").and_then(Value::as_object) else { return Ok(Fit::Whole) };
    let refused = |pointer: &str, says: String| Err(Refused { pointer: pointer.to_owned(), says });
    let Some(name) = own.get("hookEventName").and_then(Value::as_str) else {
        let says = "hookSpecificOutput has no `hookEventName`, so the whole answer is refused";
        return refused(NAME, says.to_owned());
    };
    if events::find(name).is_none() {
        return refused(
            NAME,
            format!("`hookEventName` is \"{name}\", which is no event, so the whole answer is refused"),
        );
    }
    if WITHOUT_OWN.contains(&name) {
        let says = format!("an answer to {name} has no `hookSpecificOutput`, so the whole answer is refused");
        return refused("/hookSpecificOutput", says);
    }
    fields(own, own_fields(name), "/hookSpecificOutput")?;
    if let Some(key) = required(name).filter(|key| !own.contains_key(*key)) {
        let says = format!("hookSpecificOutput has no `{key}`, so the whole answer is refused");
        return refused("/hookSpecificOutput", says);
    }
    if let Some(decision) = own.get("decision").and_then(Value::as_object).filter(|_| name == "PermissionRequest") {
        let prefix = "/hookSpecificOutput/decision";
        if !decision.contains_key("behavior") {
            return refused(prefix, "`decision` has no `behavior`, so the whole answer is refused".to_owned());
        }
        fields(decision, &[("behavior", Kind::OneOf(&["allow", "deny"]))], prefix)?;
        let allow = decision.get("behavior").and_then(Value::as_str) == Some("allow");
        fields(decision, if allow { ALLOW_FIELDS } else { DENY_FIELDS }, prefix)?;
    }
    if name == event {
        return Ok(Fit::Whole);
    }
    let says = format!("Hook returned incorrect event name: expected '{event}' but got '{name}'");
    Ok(Fit::OtherEvent(Refused { pointer: NAME.to_owned(), says }))
}

fn fields(map: &Map<String, Value>, known: &[(&str, Kind)], prefix: &str) -> Result<(), Refused> {
    for (key, kind) in known {
        let Some(value) = map.get(*key) else { continue };
        let (good, wanted) = match kind {
            Kind::Text => (value.is_string(), "a string".to_owned()),
            Kind::Flag => (value.is_boolean(), "true or false".to_owned()),
            Kind::Object => (value.is_object(), "an object".to_owned()),
            Kind::List => (value.is_array(), "a list".to_owned()),
            Kind::OneOf(values) => {
                let good = value.as_str().is_some_and(|text| values.contains(&text));
                (good, format!("\"{}\"", values.join("\", \"")))
            }
        };
        if !good {
            let got = value.as_str().map_or_else(|| near::kind(value).to_owned(), |text| format!("\"{text}\""));
            let got = if matches!(kind, Kind::OneOf(_)) { got } else { near::kind(value).to_owned() };
            let says = format!("`{key}` must be {wanted}, not {got}, so the whole answer is refused");
            return Err(Refused { pointer: format!("{prefix}/{key}"), says });
        }
    }
    Ok(())
}

/// Whether an object has at least one field of the answer schema.
pub fn has_hook_field(json: &Map<String, Value>) -> bool {
    TOP.iter().any(|(key, _)| json.contains_key(*key)) || json.contains_key("async")
}

/// Whether an event knows this field of `hookSpecificOutput`, even if it does not use it.
pub fn knows_own(event: &str, key: &str) -> bool {
    let free = event == "PostToolUse" && matches!(key, "updatedToolOutput" | "updatedMCPToolOutput");
    free || key == "hookEventName" || own_fields(event).iter().any(|(name, _)| *name == key)
}

/// Whether the top level of an answer has this field.
pub fn knows_top(key: &str) -> bool {
    TOP.iter().any(|(name, _)| *name == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn accepted_and_refused() {
        let pre = |rest: Value| {
            let mut own = json!({"hookEventName": "PreToolUse"});
            own.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            json!({"hookSpecificOutput": own})
        };
        for (event, answer, refused) in [
            ("PreToolUse", json!({}), None),
            ("PreToolUse", json!({"zz": null, "permissionDecision": "deny"}), None),
            ("PreToolUse", pre(json!({"permissionDecision": "deny", "zz": 1})), None),
            ("PreToolUse", json!({"continue": "false"}), Some("/continue")),
            ("PreToolUse", json!({"decision": "deny"}), Some("/decision")),
            ("PreToolUse", json!({"reason": 5}), Some("/reason")),
            ("PreToolUse", json!({"hookSpecificOutput": null}), Some("/hookSpecificOutput")),
            ("PreToolUse", json!({"hookSpecificOutput": {}}), Some("/hookSpecificOutput/hookEventName")),
            (
                "PreToolUse",
                json!({"hookSpecificOutput": {"hookEventName": "X"}}),
                Some("/hookSpecificOutput/hookEventName"),
            ),
            ("PostToolUse", pre(json!({})), Some("other event")),
            ("PostToolUse", pre(json!({"permissionDecision": 5})), Some("/hookSpecificOutput/permissionDecision")),
            (
                "PreToolUse",
                json!({"hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": 5}}),
                Some("other event"),
            ),
            ("PreCompact", json!({"hookSpecificOutput": {"hookEventName": "PreCompact"}}), Some("/hookSpecificOutput")),
            ("Stop", json!({"hookSpecificOutput": {"hookEventName": "TaskCreated"}}), Some("/hookSpecificOutput")),
            (
                "PermissionRequest",
                json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "permissionDecision": "deny"}}),
                Some("/hookSpecificOutput"),
            ),
            ("PreToolUse", pre(json!({"permissionDecision": "Deny"})), Some("/hookSpecificOutput/permissionDecision")),
            ("PreToolUse", pre(json!({"permissionDecision": null})), Some("/hookSpecificOutput/permissionDecision")),
            ("PreToolUse", pre(json!({"updatedInput": []})), Some("/hookSpecificOutput/updatedInput")),
            ("PreToolUse", pre(json!({"additionalContext": null})), Some("/hookSpecificOutput/additionalContext")),
            (
                "PermissionRequest",
                json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "maybe"}}}),
                Some("/hookSpecificOutput/decision/behavior"),
            ),
            (
                "PermissionRequest",
                json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": "m", "interrupt": true}}}),
                None,
            ),
        ] {
            let got = match check(answer.as_object().unwrap(), event) {
                Ok(Fit::Whole) => None,
                Ok(Fit::OtherEvent(_)) => Some("other event".to_owned()),
                Err(refused) => Some(refused.pointer),
            };
            assert_eq!(got.as_deref(), refused, "{event} {answer}");
        }
    }
}
