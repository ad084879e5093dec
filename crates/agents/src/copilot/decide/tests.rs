//! Decisions over several hooks, as measured.

use super::super::test_firings::{run_hooks, run_hooks_headless};
use hookbench_base::decide::Verdict;
use serde_json::json;

const ALLOW: &str = r#"{"permissionDecision": "allow"}"#;
const ASK: &str = r#"{"permissionDecision": "ask", "permissionDecisionReason": "Q"}"#;
const DENY: &str = r#"{"permissionDecision": "deny", "permissionDecisionReason": "R"}"#;
const SPECIFIC: &str = r#"{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "S"}}"#;

#[test]
fn before_a_tool() {
    for (event, answers, verdict, reason) in [
        ("preToolUse", vec![(0, DENY, "")], Verdict::Deny, Some("R")),
        ("preToolUse", vec![(0, ALLOW, ""), (0, DENY, "")], Verdict::Deny, Some("R")),
        ("preToolUse", vec![(0, ALLOW, ""), (0, "", "")], Verdict::Allow, None),
        ("preToolUse", vec![(0, SPECIFIC, "")], Verdict::NoObjection, None),
        ("PreToolUse", vec![(0, SPECIFIC, "")], Verdict::Deny, Some("S")),
        ("PreToolUse", vec![(2, SPECIFIC, "")], Verdict::Deny, Some("hook exited with code 2")),
        ("preToolUse", vec![(2, DENY, "E")], Verdict::Deny, Some("R")),
        ("preToolUse", vec![(2, "", "E")], Verdict::Deny, Some("hook exited with code 2")),
        ("preToolUse", vec![(1, ALLOW, "E")], Verdict::FailedClosed, Some("hook errored")),
        ("preToolUse", vec![(0, "text", "")], Verdict::NoObjection, None),
    ] {
        let outcome = run_hooks(event, &answers);
        assert_eq!((outcome.verdict, outcome.reason.as_deref()), (verdict, reason), "{event} {answers:?}");
    }
    let asked = run_hooks_headless("preToolUse", &[(0, ASK, "")]);
    assert_eq!((asked.verdict, asked.blocked, asked.reason.as_deref()), (Verdict::Ask, true, Some("Q")));
    assert!(!run_hooks("preToolUse", &[(0, ASK, "")]).blocked);
}

#[test]
fn rewrites_and_contexts() {
    let new = json!({"command": "ls"});
    let rewrite = json!({"modifiedArgs": new, "additionalContext": 5}).to_string();
    let outcome = run_hooks("preToolUse", &[(0, &rewrite, "")]);
    assert_eq!((outcome.updated_input, outcome.additional_context.as_deref()), (Some(new), Some("5")));
    let bad = run_hooks("preToolUse", &[(0, r#"{"modifiedArgs": null}"#, "")]);
    assert_eq!((bad.verdict, bad.blocked), (Verdict::FailedClosed, true));
}

#[test]
fn other_events() {
    const BLOCK: &str = r#"{"decision": "block", "reason": "B"}"#;
    const BARE: &str = r#"{"decision": "block"}"#;
    const CONTEXT: &str = r#"{"additionalContext": "C"}"#;
    for (event, answers, blocked, reason, context) in [
        ("postToolUse", vec![(0, BLOCK, "")], true, Some("B"), None),
        ("postToolUse", vec![(0, BARE, "")], false, None, None),
        ("postToolUse", vec![(0, CONTEXT, ""), (2, CONTEXT, "")], false, None, Some("C\n\nC")),
        ("postToolUseFailure", vec![(2, "", "E\n")], false, None, Some("E")),
        (
            "userPromptSubmitted",
            vec![(0, CONTEXT, ""), (0, r#"{"additionalContext": "D"}"#, "")],
            false,
            None,
            Some("D"),
        ),
        ("UserPromptSubmit", vec![(2, "", "E")], false, None, None),
        ("userPromptSubmitted", vec![(0, BARE, "")], false, None, None),
        ("agentStop", vec![(0, BLOCK, ""), (1, "", "")], true, Some("B"), None),
        ("Stop", vec![(2, "", "E")], false, None, None),
        ("agentStop", vec![(0, BARE, "")], false, None, None),
        ("sessionStart", vec![(2, CONTEXT, "")], false, None, Some("C")),
        ("sessionEnd", vec![(0, BLOCK, "")], false, None, None),
    ] {
        let outcome = run_hooks(event, &answers);
        let got = (outcome.blocked, outcome.reason.as_deref(), outcome.additional_context.as_deref());
        assert_eq!(got, (blocked, reason, context), "{event} {answers:?}");
    }
}

#[test]
fn permissions() {
    const YES: &str = r#"{"behavior": "allow"}"#;
    const NO: &str = r#"{"behavior": "deny", "message": "M"}"#;
    for (answers, verdict, reason) in [
        (vec![(0, YES, "")], Verdict::Allow, None),
        (vec![(0, NO, ""), (0, YES, "")], Verdict::Allow, None),
        (vec![(0, YES, ""), (0, NO, "")], Verdict::Deny, Some("M")),
        (vec![(2, "", "E")], Verdict::Deny, Some("Permission denied by hook.")),
        (vec![(0, "text", "")], Verdict::FailedClosed, Some("Permission request hook failed")),
        (vec![(0, r#"{"decision": "deny"}"#, "")], Verdict::NoObjection, None),
    ] {
        let outcome = run_hooks("permissionRequest", &answers);
        assert_eq!((outcome.verdict, outcome.reason.as_deref()), (verdict, reason), "{answers:?}");
    }
}
