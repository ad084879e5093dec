//! The schema of a JSON answer. A known field with a wrong type or value invalidates the whole answer (spec §7.2).

use serde_json::{Map, Value};

use super::events;
use super::{matcher_advice, permission_update};

/// The reason why the agent rejects an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRefusal {
    /// The JSON pointer to the invalid field; empty for the whole answer.
    pub pointer: String,
    pub message: String,
}

#[derive(Debug, Clone, Copy)]
enum KeyType {
    Text,
    Flag,
    Object,
    List,
    /// A list of strings.
    Texts,
    OneOf(&'static [&'static str]),
}

const TOP_KEYS: &[(&str, KeyType)] = &[
    ("continue", KeyType::Flag),
    ("suppressOutput", KeyType::Flag),
    ("stopReason", KeyType::Text),
    ("decision", KeyType::OneOf(&["approve", "block"])),
    ("systemMessage", KeyType::Text),
    ("terminalSequence", KeyType::Text),
    ("reason", KeyType::Text),
    ("hookSpecificOutput", KeyType::Object),
];

const CONTEXT: (&str, KeyType) = ("additionalContext", KeyType::Text);
const WATCH_PATHS: (&str, KeyType) = ("watchPaths", KeyType::Texts);
const DECISION_REASON: (&str, KeyType) = ("permissionDecisionReason", KeyType::Text);

/// An answer that matches the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaFit {
    Complete,
    /// `hookSpecificOutput` names another event. The rest of the answer counts only if it blocks.
    OtherEvent(AnswerRefusal),
}

/// The events whose answers have no `hookSpecificOutput`. Measured on 2.1.330: an answer that names one of them is
/// rejected.
const EVENTS_WITHOUT_SPECIFIC_OUTPUT: [&str; 11] = [
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
fn required_key(event: &str) -> Option<&'static str> {
    match event {
        "PermissionRequest" => Some("decision"),
        "WorktreeCreate" => Some("worktreePath"),
        _ => None,
    }
}

/// Returns the known fields of `hookSpecificOutput` on an event.
fn specific_keys(event: &str) -> &'static [(&'static str, KeyType)] {
    match event {
        "PreToolUse" => &[
            ("permissionDecision", KeyType::OneOf(&["allow", "deny", "ask", "defer"])),
            DECISION_REASON,
            ("updatedInput", KeyType::Object),
            CONTEXT,
        ],
        "PreSkillShellCommand" => &[
            ("permissionDecision", KeyType::OneOf(&["allow", "deny", "ask", "defer"])),
            DECISION_REASON,
            ("updatedInput", KeyType::Object),
        ],
        "PreModelSwitch" => &[("permissionDecision", KeyType::OneOf(&["allow", "deny", "ask"])), DECISION_REASON],
        "UserPromptSubmit" => &[CONTEXT, ("sessionTitle", KeyType::Text), ("suppressOriginalPrompt", KeyType::Flag)],
        "UserPromptExpansion" => &[CONTEXT, ("suppressOriginalPrompt", KeyType::Flag)],
        "SessionStart" => &[
            CONTEXT,
            ("initialUserMessage", KeyType::Text),
            ("sessionTitle", KeyType::Text),
            WATCH_PATHS,
            ("reloadSkills", KeyType::Flag),
        ],
        "PostToolUse" => &[CONTEXT, ("classifierContext", KeyType::Text)],
        "PermissionRequest" => &[("decision", KeyType::Object)],
        "PermissionDenied" => &[("retry", KeyType::Flag)],
        "Elicitation" | "ElicitationResult" => {
            &[("action", KeyType::OneOf(&["accept", "decline", "cancel"])), ("content", KeyType::Object)]
        }
        "CwdChanged" | "FileChanged" => &[WATCH_PATHS],
        "WorktreeCreate" => &[("worktreePath", KeyType::Text)],
        "MessageDisplay" => &[("displayContent", KeyType::Text)],
        _ => &[CONTEXT],
    }
}

const ALLOW_FIELDS: &[(&str, KeyType)] = &[("updatedInput", KeyType::Object), ("updatedPermissions", KeyType::List)];
const DENY_FIELDS: &[(&str, KeyType)] = &[("message", KeyType::Text), ("interrupt", KeyType::Flag)];

const EVENT_NAME_POINTER: &str = "/hookSpecificOutput/hookEventName";

/// Checks an answer to an event.
///
/// # Errors
/// Returns the first invalid field.
pub fn check(json: &Map<String, Value>, event: &str) -> Result<SchemaFit, AnswerRefusal> {
    check_keys(json, TOP_KEYS, "")?;
    let Some(own) = json.get("hookSpecificOutput").and_then(Value::as_object) else { return Ok(SchemaFit::Complete) };
    let refused = |pointer: &str, says: String| Err(AnswerRefusal { pointer: pointer.to_owned(), message: says });
    let Some(name) = own.get("hookEventName").and_then(Value::as_str) else {
        let says = "`hookEventName` is missing in hookSpecificOutput, so the whole answer is rejected";
        return refused(EVENT_NAME_POINTER, says.to_owned());
    };
    if events::find(name).is_none() {
        return refused(
            EVENT_NAME_POINTER,
            format!("`hookEventName` is \"{name}\", which is not an event, so the whole answer is rejected"),
        );
    }
    if EVENTS_WITHOUT_SPECIFIC_OUTPUT.contains(&name) {
        let says =
            format!("an answer to {name} must not contain `hookSpecificOutput`, so the whole answer is rejected");
        return refused("/hookSpecificOutput", says);
    }
    check_keys(own, specific_keys(name), "/hookSpecificOutput")?;
    if let Some(key) = required_key(name).filter(|key| !own.contains_key(*key)) {
        let says = format!("`{key}` is missing in hookSpecificOutput, so the whole answer is rejected");
        return refused("/hookSpecificOutput", says);
    }
    if let Some(decision) = own.get("decision").and_then(Value::as_object).filter(|_| name == "PermissionRequest") {
        let prefix = "/hookSpecificOutput/decision";
        if !decision.contains_key("behavior") {
            return refused(prefix, "`behavior` is missing in `decision`, so the whole answer is rejected".to_owned());
        }
        check_keys(decision, &[("behavior", KeyType::OneOf(&["allow", "deny"]))], prefix)?;
        let allow = decision.get("behavior").and_then(Value::as_str) == Some("allow");
        check_keys(decision, if allow { ALLOW_FIELDS } else { DENY_FIELDS }, prefix)?;
        let updates = decision.get("updatedPermissions").and_then(Value::as_array).filter(|_| allow);
        if updates.is_some_and(|updates| !updates.iter().all(permission_update::is_valid)) {
            let says = "`updatedPermissions` contains an entry that is not a permission update, so the whole answer is rejected";
            return refused(&format!("{prefix}/updatedPermissions"), says.to_owned());
        }
    }
    // PreSkillShellCommand reads the answers of the two events that decide about tools as its own.
    if name == event || event == "PreSkillShellCommand" && matches!(name, "PreToolUse" | "PermissionRequest") {
        return Ok(SchemaFit::Complete);
    }
    let says = format!("Hook returned incorrect event name: expected '{event}' but got '{name}'");
    Ok(SchemaFit::OtherEvent(AnswerRefusal { pointer: EVENT_NAME_POINTER.to_owned(), message: says }))
}

fn check_keys(map: &Map<String, Value>, known: &[(&str, KeyType)], prefix: &str) -> Result<(), AnswerRefusal> {
    for (key, kind) in known {
        let Some(value) = map.get(*key) else { continue };
        let (good, wanted) = match kind {
            KeyType::Text => (value.is_string(), "a string".to_owned()),
            KeyType::Flag => (value.is_boolean(), "true or false".to_owned()),
            KeyType::Object => (value.is_object(), "an object".to_owned()),
            KeyType::List => (value.is_array(), "a list".to_owned()),
            KeyType::Texts => {
                let good = value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
                (good, "a list of strings".to_owned())
            }
            KeyType::OneOf(values) => {
                let good = value.as_str().is_some_and(|text| values.contains(&text));
                (good, format!("\"{}\"", values.join("\", \"")))
            }
        };
        if !good {
            let got = value
                .as_str()
                .map_or_else(|| matcher_advice::value_kind(value).to_owned(), |text| format!("\"{text}\""));
            let got =
                if matches!(kind, KeyType::OneOf(_)) { got } else { matcher_advice::value_kind(value).to_owned() };
            let says = format!("`{key}` must be {wanted}, not {got}, so the whole answer is rejected");
            return Err(AnswerRefusal { pointer: format!("{prefix}/{key}"), message: says });
        }
    }
    Ok(())
}

/// Whether an object has at least one field of the answer schema.
pub fn has_known_key(json: &Map<String, Value>) -> bool {
    TOP_KEYS.iter().any(|(key, _)| json.contains_key(*key)) || json.contains_key("async")
}

/// Whether an event knows this field of `hookSpecificOutput`, even if it does not use it.
pub fn is_specific_key(event: &str, key: &str) -> bool {
    let free = event == "PostToolUse" && matches!(key, "updatedToolOutput" | "updatedMCPToolOutput");
    free || key == "hookEventName" || specific_keys(event).iter().any(|(name, _)| *name == key)
}

/// Whether the top level of an answer has this field.
pub fn is_top_key(key: &str) -> bool {
    TOP_KEYS.iter().any(|(name, _)| *name == key)
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
                "SessionStart",
                json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "watchPaths": [5]}}),
                Some("/hookSpecificOutput/watchPaths"),
            ),
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
                Ok(SchemaFit::Complete) => None,
                Ok(SchemaFit::OtherEvent(_)) => Some("other event".to_owned()),
                Err(refused) => Some(refused.pointer),
            };
            assert_eq!(got.as_deref(), refused, "{event} {answer}");
        }
    }
}
