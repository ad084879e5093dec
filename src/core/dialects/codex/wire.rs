//! What an answer may look like, per event (spec §5.3, §5.6, §6): one key or type that is not foreseen voids the whole.

use serde_json::Value;

use super::events::EVENTS;

/// What a key may hold.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// True or false; null is neither.
    Flag,
    /// Text, or null for none.
    Text,
    /// One of these words, or null for none.
    Word(&'static [&'static str]),
    /// One of these words.
    Must(&'static [&'static str]),
    /// The name of any event; needed.
    EventName,
    Any,
    /// An object with these keys, or null for none.
    Object(&'static [(&'static str, Kind)]),
}

type Keys = &'static [(&'static str, Kind)];

const UNIVERSAL: Keys = &[
    ("continue", Kind::Flag),
    ("stopReason", Kind::Text),
    ("suppressOutput", Kind::Flag),
    ("systemMessage", Kind::Text),
];
const BLOCK: Kind = Kind::Word(&["block"]);
const NAME: (&str, Kind) = ("hookEventName", Kind::EventName);
const CONTEXT: (&str, Kind) = ("additionalContext", Kind::Text);
const OWN_CONTEXT: (&str, Kind) = ("hookSpecificOutput", Kind::Object(&[NAME, CONTEXT]));

/// The keys of an event beside the universal ones; none: the event takes no JSON.
fn keys(event: &str) -> Option<(Keys, Keys)> {
    let own: Keys = match event {
        "PreToolUse" => &[
            ("decision", Kind::Word(&["approve", "block"])),
            ("reason", Kind::Text),
            (
                "hookSpecificOutput",
                Kind::Object(&[
                    NAME,
                    ("permissionDecision", Kind::Word(&["allow", "deny", "ask"])),
                    ("permissionDecisionReason", Kind::Text),
                    ("updatedInput", Kind::Any),
                    CONTEXT,
                ]),
            ),
        ],
        "PermissionRequest" => &[(
            "hookSpecificOutput",
            Kind::Object(&[
                NAME,
                (
                    "decision",
                    Kind::Object(&[
                        ("behavior", Kind::Must(&["allow", "deny"])),
                        ("updatedInput", Kind::Any),
                        ("updatedPermissions", Kind::Any),
                        ("message", Kind::Text),
                        ("interrupt", Kind::Flag),
                    ]),
                ),
            ]),
        )],
        "PostToolUse" => &[
            ("decision", BLOCK),
            ("reason", Kind::Text),
            ("hookSpecificOutput", Kind::Object(&[NAME, CONTEXT, ("updatedMCPToolOutput", Kind::Any)])),
        ],
        "UserPromptSubmit" => &[("decision", BLOCK), ("reason", Kind::Text), OWN_CONTEXT],
        "SessionStart" | "SubagentStart" => &[OWN_CONTEXT],
        "Stop" | "SubagentStop" => &[("decision", BLOCK), ("reason", Kind::Text)],
        "PreCompact" | "PostCompact" => &[],
        "Interrupt" => return Some((&[("systemMessage", Kind::Text)], &[])),
        _ => return None,
    };
    Some((UNIVERSAL, own))
}

/// What is wrong with an answer, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// JSON pointer.
    pub pointer: String,
    pub says: String,
}

/// Holds an answer against what its event takes.
pub fn check(event: &str, answer: &Value) -> Result<(), Fault> {
    let Some((universal, own)) = keys(event) else { return Ok(()) };
    object(answer, &[universal, own], "")
}

fn object(value: &Value, keys: &[Keys], above: &str) -> Result<(), Fault> {
    let fault = |pointer: String, says: String| Err(Fault { pointer, says });
    let Some(object) = value.as_object() else {
        return fault(above.to_owned(), format!("{} must be an object", named(above)));
    };
    let known = || keys.iter().flat_map(|keys| keys.iter());
    for (key, value) in object {
        let pointer = format!("{above}/{}", key.replace('~', "~0").replace('/', "~1"));
        match known().find(|(name, _)| name == key) {
            Some((_, kind)) => one(value, *kind, &pointer)?,
            None => return fault(pointer, format!("the key `{key}` is not known here")),
        }
    }
    for (name, kind) in known() {
        if matches!(kind, Kind::EventName | Kind::Must(_)) && !object.contains_key(*name) {
            return fault(format!("{above}/{name}"), format!("`{name}` is missing"));
        }
    }
    Ok(())
}

fn one(value: &Value, kind: Kind, pointer: &str) -> Result<(), Fault> {
    let fits = match kind {
        Kind::Any => true,
        Kind::Flag => value.is_boolean(),
        Kind::Text => value.is_null() || value.is_string(),
        Kind::Word(words) => value.is_null() || value.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Must(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Kind::EventName => value.as_str().is_some_and(is_known_here),
        Kind::Object(_) if value.is_null() => true,
        Kind::Object(keys) => return object(value, &[keys], pointer),
    };
    let want = match kind {
        Kind::Flag => "must be true or false".to_owned(),
        Kind::Text => "must be a text".to_owned(),
        Kind::Word(words) | Kind::Must(words) => format!("may be {} only", words.join(", ")),
        _ => "must be the name of an event".to_owned(),
    };
    if fits { Ok(()) } else { Err(Fault { pointer: pointer.to_owned(), says: format!("{} {want}", named(pointer)) }) }
}

/// Any event may be named, but the two that are not documented.
fn is_known_here(name: &str) -> bool {
    EVENTS.iter().any(|e| e.name == name) && !matches!(name, "PreModelRequest" | "PostModelRequest")
}

fn named(pointer: &str) -> String {
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
            let got = check(event, &answer).err().map(|fault| fault.pointer);
            assert_eq!(got.as_deref(), fault, "{event} {answer}");
        }
    }
}
