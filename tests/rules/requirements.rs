//! Requirements of the older documents (`docs/seeds.md`) that the tables of `older_formats` do not contain.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::sync::Arc;
use std::time::Duration;

use hookbench::app::{InputRequest, build_input};
use hookbench::core::config::{LoadedConfig, MemoryFiles, Place};
use hookbench::core::decide::{Outcome, Verdict};
use hookbench::core::dialects::{self, Scene, SessionMemory, by_id, default_version, read_older_payload, recognise};
use hookbench::core::firing::{Firing, FiringStep};
use hookbench::core::hook::HookInput;
use hookbench::core::names::RunId;
use hookbench::core::output::KeyUse;
use hookbench::core::port::mapping;
use hookbench::core::run::{Exit, Launch, RunReport};
use serde_json::{Value, json};

use crate::older_formats::{codes, dialect, event, files, fire, load, one, place};

/// C-2: the agent that sends a payload.
#[test]
fn payloads_are_recognised() {
    for (payload, want) in [
        (json!({"hook_event_name": "BeforeTool", "session_id": "s"}), Some("gemini")),
        (json!({"hook_event_name": "BeforeModel"}), Some("gemini")),
        (json!({"hook_event_name": "PreCompress"}), Some("gemini")),
        (json!({"hook_event_name": "PreToolUse", "turn_id": "t", "model": "m"}), Some("codex")),
        (json!({"hook_event_name": "Interrupt"}), Some("codex")),
        (
            json!({"hook_event_name": "Stop", "timestamp": "2026-01-01T00:00:00Z", "transcript_path": "/h/.qwen/x.jsonl"}),
            Some("qwen"),
        ),
        (
            json!({"hook_event_name": "SessionStart", "timestamp": "2026-01-01T00:00:00Z", "transcript_path": "/h/.gemini/x.json"}),
            Some("gemini"),
        ),
        (json!({"hook_event_name": "PreToolUse", "session_id": "s", "permission_mode": "default"}), Some("claude")),
        (json!({"hello": 1}), None),
    ] {
        assert_eq!(recognise(&payload).map(|dialect| dialect.id().as_str()), want, "{payload}");
    }
    // A payload of the fork belongs to no released agent, and is read as what it is.
    let internal = json!({"id": "session_start_s", "timestamp": 1, "sessionId": "s"});
    assert_eq!(read_older_payload(&internal).unwrap().body["hook_event_name"], "SessionStart");
}

/// The first example of an event, with these settings.
fn scene(loaded: Arc<LoadedConfig>, name: &str) -> Scene {
    let dialect = dialect();
    let version = default_version(dialect);
    let spec = dialects::find_event(dialect, &version, name).unwrap();
    let body = dialect.examples(spec, &place(), &version).swap_remove(0).body;
    let input = HookInput { event: name.to_owned(), subject: dialect.subject(spec, &body, &version), body };
    Scene { input, loaded, place: Arc::new(place()), version, headless: false, memory: SessionMemory::default() }
}

fn events_and_order(loaded: Arc<LoadedConfig>, name: &str) -> (Vec<String>, Vec<String>) {
    let events = loaded.definitions.iter().map(|definition| definition.event.clone()).collect();
    let order = dialect().plan(&scene(loaded, name)).firing().map(|entry| entry.hook.clone()).collect();
    (events, order)
}

/// C-7: hooks on several spellings of one event are one group.
#[test]
fn spellings_of_one_event() {
    let spellings = ["InputReceived", "UserPromptSubmit", "input.received", "user_prompt_submit"];
    let hooks: Vec<Value> = spellings.iter().map(|name| json!({"event": name, "command": "a"})).collect();
    let loaded = load(&[("/p/.qwen/settings.json", &json!({"hooks": {"claudeHooks": hooks}}).to_string())]);
    let (events, order) = events_and_order(loaded, "UserPromptSubmit");
    assert_eq!(events, vec!["UserPromptSubmit".to_owned(); 4]);
    assert_eq!(order, ["h1", "h2", "h3", "h4"]);
}

/// C-10, C-11, C-58, C-60: keys of an answer that have no effect, with the reasons.
#[test]
fn keys_without_effect_are_named() {
    for (name, answer, want) in [
        ("AfterResponse", json!({"decision": "deny"}), &["/decision not read on AfterResponse"][..]),
        ("SessionStart", json!({"decision": "deny"}), &["/decision not read on SessionStart"]),
        ("Stop", json!({"additionalContext": "c"}), &["/additionalContext not read on Stop"]),
        ("PreToolUse", json!({"decision": "ask"}), &["/decision \"ask\" is not a decision of PreToolUse"]),
        (
            "BeforeResponse",
            json!({"decision": "modify"}),
            &["/decision `modify` needs `updatedResponse`; it counts as allow"],
        ),
        (
            "PreToolUse",
            json!({"decision": "allow", "hookSpecificOutput": {"permissionDecision": "deny"}}),
            &["/decision `permissionDecision` has another value, and takes precedence"],
        ),
        ("PreToolUse", json!({"decision": "deny", "hookSpecificOutput": {"permissionDecision": "deny"}}), &[]),
        (
            "Stop",
            json!({"continue": "false", "stopReason": 5, "suppressOutput": "x", "systemMessage": [1]}),
            &[
                "/continue `continue` must be true or false, so it is ignored",
                "/stopReason `stopReason` must be a string, so it is ignored",
                "/suppressOutput `suppressOutput` must be true or false, so it is ignored",
                "/systemMessage `systemMessage` must be a string, so it is ignored",
            ],
        ),
    ] {
        let loaded = load(&[("/p/.qwen/settings.json", &one(name))]);
        let scene = scene(Arc::clone(&loaded), name);
        let report = RunReport::new(RunId(0), Exit::Code(0), answer.to_string(), "");
        let output = dialect().interpret_run(&loaded.definitions[0], &report, &scene);
        let unused = output.fields.iter().filter(|field| field.key_use != KeyUse::Used);
        let got: Vec<String> = unused.map(|field| format!("{} {}", field.pointer, field.message)).collect();
        assert_eq!(got, want, "{name} {answer}");
    }
}

/// C-12: the other events of the fork can be configured, and fired by hand.
#[test]
fn the_wider_list_of_events() {
    for name in [
        "output.ready",
        "command.before",
        "command.after",
        "model.before_request",
        "model.after_response",
        "file.before_read",
        "file.after_read",
        "file.before_write",
        "file.after_write",
        "error.occurred",
        "error.handled",
    ] {
        for spelling in [name.to_owned(), name.replace('.', "_")] {
            let found = dialect().event_by_spelling(&spelling).map(|event| event.name);
            assert_eq!(found, Some(name), "{spelling}");
        }
        let (outcome, given) = fire(&one(name), event(name), &[(0, r#"{"decision":"deny"}"#, "")]);
        assert_eq!((given.len(), outcome.blocked), (1, false), "{name}");
    }
}

/// C-17: each spelling of each key is read; the first one of the list wins, in either order of the payload, and is named.
#[test]
fn spellings_in_order() {
    for (today, others) in [
        ("session_id", &["sessionId"][..]),
        ("tool_name", &["toolName", "tool"]),
        ("tool_input", &["args", "params"]),
        ("tool_use_id", &["tool_call_id", "callId"]),
        ("agent_id", &["subagent_id", "subagentId"]),
        ("agent_type", &["subagent_name", "subagentName"]),
        ("last_assistant_message", &["prompt_response", "final_message"]),
    ] {
        // Another old spelling tells that the payload is an older one.
        let other = if today == "agent_type" { "sessionId" } else { "subagentName" };
        let spellings: Vec<&str> = std::iter::once(today).chain(others.iter().copied()).collect();
        for (index, first) in spellings.iter().enumerate() {
            for second in &spellings[index..] {
                for keys in [[first, second], [second, first]] {
                    let mut payload = json!({"hook_event_name": "SubagentStop", other: "x"});
                    for key in keys {
                        payload[*key] = json!(format!("of {key}"));
                    }
                    let older = read_older_payload(&payload).unwrap();
                    assert_eq!(older.body[today], format!("of {first}"), "{keys:?}");
                    let noted = older.notes.iter().any(|note| note.contains(&format!("{first} as {today}")));
                    assert_eq!(noted, *first != today, "{keys:?}: {:?}", older.notes);
                }
            }
        }
    }
}

/// C-29 to C-31: required fields, other keys of a path, and fields that are kept.
#[test]
fn fields_of_tool_inputs() {
    let read = |tool: &str, input: Value| {
        let payload = json!({"hook_event_name": "PreToolUse", "sessionId": "s", "toolName": tool, "args": input});
        let older = read_older_payload(&payload).unwrap();
        let notes: Vec<String> = older.notes.iter().filter(|note| note.starts_with("tool_input")).cloned().collect();
        (older.body["tool_input"].clone(), notes.join(" "))
    };
    for (tool, complete, required) in [
        ("Write", json!({"file_path": "/a", "content": "c", "more": 1}), &["file_path", "content"][..]),
        (
            "Edit",
            json!({"file_path": "/a", "old_string": "a", "new_string": "b"}),
            &["file_path", "old_string", "new_string"],
        ),
        ("Bash", json!({"command": "ls", "description": "d"}), &["command"]),
        ("Read", json!({"file_path": "/a"}), &["file_path"]),
        ("Grep", json!({"pattern": "x", "path": "/p"}), &["pattern"]),
        ("Glob", json!({"pattern": "*"}), &["pattern"]),
        ("TodoWrite", json!({"todos": []}), &["todos"]),
        ("Ls", json!({"path": "/p"}), &[]),
    ] {
        assert_eq!(read(tool, complete.clone()), (complete.clone(), String::new()), "{tool}");
        for key in required {
            let kind = if *key == "todos" { "list" } else { "string" };
            let mut missing = complete.clone();
            missing.as_object_mut().unwrap().remove(*key);
            let want = format!("tool_input.{key} of {tool} is missing; it must be a {kind}");
            assert_eq!(read(tool, missing).1, want, "{tool}");
            let mut wrong = complete.clone();
            wrong[*key] = json!(7);
            let (input, notes) = read(tool, wrong);
            assert_eq!(notes, format!("tool_input.{key} of {tool} has another type than a {kind}"), "{tool}");
            assert_eq!(input[*key], 7, "it is delivered in any case");
        }
    }
    for key in ["absolute_path", "path", "notebook_path"] {
        assert_eq!(read("Read", json!({key: "/a"})), (json!({"file_path": "/a"}), String::new()), "{key}");
    }
}

/// C-32: a text in place of a patch is delivered, and a note says that no file is checked.
#[test]
fn a_text_that_is_no_patch_is_named() {
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
    for (agent, tool, command, named) in [
        ("codex", "apply_patch", "nonsense", true),
        ("codex", "apply_patch", patch, false),
        ("codex", "Bash", "nonsense", false),
        ("claude", "Bash", "nonsense", false),
    ] {
        let dialect = by_id(agent).unwrap();
        let body = json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {"command": command}});
        let request = InputRequest { agent: Some(dialect.id()), payload: Some(body), ..InputRequest::default() };
        let built = build_input(&request, &place(), &MemoryFiles::default(), &|_| default_version(dialect)).unwrap();
        let note = built.diagnostics.iter().find(|note| note.code.as_str() == "payload/type");
        let says = "tool_input.command of apply_patch is not a patch that names a file, so guards check no file";
        assert_eq!(note.map(|note| note.message.as_str()), named.then_some(says), "{agent} {tool} {command}");
        assert_eq!(built.input.body["tool_input"]["command"], command, "it is delivered");
    }
}

/// C-36, C-39, C-41, C-47: entries that are wrong or switched off, and what becomes of the others.
#[test]
fn entries_beside_wrong_ones() {
    let yaml = |text: &str| load(&[("/p/hooks.yaml", text)]);
    let loaded = yaml("version: 2\nhooks:\n  - 5\n  - {event: Stop}\n  - {event: Stop, command: v2, timeout: 0.5}\n");
    assert_eq!(codes(&loaded), ["HW103", "HW105"]);
    let usable: Vec<Option<Duration>> =
        loaded.definitions.iter().filter(|one| one.rejection.is_none()).map(|one| one.timeout).collect();
    assert_eq!(usable, [Some(Duration::from_millis(500))]);
    for (text, line) in [("version: 2\nhooks:\n\t- x\n", 3), ("version: 2\nversion: 2\nhooks: []\n", 2)] {
        let loaded = yaml(text);
        let note = loaded.notes.iter().find(|note| note.code.as_str() == "HW101").unwrap();
        assert_eq!(note.span.map(|span| loaded.sources.start(span).line), Some(line), "{text}: {note:?}");
        assert_eq!(loaded.definitions.len(), 0, "{text}");
    }
    let mut bomb = "version: 2\na: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, inner) in [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d")] {
        bomb += &format!("{name}: &{name} [{}]\n", vec![format!("*{inner}"); 10].join(", "));
    }
    let loaded = yaml(&(bomb + "hooks: [{event: Stop, command: v2}]\n"));
    assert_eq!((codes(&loaded), loaded.definitions.len()), (vec!["HW101"], 0), "anchors");
    let settings = json!({"hooks": {"claudeHooks": [
        {"event": "Stop", "command": "a", "enabled": false},
        {"event": "Stop", "command": "b", "matcher": "Bash", "enabled": true}]}});
    let (_, order) = events_and_order(load(&[("/p/.qwen/settings.json", &settings.to_string())]), "Stop");
    assert_eq!(order, ["h2"], "a matcher of an event without a tool is ignored");
}

/// C-80: only the user's own settings allow programs of another directory.
#[test]
fn a_project_cannot_allow_other_directories() {
    let settings = |more: Value| {
        let mut all = json!({"hooks": {"claudeHooks": [{"event": "Stop", "command": "/opt/h/y.sh"}]}});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all.to_string()
    };
    let allowed = json!({"security": {"extra_hook_dirs": ["/opt/h"]}});
    for (project, user, want) in [
        (settings(json!({})), "{}".to_owned(), Verdict::FailedOpen),
        (settings(allowed.clone()), "{}".to_owned(), Verdict::FailedOpen),
        (settings(json!({})), allowed.to_string(), Verdict::NoObjection),
    ] {
        let mut all: MemoryFiles = files(&[("/p/.qwen/settings.json", &project), ("/h/.qwen/settings.json", &user)]);
        all.put("/opt/h/y.sh", "#!/bin/sh\n");
        let loaded = dialect().load(&place(), &all, &default_version(dialect()));
        let outcome = fired("qwen-legacy", loaded, json!({"hook_event_name": "Stop"}), "");
        assert_eq!(outcome.verdict, want, "{project} {user}");
    }
}

/// Fires an event at the only hook, which prints a text and ends with 0.
fn fired(agent: &str, loaded: Arc<LoadedConfig>, mut body: Value, answer: &str) -> Outcome {
    let dialect = by_id(agent).unwrap();
    let version = default_version(dialect);
    let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
    let name = body["hook_event_name"].as_str().unwrap().to_owned();
    let event = dialects::find_event(dialect, &version, &name).unwrap();
    for (key, value) in dialect.missing_keys(event, &body, &place, &version) {
        body[key] = value;
    }
    let subject = dialect.subject(event, &body, &version);
    let input = HookInput { event: name, subject, body };
    let place = Arc::new(place);
    let scene = Scene { input, loaded, place, version, headless: false, memory: SessionMemory::default() };
    let (mut firing, mut steps) = Firing::start(dialect, scene);
    loop {
        let mut run = None;
        for step in steps {
            match step {
                FiringStep::Launch(request) => run = Some(request.run),
                FiringStep::Settled(outcome) => return *outcome,
                _ => {}
            }
        }
        steps = firing.report(RunReport::new(run.expect("a run"), Exit::Code(0), answer, ""));
    }
}

/// C-54, C-84: a value of a payload reaches a hook on stdin only, never in its command line.
#[test]
fn no_value_of_a_payload_is_in_a_command_line() {
    const VALUE: &str = "$(touch /tmp/x)";
    for dialect in dialects::released().chain([dialect()]) {
        let version = default_version(dialect);
        let name = mapping().row("pre_tool_use").unwrap().events.get(dialect.id().as_str()).unwrap();
        let event = dialects::find_event(dialect, &version, name).unwrap();
        let place = Place {
            project: "/p".to_owned(),
            home: "/h".to_owned(),
            env: [("PATH".to_owned(), "/bin".to_owned())].into(),
            ..Place::default()
        };
        let groups = json!({event.name: [{"hooks": [{"type": "command", "command": "/p/a"}]}]});
        let mut all = files(&[]);
        let (_, file) = dialect.settings_format().usual_settings(&place).unwrap();
        all.put(file.path, file.form.whole_file(groups.as_object().unwrap()));
        for (path, text) in dialect.trust_files(&place, &all) {
            all.put(path, text);
        }
        let loaded = dialect.load(&place, &all, &version);
        let body = dialect.examples(event, &place, &version).swap_remove(0).body;
        let text = body.to_string().replace("\"/p\"", "\"/p/\"");
        let mut body: Value = serde_json::from_str(&text).unwrap();
        for key in ["session_id", "taskId", "sessionId", "transcript_path", "permission_mode", "tool_use_id"] {
            if body.get(key).is_some() {
                body[key] = json!(VALUE);
            }
        }
        let input = HookInput { event: event.name.to_owned(), subject: dialect.subject(event, &body, &version), body };
        let scene =
            Scene { input, loaded, place: Arc::new(place), version, headless: false, memory: SessionMemory::default() };
        let (_, steps) = Firing::start(dialect, scene);
        let specs: Vec<_> = steps
            .iter()
            .filter_map(|step| match step {
                FiringStep::Launch(request) => match &request.launch {
                    Launch::Process(spec) => Some(spec),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        assert!(!specs.is_empty(), "{}: no hook runs", dialect.id());
        for spec in specs {
            let line = format!("{} {:?} {}", spec.program, spec.args, spec.cwd);
            assert!(!line.contains(VALUE), "{}: {line}", dialect.id());
            assert!(String::from_utf8_lossy(&spec.stdin).contains(VALUE), "{}", dialect.id());
        }
    }
}

/// C-61 to C-63: an answer in the words of the documents, as each released agent interprets it.
#[test]
fn answers_of_the_documents_in_released_agents() {
    let own = |word: &str| {
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word}}).to_string()
    };
    let block = own("block");
    let allow = own("allow");
    let approve = r#"{"decision":"approve"}"#;
    for (agent, file, tool, stop, wants) in [
        (
            "claude",
            "/p/.claude/settings.json",
            "PreToolUse",
            "Stop",
            [Verdict::FailedOpen, Verdict::NoObjection, Verdict::Allow],
        ),
        (
            "qwen",
            "/p/.qwen/settings.json",
            "PreToolUse",
            "Stop",
            [Verdict::NoObjection, Verdict::NoObjection, Verdict::NoObjection],
        ),
        (
            "gemini",
            "/h/.gemini/settings.json",
            "BeforeTool",
            "AfterAgent",
            [Verdict::NoObjection, Verdict::NoObjection, Verdict::NoObjection],
        ),
        (
            "codex",
            "/h/.codex/hooks.json",
            "PreToolUse",
            "Stop",
            [Verdict::FailedOpen, Verdict::FailedOpen, Verdict::FailedOpen],
        ),
    ] {
        let dialect = by_id(agent).unwrap();
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let hook = json!([{"hooks": [{"type": "command", "command": "x"}]}]);
        let mut all = MemoryFiles::default();
        all.put(file, json!({"hooks": {tool: hook, stop: hook}}).to_string());
        for (path, text) in dialect.trust_files(&place, &all) {
            all.put(path, text);
        }
        let loaded = dialect.load(&place, &all, &default_version(dialect));
        let verdict =
            |event: &str, answer: &str| fired(agent, Arc::clone(&loaded), json!({"hook_event_name": event}), answer);
        let got = [verdict(tool, &block), verdict(stop, approve), verdict(tool, &allow)];
        assert!(got.iter().all(|outcome| !outcome.blocked), "{agent}: nothing is blocked");
        assert_eq!(got.map(|outcome| outcome.verdict), wants, "{agent}");
    }
}
