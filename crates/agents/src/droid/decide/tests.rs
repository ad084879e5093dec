//! Decisions over several hooks, as measured.

use super::super::test_firings::{run_hooks, run_hooks_headless};
use hookbench_base::decide::Verdict;
use serde_json::{Value, json};

const ALLOW: &str = r#"{"hookSpecificOutput": {"permissionDecision": "allow"}}"#;
const ASK: &str = r#"{"hookSpecificOutput": {"permissionDecision": "ask"}}"#;
const WORD: &str = r#"{"hookSpecificOutput": {"permissionDecision": "maybe"}}"#;
const DENY: &str = r#"{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "R"}}"#;
const BLOCK: &str = r#"{"decision": "block", "reason": "B"}"#;

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
    ] {
        let outcome = run_hooks("PreToolUse", &answers);
        assert_eq!((outcome.verdict, outcome.reason.as_deref()), (verdict, reason), "{answers:?}");
    }
}

#[test]
fn ask_runs_the_tool_without_a_terminal() {
    let outcome = run_hooks_headless("PreToolUse", &[(0, ASK, ""), (0, DENY, "")]);
    assert_eq!((outcome.verdict, outcome.blocked), (Verdict::NoObjection, false));
    assert_eq!(run_hooks("PreToolUse", &[(0, ASK, "")]).verdict, Verdict::Ask);
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
        let outcome = run_hooks("PreToolUse", &[(0, &update(input.clone()), "")]);
        assert_eq!(outcome.updated_input, want, "{input}");
    }
    let bad = run_hooks("PreToolUse", &[(0, &update(json!({"command": 5})), "")]);
    assert_eq!((bad.verdict, bad.blocked), (Verdict::FailedClosed, true));
    assert_eq!(original.as_object().map(serde_json::Map::len), Some(3));
}

#[test]
fn other_events() {
    for (event, answers, blocked, reason, context) in [
        ("PostToolUse", vec![(2, "", "E")], false, Some("E"), None),
        ("PostToolUse", vec![(0, BLOCK, "")], false, None, None),
        ("Stop", vec![(2, "", "E"), (0, BLOCK, "")], true, Some("B"), None),
        ("Stop", vec![(3, "", "E")], false, None, None),
        ("SessionStart", vec![(0, "a", ""), (0, " b ", "")], false, None, Some("a\n\nb")),
        ("SessionStart", vec![(2, "a", "E")], false, None, None),
        ("SessionEnd", vec![(2, "a", "E")], false, None, None),
    ] {
        let outcome = run_hooks(event, &answers);
        let got = (outcome.blocked, outcome.reason.as_deref(), outcome.additional_context.as_deref());
        assert_eq!(got, (blocked, reason, context), "{event} {answers:?}");
    }
    assert_eq!(run_hooks("UserPromptSubmit", &[(2, "", "no")]).verdict, Verdict::Unknown);
    assert_eq!(run_hooks("UserPromptSubmit", &[(0, "", "")]).verdict, Verdict::NoObjection);
}
