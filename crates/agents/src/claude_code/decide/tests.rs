//! The tables of spec §10 and §11, and the two properties of the trace.

use std::collections::BTreeSet;
use std::time::Duration;

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::test_scenes::project_scene;
use super::super::{hook_output, launch, plan};
use super::*;
use hookbench_base::decide::{HookRun, Verdict};
use hookbench_base::dialects::Version;
use hookbench_base::run::{Exit, RunId, RunReport};
use hookbench_base::trace::{Evidence, TraceStep};

/// A hook: the extra keys of its handler, its exit, and its output.
#[derive(Debug, Clone)]
pub(super) struct TestHook {
    extra: Value,
    exit: Exit,
    stdout: String,
    stderr: String,
}

pub(super) fn hook(exit: i32, stdout: &str, stderr: &str) -> TestHook {
    TestHook { extra: json!({}), exit: Exit::Code(exit), stdout: stdout.to_owned(), stderr: stderr.to_owned() }
}

fn json_hook(answer: &Value) -> TestHook {
    hook(0, &answer.to_string(), "")
}

fn specific_hook(event: &str, fields: Value) -> TestHook {
    let mut own = json!({"hookEventName": event});
    if let (Some(map), Value::Object(more)) = (own.as_object_mut(), fields) {
        map.extend(more);
    }
    json_hook(&json!({"hookSpecificOutput": own}))
}

fn pre_tool_use_hook(fields: Value) -> TestHook {
    specific_hook("PreToolUse", fields)
}

fn deny(reason: &str) -> TestHook {
    pre_tool_use_hook(json!({"permissionDecision": "deny", "permissionDecisionReason": reason}))
}

fn ask(reason: &str) -> TestHook {
    pre_tool_use_hook(json!({"permissionDecision": "ask", "permissionDecisionReason": reason}))
}

fn allow() -> TestHook {
    pre_tool_use_hook(json!({"permissionDecision": "allow"}))
}

pub(super) fn with_extra(extra: Value, hook: TestHook) -> TestHook {
    TestHook { extra, ..hook }
}

/// Returns a scene with these hooks (named c1, c2, …), and their runs in the order in which they end.
fn runs(event: &str, body: &Value, hooks: &[TestHook], headless: bool) -> (Scene, Vec<HookRun>) {
    let handlers: Vec<Value> = hooks
        .iter()
        .enumerate()
        .map(|(index, hook)| {
            let mut handler = json!({"type": "command", "command": format!("c{}", index + 1)});
            if let (Some(map), Value::Object(more)) = (handler.as_object_mut(), hook.extra.clone()) {
                map.extend(more);
            }
            handler
        })
        .collect();
    let mut settings = json!({"hooks": {}});
    settings["hooks"][event] = json!([{"hooks": handlers}]);
    let mut payload = json!({"hook_event_name": event});
    if let (Some(map), Value::Object(more)) = (payload.as_object_mut(), body.clone()) {
        map.extend(more);
    }
    let mut scene = project_scene(settings, payload);
    scene.headless = headless;
    let runs = hooks
        .iter()
        .zip(&scene.loaded.definitions)
        .enumerate()
        .map(|(index, (hook, definition))| {
            let run = RunId(u32::try_from(index).unwrap());
            let report = RunReport::new(run, hook.exit.clone(), hook.stdout.as_str(), hook.stderr.as_str());
            HookRun {
                run,
                hook: definition.id.clone(),
                awaited: !definition.detached,
                launch: launch::launch(definition, &scene),
                input: scene.input.clone(),
                output: hook_output::read(definition, &report, &scene),
                report,
            }
        })
        .collect();
    (scene, runs)
}

pub(super) fn decided(event: &str, body: &Value, hooks: &[TestHook], headless: bool) -> Outcome {
    let (scene, runs) = runs(event, body, hooks, headless);
    decide_runs(&scene, &runs)
}

fn decide_runs(scene: &Scene, runs: &[HookRun]) -> Outcome {
    let runs = FiringRuns { finished: runs, expired: false, aborted: None };
    decide(&plan::plan(scene), runs, scene)
}

pub(super) fn bash() -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": "touch marker"}, "tool_use_id": "t"})
}

/// Verdict, blocked, reason, deciding hooks.
fn short(outcome: &Outcome) -> (&'static str, bool, Option<&str>, Vec<&str>) {
    let decided_by = outcome.decided_by.iter().map(String::as_str).collect();
    (outcome.verdict.word(), outcome.blocked, outcome.reason.as_deref(), decided_by)
}

#[test]
fn several_hooks_on_one_call() {
    for (hooks, want) in [
        (vec![deny("R1"), allow()], ("deny", true, Some("R1"), vec!["h1"])),
        (vec![allow(), deny("R1")], ("deny", true, Some("R1"), vec!["h2"])),
        (vec![deny("R2"), deny("R1")], ("deny", true, Some("R1"), vec!["h2"])),
        (vec![ask("R2"), ask("R1")], ("ask", false, Some("R2"), vec!["h1"])),
        (vec![ask("R1"), allow()], ("ask", false, Some("R1"), vec!["h1"])),
        (vec![hook(2, "", "E"), allow()], ("deny", true, Some("[c1]: E"), vec!["h1"])),
        (vec![hook(1, "", "E"), allow()], ("allow", false, None, vec!["h2"])),
        (vec![hook(1, "", "E"), hook(0, "", "")], ("failed_open", false, None, vec![])),
        (vec![hook(0, "", ""), hook(0, "text", "")], ("no_objection", false, None, vec![])),
        (
            vec![json_hook(&json!({"decision": "block", "reason": "R"})), json_hook(&json!({"decision": "approve"}))],
            ("deny", true, Some("R"), vec!["h1"]),
        ),
        (
            vec![with_extra(json!({"onFailure": "block"}), hook(1, "", "E"))],
            ("failed_closed", true, Some("[c1]: failed; blocking because onFailure is \"block\"\nE"), vec!["h1"]),
        ),
        (vec![with_extra(json!({"async": true}), hook(2, "", "E"))], ("no_objection", false, None, vec![])),
    ] {
        assert_eq!(short(&decided("PreToolUse", &bash(), &hooks, false)), want, "{hooks:?}");
    }
}

#[test]
fn rewrites() {
    let c = |name: &str| json!({"command": name});
    let upd = |decision: Option<&str>, name: &str| match decision {
        Some(decision) => pre_tool_use_hook(json!({"permissionDecision": decision, "updatedInput": c(name)})),
        None => pre_tool_use_hook(json!({"updatedInput": c(name)})),
    };
    for (hooks, want) in [
        (vec![upd(Some("allow"), "c1"), ask("R")], Some("c1")),
        (vec![ask("R"), upd(Some("allow"), "c2")], None),
        (vec![upd(Some("ask"), "c1"), upd(None, "c2")], Some("c2")),
        (vec![upd(Some("allow"), "c1"), deny("R")], None),
        (vec![upd(Some("allow"), "c2"), upd(Some("allow"), "c1")], Some("c1")),
        (vec![upd(Some("allow"), "c1"), allow(), hook(0, "", "")], Some("c1")),
        (vec![upd(Some("deny"), "c1")], None),
    ] {
        let got = decided("PreToolUse", &bash(), &hooks, false);
        assert_eq!(got.updated_input, want.map(c), "{hooks:?}");
    }
    let empty = decided(
        "PreToolUse",
        &bash(),
        &[pre_tool_use_hook(json!({"permissionDecision": "allow", "updatedInput": {}}))],
        false,
    );
    assert!(empty.blocked && empty.updated_input.is_none());
}

#[test]
fn nobody_to_ask() {
    let got = decided("PreToolUse", &bash(), &[ask("R"), allow()], true);
    assert_eq!((got.blocked, got.reason.as_deref()), (true, Some("R")));
    let deferred =
        decided("PreToolUse", &bash(), &[pre_tool_use_hook(json!({"permissionDecision": "defer"})), ask("R")], true);
    let call = json!({"id": "t", "name": "Bash", "input": {"command": "touch marker"}});
    assert_eq!((deferred.blocked, deferred.extra.get("deferred_tool_use")), (true, Some(&call)));
    let ignored = decided("PreToolUse", &bash(), &[pre_tool_use_hook(json!({"permissionDecision": "defer"}))], false);
    assert_eq!(short(&ignored), ("no_objection", false, None, vec![]));
}

/// Event, payload, hooks; verdict, blocked, reason, context, continues.
type EventCase =
    (&'static str, Value, Vec<TestHook>, (&'static str, bool, Option<&'static str>, Option<&'static str>, bool));

#[test]
fn other_events() {
    let block = |reason: &str| json_hook(&json!({"decision": "block", "reason": reason}));
    let stop = || json_hook(&json!({"continue": false, "stopReason": "SR"}));
    let context = |event: &str, text: &str| specific_hook(event, json!({"additionalContext": text}));
    let permission = |decision: Value| specific_hook("PermissionRequest", json!({"decision": decision}));
    let rows: Vec<EventCase> = vec![
        ("UserPromptSubmit", json!({}), vec![block("B1"), block("B2")], ("deny", true, Some("B1"), None, true)),
        (
            "UserPromptSubmit",
            json!({}),
            vec![hook(0, "T\n", ""), hook(0, "T", "")],
            ("no_objection", false, None, Some("T\nT"), true),
        ),
        (
            "UserPromptSubmit",
            json!({}),
            vec![hook(0, "T", ""), hook(2, "", "E")],
            ("deny", true, Some("[c2]: E"), None, true),
        ),
        ("UserPromptSubmit", json!({}), vec![stop(), hook(2, "", "E")], ("deny", true, Some("SR"), None, false)),
        ("UserPromptSubmit", json!({}), vec![hook(1, "T", "")], ("failed_open", false, None, None, true)),
        (
            "SessionStart",
            json!({"source": "startup"}),
            vec![hook(2, "T", "E"), hook(0, "U", "")],
            ("no_objection", false, None, Some("U"), true),
        ),
        ("SessionStart", json!({"source": "startup"}), vec![stop()], ("no_objection", false, None, None, true)),
        ("Stop", json!({}), vec![block("B1"), hook(2, "", "E")], ("deny", true, Some("B1\n[c2]: E"), None, true)),
        ("Stop", json!({}), vec![block("B1"), stop()], ("no_objection", false, None, None, false)),
        ("Stop", json!({}), vec![context("Stop", "C")], ("deny", true, None, Some("C"), true)),
        (
            "Stop",
            json!({}),
            vec![with_extra(json!({"onFailure": "block"}), hook(1, "", "E"))],
            ("failed_open", false, None, None, true),
        ),
        (
            "PostToolUse",
            bash(),
            vec![block("B"), hook(2, "", "E")],
            ("no_objection", false, Some("B\n[c2]: E"), None, true),
        ),
        (
            "PostToolUse",
            bash(),
            vec![context("PostToolUse", "C2"), context("PostToolUse", "C1")],
            ("no_objection", false, None, Some("C2\nC1"), true),
        ),
        ("PostToolBatch", json!({}), vec![hook(2, "", "E")], ("deny", true, Some("[c1]: E"), None, true)),
        (
            "PermissionRequest",
            bash(),
            vec![permission(json!({"behavior": "allow"})), permission(json!({"behavior": "deny", "message": "M"}))],
            ("allow", false, None, None, true),
        ),
        (
            "PermissionRequest",
            bash(),
            vec![permission(json!({"behavior": "deny"})), permission(json!({"behavior": "allow"}))],
            ("deny", true, Some("Permission denied by hook"), None, true),
        ),
        (
            "PermissionRequest",
            bash(),
            vec![with_extra(json!({"onFailure": "block"}), hook(1, "", "E"))],
            ("failed_closed", true, Some("[c1]: failed; blocking because onFailure is \"block\"\nE"), None, true),
        ),
        (
            "PermissionRequest",
            bash(),
            vec![json_hook(&json!({"decision": "approve"}))],
            ("no_objection", false, None, None, true),
        ),
        ("PreCompact", json!({"trigger": "manual"}), vec![block("BR")], ("deny", true, Some("[c1]: BR"), None, true)),
        ("TaskCreated", json!({}), vec![hook(2, "", "E"), stop()], ("deny", true, Some("[c1]: E"), None, true)),
        (
            "ConfigChange",
            json!({"source": "policy_settings"}),
            vec![hook(2, "", "E")],
            ("no_objection", false, None, None, true),
        ),
        (
            "ConfigChange",
            json!({"source": "user_settings"}),
            vec![hook(2, "", "E")],
            ("deny", true, Some("[c1]: E"), None, true),
        ),
        (
            "SubagentStart",
            json!({"agent_type": "x"}),
            vec![hook(0, "T", ""), context("SubagentStart", "C")],
            ("no_objection", false, None, Some("C"), true),
        ),
        (
            "WorktreeCreate",
            json!({}),
            vec![hook(1, "", "E")],
            ("failed_closed", true, Some("exit 1 is an error"), None, true),
        ),
    ];
    for (event, body, hooks, want) in rows {
        let got = decided(event, &body, &hooks, false);
        let short =
            (got.verdict.word(), got.blocked, got.reason.as_deref(), got.additional_context.as_deref(), got.continues);
        assert_eq!(short, want, "{event} {hooks:?}");
    }
}

#[test]
fn extras() {
    let cases = [
        (
            "SessionStart",
            specific_hook("SessionStart", json!({"sessionTitle": "T", "initialUserMessage": "M"})),
            json!({"initial_user_message": "M", "session_title": "T"}),
        ),
        (
            "MessageDisplay",
            specific_hook("MessageDisplay", json!({"displayContent": "D"})),
            json!({"display_content": "D"}),
        ),
        ("PermissionDenied", specific_hook("PermissionDenied", json!({"retry": true})), json!({"retry": true})),
        (
            "Elicitation",
            specific_hook("Elicitation", json!({"action": "accept", "content": {"v": 1}})),
            json!({"action": "accept", "content": {"v": 1}}),
        ),
        ("WorktreeCreate", hook(0, "making\n/p/wt\n\n", ""), json!({"worktree_path": "/p/wt"})),
        (
            "PermissionRequest",
            specific_hook(
                "PermissionRequest",
                json!({"decision": {"behavior": "deny", "message": "M", "interrupt": true}}),
            ),
            json!({"interrupt": true}),
        ),
    ];
    for (event, hook, want) in cases {
        assert_eq!(Value::Object(decided(event, &bash(), &[hook], false).extra), want, "{event}");
    }
}

#[test]
fn a_timeout_cancels_a_model_switch_only() {
    let late = || TestHook { exit: Exit::TimedOut { after: Duration::from_secs(1) }, ..hook(0, "", "") };
    for (event, want) in [
        ("PreModelSwitch", ("failed_closed", true)),
        ("PreToolUse", ("failed_open", false)),
        ("Stop", ("failed_open", false)),
    ] {
        let got = decided(event, &bash(), &[late()], false);
        assert_eq!((got.verdict.word(), got.blocked), want, "{event}");
    }
}

#[test]
fn the_ninth_stop_takes_place() {
    let (mut scene, runs) = runs("Stop", &json!({}), &[hook(2, "", "E")], false);
    for (blocked_before, want) in [(0, true), (7, true), (8, false)] {
        scene.memory.stops_blocked = blocked_before;
        assert_eq!(decide_runs(&scene, &runs).blocked, want, "{blocked_before}");
    }
    // Older versions did not count blocked stops and had no cap.
    scene.version = Version::new(2, 1, 142);
    assert!(decide_runs(&scene, &runs).blocked);
}

#[test]
fn answers_by_hand() {
    let prompt = |continue_on_block: bool, exit: Exit, stdout: &str| {
        let extra = json!({"type": "prompt", "prompt": "P", "continueOnBlock": continue_on_block});
        TestHook { extra, exit, stdout: stdout.to_owned(), stderr: String::new() }
    };
    let no = r#"{"ok":false,"reason":"r"}"#;
    for (event, hooks, want) in [
        ("PreToolUse", vec![prompt(false, Exit::Unanswered, "")], ("unknown", false, None, true)),
        ("PreToolUse", vec![prompt(false, Exit::Unanswered, ""), allow()], ("unknown", false, None, true)),
        ("PreToolUse", vec![prompt(false, Exit::Unanswered, ""), deny("R")], ("deny", true, Some("R"), true)),
        ("PreToolUse", vec![prompt(false, Exit::Answered { by: None }, no)], ("deny", true, Some("[P]: r"), false)),
        ("PreToolUse", vec![prompt(true, Exit::Answered { by: None }, no)], ("deny", true, Some("[P]: r"), true)),
        (
            "PreToolUse",
            vec![prompt(false, Exit::Answered { by: None }, r#"{"ok":true}"#)],
            ("no_objection", false, None, true),
        ),
        ("PreToolUse", vec![prompt(false, Exit::Answered { by: None }, "garbage")], ("failed_open", false, None, true)),
        ("Stop", vec![prompt(false, Exit::Answered { by: None }, no)], ("deny", true, Some("[P]: r"), true)),
        (
            "Stop",
            vec![prompt(false, Exit::Answered { by: None }, r#"{"ok":false,"impossible":true}"#)],
            ("no_objection", false, None, true),
        ),
        (
            "UserPromptSubmit",
            vec![prompt(false, Exit::Answered { by: None }, no)],
            ("deny", true, Some("[P]: r"), false),
        ),
        (
            "PostToolUse",
            vec![prompt(false, Exit::Answered { by: None }, no)],
            ("no_objection", false, Some("[P]: r"), false),
        ),
        (
            "PostToolUse",
            vec![prompt(true, Exit::Answered { by: None }, no)],
            ("no_objection", false, Some("[P]: r"), true),
        ),
        (
            "PermissionRequest",
            vec![prompt(false, Exit::Answered { by: None }, no)],
            ("no_objection", false, None, true),
        ),
    ] {
        let got = decided(event, &bash(), &hooks, false);
        assert_eq!((got.verdict.word(), got.blocked, got.reason.as_deref(), got.continues), want, "{event} {hooks:?}");
    }
}

#[test]
fn late_answers_of_background_hooks() {
    let async_hook = |rest: TestHook| with_extra(json!({"async": true}), rest);
    let got = decided(
        "PostToolUse",
        &bash(),
        &[
            async_hook(specific_hook("PostToolUse", json!({"additionalContext": "C"}))),
            async_hook(hook(0, "plain", "")),
        ],
        false,
    );
    assert_eq!(got.additional_context.as_deref(), Some("C"));
    let woken = decided("PostToolUse", &bash(), &[with_extra(json!({"asyncRewake": true}), hook(2, "x", ""))], false);
    assert_eq!(woken.additional_context.as_deref(), Some("[c1]: No stderr output"));
}

#[test]
fn an_unsure_condition_makes_the_verdict_unknown() {
    let hooks = [with_extra(json!({"if": "Glob(*.ts)"}), hook(0, "", ""))];
    let (mut scene, _) = runs("PreToolUse", &bash(), &hooks, false);
    scene.input.body["tool_name"] = json!("Glob");
    let got = decide_runs(&scene, &[]);
    assert_eq!(got.verdict, Verdict::Unknown);
}

#[test]
fn a_trace_reads_well() {
    let got = decided("PreToolUse", &bash(), &[hook(0, "", ""), hook(1, "", "oops"), hook(2, "", "no rm")], false);
    let lines: Vec<String> = flat(&got.trace).into_iter().map(|s| format!("{}: {}", s.rule, s.message)).collect();
    assert_eq!(
        lines,
        [
            "decide.blocked: The command does not run: one hook that denies is enough",
            "exit.2: c3: exit 2 blocks; its stderr is the reason",
            "answer.irrelevant: c1 has no objection",
            "answer.failed: c2 gave no usable answer: exit 1 does not block; use exit 2",
        ]
    );
}

fn flat(steps: &[TraceStep]) -> Vec<&TraceStep> {
    steps.iter().flat_map(|step| std::iter::once(step).chain(flat(&step.children))).collect()
}

/// Returns the runs whose output or exit is cited.
fn cited(outcome: &Outcome) -> BTreeSet<RunId> {
    flat(&outcome.trace)
        .into_iter()
        .flat_map(|step| &step.evidence)
        .filter_map(|e| match e {
            Evidence::Output { run, .. } | Evidence::Exit { run } => Some(*run),
            _ => None,
        })
        .collect()
}

fn without_trace(outcome: Outcome) -> Outcome {
    Outcome { trace: Vec::new(), ..outcome }
}

fn any_hook() -> impl Strategy<Value = TestHook> {
    let names = ["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit", "PermissionRequest", "SessionStart"];
    let fields = prop::sample::select(vec![
        json!({"permissionDecision": "deny", "permissionDecisionReason": "D"}),
        json!({"permissionDecision": "ask", "permissionDecisionReason": "K"}),
        json!({"permissionDecision": "allow", "updatedInput": {"command": "c"}}),
        json!({"permissionDecision": "defer"}),
        json!({"updatedInput": {"command": "d"}}),
        json!({"additionalContext": "C"}),
        json!({"decision": {"behavior": "allow"}}),
        json!({"decision": {"behavior": "deny"}}),
    ]);
    let answer =
        (prop::sample::select(names.to_vec()), fields).prop_map(|(name, fields)| specific_hook(name, fields).stdout);
    let top = prop::sample::select(vec![
        "",
        "text",
        "{bad}",
        r#"{"decision":"block","reason":"B"}"#,
        r#"{"continue":false}"#,
        r#"{"systemMessage":"S"}"#,
    ]);
    let stdout = prop_oneof![answer, top.prop_map(str::to_owned)];
    let extra = prop::sample::select(vec![json!({}), json!({}), json!({"onFailure": "block"}), json!({"async": true})]);
    let exit = prop::sample::select(vec![
        Exit::Code(0),
        Exit::Code(0),
        Exit::Code(1),
        Exit::Code(2),
        Exit::TimedOut { after: Duration::from_secs(1) },
        Exit::Unanswered,
    ]);
    (extra, exit, stdout).prop_map(|(extra, exit, stdout)| TestHook { extra, exit, stdout, stderr: "E".to_owned() })
}

proptest! {
    /// Removing outputs that the trace does not cite changes nothing, and every run appears in the trace.
    #[test]
    fn traces_are_sound_and_complete(
        hooks in prop::collection::vec(any_hook(), 1..5),
        event in prop::sample::select(events_under_test()),
        headless in any::<bool>(),
    ) {
        let (scene, runs) = runs(event, &bash(), &hooks, headless);
        let outcome = decide_runs(&scene, &runs);
        let cited = cited(&outcome);
        let quieter: Vec<HookRun> = runs
            .iter()
            .map(|run| {
                if cited.contains(&run.run) {
                    return run.clone();
                }
                HookRun { report: RunReport::new(run.run, Exit::Code(0), "", ""), ..run.clone() }
            })
            .collect();
        prop_assert_eq!(without_trace(decide_runs(&scene, &quieter)), without_trace(outcome.clone()));
        let hooks_named = flat(&outcome.trace)
            .into_iter()
            .filter(|step| {
                step.evidence.iter().any(|e| matches!(e, Evidence::Hook { .. } | Evidence::Exit { .. }))
            })
            .count();
        prop_assert_eq!(hooks_named, runs.len());
    }
}

fn events_under_test() -> Vec<&'static str> {
    vec!["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit", "PermissionRequest", "SessionStart", "TaskCreated"]
}
