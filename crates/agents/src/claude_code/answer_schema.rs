//! The schema of a JSON answer. A known field with a wrong type or value invalidates the whole answer (spec §7.2). If
//! several fields are invalid, the agent names the first one in the order of the tables here (measured on 2.1.332).

use serde_json::{Map, Value};

use super::{events, json_error, matcher_advice, permission_update};
use crate::shared::javascript::trim;
use hookbench_base::text::stringify_pretty;

/// The reason why the agent rejects an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRefusal {
    /// The JSON pointer to the invalid field; empty for the whole answer.
    pub pointer: String,
    pub message: String,
    /// The words with which the agent names the invalid field.
    pub agent_words: String,
}

#[derive(Debug, Clone, Copy)]
enum KeyType {
    Text,
    Flag,
    Object,
    /// An object with any keys.
    Record,
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
    ("reason", KeyType::Text),
    ("systemMessage", KeyType::Text),
    ("terminalSequence", KeyType::Text),
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
            ("updatedInput", KeyType::Record),
            CONTEXT,
        ],
        "PreSkillShellCommand" => &[
            ("permissionDecision", KeyType::OneOf(&["allow", "deny", "ask", "defer"])),
            DECISION_REASON,
            ("updatedInput", KeyType::Record),
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
            &[("action", KeyType::OneOf(&["accept", "decline", "cancel"])), ("content", KeyType::Record)]
        }
        "CwdChanged" | "FileChanged" => &[WATCH_PATHS],
        "WorktreeCreate" => &[("worktreePath", KeyType::Text)],
        "MessageDisplay" => &[("displayContent", KeyType::Text)],
        _ => &[CONTEXT],
    }
}

const ALLOW_FIELDS: &[(&str, KeyType)] = &[("updatedInput", KeyType::Record), ("updatedPermissions", KeyType::List)];
const DENY_FIELDS: &[(&str, KeyType)] = &[("message", KeyType::Text), ("interrupt", KeyType::Flag)];

const OWN_KEY: &str = "hookSpecificOutput";
const EVENT_NAME_POINTER: &str = "/hookSpecificOutput/hookEventName";
const EVENT_NAMES: &str = r#"expected one of "PreToolUse" | "UserPromptSubmit" | "UserPromptExpansion" | "SessionStart" | "Setup" | "PreModelSwitch" | …"#;
const BEHAVIOURS: &str = r#"expected one of "allow" | "deny""#;
/// The hint that follows an error in the only `decision` that is an object.
const DECISION_HINT: &str =
    r#" (PermissionRequest decision must be {"behavior": "allow"} or {"behavior": "deny", "message": "..."})"#;

/// Checks an answer to an event.
///
/// # Errors
/// Returns the first invalid field.
pub fn check(json: &Map<String, Value>, event: &str) -> Result<SchemaFit, AnswerRefusal> {
    let own = json.get(OWN_KEY).and_then(Value::as_object);
    // The agent looks for this key before all others.
    if own.is_some_and(|own| !own.contains_key("hookEventName")) {
        let says = "`hookEventName` is missing in hookSpecificOutput, so the whole answer is rejected".to_owned();
        let agent_words = "hookSpecificOutput is missing required field \"hookEventName\"".to_owned();
        return Err(AnswerRefusal { pointer: EVENT_NAME_POINTER.to_owned(), message: says, agent_words });
    }
    check_keys(json, TOP_KEYS, "")?;
    let Some(own) = own else { return Ok(SchemaFit::Complete) };
    let Some(name) = own.get("hookEventName").and_then(Value::as_str) else {
        let got = own.get("hookEventName").map_or("null", matcher_advice::value_kind);
        let says = format!("`hookEventName` must be a string, not {got}, so the whole answer is rejected");
        return Err(AnswerRefusal::at(EVENT_NAME_POINTER, says, EVENT_NAMES));
    };
    if events::find(name).is_none() {
        let says = format!("`hookEventName` is \"{name}\", which is not an event, so the whole answer is rejected");
        return Err(AnswerRefusal::at(EVENT_NAME_POINTER, says, EVENT_NAMES));
    }
    if EVENTS_WITHOUT_SPECIFIC_OUTPUT.contains(&name) {
        let says =
            format!("an answer to {name} must not contain `hookSpecificOutput`, so the whole answer is rejected");
        return Err(AnswerRefusal {
            pointer: "/hookSpecificOutput".to_owned(),
            ..AnswerRefusal::at(EVENT_NAME_POINTER, says, EVENT_NAMES)
        });
    }
    check_keys(own, specific_keys(name), "/hookSpecificOutput")?;
    if let Some(key) = required_key(name).filter(|key| !own.contains_key(*key)) {
        let says = format!("`{key}` is missing in hookSpecificOutput, so the whole answer is rejected");
        let (wanted, hint) = if key == "decision" { ("object", DECISION_HINT) } else { ("string", "") };
        let agent_words = format!("{OWN_KEY}.{key}: expected {wanted}, received undefined{hint}");
        return Err(AnswerRefusal { pointer: "/hookSpecificOutput".to_owned(), message: says, agent_words });
    }
    if let Some(decision) = own.get("decision").and_then(Value::as_object).filter(|_| name == "PermissionRequest") {
        check_decision(decision)?;
    }
    // PreSkillShellCommand reads the answers of the two events that decide about tools as its own.
    if name == event || event == "PreSkillShellCommand" && matches!(name, "PreToolUse" | "PermissionRequest") {
        return Ok(SchemaFit::Complete);
    }
    let says = format!("Hook returned incorrect event name: expected '{event}' but got '{name}'");
    let agent_words = says.clone();
    Ok(SchemaFit::OtherEvent(AnswerRefusal { pointer: EVENT_NAME_POINTER.to_owned(), message: says, agent_words }))
}

/// Checks the `decision` of an answer to PermissionRequest.
fn check_decision(decision: &Map<String, Value>) -> Result<(), AnswerRefusal> {
    const DECISION: &str = "/hookSpecificOutput/decision";
    const BEHAVIOUR: &str = "/hookSpecificOutput/decision/behavior";
    const UPDATES: &str = "/hookSpecificOutput/decision/updatedPermissions";
    let Some(behaviour) = decision.get("behavior") else {
        let says = "`behavior` is missing in `decision`, so the whole answer is rejected".to_owned();
        return Err(AnswerRefusal { pointer: DECISION.to_owned(), ..AnswerRefusal::at(BEHAVIOUR, says, BEHAVIOURS) });
    };
    check_keys(decision, &[("behavior", KeyType::OneOf(&["allow", "deny"]))], DECISION)
        .map_err(|refused| AnswerRefusal::at(BEHAVIOUR, refused.message, BEHAVIOURS))?;
    let allow = behaviour.as_str() == Some("allow");
    check_keys(decision, if allow { ALLOW_FIELDS } else { DENY_FIELDS }, DECISION)?;
    let updates = decision.get("updatedPermissions").and_then(Value::as_array).filter(|_| allow);
    match updates.and_then(|updates| permission_update::first_mistake(updates)) {
        None => Ok(()),
        Some(mistake) => {
            let says = "`updatedPermissions` contains an entry that is not a permission update, so the whole answer is rejected";
            let agent_words = format!("{}.{mistake}", dotted(UPDATES));
            Err(AnswerRefusal { pointer: UPDATES.to_owned(), message: says.to_owned(), agent_words })
        }
    }
}

impl AnswerRefusal {
    fn at(pointer: &str, message: String, expectation: &str) -> AnswerRefusal {
        let agent_words = format!("{}: {expectation}", dotted(pointer));
        AnswerRefusal { pointer: pointer.to_owned(), message, agent_words }
    }
}

/// A pointer as the agent writes it: `hookSpecificOutput.decision`.
fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

/// The type of a value as the agent names it.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn check_keys(map: &Map<String, Value>, known: &[(&str, KeyType)], prefix: &str) -> Result<(), AnswerRefusal> {
    for (key, kind) in known {
        let Some(value) = map.get(*key) else { continue };
        let (good, wanted, type_wanted) = match kind {
            KeyType::Text => (value.is_string(), "a string", "string"),
            KeyType::Flag => (value.is_boolean(), "true or false", "boolean"),
            KeyType::Object => (value.is_object(), "an object", "object"),
            KeyType::Record => (value.is_object(), "an object", "record"),
            KeyType::List => (value.is_array(), "a list", "array"),
            KeyType::Texts => {
                let good = value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
                (good, "a list of strings", "array")
            }
            KeyType::OneOf(values) => (value.as_str().is_some_and(|text| values.contains(&text)), "", ""),
        };
        if good {
            continue;
        }
        let pointer = format!("{prefix}/{key}");
        let got = matcher_advice::value_kind(value);
        let (wanted, got, expectation) = if let KeyType::OneOf(values) = kind {
            let got = value.as_str().map_or_else(|| got.to_owned(), |text| format!("\"{text}\""));
            let expectation = format!("Invalid option: expected one of \"{}\"", values.join("\"|\""));
            (format!("\"{}\"", values.join("\", \"")), got, expectation)
        } else {
            let hint = if *key == "decision" { DECISION_HINT } else { "" };
            let expectation = format!("expected {type_wanted}, received {}{hint}", type_name(value));
            (wanted.to_owned(), got.to_owned(), expectation)
        };
        let says = format!("`{key}` must be {wanted}, not {got}, so the whole answer is rejected");
        let mut refused = AnswerRefusal::at(&pointer, says, &expectation);
        let bad_item = value.as_array().filter(|_| matches!(kind, KeyType::Texts));
        if let Some((at, item)) =
            bad_item.and_then(|items| items.iter().enumerate().find(|(_, item)| !item.is_string()))
        {
            refused.agent_words = format!("{}.{at}: expected string, received {}", dotted(&pointer), type_name(item));
        }
        return Err(refused);
    }
    Ok(())
}

/// Whether an object has at least one field of the answer schema.
pub fn has_known_key(json: &Map<String, Value>) -> bool {
    has_top_key(json) || json.contains_key("async")
}

/// Like [`has_known_key`], but `async` does not count: it starts a background run and answers nothing.
pub fn has_top_key(json: &Map<String, Value>) -> bool {
    TOP_KEYS.iter().any(|(key, _)| json.contains_key(*key))
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

/// The summary of the schema that the agent prints. It does not name every key and event that the schema knows.
const EXPECTED: &str = include_str!("expected_answer.json");
const ADVICE: &str = "Emit the payload with a JSON encoder (jq, ConvertTo-Json, json.dumps) rather than string concatenation so backslashes and quotes inside strings are escaped.";

/// About an answer that does not match the schema. The summary of the schema is only for hooks that are commands.
pub fn invalid_answer(refused: &AnswerRefusal, json: &Map<String, Value>, over_http: bool) -> String {
    let output = stringify_pretty(&Value::Object(json.clone()));
    let says =
        format!("Hook JSON output validation failed — {}\n\nThe hook's output was: {output}", refused.agent_words);
    if over_http { says } else { format!("{says}\n\nExpected schema:\n{}", EXPECTED.trim_end()) }
}

/// About a text that looks like an object and is not JSON.
pub fn invalid_json(text: &str, over_http: bool) -> String {
    let error = json_error::message(text).unwrap_or_else(|| "Unable to parse JSON string".to_owned());
    if over_http {
        format!("HTTP hook must return valid JSON, but parsing failed: SyntaxError: JSON Parse error: {error}")
    } else {
        format!("Hook output looks like a JSON object but is not valid JSON — JSON Parse error: {error}. {ADVICE}")
    }
}

/// About an answer for another event, the first time in a session. Later ones get no text.
pub fn other_event(refused: &AnswerRefusal, json: &Map<String, Value>) -> String {
    format!("Failed to run: {}. Full stdout: {}", refused.agent_words, stringify_pretty(&Value::Object(json.clone())))
}

/// Adds stderr to a text about stdout if the command failed, too.
pub fn with_stderr(says: &str, code: i32, stderr: &str) -> String {
    match trim(stderr) {
        stderr if code != 0 && !stderr.is_empty() => format!("{says}\n\nHook exited {code} with stderr:\n{stderr}"),
        _ => says.to_owned(),
    }
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

    /// Each row was observed on 2.1.332, in the text of a hook with `onFailure: "block"`.
    #[test]
    fn words_of_the_agent() {
        let own = |name: &str, rest: Value| {
            let mut own = json!({"hookEventName": name});
            own.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            json!({"hookSpecificOutput": own})
        };
        let permission = |decision: Value| own("PermissionRequest", json!({"decision": decision}));
        let update = |entry: Value| permission(json!({"behavior": "allow", "updatedPermissions": [entry]}));
        let names = format!("hookSpecificOutput.hookEventName: {EVENT_NAMES}");
        for (answer, want) in [
            (json!({"continue": null}), "continue: expected boolean, received null"),
            (json!({"stopReason": true, "reason": 5}), "stopReason: expected string, received boolean"),
            (json!({"systemMessage": 5, "reason": 5}), "reason: expected string, received number"),
            (json!({"terminalSequence": [], "systemMessage": {}}), "systemMessage: expected string, received object"),
            (json!({"decision": ""}), r#"decision: Invalid option: expected one of "approve"|"block""#),
            (json!({"hookSpecificOutput": [1]}), "hookSpecificOutput: expected object, received array"),
            (
                json!({"systemMessage": 3, "hookSpecificOutput": {}}),
                r#"hookSpecificOutput is missing required field "hookEventName""#,
            ),
            (
                json!({"systemMessage": 3, "hookSpecificOutput": {"hookEventName": "X"}}),
                "systemMessage: expected string, received number",
            ),
            (json!({"hookSpecificOutput": {"hookEventName": 3}}), &names),
            (json!({"hookSpecificOutput": {"hookEventName": "PreCompact"}}), &names),
            (
                own(
                    "PreToolUse",
                    json!({"additionalContext": 4, "permissionDecision": "Deny", "permissionDecisionReason": 3}),
                ),
                r#"hookSpecificOutput.permissionDecision: Invalid option: expected one of "allow"|"deny"|"ask"|"defer""#,
            ),
            (
                own("PreToolUse", json!({"updatedInput": "s"})),
                "hookSpecificOutput.updatedInput: expected record, received string",
            ),
            (own("Elicitation", json!({"content": 7})), "hookSpecificOutput.content: expected record, received number"),
            (
                own("SessionStart", json!({"watchPaths": ["a", null]})),
                "hookSpecificOutput.watchPaths.1: expected string, received null",
            ),
            (
                own("CwdChanged", json!({"watchPaths": 7})),
                "hookSpecificOutput.watchPaths: expected array, received number",
            ),
            (own("WorktreeCreate", json!({})), "hookSpecificOutput.worktreePath: expected string, received undefined"),
            (
                own("PermissionRequest", json!({})),
                r#"hookSpecificOutput.decision: expected object, received undefined (PermissionRequest decision must be {"behavior": "allow"} or {"behavior": "deny", "message": "..."})"#,
            ),
            (permission(json!({})), r#"hookSpecificOutput.decision.behavior: expected one of "allow" | "deny""#),
            (
                permission(json!({"behavior": "maybe"})),
                r#"hookSpecificOutput.decision.behavior: expected one of "allow" | "deny""#,
            ),
            (
                permission(json!({"behavior": "deny", "interrupt": "x", "message": 5})),
                "hookSpecificOutput.decision.message: expected string, received number",
            ),
            (update(json!(5)), "hookSpecificOutput.decision.updatedPermissions.0: expected object, received number"),
            (
                update(
                    json!({"type": "addRules", "rules": [{"toolName": 5}], "behavior": "allow", "destination": "session"}),
                ),
                "hookSpecificOutput.decision.updatedPermissions.0.rules.0.toolName: expected string, received number",
            ),
        ] {
            let refused = check(answer.as_object().unwrap(), "PreToolUse").unwrap_err();
            assert_eq!(refused.agent_words, want, "{answer}");
        }
    }
}
