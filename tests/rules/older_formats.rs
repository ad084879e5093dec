//! The compatibility layer of the two documents (C-1 to C-100 of the compatibility list): tables of events, tools,
//! payloads and decisions in both directions, and round trips as a property.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::sync::Arc;
use std::time::Duration;

use hookbench::core::config::{LoadedConfig, MemoryFiles, Place};
use hookbench::core::decide::{Outcome, Verdict};
use hookbench::core::dialects::{self, Agent, Scene, SessionMemory, by_id, default_version, read_older_payload};
use hookbench::core::firing::{Firing, FiringStep};
use hookbench::core::hook::{HookInput, Subject};
use hookbench::core::port::{AgentVersion, translate};
use hookbench::core::run::{Exit, Launch, RunReport};
use proptest::prelude::*;
use serde_json::{Value, json};

const ID: &str = "qwen-legacy";

pub(crate) fn dialect() -> &'static Agent {
    by_id(ID).unwrap()
}

pub(crate) fn place() -> Place {
    let env = [("PATH".to_owned(), "/bin".to_owned())].into();
    Place { project: "/p".to_owned(), home: "/h".to_owned(), env, ..Place::default() }
}

/// Programs of the project that hooks run.
pub(crate) fn files(settings: &[(&str, &str)]) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    for program in ["/p/a", "/p/b", "/p/c", "/bin/v2"] {
        files.put(program, "#!/bin/sh\n");
    }
    for (path, text) in settings {
        files.put(*path, text);
    }
    files
}

pub(crate) fn load(settings: &[(&str, &str)]) -> Arc<LoadedConfig> {
    dialect().load(&place(), &files(settings), &default_version(dialect()))
}

pub(crate) fn codes(loaded: &LoadedConfig) -> Vec<&'static str> {
    loaded.notes.iter().map(|note| note.code.as_str()).filter(|code| code.starts_with("HW")).collect()
}

/// The result of one run: exit status, stdout, stderr.
pub(crate) type Ending<'a> = (i32, &'a str, &'a str);

/// Fires an event whose hooks end like this, in the order of their runs. Returns the outcome and the bodies that the
/// hooks got.
pub(crate) fn fire(settings: &str, body: Value, endings: &[Ending<'_>]) -> (Outcome, Vec<Value>) {
    let exits = endings.iter().map(|(code, out, err)| (Exit::Code(*code), *out, *err));
    fire_with(settings, body, exits.collect())
}

pub(crate) fn fire_with(settings: &str, mut body: Value, endings: Vec<(Exit, &str, &str)>) -> (Outcome, Vec<Value>) {
    let dialect = dialect();
    let version = default_version(dialect);
    let loaded = load(&[("/p/.qwen/settings.json", settings)]);
    let name = body["hook_event_name"].as_str().unwrap().to_owned();
    let event = dialects::find_event(dialect, &version, &name).unwrap();
    for (key, value) in dialect.missing_keys(event, &body, &place(), &version) {
        body[key] = value;
    }
    let subject = dialect.subject(event, &body, &version);
    let input = HookInput { event: name, subject, body };
    let place = Arc::new(place());
    let scene = Scene { input, loaded, place, version, headless: false, memory: SessionMemory::default() };
    let (mut firing, mut steps) = Firing::start(dialect, scene);
    let mut endings = endings.into_iter();
    let mut given = Vec::new();
    loop {
        let mut next = None;
        for step in steps {
            match step {
                FiringStep::Launch(request) => {
                    let Launch::Process(spec) = &request.launch else { continue };
                    given.push(serde_json::from_slice(&spec.stdin).unwrap());
                    next = Some(request.run);
                }
                FiringStep::Settled(outcome) => return (*outcome, given),
                _ => {}
            }
        }
        let (exit, out, err) = endings.next().expect("a result for every run");
        steps = firing.report(RunReport::new(next.expect("a run"), exit, out, err));
    }
}

/// One hook on an event.
pub(crate) fn one(event: &str) -> String {
    json!({"hooks": {"claudeHooks": [{"event": event, "command": "a"}]}}).to_string()
}

pub(crate) fn event(name: &str) -> Value {
    json!({"hook_event_name": name})
}

/// C-10, C-11, C-58 to C-60: which answers have an effect on which event, in all spellings of a decision.
#[test]
fn decisions_by_event() {
    let own = |word: &str| json!({"hookSpecificOutput": {"permissionDecision": word}}).to_string();
    let top = |word: &str| json!({"decision": word, "reason": "why"}).to_string();
    for (name, denies, allows) in [
        ("PreToolUse", Some(Verdict::Deny), Some(Verdict::Allow)),
        ("Stop", Some(Verdict::Deny), Some(Verdict::Allow)),
        ("SubagentStop", Some(Verdict::Deny), Some(Verdict::Allow)),
        ("UserPromptSubmit", Some(Verdict::Deny), Some(Verdict::Allow)),
        ("BeforeResponse", Some(Verdict::Deny), Some(Verdict::Allow)),
        ("AfterResponse", None, None),
        ("PostToolUse", None, None),
        ("SessionStart", None, None),
        ("AppStartup", None, None),
        ("AppShutdown", None, None),
        ("SessionEnd", None, None),
        ("Notification", None, None),
        ("PreCompact", None, None),
        ("file.before_read", None, None),
    ] {
        for (words, want) in [(["deny", "block"], denies), (["allow", "approve"], allows)] {
            for word in words {
                for answer in [own(word), top(word)] {
                    let (outcome, _) = fire(&one(name), event(name), &[(0, &answer, "")]);
                    assert_eq!(outcome.verdict, want.unwrap_or(Verdict::NoObjection), "{name} {answer}");
                    assert_eq!(outcome.blocked, want == Some(Verdict::Deny), "{name} {answer}");
                }
            }
        }
        let (blocked, _) = fire(&one(name), event(name), &[(2, "{\"decision\":\"allow\"}", "no\n")]);
        assert_eq!(blocked.blocked, denies.is_some(), "{name}: exit 2");
        assert_eq!(blocked.reason.as_deref(), denies.is_some().then_some("no"), "{name}: exit 2");
        let (context, _) =
            fire(&one(name), event(name), &[(0, r#"{"hookSpecificOutput":{"additionalContext":"c"}}"#, "")]);
        let adds = matches!(name, "SessionStart" | "AppStartup");
        assert_eq!(context.additional_context.as_deref(), adds.then_some("c"), "{name}: context");
        let (stopped, _) = fire(&one(name), event(name), &[(0, r#"{"continue":false,"stopReason":"s"}"#, "")]);
        assert_eq!((stopped.continues, stopped.stop_reason.as_deref()), (false, Some("s")), "{name}: continue");
    }
    // The own decision wins over the top-level one; a wrong type, an unknown word and plain text have no effect.
    for (answer, want) in [
        (r#"{"decision":"allow","hookSpecificOutput":{"permissionDecision":"deny"}}"#, Verdict::Deny),
        (r#"{"decision":"deny","hookSpecificOutput":{"permissionDecision":"allow"}}"#, Verdict::Allow),
        (r#"{"continue":"false"}"#, Verdict::NoObjection),
        (r#"{"decision":"ask"}"#, Verdict::NoObjection),
        (r#"{"decision":"modify","updatedResponse":"x"}"#, Verdict::NoObjection),
        ("deny", Verdict::NoObjection),
        ("[1]", Verdict::NoObjection),
        ("", Verdict::NoObjection),
        (r#"{"continue":false,"decision":"allow"}"#, Verdict::Deny),
    ] {
        assert_eq!(fire(&one("PreToolUse"), event("PreToolUse"), &[(0, answer, "")]).0.verdict, want, "{answer}");
    }
}

/// C-10, C-11, C-64: new inputs and responses, and their way from hook to hook.
#[test]
fn rewrites() {
    let three = |name: &str| {
        let entry = |command: &str| json!({"event": name, "command": command});
        json!({"hooks": {"claudeHooks": [entry("a"), entry("b"), entry("c")]}}).to_string()
    };
    let rewrite = r#"{"updatedInput":{"command":"ls"}}"#;
    let body = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm"}});
    let (outcome, given) = fire(&three("PreToolUse"), body.clone(), &[(0, rewrite, ""), (1, "", ""), (0, "", "")]);
    let inputs: Vec<&Value> = given.iter().map(|body| &body["tool_input"]["command"]).collect();
    assert_eq!(inputs, ["rm", "ls", "ls"], "a crash does not stop the others");
    assert_eq!((outcome.updated_input, outcome.verdict), (Some(json!({"command": "ls"})), Verdict::FailedOpen));
    let (outcome, given) = fire(&three("PreToolUse"), body, &[(0, "", ""), (2, "", "no")]);
    assert_eq!((given.len(), outcome.blocked, &outcome.decided_by), (2, true, &vec!["h2".to_owned()]));
    assert!(
        format!("{:?}", outcome.trace).contains("b ends the sequence: the hooks after it are skipped"),
        "{outcome:?}"
    );
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "p"});
    let (outcome, given) =
        fire(&three("UserPromptSubmit"), prompt, &[(0, r#"{"updatedInput":"q"}"#, ""), (0, "", ""), (0, "", "")]);
    assert_eq!((outcome.updated_input, &given[2]["prompt"]), (Some(json!("q")), &json!("q")));
    let response = json!({"hook_event_name": "BeforeResponse", "response": "r"});
    let modify = r#"{"decision":"modify","updatedResponse":"s"}"#;
    let (outcome, given) =
        fire(&three("BeforeResponse"), response.clone(), &[(0, modify, ""), (0, "", ""), (0, "", "")]);
    assert_eq!((&outcome.extra["updated_response"], &given[1]["response"]), (&json!("s"), &json!("s")));
    let bare = r#"{"decision":"modify"}"#;
    let (outcome, _) = fire(&one("BeforeResponse"), response, &[(0, bare, "")]);
    assert_eq!((outcome.verdict, outcome.blocked), (Verdict::Allow, false), "modify without a response");
    let messages = r#"{"systemMessage":"m"}"#;
    let (outcome, _) = fire(&three("Stop"), event("Stop"), &[(0, messages, ""), (0, messages, ""), (0, "", "")]);
    assert_eq!(outcome.system_message.as_deref(), Some("m\nm"));
}

/// C-56, C-57, C-92 to C-94: ends of processes, for a critical hook and for another.
#[test]
fn failures() {
    let settings = |critical: bool| {
        json!({"hooks": {"claudeHooks": [{"event": "PreToolUse", "command": "a", "critical": critical}]}}).to_string()
    };
    let timed_out = || Exit::TimedOut { after: Duration::from_secs(1) };
    for (exit, open, closed) in [
        (Exit::Code(0), Verdict::NoObjection, Verdict::NoObjection),
        (Exit::Code(1), Verdict::FailedOpen, Verdict::FailedClosed),
        (Exit::Code(2), Verdict::Deny, Verdict::Deny),
        (Exit::Code(127), Verdict::FailedOpen, Verdict::FailedClosed),
        (Exit::Signal(9), Verdict::FailedOpen, Verdict::FailedClosed),
        (timed_out(), Verdict::FailedOpen, Verdict::FailedClosed),
    ] {
        for (critical, want) in [(false, open), (true, closed)] {
            let (outcome, _) = fire_with(&settings(critical), event("PreToolUse"), vec![(exit.clone(), "", "")]);
            assert_eq!(outcome.verdict, want, "{exit:?} critical {critical}");
        }
    }
    let (outcome, _) = fire(&settings(false), event("PreToolUse"), &[(2, "", " ")]);
    assert_eq!(outcome.reason.as_deref(), Some("blocked by a, no reason given"));
    // An input of exactly 10 MiB reaches the hook, and one byte more does not.
    let sized = |length: usize| {
        let mut body = event("PreToolUse");
        body["tool_input"] = json!({"command": "x".repeat(length)});
        body
    };
    let (_, given) = fire(&settings(true), sized(0), &[(0, "", "")]);
    let fits = (10 << 20) - given[0].to_string().len();
    let passes: &[Ending<'_>] = &[(0, "", "")];
    for (length, critical, endings, want) in [
        (fits, true, passes, Verdict::NoObjection),
        (fits + 1, false, &[], Verdict::FailedOpen),
        (fits + 1, true, &[], Verdict::FailedClosed),
    ] {
        assert_eq!(fire(&settings(critical), sized(length), endings).0.verdict, want, "{length} critical {critical}");
    }
    // A path outside of the project is refused.
    let outside = json!({"hooks": {"claudeHooks": [{"event": "Stop", "command": "../../../etc/passwd"}]}}).to_string();
    let (outcome, _) = fire(&outside, event("Stop"), &[]);
    assert_eq!(outcome.verdict, Verdict::FailedOpen);
    assert!(format!("{:?}", outcome.trace).contains("HB-E-TRAVERSAL"), "{outcome:?}");
}

/// C-36, C-38 to C-42, C-47 to C-51: the files.
#[test]
fn configurations() {
    let yaml = |text: &str| load(&[("/p/hooks.yaml", text)]);
    let entry = "hooks:\n  - event: tool.before\n    matcher: [Write, Edit]\n    command: a\n    timeout: 30\n";
    for (version, definitions, codes_wanted) in [
        ("version: '1.0.0'\n", 1, &[][..]),
        ("version: 1.0\n", 1, &[]),
        ("version: \"2.0.0\"\n", 1, &[]),
        ("version: 2\n", 1, &[]),
        ("version: 3.1.0\n", 0, &["HW105"]),
        ("", 1, &["HW105"]),
    ] {
        let loaded = yaml(&format!("{version}{entry}"));
        assert_eq!((loaded.definitions.len(), codes(&loaded)), (definitions, codes_wanted.to_vec()), "{version}");
        for definition in &loaded.definitions {
            assert_eq!((definition.event.as_str(), definition.matcher_text().as_str()), ("PreToolUse", "Write|Edit"));
            assert_eq!(definition.timeout, Some(Duration::from_secs(30)));
        }
    }
    for (text, wanted) in [
        ("version: 2\nhooks:\n\t- x\n", "HW101"),
        ("version: 2\nversion: 2\nhooks: []\n", "HW101"),
        ("version: 2\nhooks: 5\n", "HW104"),
        ("version: 2\nhooks: [x]\n", "HW103"),
        ("version: 2\nextra: 1\nhooks: []\n", "HW113"),
        ("version: 2\nhooks: [{event: Stop, command: v2, runs: 1}]\n", "HW113"),
        ("version: 2\nhooks: [{event: Stopp, command: v2}]\n", "HW201"),
        ("version: 2\nhooks: [{command: v2}]\n", "HW105"),
        ("version: 2\nhooks: [{event: Stop}]\n", "HW105"),
        ("version: 2\nhooks: [{event: Stop, command: v2, timeout: 0}]\n", "HW105"),
        ("version: 2\nhooks: [{event: Stop, command: v2, timeout: soon}]\n", "HW105"),
        ("version: 2\nhooks: [{event: Stop, command: v2, priority: high}]\n", "HW105"),
        ("version: 2\nhooks: [{event: PreToolUse, command: v2, matcher: [5]}]\n", "HW102"),
        ("version: 2\nhooks: [{event: PreToolUse, command: v2, matcher: ['Write.*', Edit]}]\n", "HW311"),
    ] {
        assert_eq!(codes(&yaml(text)), [wanted], "{text}");
    }
    let timeouts = |settings: Value| {
        let loaded = load(&[("/p/.qwen/settings.json", &settings.to_string())]);
        loaded.definitions.iter().map(|d| d.timeout.unwrap().as_millis()).collect::<Vec<_>>()
    };
    let hooks = |more: Value| {
        let mut hooks = json!({"claudeHooks": [{"event": "Stop", "command": "a", "timeout": 30}, {"event": "Stop", "command": "a"}]});
        hooks.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"hooks": hooks})
    };
    assert_eq!(timeouts(hooks(json!({"timeoutMs": 10000}))), [30_000, 10_000], "per hook, then for all");
    assert_eq!(timeouts(hooks(json!({}))), [30_000, 60_000], "the default");
    assert_eq!(timeouts(hooks(json!({"timeoutMs": -1}))), [30_000, 60_000]);
    for (settings, off) in [
        (hooks(json!({"enabled": true})), false),
        (hooks(json!({"enabled": "no"})), false),
        (hooks(json!({"enabled": false})), true),
        (json!({"disableAllHooks": true, "hooks": {"claudeHooks": []}}), true),
    ] {
        let loaded = load(&[("/p/.qwen/settings.json", &settings.to_string())]);
        assert_eq!(loaded.hooks_off.is_some(), off, "{settings}");
    }
    // Both formats in one file, comments and trailing commas, and JavaScript that runs inside the agent.
    let both = r#"{ // both
        "hooks": {
            "claudeHooks": [{"event": "Stop", "command": "a"},],
            "hooks": [{"type": "tool.before", "inlineScript": "x()"}, {"type": "session.end", "scriptPath": "../../x.js"}],
            "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "b"}]}],
        },
    }"#;
    let loaded = load(&[("/p/.qwen/settings.json", both)]);
    assert_eq!(codes(&loaded), ["HW104"]);
    let listed: Vec<(&str, bool)> =
        loaded.definitions.iter().map(|d| (d.event.as_str(), d.rejection.is_none())).collect();
    assert_eq!(listed, [("Stop", true), ("PreToolUse", false), ("Stop", false), ("PreToolUse", true)]);
    let refused: Vec<&str> =
        loaded.definitions.iter().filter_map(|d| Some(d.rejection.as_ref()?.message.as_str())).collect();
    assert!(
        refused[0].contains("`inlineScript` is JavaScript") && refused[1].starts_with("HB-E-TRAVERSAL"),
        "{refused:?}"
    );
}

/// C-40: ascending priority; ties, negative numbers and missing values keep the order of the file.
#[test]
fn priorities() {
    let entries =
        [("a", json!(5)), ("b", json!(null)), ("c", json!(-1)), ("a", json!(0)), ("b", json!(5)), ("c", json!(0.5))];
    let hooks: Vec<Value> = entries
        .iter()
        .map(|(command, priority)| json!({"event": "Stop", "command": command, "priority": priority}))
        .collect();
    let settings = json!({"hooks": {"claudeHooks": hooks}}).to_string();
    let loaded = load(&[("/p/.qwen/settings.json", &settings)]);
    let dialect = dialect();
    let version = default_version(dialect);
    let spec = dialects::find_event(dialect, &version, "Stop").unwrap();
    let body = dialect.examples(spec, &place(), &version).swap_remove(0).body;
    let input = HookInput { event: "Stop".to_owned(), subject: dialect.subject(spec, &body, &version), body };
    let banner = loaded.notes[0].message.clone();
    let place = Arc::new(place());
    let scene = Scene { input, loaded, place, version, headless: false, memory: SessionMemory::default() };
    let plan = dialect.plan(&scene);
    let order: Vec<&str> = plan.firing().map(|entry| entry.hook.as_str()).collect();
    assert_eq!(order, ["h3", "h2", "h4", "h6", "h1", "h5"]);
    assert_eq!(banner, "this agent is specified, never released: no agent reads these files");
}

/// C-6, C-13 to C-19: internal payloads as hooks get them.
#[test]
fn internal_payloads() {
    for (internal, want) in [
        (
            json!({"id": "tool_before_c1", "timestamp": 1_700_000_000_000_i64, "callId": "c1", "toolName": "write_file", "args": {"file_path": "/a", "content": "x"}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "/a", "content": "x"}, "tool_use_id": "c1", "timestamp": 1_700_000_000_000_i64}),
        ),
        (
            json!({"id": "tool_after_c1", "timestamp": 1, "callId": "c1", "toolName": "run_shell_command", "params": {"command": "ls"}, "result": "ok"}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c1", "tool_response": "ok", "timestamp": 1, "_legacy": {"params": {"command": "ls"}}}),
        ),
        (
            json!({"id": "session_start_s1", "timestamp": 1, "sessionId": "s1"}),
            json!({"session_id": "s1", "hook_event_name": "SessionStart", "timestamp": 1}),
        ),
        (
            json!({"id": "session_end_s1", "timestamp": 1, "sessionId": "s1"}),
            json!({"session_id": "s1", "hook_event_name": "Stop", "timestamp": 1}),
        ),
        (
            json!({"id": "session_end_s1", "timestamp": 1, "sessionId": "s1", "reason": "logout"}),
            json!({"session_id": "s1", "hook_event_name": "SessionEnd", "timestamp": 1, "_legacy": {"reason": "logout"}}),
        ),
        (
            json!({"id": "session_end_s1", "timestamp": 1, "sessionId": "s1", "reason": "x", "final_message": "m"}),
            json!({"session_id": "s1", "hook_event_name": "Stop", "last_assistant_message": "m", "timestamp": 1, "_legacy": {"reason": "x", "final_message": "m"}}),
        ),
        (
            json!({"id": "subagent_session_end_a1", "timestamp": 1, "subagentId": "a1", "subagentName": "general", "terminateReason": "GOAL", "summary": {"n": 1}}),
            json!({"hook_event_name": "SubagentStop", "agent_id": "a1", "agent_type": "general", "timestamp": 1, "_legacy": {"terminateReason": "GOAL", "summary": {"n": 1}}}),
        ),
        (
            json!({"id": "session_end_s1", "timestamp": 1, "subagentId": "a1", "subagentName": "general"}),
            json!({"hook_event_name": "SubagentStop", "agent_id": "a1", "agent_type": "general", "timestamp": 1, "_legacy": {"id": "session_end_s1"}}),
        ),
        (
            json!({"event": "input.received", "id": "x", "timestamp": 1, "text": "hello"}),
            json!({"hook_event_name": "UserPromptSubmit", "timestamp": 1, "_legacy": {"id": "x", "text": "hello"}}),
        ),
    ] {
        let older = read_older_payload(&internal).unwrap_or_else(|| panic!("{internal}"));
        assert_eq!(older.body, want, "{internal}");
        let ambiguous = internal["id"].as_str().is_some_and(|id| id.contains("session_end"));
        assert_eq!(older.notes.iter().any(|note| note.contains("ambiguous")), ambiguous, "{:?}", older.notes);
    }
    assert_eq!(
        read_older_payload(&json!({"id": "unheard_of_1", "timestamp": 1})).unwrap().body["hook_event_name"],
        json!(null)
    );
}

/// C-22: modes of permission, as each agent calls them.
#[test]
fn modes_of_permission() {
    let side = |id: &str| {
        let dialect = by_id(id).unwrap();
        AgentVersion { dialect, version: default_version(dialect) }
    };
    for (from, mode, to, want) in [
        ("claude", "default", "qwen", "default"),
        ("claude", "plan", "qwen", "plan"),
        ("claude", "acceptEdits", "qwen", "auto_edit"),
        ("claude", "bypassPermissions", "qwen", "yolo"),
        ("claude", "auto", "qwen", "auto"),
        ("claude", "dontAsk", "qwen", "default"),
        ("qwen", "default", "claude", "default"),
        ("qwen", "plan", "claude", "plan"),
        ("qwen", "auto_edit", "claude", "acceptEdits"),
        ("qwen", "yolo", "claude", "bypassPermissions"),
        ("qwen", "auto", "claude", "auto"),
        (ID, "acceptEdits", "claude", "acceptEdits"),
        (ID, "acceptEdits", "qwen", "auto_edit"),
        (ID, "bypassPermissions", "qwen", "yolo"),
        (ID, "dontAsk", "qwen", "default"),
        ("claude", "acceptEdits", ID, "acceptEdits"),
        ("qwen", "yolo", ID, "bypassPermissions"),
        // An unknown mode stays as it is.
        ("claude", "newMode", "qwen", "newMode"),
        (ID, "newMode", "claude", "newMode"),
    ] {
        let body = json!({"hook_event_name": "Stop", "permission_mode": mode});
        let input = HookInput { event: "Stop".to_owned(), subject: Subject::default(), body };
        let there = translate(&input, &side(from), &side(to), &place()).unwrap();
        assert_eq!(there.input.body["permission_mode"], want, "{mode} of {from} in {to}");
    }
}

/// The other format of a payload and back, without what was left over on the way.
fn internal_of(body: Value) -> Value {
    let settings = one(body["hook_event_name"].as_str().unwrap());
    let (outcome, _) = fire(&settings, body, &[(0, "", "")]);
    outcome.extra["internal_payload"].clone()
}

fn without_rest(mut payload: Value) -> Value {
    payload.as_object_mut().unwrap().remove("_legacy");
    payload
}

fn tool_name() -> impl Strategy<Value = String> {
    const KNOWN: [&str; 11] = [
        "write_file",
        "edit",
        "replace",
        "run_shell_command",
        "Shell",
        "todoWrite",
        "ls",
        "list_directory",
        "Write",
        "mcp__s__t",
        "other",
    ];
    prop::sample::select(&KNOWN[..]).prop_map(str::to_owned)
}

fn internal_payload() -> impl Strategy<Value = Value> {
    let id = "[a-z0-9_]{1,6}";
    let args = prop::collection::btree_map("(absolute_path|file_path|path|command|x)", "[a-z /]{0,6}", 0..3);
    let key = prop::sample::select(vec!["args", "params"]);
    let tool = (id, tool_name(), args, key, any::<bool>(), 0_i64..2_000_000_000_000).prop_map(
        |(id, name, args, key, after, at)| {
            let prefix = if after { "tool_after" } else { "tool_before" };
            let mut payload = json!({"id": format!("{prefix}_{id}"), "timestamp": at, "callId": id, "toolName": name});
            payload[key] = json!(args);
            if after {
                payload["result"] = json!("r");
            }
            payload
        },
    );
    let session =
        (id, prop::sample::select(vec!["session_start", "session_end", "app_startup", "notification"]), any::<bool>())
            .prop_map(|(id, prefix, reason)| {
                let mut payload = json!({"id": format!("{prefix}_{id}"), "timestamp": 5, "sessionId": id});
                if reason {
                    payload["reason"] = json!("other");
                }
                payload
            });
    let subagent = (id, id).prop_map(|(id, name)| {
        json!({"id": format!("subagent_session_end_{id}"), "timestamp": 5, "subagentId": id, "subagentName": name, "terminateReason": "GOAL", "summary": {}})
    });
    prop_oneof![tool, session, subagent]
}

fn hook_payload() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "PreToolUse",
        "PostToolUse",
        "SessionStart",
        "Stop",
        "SessionEnd",
        "SubagentStop",
        "UserPromptSubmit",
        "BeforeResponse",
        "AppShutdown",
        "file.before_read",
    ]);
    let tools = prop::sample::select(vec!["Write", "Edit", "Bash", "Ls", "Task", "Agent", "mcp__s__t", "other"]);
    (names, tools, any::<bool>(), "[a-z]{1,5}").prop_map(|(name, tool, timed, id)| {
        let mut body = json!({"session_id": id, "hook_event_name": name, "transcript_path": "/t", "cwd": "/p", "permission_mode": "plan"});
        if name.contains("ToolUse") {
            body["tool_name"] = json!(tool);
            body["tool_input"] = json!({"file_path": "/a"});
            body["tool_use_id"] = json!("call");
        }
        if name == "SubagentStop" {
            body["agent_id"] = json!("a");
            body["agent_type"] = json!("general");
        }
        if timed {
            body["timestamp"] = json!(7);
        }
        for (key, value) in [("UserPromptSubmit", "prompt"), ("BeforeResponse", "response"), ("SessionEnd", "reason")] {
            if name == key {
                body[value] = json!("text");
            }
        }
        body
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// C-20: an internal payload is the same after both conversions.
    #[test]
    fn internal_there_and_back(payload in internal_payload()) {
        let there = read_older_payload(&payload).unwrap().body;
        let back = internal_of(there);
        prop_assert_eq!(without_rest(back), payload);
    }

    /// C-20: so is the payload of a hook, if it has the keys that an agent sends.
    #[test]
    fn hook_payload_there_and_back(payload in hook_payload()) {
        let mut internal = internal_of(payload.clone());
        // A payload without a time is not recognised as internal, because every internal payload has one.
        if internal.get("timestamp").is_none() {
            internal["timestamp"] = json!(9);
        }
        let mut back = without_rest(read_older_payload(&internal).unwrap().body);
        if payload.get("timestamp").is_none() {
            back.as_object_mut().unwrap().remove("timestamp");
        }
        prop_assert_eq!(back, payload);
    }

    /// Any object is read without a panic, and today's payloads are left alone.
    #[test]
    fn any_payload(keys in prop::collection::btree_map("(id|timestamp|event|toolName|args|sessionId|hook_event_name|_legacy|result|reason)", "[a-z_.]{0,12}", 0..6)) {
        let _ = read_older_payload(&json!(keys));
    }
}
