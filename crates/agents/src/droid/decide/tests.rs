//! Decisions over several hooks, as measured.

use super::super::test_firings::run_hooks;
use hookbench_base::decide::Verdict;
use serde_json::{Value, json};

const ALLOW: &str = r#"{"hookSpecificOutput": {"permissionDecision": "allow"}}"#;
const ASK: &str = r#"{"hookSpecificOutput": {"permissionDecision": "ask"}}"#;
const WORD: &str = r#"{"hookSpecificOutput": {"permissionDecision": "maybe"}}"#;
const DENY: &str = r#"{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "R"}}"#;
const BLOCK: &str = r#"{"decision": "block", "reason": "B"}"#;

const DENIED: &str = "Tool execution denied by hook";

/// An answer with this JSON as its decision.
fn decision(word: &str) -> String {
    format!(r#"{{"hookSpecificOutput": {{"permissionDecision": {word}}}}}"#)
}

/// A deny with this JSON as its reason.
fn deny_with(reason: &str) -> String {
    decision(&format!(r#""deny", "permissionDecisionReason": {reason}"#))
}

/// The first hook with exit 1 gives the text before the tool's output, even an empty one.
#[test]
fn what_comes_before_the_output() {
    for (answers, want) in [
        (vec![(1, "", "E1"), (1, "", "E2")], Some("E1\n\n")),
        (vec![(1, "", ""), (1, "", "E2")], None),
        (vec![(1, "{}", "E1")], Some("E1\n\n")),
        (vec![(1, ALLOW, "E1")], Some("E1\n\n")),
        (vec![(127, "", "E1")], None),
    ] {
        let outcome = run_hooks("PreToolUse", &answers, false);
        assert_eq!(outcome.extra.get("output_prefix").and_then(Value::as_str), want, "{answers:?}");
    }
}

/// Which new input counts, by its command.
#[test]
fn new_inputs_beside_decisions() {
    let offer = |word: &str, command: &str| {
        let input = json!({ "command": command });
        if word.is_empty() {
            return json!({"hookSpecificOutput": {"updatedInput": input}}).to_string();
        }
        json!({"hookSpecificOutput": {"permissionDecision": word, "updatedInput": input}}).to_string()
    };
    for (offers, want) in [
        (vec![("", "a")], Some("a")),
        (vec![("allow", "a")], Some("a")),
        (vec![("ask", "a")], None),
        (vec![("defer", "a")], None),
        (vec![("maybe", "a")], None),
        (vec![("", "a"), ("allow", "b")], Some("b")),
        (vec![("", "a"), ("", "b")], Some("a")),
        (vec![("ask", "a"), ("", "b")], None),
        (vec![("defer", "a"), ("", "b")], None),
    ] {
        let printed: Vec<String> = offers.iter().map(|(word, command)| offer(word, command)).collect();
        let answers: Vec<_> = printed.iter().map(|text| (0, text.as_str(), "")).collect();
        let outcome = run_hooks("PreToolUse", &answers, true);
        let command = outcome.updated_input.as_ref().map(|input| input["command"].clone());
        assert_eq!(command, want.map(Value::from), "{offers:?}");
    }
}

#[test]
fn the_first_decision_wins_before_a_tool() {
    for (answers, verdict, reason) in [
        (vec![(0, ALLOW, ""), (0, DENY, "")], Verdict::Allow, None),
        (vec![(0, DENY, ""), (0, ALLOW, "")], Verdict::Deny, Some("R")),
        (vec![(0, WORD, ""), (0, DENY, "")], Verdict::NoObjection, None),
        (vec![(0, BLOCK, ""), (0, DENY, "")], Verdict::Deny, Some("R")),
        (vec![(0, BLOCK, "")], Verdict::NoObjection, None),
        (vec![(0, ALLOW, ""), (2, "", "E")], Verdict::Deny, Some("E")),
        (vec![(0, DENY, ""), (2, "", "E")], Verdict::Deny, Some("R")),
        (vec![(2, "", "")], Verdict::Deny, Some("Tool execution blocked by hook")),
        (vec![(1, "", "E")], Verdict::FailedOpen, None),
        (vec![(1, DENY, "")], Verdict::Deny, Some("R")),
        (vec![(3, "", "")], Verdict::Deny, None),
        // A deny without a reason has a default, and stderr of exit 2 is not told.
        (vec![(2, r#"{"hookSpecificOutput": {"permissionDecision": "deny"}}"#, "E")], Verdict::Deny, Some(DENIED)),
        (vec![(2, "", "E"), (0, &deny_with("\"\""), "")], Verdict::Deny, Some(DENIED)),
        (vec![(0, &deny_with("0"), "")], Verdict::Deny, Some(DENIED)),
        (vec![(0, &deny_with("[\"a\", {}]"), "")], Verdict::Deny, Some("a,[object Object]")),
        (vec![(0, &deny_with("\" R \""), "")], Verdict::Deny, Some(" R ")),
        (vec![(0, &deny_with("\"a\\ud800b\""), "")], Verdict::Deny, Some("a\u{fffd}b")),
        (vec![(2, ALLOW, " E \n")], Verdict::Deny, Some(" E \n")),
        (vec![(2, BLOCK, "E")], Verdict::Deny, Some("E")),
        (vec![(2, "text", "")], Verdict::Deny, Some("Tool execution blocked by hook")),
        (vec![(0, ALLOW, ""), (0, DENY, ""), (2, "", "E")], Verdict::Deny, Some("E")),
        // A decision of a wrong type counts as one, an empty one does not.
        (vec![(0, &decision("7"), ""), (0, DENY, "")], Verdict::NoObjection, None),
        (vec![(0, &decision("\"\""), ""), (0, DENY, "")], Verdict::Deny, Some("R")),
    ] {
        let outcome = run_hooks("PreToolUse", &answers, false);
        assert_eq!((outcome.verdict, outcome.reason.as_deref()), (verdict, reason), "{answers:?}");
    }
}

#[test]
fn ask_runs_the_tool_without_a_terminal() {
    let outcome = run_hooks("PreToolUse", &[(0, ASK, ""), (0, DENY, "")], true);
    assert_eq!((outcome.verdict, outcome.blocked), (Verdict::NoObjection, false));
    assert_eq!(run_hooks("PreToolUse", &[(0, ASK, "")], false).verdict, Verdict::Ask);
}

#[test]
fn new_inputs_are_merged() {
    let update = |input: Value| json!({"hookSpecificOutput": {"updatedInput": input}}).to_string();
    let original = json!({"command": "rm -rf build", "riskLevelReason": "It deletes files.", "riskLevel": "medium"});
    for (input, want) in [
        (json!({"command": "ls"}), Some(json!({"command": "ls"}))),
        (json!({}), None),
        (
            json!("x"),
            Some(
                json!({"0": "x", "command": "rm -rf build", "riskLevelReason": "It deletes files.", "riskLevel": "medium"}),
            ),
        ),
    ] {
        let outcome = run_hooks("PreToolUse", &[(0, &update(input.clone()), "")], false);
        assert_eq!(outcome.updated_input, want, "{input}");
    }
    let bad = run_hooks("PreToolUse", &[(0, &update(json!({"command": 5})), "")], false);
    assert_eq!((bad.verdict, bad.blocked), (Verdict::FailedClosed, true));
    assert_eq!(original.as_object().map(serde_json::Map::len), Some(3));
}

const CONTEXT: &str = r#"{"hookSpecificOutput": {"additionalContext": "C"}}"#;
const BLANK_CONTEXT: &str = r#"{"hookSpecificOutput": {"additionalContext": " "}}"#;

#[test]
fn other_events() {
    for (event, answers, blocked, reason, context) in [
        ("PostToolUse", vec![(2, "", "E")], false, Some("E"), None),
        ("PostToolUse", vec![(0, BLOCK, "")], false, None, None),
        ("Stop", vec![(2, "", "E"), (0, BLOCK, "")], true, Some("B"), None),
        ("Stop", vec![(3, "", "E")], false, None, None),
        // The first block counts, even without a reason; a blank reason is not sent.
        ("Stop", vec![(0, r#"{"decision": "block"}"#, ""), (0, BLOCK, "")], false, None, None),
        ("Stop", vec![(0, r#"{"decision": "block"}"#, ""), (2, "", "E")], false, None, None),
        ("Stop", vec![(0, r#"{"decision": "block", "reason": " "}"#, "")], true, None, None),
        ("PostToolUse", vec![(0, BLANK_CONTEXT, ""), (0, CONTEXT, "")], false, None, None),
        ("PostToolUse", vec![(0, "", ""), (0, CONTEXT, "")], false, None, Some("C")),
        ("SessionStart", vec![(0, BLANK_CONTEXT, "")], false, None, None),
        ("SessionStart", vec![(0, "a", ""), (0, " b ", "")], false, None, Some("a\n\nb")),
        ("SessionStart", vec![(2, "a", "E")], false, None, None),
        ("SessionEnd", vec![(2, "a", "E")], false, None, None),
    ] {
        let outcome = run_hooks(event, &answers, false);
        let got = (outcome.blocked, outcome.reason.as_deref(), outcome.additional_context.as_deref());
        assert_eq!(got, (blocked, reason, context), "{event} {answers:?}");
    }
    let list = run_hooks("Stop", &[(0, r#"{"decision": "block", "reason": ["x"]}"#, "")], false);
    assert_eq!((list.verdict, list.blocked), (Verdict::Unknown, false));
    assert_eq!(run_hooks("UserPromptSubmit", &[(2, "", "no")], false).verdict, Verdict::Unknown);
    assert_eq!(run_hooks("UserPromptSubmit", &[(0, "", "")], false).verdict, Verdict::NoObjection);
}
