//! Decisions over several hooks, as measured.

use super::super::AGENT;
use super::super::test_firings::{run_hooks, scene_with};
use crate::kernel::test::{command_hooks, outcome};
use hookbench_base::decide::Verdict;
use serde_json::{Value, json};

const ALLOW: &str = r#"{"permissionDecision": "allow"}"#;
const ASK: &str = r#"{"permissionDecision": "ask", "permissionDecisionReason": "Q"}"#;
const DENY: &str = r#"{"permissionDecision": "deny", "permissionDecisionReason": "R"}"#;
const SPECIFIC: &str = r#"{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "S"}}"#;

const BY_STATUS: &str = "hook exited with code 2";

/// A deny with this JSON as its reason.
fn deny_with(reason: &str) -> String {
    format!(r#"{{"permissionDecision": "deny", "permissionDecisionReason": {reason}}}"#)
}

/// An answer with this JSON as its `hookSpecificOutput`.
fn beside(answer: &str, specific: &str) -> String {
    answer.replacen('{', &format!(r#"{{"hookSpecificOutput": {specific}, "#), 1)
}

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
        // Null counts as a missing reason; other values are printed.
        ("preToolUse", vec![(0, r#"{"permissionDecision": "deny"}"#, "")], Verdict::Deny, Some("No reason provided")),
        ("preToolUse", vec![(0, &deny_with("null"), "")], Verdict::Deny, Some("No reason provided")),
        ("preToolUse", vec![(0, &deny_with("\"\""), "")], Verdict::Deny, Some("")),
        ("preToolUse", vec![(0, &deny_with("0"), "")], Verdict::Deny, Some("0")),
        ("preToolUse", vec![(0, &deny_with("false"), "")], Verdict::Deny, Some("false")),
        ("preToolUse", vec![(0, &deny_with("[[1, 2], {}]"), "")], Verdict::Deny, Some("1,2,[object Object]")),
        ("preToolUse", vec![(0, &deny_with("\"  r  \""), "")], Verdict::Deny, Some("  r  ")),
        ("preToolUse", vec![(0, r#"{"permissionDecision": ["deny"]}"#, "")], Verdict::NoObjection, None),
        ("preToolUse", vec![(0, r#"{"permissionDecision": "DENY"}"#, "")], Verdict::NoObjection, None),
        // With exit 2 the top-level reason counts whatever the decision is, but not beside `hookSpecificOutput`.
        ("preToolUse", vec![(2, r#"{"permissionDecisionReason": "R"}"#, "")], Verdict::Deny, Some("R")),
        (
            "preToolUse",
            vec![(2, &ALLOW.replace('}', ", \"permissionDecisionReason\": 7}"), "")],
            Verdict::Deny,
            Some("7"),
        ),
        ("preToolUse", vec![(2, ASK, "")], Verdict::Deny, Some("Q")),
        ("preToolUse", vec![(2, &deny_with("\"\""), "")], Verdict::Deny, Some(BY_STATUS)),
        ("PreToolUse", vec![(2, DENY, "")], Verdict::Deny, Some("R")),
        ("PreToolUse", vec![(2, &beside(DENY, "{}"), "")], Verdict::Deny, Some(BY_STATUS)),
        ("PreToolUse", vec![(2, &beside(DENY, "null"), "")], Verdict::Deny, Some("R")),
        ("preToolUse", vec![(2, &beside(DENY, "{}"), "")], Verdict::Deny, Some("R")),
        // A key of `hookSpecificOutput` wins unless it is null.
        ("PreToolUse", vec![(0, &beside(DENY, r#"{"permissionDecision": null}"#), "")], Verdict::Deny, Some("R")),
        ("PreToolUse", vec![(0, &beside(DENY, r#"{"permissionDecision": ""}"#), "")], Verdict::NoObjection, None),
        ("PreToolUse", vec![(0, &beside(DENY, r#"{"permissionDecision": 7}"#), "")], Verdict::NoObjection, None),
        ("PreToolUse", vec![(0, &beside(DENY, r#"{"permissionDecisionReason": ""}"#), "")], Verdict::Deny, Some("")),
        ("PreToolUse", vec![(0, &beside(DENY, "[]"), "")], Verdict::Deny, Some("R")),
    ] {
        let outcome = run_hooks(event, &answers, false);
        assert_eq!((outcome.verdict, outcome.reason.as_deref()), (verdict, reason), "{event} {answers:?}");
    }
    let bare = run_hooks("preToolUse", &[(0, r#"{"permissionDecision": "ask"}"#, "")], true);
    assert_eq!((bare.verdict, bare.reason.as_deref()), (Verdict::Ask, Some("No reason provided")));
    let asked = run_hooks("preToolUse", &[(0, ASK, "")], true);
    assert_eq!((asked.verdict, asked.blocked, asked.reason.as_deref()), (Verdict::Ask, true, Some("Q")));
    assert!(!run_hooks("preToolUse", &[(0, ASK, "")], false).blocked);
}

const CONTEXT: &str = r#"{"additionalContext": "C"}"#;

#[test]
fn rewrites_and_contexts() {
    let new = json!({"command": "ls"});
    let rewrite = json!({"modifiedArgs": new, "additionalContext": 5}).to_string();
    let outcome = run_hooks("preToolUse", &[(0, &rewrite, "")], false);
    assert_eq!((outcome.updated_input, outcome.additional_context.as_deref()), (Some(new), Some("5")));
    for (event, answers, want) in [
        ("preToolUse", vec![r#"{"additionalContext": {"a": 1}}"#], Some("{\"a\":1}")),
        ("preToolUse", vec![r#"{"additionalContext": false}"#], Some("false")),
        ("PreToolUse", vec![r#"{"additionalContext": null}"#], Some("null")),
        ("preToolUse", vec![r#"{"additionalContext": "  s  "}"#], Some("  s  ")),
        ("preToolUse", vec![r#"{"additionalContext": ""}"#], None),
        ("PreToolUse", vec![r#"{"hookSpecificOutput": {"additionalContext": ""}, "additionalContext": "t"}"#], None),
        (
            "PreToolUse",
            vec![r#"{"hookSpecificOutput": {"additionalContext": null}, "additionalContext": "t"}"#],
            Some("t"),
        ),
        ("preToolUse", vec![CONTEXT, r#"{"additionalContext": ""}"#, r#"{"additionalContext": 7}"#], Some("C\n\n7")),
        ("sessionStart", vec![CONTEXT, CONTEXT], Some("C\n\nC")),
        ("sessionStart", vec![CONTEXT, r#"{"additionalContext": 7}"#], Some("7")),
        ("sessionStart", vec![CONTEXT, r#"{"additionalContext": 7}"#, CONTEXT], Some("C")),
        ("sessionStart", vec![CONTEXT, r#"{"additionalContext": null}"#, CONTEXT], Some("C")),
        ("sessionStart", vec![CONTEXT, r#"{"additionalContext": ""}"#], Some("C")),
        ("sessionStart", vec![CONTEXT, r#"{"additionalContext": null}"#], Some("null")),
        ("sessionStart", vec![r#"{"additionalContext": " "}"#, CONTEXT, r#"{"additionalContext": " "}"#], Some("C")),
        ("sessionStart", vec![r#"{"additionalContext": " "}"#, r#"{"additionalContext": "\t"}"#], Some("\t")),
        ("userPromptSubmitted", vec![CONTEXT, "{}"], Some("C")),
        ("userPromptSubmitted", vec![CONTEXT, r#"{"additionalContext": ""}"#], None),
        ("userPromptSubmitted", vec![CONTEXT, r#"{"additionalContext": null}"#], None),
        ("userPromptSubmitted", vec![r#"{"additionalContext": false}"#], Some("false")),
        ("userPromptSubmitted", vec![r#"{"additionalContext": "  s "}"#], Some("s")),
        (
            "postToolUse",
            vec![r#"{"additionalContext": " a "}"#, r#"{"additionalContext": "  "}"#, CONTEXT],
            Some("a\n\nC"),
        ),
        ("postToolUse", vec![r#"{"additionalContext": 7}"#], None),
    ] {
        let printed: Vec<_> = answers.iter().map(|answer| (0, *answer, "")).collect();
        assert_eq!(run_hooks(event, &printed, false).additional_context.as_deref(), want, "{event} {answers:?}");
    }
    let no_update = r#"{"hookSpecificOutput": {"updatedInput": null}, "modifiedArgs": {"command": "ls"}}"#;
    assert_eq!(run_hooks("PreToolUse", &[(0, no_update, "")], false).updated_input, Some(json!({"command": "ls"})));
    let bad = run_hooks("preToolUse", &[(0, r#"{"modifiedArgs": null}"#, "")], false);
    assert_eq!((bad.verdict, bad.blocked), (Verdict::FailedClosed, true));
}

#[test]
fn other_events() {
    const BLOCK: &str = r#"{"decision": "block", "reason": "B"}"#;
    const REASON: &str = r#"{"reason": "L"}"#;
    const BARE: &str = r#"{"decision": "block"}"#;
    const BLANK: &str = r#"{"decision": "block", "reason": ""}"#;
    const NUMBER: &str = r#"{"decision": "block", "reason": 7}"#;
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
        ("postToolUse", vec![(0, BLANK, "")], true, Some(""), None),
        ("postToolUse", vec![(0, NUMBER, "")], false, None, None),
        ("userPromptSubmitted", vec![(2, BLOCK, "E")], true, Some("B"), None),
        ("userPromptSubmitted", vec![(0, BLANK, "")], true, Some(""), None),
        ("userPromptSubmitted", vec![(0, NUMBER, "")], false, None, None),
        // The answers are merged key by key.
        ("userPromptSubmitted", vec![(0, BLOCK, ""), (0, NUMBER, "")], false, None, None),
        ("userPromptSubmitted", vec![(0, BLOCK, ""), (0, BARE, "")], true, Some("B"), None),
        // The reason of a prompt must be beside a block.
        ("userPromptSubmitted", vec![(0, BARE, ""), (0, REASON, "")], false, None, None),
        ("userPromptSubmitted", vec![(0, BLOCK, ""), (0, REASON, "")], true, Some("B"), None),
        ("userPromptSubmitted", vec![(0, BLOCK, ""), (0, r#"{"decision": "allow"}"#, "")], false, None, None),
        ("agentStop", vec![(0, BARE, ""), (0, REASON, "")], true, Some("L"), None),
        // Beside a block no context counts.
        ("postToolUse", vec![(0, CONTEXT, ""), (0, BLOCK, "")], true, Some("B"), None),
        ("postToolUse", vec![(0, r#"{"additionalContext": "\ufeffx\u0085"}"#, "")], false, None, Some("x\u{85}")),
        ("postToolUseFailure", vec![(2, "", "\u{feff}E\u{85}\n")], false, None, Some("E\u{85}")),
        ("agentStop", vec![(0, BLOCK, ""), (0, BLANK, "")], false, None, None),
        ("agentStop", vec![(0, NUMBER, "")], false, None, None),
        ("agentStop", vec![(0, r#"{"decision": "block", "reason": " r \n"}"#, "")], true, Some(" r"), None),
        ("agentStop", vec![(1, BLOCK, "")], false, None, None),
    ] {
        let outcome = run_hooks(event, &answers, false);
        let got = (outcome.blocked, outcome.reason.as_deref(), outcome.additional_context.as_deref());
        assert_eq!(got, (blocked, reason, context), "{event} {answers:?}");
    }
    for (event, key, answer, want) in [
        ("postToolUse", "updated_output", r#"{"modifiedResult": {"textResultForLlm": ""}}"#, json!("")),
        ("postToolUse", "updated_output", r#"{"modifiedResult": {"textResultForLlm": 7}}"#, json!("")),
        ("postToolUse", "updated_output", r#"{"modifiedResult": {"textResultForLlm": null}}"#, json!("")),
        ("postToolUse", "updated_output", r#"{"modifiedResult": {"text_result_for_llm": "x"}}"#, json!(null)),
        ("userPromptSubmitted", "updated_prompt", r#"{"modifiedPrompt": ""}"#, json!("")),
        ("userPromptSubmitted", "updated_prompt", r#"{"modifiedPrompt": 7}"#, json!(null)),
        ("userPromptTransformed", "updated_prompt", r#"{"modifiedTransformedPrompt": ""}"#, json!("")),
    ] {
        assert_eq!(run_hooks(event, &[(0, answer, "")], false).extra[key], want, "{event} {answer}");
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
        (vec![(0, "[1]", "")], Verdict::NoObjection, None),
        (vec![(0, "null", "")], Verdict::NoObjection, None),
        (vec![(0, "{} {}", "")], Verdict::FailedClosed, Some("Permission request hook failed")),
        (vec![(2, "text", "")], Verdict::Deny, Some("Permission denied by hook.")),
        (vec![(2, r#"{"behavior": "allow", "message": "M"}"#, "")], Verdict::Deny, Some("M")),
        (vec![(0, YES, ""), (2, "", ""), (0, "{}", "")], Verdict::Deny, Some("Permission denied by hook.")),
        (vec![(0, r#"{"behavior": "deny", "message": 7}"#, "")], Verdict::Deny, Some("Permission denied by hook.")),
        (vec![(0, r#"{"behavior": "DENY"}"#, "")], Verdict::NoObjection, None),
        // The answers are merged key by key.
        (vec![(0, NO, ""), (0, r#"{"behavior": "deny"}"#, "")], Verdict::Deny, Some("M")),
        (vec![(0, NO, ""), (0, r#"{"message": "N"}"#, "")], Verdict::Deny, Some("N")),
        (vec![(0, NO, ""), (0, r#"{"message": ""}"#, "")], Verdict::Deny, Some("Permission denied by hook.")),
        (vec![(0, NO, ""), (0, r#"{"behavior": null}"#, "")], Verdict::NoObjection, None),
        (vec![(0, NO, ""), (2, "", "")], Verdict::Deny, Some("M")),
        (vec![(2, "", ""), (0, r#"{"behavior": "x"}"#, "")], Verdict::NoObjection, None),
        (vec![(0, YES, ""), (1, "", ""), (0, NO, "")], Verdict::FailedClosed, Some("Permission request hook failed")),
    ] {
        let outcome = run_hooks("permissionRequest", &answers, false);
        assert_eq!((outcome.verdict, outcome.reason.as_deref()), (verdict, reason), "{answers:?}");
    }
}

#[test]
fn agent_stop_keeps_no_subagent_working() {
    let block = [(0, r#"{"decision": "block", "reason": "run the tests"}"#, "")];
    for (event, parent, blocked) in [
        ("agentStop", None, true),
        ("agentStop", Some("fa6a"), false),
        ("Stop", Some("fa6a"), false),
        ("subagentStop", Some("fa6a"), true),
    ] {
        let mut scene = scene_with(event, &Value::from(command_hooks(1)));
        if let Some(body) = scene.input.body.as_object_mut() {
            body.shift_remove("parent_agent_id");
            body.extend(parent.map(|parent| ("parent_agent_id".to_owned(), Value::from(parent))));
        }
        let outcome = outcome(&AGENT, &scene, &block);
        assert_eq!((outcome.blocked, outcome.reason.is_some()), (blocked, blocked), "{event} {parent:?}");
    }
}
