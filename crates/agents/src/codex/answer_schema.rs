//! The schema of answers per event (spec §5.3, §5.6, §6): one unexpected key or type makes the whole answer
//! invalid.
//!
//! Codex parses answers with derived deserializers, which accept two more spellings: a word in its long form,
//! `{"block": null}`, and a nested object as a list of its values in the order of the keys listed here.

use crate::shared::missing_keys::child_pointer;
use serde_json::{Map, Value};

use super::events::EVENTS;

/// The values that a key accepts.
#[derive(Debug, Clone, Copy)]
enum KeyType {
    /// True or false, but not null.
    Flag,
    /// Text or null.
    Text,
    /// One of these words, or null.
    Word(&'static [&'static str]),
    /// One of these words.
    Must(&'static [&'static str]),
    /// The name of any event; required.
    EventName,
    Any,
    /// An object with these keys, or null.
    Object(&'static [(&'static str, KeyType)]),
}

type KeyList = &'static [(&'static str, KeyType)];

const UNIVERSAL: KeyList = &[
    ("continue", KeyType::Flag),
    ("stopReason", KeyType::Text),
    ("suppressOutput", KeyType::Flag),
    ("systemMessage", KeyType::Text),
];
const BLOCK: KeyType = KeyType::Word(&["block"]);
const NAME: (&str, KeyType) = ("hookEventName", KeyType::EventName);
const CONTEXT: (&str, KeyType) = ("additionalContext", KeyType::Text);
const OWN_CONTEXT: (&str, KeyType) = ("hookSpecificOutput", KeyType::Object(&[NAME, CONTEXT]));

/// Returns the universal keys and the own keys of an event, or `None` if the event does not accept JSON.
fn keys(event: &str) -> Option<(KeyList, KeyList)> {
    let own: KeyList = match event {
        "PreToolUse" => &[
            ("decision", KeyType::Word(&["approve", "block"])),
            ("reason", KeyType::Text),
            (
                "hookSpecificOutput",
                KeyType::Object(&[
                    NAME,
                    ("permissionDecision", KeyType::Word(&["allow", "deny", "ask"])),
                    ("permissionDecisionReason", KeyType::Text),
                    ("updatedInput", KeyType::Any),
                    CONTEXT,
                ]),
            ),
        ],
        "PermissionRequest" => &[(
            "hookSpecificOutput",
            KeyType::Object(&[
                NAME,
                (
                    "decision",
                    KeyType::Object(&[
                        ("behavior", KeyType::Must(&["allow", "deny"])),
                        ("updatedInput", KeyType::Any),
                        ("updatedPermissions", KeyType::Any),
                        ("message", KeyType::Text),
                        ("interrupt", KeyType::Flag),
                    ]),
                ),
            ]),
        )],
        "PostToolUse" => &[
            ("decision", BLOCK),
            ("reason", KeyType::Text),
            ("hookSpecificOutput", KeyType::Object(&[NAME, CONTEXT, ("updatedMCPToolOutput", KeyType::Any)])),
        ],
        "UserPromptSubmit" => &[("decision", BLOCK), ("reason", KeyType::Text), OWN_CONTEXT],
        "SessionStart" | "SubagentStart" => &[OWN_CONTEXT],
        "Stop" | "SubagentStop" => &[("decision", BLOCK), ("reason", KeyType::Text)],
        "PreCompact" | "PostCompact" => &[],
        "Interrupt" => return Some((&[("systemMessage", KeyType::Text)], &[])),
        _ => return None,
    };
    Some((UNIVERSAL, own))
}

/// The mistake in an answer, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerFault {
    /// The JSON pointer of the key.
    pub pointer: String,
    pub message: String,
}

/// Parses an answer as its event does, and normalises it: words in short form, lists as objects.
pub fn normalise(event: &str, answer: &Value) -> Result<Value, AnswerFault> {
    let Some((universal, own)) = keys(event) else { return Ok(answer.clone()) };
    object(answer, &[universal, own], "")
}

fn object(value: &Value, keys: &[KeyList], above: &str) -> Result<Value, AnswerFault> {
    let fault = |pointer: String, says: String| Err(AnswerFault { pointer, message: says });
    let Some(object) = value.as_object() else {
        return fault(above.to_owned(), format!("{} must be an object", display_name(above)));
    };
    let known = || keys.iter().flat_map(|keys| keys.iter());
    let mut out = Map::new();
    for (key, value) in object {
        let pointer = child_pointer(above, key);
        match known().find(|(name, _)| name == key) {
            Some((_, kind)) => _ = out.insert(key.clone(), key_value(value, *kind, &pointer)?),
            None => return fault(pointer, format!("the key `{key}` is unknown here")),
        }
    }
    for (name, kind) in known() {
        if is_required(*kind) && !object.contains_key(*name) {
            return fault(format!("{above}/{name}"), format!("`{name}` is missing"));
        }
    }
    Ok(Value::Object(out))
}

/// Parses a list in place of an object; missing values at its end are left out.
fn object_from_list(items: &[Value], keys: KeyList, pointer: &str) -> Result<Value, AnswerFault> {
    let fault = |says: String| Err(AnswerFault { pointer: pointer.to_owned(), message: says });
    if items.len() > keys.len() {
        return fault(format!(
            "{} is a list of {} values, but may have {}",
            display_name(pointer),
            items.len(),
            keys.len()
        ));
    }
    let mut out = Map::new();
    for (index, (name, kind)) in keys.iter().enumerate() {
        match items.get(index) {
            Some(value) => _ = out.insert((*name).to_owned(), key_value(value, *kind, &format!("{pointer}/{index}"))?),
            None if is_required(*kind) => return fault(format!("`{name}` is missing in {}", display_name(pointer))),
            None => {}
        }
    }
    Ok(Value::Object(out))
}

fn is_required(kind: KeyType) -> bool {
    matches!(kind, KeyType::EventName | KeyType::Must(_))
}

/// Returns the word of a value in short or long form.
fn word(value: &Value) -> Option<&str> {
    match value {
        Value::String(word) => Some(word),
        Value::Object(long) if long.len() == 1 => {
            long.iter().next().filter(|(_, content)| content.is_null()).map(|(word, _)| word.as_str())
        }
        _ => None,
    }
}

fn key_value(value: &Value, kind: KeyType, pointer: &str) -> Result<Value, AnswerFault> {
    let as_is = |fits: bool| fits.then(|| value.clone());
    let word_of = |fits: &dyn Fn(&str) -> bool| word(value).filter(|word| fits(word)).map(Value::from);
    let read = match kind {
        KeyType::Any => Some(value.clone()),
        KeyType::Flag => as_is(value.is_boolean()),
        KeyType::Text => as_is(value.is_null() || value.is_string()),
        KeyType::Word(_) | KeyType::Object(_) if value.is_null() => Some(Value::Null),
        KeyType::Word(words) | KeyType::Must(words) => word_of(&|word| words.contains(&word)),
        KeyType::EventName => word_of(&may_be_named),
        KeyType::Object(keys) => {
            return match value {
                Value::Array(items) => object_from_list(items, keys, pointer),
                _ => object(value, &[keys], pointer),
            };
        }
    };
    let want = match kind {
        KeyType::Flag => "must be true or false".to_owned(),
        KeyType::Text => "must be a string".to_owned(),
        KeyType::Word(words) | KeyType::Must(words) => format!("must be {}", words.join(", ")),
        _ => "must be the name of an event".to_owned(),
    };
    read.ok_or_else(|| AnswerFault {
        pointer: pointer.to_owned(),
        message: format!("{} {want}", display_name(pointer)),
    })
}

/// Returns whether an answer may name this event: any but the two undocumented ones.
fn may_be_named(name: &str) -> bool {
    EVENTS.events.iter().any(|e| e.name == name) && !matches!(name, "PreModelRequest" | "PostModelRequest")
}

fn display_name(pointer: &str) -> String {
    match pointer.rsplit('/').next() {
        Some("") | None => "the answer".to_owned(),
        Some(key) => format!("`{key}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_fault_is_enough() {
        let own = |own: Value| json!({"hookSpecificOutput": own});
        for (event, answer, fault) in [
            ("PreToolUse", json!({}), None),
            ("PreToolUse", json!({"continue": true, "stopReason": null, "decision": null}), None),
            ("PreToolUse", json!({"continue": null}), Some("/continue")),
            ("PreToolUse", json!({"foo": 1}), Some("/foo")),
            ("PreToolUse", json!({"decision": "deny"}), Some("/decision")),
            ("PreToolUse", own(json!(null)), None),
            ("PreToolUse", own(json!([])), Some("/hookSpecificOutput")),
            ("PreToolUse", own(json!({})), Some("/hookSpecificOutput/hookEventName")),
            ("PreToolUse", own(json!({"hookEventName": "PostToolUse"})), None),
            ("PreToolUse", own(json!({"hookEventName": "PreModelRequest"})), Some("/hookSpecificOutput/hookEventName")),
            (
                "PreToolUse",
                own(json!({"hookEventName": "PreToolUse", "permissionDecision": "defer"})),
                Some("/hookSpecificOutput/permissionDecision"),
            ),
            ("PreToolUse", own(json!({"hookEventName": "PreToolUse", "updatedInput": "x"})), None),
            (
                "PermissionRequest",
                own(json!({"hookEventName": "PreToolUse", "decision": {"message": "m"}})),
                Some("/hookSpecificOutput/decision/behavior"),
            ),
            (
                "PostToolUse",
                own(json!({"hookEventName": "Stop", "updatedToolOutput": 1})),
                Some("/hookSpecificOutput/updatedToolOutput"),
            ),
            ("Stop", own(json!({"hookEventName": "Stop"})), Some("/hookSpecificOutput")),
            ("PreCompact", json!({"decision": "block"}), Some("/decision")),
            ("Interrupt", json!({"systemMessage": null}), None),
            ("Interrupt", json!({"continue": true}), Some("/continue")),
            ("SessionEnd", json!({"what": "ever"}), None),
        ] {
            let got = super::normalise(event, &answer).err().map(|fault| fault.pointer);
            assert_eq!(got.as_deref(), fault, "{event} {answer}");
        }
    }

    /// Each case was tested on 0.169.0.
    #[test]
    fn long_words_and_lists() {
        let own = |own: Value| json!({"hookSpecificOutput": own});
        let deny = || {
            own(json!({"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "r"}))
        };
        let decide = |decision: Value| own(json!({"hookEventName": "PermissionRequest", "decision": decision}));
        for (event, answer, want) in [
            (
                "Stop",
                json!({"decision": {"block": null}, "reason": "x"}),
                Some(json!({"decision": "block", "reason": "x"})),
            ),
            ("PreToolUse", json!({"decision": {"deny": null}}), None),
            ("PreToolUse", json!({"decision": {}}), None),
            ("PreToolUse", json!({"decision": ["block"]}), None),
            ("PreToolUse", json!([true, null, false, null, "block", "x"]), None),
            ("PreCompact", json!([false, "s"]), None),
            (
                "PreToolUse",
                own(
                    json!({"hookEventName": {"PreToolUse": null}, "permissionDecision": {"deny": null}, "permissionDecisionReason": "r"}),
                ),
                Some(deny()),
            ),
            ("PreToolUse", own(json!({"hookEventName": "PreToolUse", "permissionDecision": {"deny": {}}})), None),
            ("PreToolUse", own(json!({"hookEventName": "PreToolUse", "permissionDecision": {"deny": []}})), None),
            (
                "PreToolUse",
                own(json!({"hookEventName": "PreToolUse", "permissionDecision": {"deny": null, "allow": null}})),
                None,
            ),
            ("PreToolUse", own(json!(["PreToolUse", "deny", "r"])), Some(deny())),
            ("PreToolUse", own(json!([{"PreToolUse": null}, {"deny": null}, "r"])), Some(deny())),
            ("PreToolUse", own(json!(["PreToolUse"])), Some(own(json!({"hookEventName": "PreToolUse"})))),
            ("PreToolUse", own(json!(["PreToolUse", "deny", "r", null, null, null])), None),
            ("PreToolUse", own(json!([])), None),
            (
                "UserPromptSubmit",
                own(json!(["UserPromptSubmit", "c"])),
                Some(own(json!({"hookEventName": "UserPromptSubmit", "additionalContext": "c"}))),
            ),
            ("PermissionRequest", decide(json!(["deny"])), Some(decide(json!({"behavior": "deny"})))),
            (
                "PermissionRequest",
                decide(json!([{"deny": null}, null, null, "m", false])),
                Some(decide(
                    json!({"behavior": "deny", "updatedInput": null, "updatedPermissions": null, "message": "m", "interrupt": false}),
                )),
            ),
            ("PermissionRequest", decide(json!(["deny", null, null, "m", null])), None),
            (
                "PermissionRequest",
                own(json!(["PermissionRequest", ["allow"]])),
                Some(decide(json!({"behavior": "allow"}))),
            ),
            ("PostToolUse", own(json!(["PostToolUse", null, null, null])), None),
        ] {
            assert_eq!(super::normalise(event, &answer).ok(), want, "{event} {answer}");
        }
    }
}
