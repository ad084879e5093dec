//! Tests of every command in a sandbox: text and JSON output, exit statuses, and error messages for invalid input.
//! Snapshots hold whole outputs; facts that must not change are also asserted.
#![allow(clippy::disallowed_methods, reason = "lays files and starts the program")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

mod adapt;
mod agent_arguments;
#[path = "../support/agent_words.rs"]
mod agent_words;
mod bad_input;
mod broken_files;
mod calibrate;
mod consent;
mod contain;
mod convert;
mod db;
mod debug_logs;
mod default_agent;
mod doctor;
mod documents;
mod environment;
mod everywhere;
mod failures;
#[allow(dead_code, reason = "not every test needs all of it")]
#[path = "../support/fake_model.rs"]
mod fake_model;
mod findings;
mod fleet;
mod frequent_problems;
mod guard;
mod guard_limits;
mod guard_moderator;
mod help;
mod hostile;
mod import;
mod install;
mod interrupted;
#[allow(dead_code, reason = "not every test needs all of it")]
#[path = "../support/language_client.rs"]
mod language_client;
mod links;
mod lint;
mod matchers;
mod matching;
mod model;
mod new;
mod number_precision;
mod older_formats;
mod pages;
mod portable;
#[allow(dead_code, reason = "not every test needs all of it")]
#[path = "../support/programs.rs"]
mod programs;
mod races;
mod recorded;
mod replay;
mod replay_kept;
mod run_log;
mod samples;
#[allow(dead_code, reason = "not every test needs all of it")]
#[path = "../support/sandbox.rs"]
mod sandbox;
mod screen;
mod scripts;
mod server;
mod session;
mod several_files;
mod shared_files;
mod sharing;
mod skill;
mod stress;
mod stress_recipes;
mod suites;
mod surprises;
mod telemetry;
mod tools;
mod trust;
mod unreadable;
mod verify;
mod versions;
mod workflows;

use hookbench::app::schemas::generated_schemas;
use hookbench::core::dialects;
use sandbox::{ProgramOutput, Sandbox};
use serde_json::{Value, json};

/// A project with one hook each that denies, that prints, that does not match, and that only the agent can run.
fn project(agent: &str) -> Sandbox {
    let (sandbox, words) = (Sandbox::for_agent(agent), agent_words::words_of(agent));
    let by_hand = json!({"type": "prompt", "prompt": "Is the work done?"});
    let at_stop = if words.by_hand { by_hand } else { json!({"type": "command", "command": "exit 0"}) };
    let settings = json!({
        "hooks": {
            "@tool": [
                {"matcher": "@shell", "hooks": [
                    {"type": "command", "command": "sh hooks/guard.sh", "timeout": 10 * words.second}
                ]},
                {"matcher": "@edits", "hooks": [{"type": "command", "command": "sh hooks/format.sh"}]}
            ],
            "@prompt": [{"hooks": [{"type": "command", "command": "sh hooks/context.sh"}]}],
            "@stop": [{"hooks": [at_stop]}],
            "@end": [{"hooks": [{"type": "command", "command": "exit 3"}]}]
        }
    });
    // In one agent, only an answer refuses.
    let guard = if agent == "hermes" {
        "echo '{\"decision\": \"block\", \"reason\": \"rm is not allowed here\"}'\nexit 2\n"
    } else {
        "echo looking\necho 'rm is not allowed here' >&2\nexit 2\n"
    };
    sandbox
        .settings(&serde_json::to_string_pretty(&settings).unwrap())
        .file("hooks/guard.sh", guard)
        .file("hooks/format.sh", "exit 0\n")
        .file("hooks/context.sh", "echo 'the branch is main'\n");
    sandbox
}

fn settings_file(agent: &str) -> &'static str {
    agent_words::words_of(agent).settings
}

/// Runs the check for each agent, with one snapshot per agent.
/// The agents whose hooks are in settings files; `scripts.rs` is about the others.
fn for_each_agent(check: impl Fn(&'static str)) {
    let has_settings = |dialect: &&'static dialects::Agent| dialect.settings_format().script.is_none();
    for agent in dialects::released().filter(has_settings).map(|dialect| dialect.id()) {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_suffix(agent.as_str());
        settings.set_prepend_module_to_snapshot(true);
        settings.bind(|| check(agent.as_str()));
    }
}

fn outputs(all: &[ProgramOutput]) -> String {
    all.iter().map(ProgramOutput::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn fire_as_text() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let fire = |line: &str| sandbox.run(&format!("fire {line} --agent {agent} --yes"));
        insta::assert_snapshot!(
            "fire",
            outputs(&[
                fire("@tool").assert_status(0),
                fire("@tool --tool @write").assert_status(0),
                fire("@prompt --set 'prompt=tell me'").assert_status(0),
                fire("@stop").assert_status(0),
                fire("@end").assert_status(0),
                fire("@idle").assert_status(0),
            ])
        );
    });
}

#[test]
fn fire_as_json() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let done = sandbox.run(&format!("fire @tool --agent {agent} --yes --format json")).assert_status(0);
        let document = done.json();
        assert_eq!(document["outcome"]["verdict"], "deny");
        assert_eq!(document["outcome"]["blocked"], true);
        assert_eq!(document["outcome"]["decided_by"], json!(["h1"]));
        assert_eq!(document["runs"][0]["exit"], json!({"kind": "code", "code": 2}));
        let stdin: Value = serde_json::from_str(document["runs"][0]["stdin"].as_str().unwrap()).unwrap();
        assert_eq!(stdin, document["input"], "the hook is given the input");
        insta::assert_snapshot!("fire_json", done);
    });
}

#[test]
fn fire_as_jsonl() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let done = sandbox.run(&format!("fire @prompt --agent {agent} --yes --format jsonl")).assert_status(0);
        let lines: Vec<Value> = done.raw.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let kinds: Vec<&str> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["planned", "started", "stdout", "ended", "settled"]);
        assert!(lines.iter().all(|line| line["at_ms"].is_number()));
        assert_eq!(lines[2]["text"], "the branch is main\n");
        assert_eq!(lines[3]["hook"], lines[3]["run"]["hook"]);
        assert_eq!(lines[4]["firing"]["runs"], json!([lines[3]["run"]]));
        let whole = sandbox.run(&format!("fire @prompt --agent {agent} --yes --format json")).json();
        assert_eq!(lines[4]["firing"]["outcome"], whole["outcome"], "settled has the whole document");
    });
}

#[test]
fn plan_as_text_and_json() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let plan = |line: &str| sandbox.run(&format!("plan {line} --agent {agent}")).assert_status(0);
        let document = plan("@tool --format json");
        assert_eq!(document.json()["outcome"], Value::Null);
        assert_eq!(document.json()["runs"], json!([]));
        insta::assert_snapshot!(
            "plan",
            outputs(&[plan("@tool"), plan("@tool --tool @write"), plan("@idle"), document])
        );
    });
}

#[test]
fn planning_runs_nothing() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        sandbox.file("hooks/guard.sh", "echo ran > ran\n");
        for line in ["plan @tool", "why h1", "list", "events", "fire @tool"] {
            sandbox.run(&format!("{line} --agent {agent}"));
        }
        assert!(!sandbox.project.join("ran").exists());
        sandbox.run(&format!("fire @tool --agent {agent} --yes"));
        assert!(sandbox.project.join("ran").exists(), "the script would have left a trace");
    });
}

#[test]
fn why_as_text_and_json() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let why = |line: &str| sandbox.run(&format!("why {line} --agent {agent}"));
        let json = why("format.sh @tool --tool @shell --format json").assert_status(0);
        let states: Vec<Value> = json.json()["rungs"].as_array().unwrap().iter().map(|r| r["state"].clone()).collect();
        assert_eq!(states.len(), 10);
        assert_eq!(states[6], "no", "it falls from the matcher");
        insta::assert_snapshot!(
            "why",
            outputs(&[
                why("guard.sh").assert_status(0),
                why("h2").assert_status(0),
                why("format.sh @tool --tool @shell").assert_status(0),
                why("h1 @stop").assert_status(0),
                why("no-such-hook").assert_status(2),
                json,
            ])
        );
        // `h1` and `file:line` select the same hook.
        let place = first_hook_location(&sandbox, agent);
        assert_eq!(why(&place).assert_status(0).stdout, why("h1").stdout);
    });
}

/// Returns `file:line` of the first hook.
fn first_hook_location(sandbox: &Sandbox, agent: &str) -> String {
    let plan = sandbox.run(&format!("plan @tool --agent {agent} --format json")).json();
    let source = &plan["plan"][0]["source"];
    format!("{}:{}", source["file"].as_str().unwrap(), source["line"])
}

#[test]
fn list_as_text_and_json() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let list = |line: &str| sandbox.run(&format!("list {line} --agent {agent}")).assert_status(0);
        let json = list("--format json");
        assert_eq!(json.json()["agents"].as_array().unwrap().len(), 1);
        insta::assert_snapshot!("list", outputs(&[list(""), json]));
    });
    let all = Sandbox::new().run("list --format json").assert_status(0).json();
    assert_eq!(all["agents"].as_array().unwrap().len(), dialects::ALL.len(), "without --agent: everybody");
}

#[test]
fn events_as_text_and_json() {
    for_each_agent(|agent| {
        let sandbox = Sandbox::for_agent(agent);
        let events = |line: &str| sandbox.run(&format!("events {line} --agent {agent}"));
        insta::assert_snapshot!(
            "events",
            outputs(&[
                events("").assert_status(0),
                events("@tool").assert_status(0),
                events("@stop --format json").assert_status(0),
                events("Nonsense").assert_status(2),
            ])
        );
    });
}

/// Every spelling of an event names it.
#[test]
fn events_in_another_spelling() {
    let sandbox = Sandbox::new();
    for (name, event) in [("agentStop", "Stop"), ("preToolUse", "PreToolUse"), ("Stop", "Stop")] {
        let doc = sandbox.run(&format!("events {name} --agent copilot --format json")).assert_status(0).json();
        let names: Vec<&Value> =
            doc["agents"][0]["events"].as_array().unwrap().iter().map(|one| &one["event"]).collect();
        assert_eq!(names, [event], "{name}");
    }
}

#[test]
fn unknown_events() {
    let sandbox = Sandbox::new();
    for (line, says) in [
        ("events Stopp", "no agent has an event \"Stopp\"; did you mean Stop?"),
        ("events pre-tool-use", "did you mean PreToolUse?"),
        ("fire PreToolCall --agent claude", "has no event \"PreToolCall\"; did you mean PreToolUse?"),
        ("plan AfterToolResult --agent gemini", "did you mean AfterTool?"),
        ("events Nonsense", "no agent has an event \"Nonsense\"; `hookbench events` lists all events"),
        ("events BeforeTool --agent claude", "has no event \"BeforeTool\"; did you mean PreToolUse?"),
        ("events PreToolUse --agent gemini", "has no event \"PreToolUse\"; did you mean BeforeTool?"),
        ("plan AfterAgent --agent codex", "has no event \"AfterAgent\"; did you mean Stop?"),
        (
            "events PreModelSwitch --agent claude --agent-version 2.1.240",
            "Claude Code 2.1.240 has no event \"PreModelSwitch\"; Claude Code 2.1.332 has it",
        ),
        (
            "events StopFailure --agent qwen --agent-version 0.14.0",
            "Qwen Code 0.14.0 has no event \"StopFailure\"; Qwen",
        ),
    ] {
        sandbox.run(line).assert_status(2).assert_stderr(&[says]);
    }
    // An unknown version has the events of the nearest tested version.
    let done = sandbox.run("events --agent codex --agent-version 0.172.0").assert_status(0);
    assert_eq!(done.stderr, "hookbench: Codex 0.172.0 was not tested; hookbench assumes that it behaves like 0.171.0");
    assert!(done.stdout.starts_with(" Codex 0.171.0\n"), "{done}");
}

/// A part of one hook's name is enough to name it.
#[test]
fn a_hook_is_named_by_a_part_of_its_name() {
    let sandbox = Sandbox::new();
    let hook = |script: &str| json!({"type": "command", "command": format!("sh hooks/{script}")});
    let group = json!([{"hooks": [hook("Guard-main.sh"), hook("guard-docs.sh"), hook("notes.sh")]}]);
    sandbox.settings(&json!({"hooks": {"PreToolUse": group}}).to_string());
    for (part, whole) in [("main", "Guard-main.sh"), ("NOTES", "notes.sh"), ("guard-docs.sh", "guard-docs.sh")] {
        let page = sandbox.run(&format!("why {part} --as-trusted"));
        assert!(page.stdout.starts_with(&format!(" {whole}   ")), "{page}");
    }
    let says = "no hook has the id, name or place \"guard\"; it is a part of Guard-main.sh, guard-docs.sh";
    sandbox.run("why guard --as-trusted").assert_status(2).assert_stderr(&[says]);
}

#[test]
fn exit_statuses() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let fire = |line: &str| sandbox.run(&format!("fire {line} --agent {agent}"));
        fire("@tool --yes").assert_status(0);
        fire("@tool --yes --expect deny").assert_status(0);
        fire("@tool --yes --expect allow").assert_status(1);
        fire("@tool --yes --no-such-option").assert_status(2);
        fire("@stop --yes").assert_status(0);
        // With `--strict`, an unknown verdict exits with 3. A verdict other than `--expect` exits with 1 even then.
        fire("@tool --yes --strict").assert_status(0);
        if agent_words::words_of(agent).by_hand {
            fire("@stop --yes --strict").assert_status(3);
            fire("@stop --yes --strict --expect unknown").assert_status(3);
            fire("@stop --yes --strict --expect deny").assert_status(1);
        }
        fire("@tool").assert_status(4);
        fire("@tool --yes --payload nowhere.json").assert_status(5);
        // Unreadable settings are findings, not failures.
        sandbox.settings("{ \"hooks\": ");
        fire("@tool --yes").assert_status(0);
    });
}

/// A program that was started in a container from outside, as by `docker exec`, has neither a session nor a group there.
#[test]
fn exit_statuses_in_a_container() {
    let sandbox = project("claude");
    sandbox.program("unshare");
    for (line, status) in [("fire @tool --yes --agent claude --expect allow", 1), ("fire @tool --agent claude", 4)] {
        let inner = sandbox.command(&sandbox.in_agent_words(line).split(' ').map(str::to_owned).collect::<Vec<_>>());
        let mut container = std::process::Command::new("unshare");
        container.args([
            "--user",
            "--map-root-user",
            "--pid",
            "--fork",
            "--mount-proc",
            "sh",
            "-c",
            "\"$@\"; exit $?",
            "sh",
        ]);
        container.arg(inner.get_program()).args(inner.get_args()).current_dir(&sandbox.project);
        container.env_clear().envs(sandbox.env()).stdin(std::process::Stdio::null());
        let output = container.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        if stderr.contains("unshare:") && !stderr.contains("failed to execute") {
            return eprintln!("skipped: this system lets no user isolate programs: {stderr}");
        }
        assert_eq!(output.status.code(), Some(status), "{line}: {stderr}");
    }
}

#[test]
fn an_answer_by_hand_is_decided() {
    for_each_agent(|agent| {
        if !agent_words::words_of(agent).by_hand {
            return;
        }
        let sandbox = project(agent);
        let fire = |line: &str| sandbox.run(&format!("fire @stop --agent {agent} --yes --format json {line}"));
        assert_eq!(fire("").assert_status(0).json()["outcome"]["verdict"], "unknown");
        let answered = fire(r#"--answer 'h4={"ok":false,"reason":"tests are red"}'"#).assert_status(0).json();
        assert_eq!(answered["runs"][0]["exit"], json!({"kind": "answered"}));
        assert_ne!(answered["outcome"]["verdict"], "unknown");
        assert_eq!(answered["outcome"]["blocked"], true);
        fire("--answer h9=x").assert_status(2).assert_stderr(&["h9: no hook with this id or name has run"]);
        fire("--answer h4").assert_status(2).assert_stderr(&["HOOK=ANSWER"]);
    });
}

#[test]
fn what_if_and_without_flags() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let fire = |line: &str| sandbox.run(&format!("fire @tool --agent {agent} --yes --format json {line}"));
        let real = fire("").assert_status(0).json();
        let decider = real["outcome"]["decided_by"][0].as_str().unwrap().to_owned();
        assert_eq!(real["outcome"]["blocked"], true);
        let supposed = fire(&format!("--what-if {decider}=0")).assert_status(0).json();
        assert_eq!(supposed["outcome"]["blocked"], false);
        let without = fire(&format!("--without {decider}")).assert_status(0).json();
        assert_eq!(without["outcome"]["blocked"], false);
        let entry = without["plan"].as_array().unwrap().iter().find(|h| h["hook"] == *decider).unwrap().clone();
        assert_eq!(entry["why"]["rule"], "plan.left-out");
        fire("--what-if h1=x").assert_status(2).assert_stderr(&["HOOK=STATUS"]);
        fire("--what-if h99=0").assert_status(2).assert_stderr(&["h99: no hook with this id or name has run"]);
        fire("--without h99").assert_status(2).assert_stderr(&["h99: this event has no hook"]);
    });
}

#[test]
fn hostile_output_does_not_reach_the_terminal() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        sandbox.file(
            "hooks/guard.sh",
            "printf '\\033]0;owned\\007\\033[2J\\302\\233\\342\\200\\256x' >&2; printf '\\377\\376'; exit 2\n",
        );
        let text = sandbox.run(&format!("fire @tool --agent {agent} --yes")).assert_status(0);
        let steers = |c: &char| c.is_control() && *c != '\n' || *c == '\u{202e}';
        let bad: Vec<char> = text.raw.chars().filter(steers).collect();
        assert_eq!(bad, Vec::<char>::new(), "{text}");
        let json = sandbox.run(&format!("fire @tool --agent {agent} --yes --format json")).assert_status(0).json();
        assert_eq!(json["runs"][0]["stdout"], "\u{fffd}\u{fffd}");
        assert_eq!(json["runs"][0]["stdout_base64"], "//4=");
    });
}

/// The schemas under `assets/` are those that the types produce. Editors and scripts refer to these files.
#[test]
fn schemas_match_the_types() {
    let sandbox = Sandbox::new();
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/schema");
    let all = sandbox.run("schema").assert_status(0).json();
    let mut known: Vec<String> = Vec::new();
    for (name, schema) in generated_schemas() {
        let file = directory.join(format!("{name}.json"));
        let made = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if std::env::var_os("HOOKBENCH_DRAW").is_some() {
            std::fs::write(&file, &made).unwrap();
            continue;
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == made, "{name}.json is stale; run: HOOKBENCH_DRAW=1 cargo test --test cli schemas");
        assert_eq!(sandbox.run(&format!("schema {name}")).assert_status(0).raw, kept, "{name}");
        assert_eq!(all[name], schema.to_value(), "{name}");
        known.push(format!("{name}.json"));
    }
    if std::env::var_os("HOOKBENCH_DRAW").is_some() {
        return;
    }
    assert_eq!(all.as_object().unwrap().len(), known.len());
    let mut files: Vec<String> = std::fs::read_dir(&directory)
        .unwrap()
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    known.sort();
    assert_eq!(files, known, "a schema for every document, and no other");
    sandbox.run("schema nonsense").assert_status(2).assert_stderr(&["unknown document \"nonsense\"", "firing"]);
}

/// Each suggested first hook works in its agent.
#[test]
fn first_hooks_work() {
    for_each_agent(|agent| {
        let dialect = dialects::by_id(agent).unwrap();
        let settings = |index: usize| {
            let sandbox = Sandbox::for_agent(agent);
            sandbox.settings(dialect.first_hooks()[index].settings);
            let list = sandbox.run(&format!("list --agent {agent} --format json")).assert_status(0).json();
            assert_eq!(list["agents"][0]["diagnostics"], json!([]), "nothing is found fault with");
            sandbox
        };
        let fire = |sandbox: &Sandbox, line: &str| {
            sandbox.run(&format!("fire {line} --agent {agent} --yes --format json")).assert_status(0).json()
        };
        let refuses = settings(0);
        for (command, verdict) in [("rm -rf build", "deny"), ("ls", "no_objection")] {
            let line = format!("@tool --tool @shell-id --set 'tool_input.command={command}'");
            let done = fire(&refuses, &line);
            assert_eq!(done["outcome"]["verdict"], verdict, "{command}: {done}");
        }
        // Where a session start has no context, a prompt has one.
        let has_start = dialect.first_hooks()[1].settings.contains(agent_words::words_of(agent).start);
        let tells = fire(&settings(1), if has_start { "@start" } else { "@prompt" });
        assert!(
            tells["outcome"]["additional_context"].as_str().is_some_and(|c| c.contains("Run the tests")),
            "{tells}"
        );
        let stops = settings(2);
        let verdict = |line: &str| fire(&stops, line)["outcome"]["blocked"].clone();
        assert_eq!(verdict("@stop"), false, "there is nothing to do");
        stops.file("TODO.md", "- all of it\n");
        assert_eq!(verdict("@stop"), true);
        // Some agents say nothing about earlier stops, and count them themselves.
        if !["vibe", "hermes"].contains(&agent) {
            assert_eq!(verdict("@stop --set stop_hook_active=true"), false, "only once");
        }
    });
}
