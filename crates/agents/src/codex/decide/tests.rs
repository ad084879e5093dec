//! Tests of whole firings: hooks that exit with a status and print, and the outcome.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::{AGENT, events};
use crate::kernel::test as kernel;
use hookbench_base::config::MemoryFiles;
use hookbench_base::decide::{HookRun, Outcome, Verdict};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::HookInput;
use hookbench_base::trace::{Evidence, TraceStep};

fn scene(event: &str, hooks: &[Value], tool: &str) -> Scene {
    // Administrator hooks need no review.
    let table = |hook: &Value| {
        let pairs = hook.as_object().unwrap().iter().map(|(key, value)| format!("{key} = {value}"));
        format!("[[hooks.{event}.hooks]]\n{}\n", pairs.collect::<Vec<_>>().join("\n"))
    };
    let mut files = MemoryFiles::default();
    let tables: String = hooks.iter().map(table).collect();
    files.put("/etc/codex/requirements.toml", format!("[[hooks.{event}]]\n{tables}"));
    files.put("/h/.codex/config.toml", "[mcp_servers.s]\ncommand = 'x'\n");
    let scene = kernel::scene(&AGENT, "0.169.0", event, &files, &kernel::place());
    assert_eq!(scene.loaded.notes, vec![]);
    let spec = events::EVENTS.by_name(event).unwrap();
    if spec.subject != Some("tool_name") {
        return scene;
    }
    let mut body = scene.input.body.clone();
    body["tool_name"] = json!(tool);
    let subject = AGENT.subject(spec, &body, &scene.version);
    scene.with_input(HookInput { event: event.to_owned(), subject, body })
}

/// Returns the outcome if the hooks end in this order, counted from 0. `None` is a hook that only Codex can run.
fn fired(event: &str, tool: &str, answers: &[kernel::TestAnswer<'_>], ends: &[usize]) -> Outcome {
    let hooks: Vec<Value> = answers
        .iter()
        .enumerate()
        .map(|(index, answer)| match answer {
            Some(_) => json!({"type": "command", "command": format!("run h{}", index + 1)}),
            None => json!({"type": "mcp_tool", "server": "s", "tool": "t"}),
        })
        .collect();
    let scene = scene(event, &hooks, tool);
    let runs = kernel::runs(&AGENT, &scene, answers);
    assert_eq!(runs.len(), answers.len());
    let finished: Vec<HookRun> = ends.iter().filter_map(|index| runs.get(*index).cloned()).collect();
    kernel::decide(&AGENT, &scene, &finished)
}

fn decided(event: &str, answers: &[(i32, &str, &str)]) -> Outcome {
    let some: Vec<_> = answers.iter().map(|a| Some(*a)).collect();
    fired(event, "Bash", &some, &(0..answers.len()).collect::<Vec<_>>())
}

fn rewrite(input: &str) -> String {
    format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{input}}}}}"#
    )
}

#[test]
fn several_answers_become_one() {
    let stop = r#"{"continue":false,"stopReason":"S"}"#;
    let block = r#"{"decision":"block","reason":"A"}"#;
    let allow = r#"{"hookSpecificOutput":{"hookEventName":"Stop","decision":{"behavior":"allow"}}}"#;
    for (event, answers, verdict, blocked, reason, by) in [
        ("PreToolUse", vec![(0, "", "")], Verdict::NoObjection, false, None, vec![]),
        ("PreToolUse", vec![(1, "", "x")], Verdict::FailedOpen, false, None, vec![]),
        ("PreToolUse", vec![(2, "", "a"), (2, "", "b")], Verdict::Deny, true, Some("a"), vec!["h1"]),
        ("PreToolUse", vec![(2, "", ""), (2, "", "b")], Verdict::Deny, true, Some("b"), vec!["h2"]),
        ("PermissionRequest", vec![(0, allow, ""), (0, "", "")], Verdict::Allow, false, None, vec!["h1"]),
        ("PermissionRequest", vec![(0, allow, ""), (2, "", "no")], Verdict::Deny, true, Some("no"), vec!["h2"]),
        (
            "PostToolUse",
            vec![(0, block, ""), (2, "", "B")],
            Verdict::NoObjection,
            false,
            Some("A\n\nB"),
            vec!["h1", "h2"],
        ),
        ("UserPromptSubmit", vec![(0, stop, "")], Verdict::Deny, true, None, vec!["h1"]),
        ("Stop", vec![(0, block, ""), (2, "", "B")], Verdict::Deny, true, Some("A\n\nB"), vec!["h1", "h2"]),
        ("Stop", vec![(0, block, ""), (0, stop, "")], Verdict::NoObjection, false, None, vec!["h2"]),
        ("PostCompact", vec![(0, stop, "")], Verdict::NoObjection, false, None, vec!["h1"]),
        ("Interrupt", vec![(2, "", "no")], Verdict::FailedOpen, false, None, vec![]),
    ] {
        let outcome = decided(event, &answers);
        let got = (outcome.verdict, outcome.blocked, outcome.reason.as_deref());
        assert_eq!(got, (verdict, blocked, reason), "{event} {answers:?}");
        assert_eq!(outcome.decided_by, by, "{event} {answers:?}");
    }
}

#[test]
fn the_rewrite_of_who_ends_last_counts() {
    let (one, two, bad) = (rewrite(r#"{"command":"1"}"#), rewrite(r#"{"command":"2"}"#), rewrite(r#"{"x":1}"#));
    let fired = |tool: &str, answers: &[&str], ends: &[usize]| {
        let answers: Vec<_> = answers.iter().map(|a| Some((0, *a, ""))).collect();
        let outcome = fired("PreToolUse", tool, &answers, ends);
        (outcome.verdict, outcome.updated_input)
    };
    let command = |c: &str| Some(json!({"command": c}));
    assert_eq!(fired("Bash", &[&one, &two], &[0, 1]), (Verdict::NoObjection, command("2")));
    assert_eq!(fired("Bash", &[&one, &two], &[1, 0]), (Verdict::NoObjection, command("1")));
    assert_eq!(fired("Bash", &[&one, &bad], &[0, 1]), (Verdict::FailedClosed, None));
    assert_eq!(fired("mcp__a__b", &[&bad], &[0]), (Verdict::NoObjection, Some(json!({"x": 1}))));
    // An MCP tool accepts only an object; how other tools handle anything else is unknown.
    assert_eq!(fired("mcp__a__b", &[&rewrite("[1]")], &[0]), (Verdict::FailedClosed, None));
    assert_eq!(fired("spawn_agent", &[&rewrite("\"x\"")], &[0]).0, Verdict::Unknown);
    let digits = rewrite(r#"{"a":123456789012345678901234567890,"b":1.50}"#);
    let input = fired("mcp__a__b", &[&digits], &[0]).1.unwrap().to_string();
    assert_eq!(input, r#"{"a":123456789012345678901234567890,"b":1.50}"#);
}

#[test]
fn what_only_codex_could_answer_is_not_guessed() {
    let block = (0, r#"{"decision":"block","reason":"A"}"#, "");
    for (event, answers, want) in [
        ("PreToolUse", vec![None], Verdict::Unknown),
        ("PreToolUse", vec![None, Some((2, "", "no"))], Verdict::Deny),
        ("Stop", vec![None, Some(block)], Verdict::Unknown),
        ("SubagentStart", vec![None], Verdict::NoObjection),
    ] {
        let outcome = fired(event, "Bash", &answers, &(0..answers.len()).collect::<Vec<_>>());
        assert_eq!(outcome.verdict, want, "{event} {answers:?}");
    }
}

#[test]
fn long_context_is_spilled() {
    let long = "a".repeat(10_001);
    let context = |text: &str| decided("SessionStart", &[(0, text, "")]).additional_context.unwrap();
    assert_eq!(context(&long[1..]), &long[1..]);
    assert!(
        context(&long).starts_with("Warning: truncated output (original token count: 2501)\nTotal output lines: 1\n")
    );
}

const ANSWERS: [(i32, &str, &str); 9] = [
    (0, "", ""),
    (2, "", "no"),
    (2, "", ""),
    (1, "", "boom"),
    (0, "text", ""),
    (0, r#"{"foo":1}"#, ""),
    (0, r#"{"continue":false,"stopReason":"s"}"#, ""),
    (0, r#"{"decision":"block","reason":"r","systemMessage":"m"}"#, ""),
    (0, r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}"#, ""),
];

fn hooks_in(steps: &[TraceStep]) -> Vec<String> {
    let all = steps.iter().chain(steps.iter().flat_map(|s| &s.children));
    let mut out: Vec<String> = all
        .filter(|s| s.rule.as_str().starts_with("run."))
        .flat_map(|s| &s.evidence)
        .filter_map(|e| match e {
            Evidence::Hook { hook } => Some(hook.clone()),
            _ => None,
        })
        .collect();
    out.sort();
    out
}

proptest! {
    /// Every run appears in the trace exactly once, and only events that can block are blocked.
    #[test]
    fn traces_are_complete(
        event in prop::sample::select(events::EVENTS.events),
        answers in prop::collection::vec(prop::sample::select(&ANSWERS[..]), 1..5),
    ) {
        let outcome = decided(event.name, &answers);
        let names: Vec<String> = (1..=answers.len()).map(|i| format!("h{i}")).collect();
        prop_assert_eq!(hooks_in(&outcome.trace), names);
        prop_assert!(event.blockable_action.is_some() || !outcome.blocked, "{} {:?}", event.name, outcome);
        prop_assert!(!outcome.agent_does.is_empty());
    }
}
