//! `test` and `report merge`: suites in a sandbox with real hooks.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::project;
use crate::sandbox::Sandbox;
use crate::{for_each_agent, outputs};

/// A case that passes, one of each kind that fails, and a skipped one.
const SUITE: &str = "# A comment that stays
agent: claude
cases:
  - name: rm is refused
    event: PreToolUse
    tool: Bash
    input: { command: rm -rf build }
    expect:
      verdict: deny
      blocked: true
      decided_by: guard.sh
      fires: guard.sh
      not_fires: { format.sh: Edit }
      exit: 2
      stdout: { equals: looking }
      stderr: rm is not allowed
      reason: { matches: 'rm .* here', lacks: ls }
      hooks: { guard.sh: { exit: 2, stderr: { contains: rm } } }
      updated_input: null
      duration: 60s
  - name: everything else is wrong
    event: PreToolUse
    tool: Bash
    expect:
      verdict: allow   # stays behind the new value
      blocked: false
      decided_by: [format.sh, other.sh]
      fires: [format.sh, nowhere.sh]
      not_fires: { guard.sh: case, format.sh: nonsense }
      exit: 0
      stdout: { equals: \"quiet\" }
      stderr: { lacks: allowed }
      reason: { matches: '^x' }
      context: more
      hooks: { nowhere.sh: { exit: 1 }, format.sh: { exit: 0 } }
      updated_input: { command: ls }
      diagnostics: HW999
      duration: 0ms
  - name: a stub answers
    event: PreToolUse
    tool: Bash
    stubs: { guard.sh: { stdout: '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"ask\"}}' } }
    expect: { verdict: ask, decided_by: guard.sh, exit: 0 }
  - name: later
    skip: nobody has written the hook yet
    event: Stop
  - name: a hook that fails is no success
    event: SessionEnd
";

fn suite() -> Sandbox {
    let sandbox = project("claude");
    sandbox.file("hooks.test.yaml", SUITE);
    sandbox
}

#[test]
fn failures_have_reasons() {
    let sandbox = suite();
    let all = [sandbox.run("test").assert_status(4), sandbox.run("test --yes").assert_status(1)];
    insta::assert_snapshot!("suites", outputs(&all));
}

#[test]
fn the_document_is_the_contract_s() {
    let sandbox = suite();
    let doc = sandbox.run("test --yes --format json").assert_status(1).json();
    let keys = |v: &Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&doc), ["schema", "passed", "failed", "skipped", "cases"]);
    assert_eq!(json!([doc["schema"], doc["passed"], doc["failed"], doc["skipped"]]), json!(["test/1", 2, 2, 1]));
    let case = &doc["cases"][0];
    assert_eq!(case["suite"], "hooks.test.yaml");
    assert_eq!(json!([case["case"], case["ok"], case["why"]]), json!(["rm is refused", true, []]));
    assert_eq!(doc["cases"][3]["skipped"], true);
}

#[test]
fn update_writes_actual_results() {
    let sandbox = suite();
    let file = sandbox.project.join("hooks.test.yaml");
    let text = || fs::read_to_string(&file).unwrap();
    let shown_only = sandbox.run("test --yes --update --dry-run").assert_status(1);
    assert_eq!(text(), SUITE, "nothing is written unasked");
    sandbox.run("test --yes --write").assert_status(2).assert_stderr(&["--update"]);
    sandbox.run("test --update --yes --write").assert_status(1);
    let after = text();
    let changed: Vec<(&str, &str)> = SUITE.lines().zip(after.lines()).filter(|(a, b)| a != b).collect();
    assert_eq!(
        changed,
        [
            (
                "      verdict: allow   # stays behind the new value",
                "      verdict: deny   # stays behind the new value"
            ),
            ("      blocked: false", "      blocked: true"),
            ("      decided_by: [format.sh, other.sh]", "      decided_by: guard.sh"),
            ("      exit: 0", "      exit: 2"),
            ("      stdout: { equals: \"quiet\" }", "      stdout: { equals: \"looking\" }"),
            ("      updated_input: { command: ls }", "      updated_input: null"),
        ]
    );
    assert_eq!(SUITE.lines().count(), after.lines().count());
    sandbox.run("undo --yes").assert_status(0);
    assert_eq!(text(), SUITE, "taken back, byte for byte");
    assert!(shown_only.stdout.contains("not updated: everything else is wrong: no finding HW999"), "{shown_only}");
}

#[test]
fn suites_that_cannot_be_read() {
    let sandbox = project("claude");
    let with = |text: &str| {
        sandbox.file("bad.yaml", text);
        sandbox.run("test bad.yaml --yes").assert_status(5)
    };
    let case = |rest: &str| with(&format!("agent: claude\ncases:\n  - name: x\n    event: Stop\n{rest}"));
    let all = [
        with(""),
        with("agent: claude\ncases: []\n"),
        with("agent: claud\ncases: [{ name: x }]\n"),
        with("cases:\n  - name: x\n   event: Stop\n"),
        with("[]"),
        with("cases: [{ name: x }, { name: x }]\n"),
        with("agent: claude\nagent_version: new\ncases: [{ name: x }]\n"),
        case("    expekt: {}\n"),
        case("    expect: { verdict: denied }\n"),
        case("    expect: { stderr: [1] }\n"),
        case("    expect: { stderr: { matches: '(' } }\n"),
        case("    expect: { hooks: { 'a.sh': { duration: soon } } }\n"),
        case("    payload: {}\n    from: x.json\n"),
        case("    from: nowhere.json\n"),
        sandbox.run("test nowhere.yaml").assert_status(5),
        Sandbox::new().run("test").assert_status(5),
    ];
    insta::assert_snapshot!("unreadable_suites", outputs(&all));
}

#[test]
fn cases_that_cannot_be_run_fail() {
    let sandbox = project("claude");
    let cases = [
        "{ name: no agent, event: Stop }",
        "{ name: no such event, agent: claude, event: Stopp }",
        "{ name: no tool there, agent: claude, event: Stop, tool: Bash }",
        "{ name: no such stub, agent: claude, event: Stop, stubs: { x.sh: {} } }",
        "{ name: no such event there, agent: [claude, gemini], event: SubagentStart }",
    ];
    sandbox.file("hooks.test.yaml", format!("cases:\n  - {}\n", cases.join("\n  - ")));
    insta::assert_snapshot!("cases_that_cannot_be_run", sandbox.run("test --yes").assert_status(1).stdout);
}

#[test]
fn payloads_and_recorded_events_are_suites_too() {
    let sandbox = project("claude");
    let payload = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm x"},"session_id":"s","transcript_path":"/t","cwd":"/","permission_mode":"default","tool_use_id":"toolu_1"}"#;
    let stop = payload.replace("PreToolUse", "PostToolUse");
    let line = |verdict: &str| {
        format!(
            r#"{{"schema":"event/1","id":"0123456789abcdef","agent":"claude","session":"s","event":"PreToolUse","made":"recorded","verdict":"{verdict}","payload":{payload}}}"#
        )
    };
    sandbox
        .file("payloads/rm.json", payload)
        .file("payloads/more.jsonl", format!("{payload}\n\n{stop}\n"))
        .file("payloads/recorded.jsonl", format!("{}\n{}\n", line("deny"), line("allow")))
        .file("payloads/notes.txt", "not read")
        .file("from.yaml", "cases: [{ name: all, from: payloads/more.jsonl, expect: { verdict: deny } }]\n");
    let all =
        [sandbox.run("test payloads --yes").assert_status(1), sandbox.run("test from.yaml --yes").assert_status(1)];
    insta::assert_snapshot!("payloads_as_suites", outputs(&all));
    sandbox.file("bad.jsonl", format!("{payload}\n{{\"a\": \n"));
    sandbox.run("test bad.jsonl --yes").assert_status(5).assert_stderr(&["bad.jsonl:2:1", "the payload is not JSON"]);
    sandbox.file("bad.jsonl", "{\"a\": 1}\n");
    sandbox
        .run("test bad.jsonl --yes")
        .assert_status(5)
        .assert_stderr(&["bad.jsonl:1:1: not a payload of a known agent"]);
}

/// Every case is in exactly one shard, and the merged reports are the whole.
#[test]
fn parts_make_the_whole() {
    let sandbox = project("claude");
    let case = |n: u32| format!("  - {{ name: case {n}, event: PreToolUse, tool: Read }}\n");
    let cases: String = (0..12).map(case).collect();
    sandbox.file("hooks.test.yaml", format!("agent: claude\ncases:\n{cases}"));
    let names = |doc: &Value| {
        doc["cases"].as_array().unwrap().iter().map(|c| c["case"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let whole = sandbox.run("test --yes --format json").assert_status(0).json();
    for part in 1..=3 {
        let done = sandbox.run(&format!("test --yes --format json --shard {part}/3")).assert_status(0);
        let again = sandbox.run(&format!("test --yes --format json --shard {part}/3 --jobs 4")).assert_status(0);
        assert_eq!(names(&done.json()), names(&again.json()), "the same cases every time");
        assert!(done.json()["cases"].as_array().is_some_and(|c| c.len() < 12));
        sandbox.file(&format!("part{part}.json"), &done.raw);
    }
    let merged = sandbox.run("report merge part2.json part1.json part3.json --format json").assert_status(0).json();
    assert_eq!(names(&merged), names(&whole));
    assert_eq!(merged["passed"], 12);
    sandbox
        .run("report merge part1.json part1.json")
        .assert_status(5)
        .assert_stderr(&["part1.json and part1.json are both part 1/3"]);
    sandbox.run("report merge part1.json part3.json").assert_status(5).assert_stderr(&["part 2 of 3 is missing"]);
    sandbox.file("whole.json", &sandbox.run("test --yes --format json").assert_status(0).raw);
    sandbox.run("report merge whole.json part1.json").assert_status(5).assert_stderr(&["not parts of one run"]);
    sandbox
        .run("report merge whole.json whole.json")
        .assert_status(5)
        .assert_stderr(&["is in whole.json and in whole.json"]);
    sandbox
        .run("test --yes --filter nowhere")
        .assert_status(5)
        .assert_stderr(&["no test case has \"nowhere\" in its name"]);
    sandbox.file("other.json", "{\"schema\": \"list/1\"}");
    sandbox.run("report merge other.json").assert_status(5).assert_stderr(&["other.json: not a test report"]);
    sandbox.run("report merge nowhere.json").assert_status(5).assert_stderr(&["nowhere.json"]);
    sandbox.run("test --shard 4/3").assert_status(2).assert_stderr(&["write a part as 2/4"]);
    let some = sandbox.run("test --yes --format json --filter 'case 1'").assert_status(0).json();
    assert_eq!(names(&some), ["case 1", "case 10", "case 11"]);
}

/// An isolated case does not change the project, and gets its own home directory unless the suite names one.
#[test]
fn a_case_can_be_isolated() {
    let sandbox = project("claude");
    sandbox.file("hooks/guard.sh", "echo x > made\ncat \"$HOME/known\" 2>/dev/null || echo \"$HOME\"\nexit 0\n");
    sandbox.file("a-home/known", "known\n");
    let with = |head: &str, case: &str, expect: &str| {
        let case = format!("{{ name: x, event: PreToolUse, tool: Bash, {case} expect: {{ stdout: {expect} }} }}");
        sandbox.file("hooks.test.yaml", format!("agent: claude\n{head}\ncases: [{case}]\n"));
        sandbox.run("test --yes").assert_status(0);
    };
    let made = sandbox.project.join("made");
    with("isolate: copy", "", "hookbench-");
    assert!(!made.exists(), "a copy was written to");
    with("home: a-home", "isolate: copy,", "known");
    with("isolate: copy", "isolate: none,", "hookbench-");
    assert!(made.exists(), "the project itself was written to");
    let home = sandbox.home.to_str().unwrap().to_owned();
    with("home: real", "", &format!("{{ equals: '{home}' }}"));
    sandbox.file("hooks.test.yaml", "agent: claude\ncases: [{ name: x, event: Stop }]\nhome: nowhere\n");
    let says = "hooks.test.yaml:3:7: home \"nowhere\" is not a directory beside the suite";
    sandbox.run("test --yes").assert_status(5).assert_stderr(&[says]);
}

#[test]
fn consent_is_asked_once_for_all_cases() {
    let sandbox = suite();
    let done = sandbox.run("test").assert_status(4).assert_stderr(&["sh hooks/guard.sh", "exit 3", "add --yes"]);
    assert_eq!(done.stderr.matches("sh hooks/guard.sh").count(), 1, "{done}");
    sandbox.file("only.yaml", "agent: claude\ncases: [{ name: x, event: SessionEnd, skip: no }]\n");
    sandbox.run("test only.yaml").assert_status(0);
    let stubbed = "agent: claude\ncases: [{ name: x, event: PreToolUse, tool: Bash, stubs: { guard.sh: {} } }]\n";
    sandbox.file("only.yaml", stubbed);
    sandbox.run("test only.yaml").assert_status(0);
}

/// Of two hooks that refuse the same event at the same time, each may be the first.
#[test]
fn any_of_several_refusing_hooks_is_the_deciding_one() {
    let hook = |name: &str| json!({"type": "command", "command": format!("sh {name}.sh")});
    let settings = json!({"hooks": {"@tool": [{"hooks": [hook("slow"), hook("quick"), hook("silent")]}]}});
    let sandbox = Sandbox::for_agent("claude");
    sandbox.settings(&settings.to_string());
    sandbox.file("slow.sh", "sleep 0.3; echo slow >&2; exit 2\n").file("quick.sh", "echo quick >&2; exit 2\n");
    sandbox.file("silent.sh", "exit 0\n");
    let case = |by: &str| {
        format!(
            "  - {{ name: by {by}, event: PreToolUse, tool: Bash, expect: {{ verdict: deny, decided_by: {by} }} }}\n"
        )
    };
    let cases: String = ["slow.sh", "quick.sh", "silent.sh", "none.sh"].map(case).concat();
    sandbox.file("hooks.test.yaml", format!("agent: claude\ncases:\n{cases}"));
    let doc = sandbox.run("test --yes --format json").assert_status(1).json();
    let ok: Vec<&Value> = doc["cases"].as_array().unwrap().iter().map(|case| &case["ok"]).collect();
    assert_eq!(ok, [true, true, false, false], "{doc:#}");
    // The reason differs as well, so a kept firing does not expect one.
    let done = sandbox.run(r#"fire PreToolUse --tool Bash --input '{"command": "ls"}' --yes --save-test"#);
    let text = fs::read_to_string(sandbox.project.join("hooks.test.yaml")).unwrap();
    let (_, kept) = text.split_once("denies Bash ls").unwrap_or_else(|| panic!("{done}"));
    assert!(kept.contains("verdict: deny") && kept.contains("decided_by: ") && !kept.contains("reason: "), "{kept}");
}

/// A save starts a new run; a file that the hook writes does not.
#[test]
fn watching_runs_again_after_a_save() {
    let sandbox = suite();
    sandbox.file("hooks/guard.sh", "echo run >> hooks/guard.log\nexit 0\n");
    let case = "{ name: x, event: PreToolUse, tool: Bash, expect: { verdict: deny } }";
    sandbox.file("hooks.test.yaml", format!("agent: claude\ncases: [{case}]\n"));
    let args = ["test", "--watch", "--yes"].map(str::to_owned);
    let mut child = sandbox.command(&args).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut until = |text: &str| {
        let mut seen = Vec::new();
        for line in lines.by_ref() {
            let line = line.unwrap();
            let found = line.contains(text);
            seen.push(line);
            if found {
                return seen.join("\n");
            }
        }
        panic!("it ended before {text:?}: {seen:?}");
    };
    until("0 passed, 1 failed");
    until("waiting for a saved file");
    sandbox.file("hooks/guard.sh", "echo run >> hooks/guard.log\nexit 2\n");
    until("1 passed, 0 failed");
    until("waiting for a saved file");
    sandbox.file("one.json", "{\"hook_event_name\": \"PreToolUse\", \"tool_name\": \"Bash\", \"tool_input\": {}}");
    sandbox.file("hooks.test.yaml", "agent: claude\ncases: [{ name: x, from: one.json, expect: { verdict: deny } }]\n");
    until("1 passed, 0 failed");
    until("waiting for a saved file");
    sandbox.file("one.json", "{\"hook_event_name\": \"SessionEnd\"}");
    until("0 passed, 1 failed");
    until("waiting for a saved file");
    sandbox.file("hooks.test.yaml", "agent: claude\ncases: [");
    until("waiting for a saved file");
    sandbox.file("hooks.test.yaml", format!("agent: claude\ncases: [{}]\n", case.replace("deny", "allow")));
    let seen = until("0 passed, 1 failed");
    assert_eq!(seen.matches("FAIL").count(), 1, "{seen}");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let runs = fs::read_to_string(sandbox.project.join("hooks/guard.log")).unwrap();
    assert_eq!(runs.lines().count(), 4, "once for each save that fires it");
}

/// Hooks of a project that only a suite names are watched too.
#[test]
fn watching_sees_the_project_that_a_suite_names() {
    let sandbox = suite();
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh it.sh"}]}]}});
    sandbox.file("other/.claude/settings.json", settings.to_string()).file("other/it.sh", "exit 0\n");
    let case = "{ name: x, event: PreToolUse, tool: Bash, expect: { verdict: deny } }";
    sandbox.file("hooks.test.yaml", format!("agent: claude\nproject: other\ncases: [{case}]\n"));
    let args = ["test", "--watch", "--yes"].map(str::to_owned);
    let mut child = sandbox.command(&args).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut until = |text: &str| assert!(lines.any(|line| line.contains(text)), "it ended before {text:?}");
    until("0 passed, 1 failed");
    until("waiting for a saved file");
    sandbox.file("other/it.sh", "exit 2\n");
    until("1 passed, 0 failed");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// A case's home directory is empty, but the project is trusted: every agent runs its hooks.
#[test]
fn hooks_that_need_trust_run_in_a_home_of_their_own() {
    crate::for_each_agent(|agent| {
        let sandbox = project(agent);
        // An empty home directory has none of the hooks of an agent whose only hooks are the user's.
        if sandbox.settings_layer() == "user" {
            return;
        }
        let case = |more: &str| {
            format!("  - {{ name: 'x{more}', event: @tool, tool: @shell-id, expect: {{ verdict: deny }}{more} }}\n")
        };
        let suite = format!("agent: {agent}\ncases:\n{}{}", case(""), case(", isolate: copy"));
        sandbox.file("hooks.test.yaml", sandbox.in_agent_words(&suite));
        let doc = sandbox.run("test --yes --format json").assert_status(0).json();
        assert_eq!(doc["passed"], 2, "{agent}: {doc:#}");
        // A copied home directory decides itself, unless the suite says that it trusts the project.
        sandbox.file("a-home/known", "known\n");
        for (head, passed) in [("home: a-home\ntrusted: true\n", 2), ("home: a-home\n", untrusted(agent))] {
            sandbox.file("hooks.test.yaml", sandbox.in_agent_words(&format!("{head}{suite}")));
            let doc = sandbox.run("test --yes --format json").json();
            assert_eq!(doc["passed"], passed, "{agent}, {head}: {doc:#}");
        }
        let left: Vec<_> = fs::read_dir(sandbox.project.join("a-home")).unwrap().collect();
        assert_eq!(left.len(), 1, "{agent}: the directory itself was written to");
    });
}

/// The number of two cases whose hooks run although the home directory does not trust the project.
fn untrusted(agent: &str) -> u32 {
    if matches!(agent, "gemini" | "codex" | "copilot" | "vibe") { 0 } else { 2 }
}

/// With one job, cases run in the order of the suite.
#[test]
fn cases_run_in_their_order() {
    let sandbox = project("claude");
    sandbox.file("hooks/guard.sh", "grep -o 'case [0-9]*' >> log\nexit 0\n");
    let case =
        |n: u32| format!("  - {{ name: 'n {n}', event: PreToolUse, tool: Bash, input: {{ command: case {n} }} }}\n");
    sandbox.file("hooks.test.yaml", format!("agent: claude\ncases:\n{}", (0..12).map(case).collect::<String>()));
    sandbox.run("test --yes").assert_status(0);
    let want = (0..12).map(|n| format!("case {n}")).collect::<Vec<_>>().join("\n") + "\n";
    assert_eq!(fs::read_to_string(sandbox.project.join("log")).unwrap(), want);
}

/// `fire --save-test` keeps a firing; the case passes, the same event is kept once, with what it does now, and undo
/// takes it back.
#[test]
fn a_firing_becomes_a_case() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        // The home directory of a case is empty, so it has no hooks of the user.
        if sandbox.settings_layer() == "user" {
            return;
        }
        let fire = |line: &str| sandbox.run(&format!("fire {line} --agent {agent} --yes --save-test")).assert_status(0);
        fire(r#"@tool --tool @shell --input '{"command": "rm -rf build"}'"#);
        let again = fire(r#"@tool --tool @shell --input '{"command": "rm -rf build"}'"#);
        assert!(again.stdout.contains("hooks.test.yaml tests this event already: "), "{}", again.stdout);
        let shown = fire("@prompt --set 'prompt=tell me: \"all\"'");
        assert!(shown.stdout.contains("written; hookbench test runs it"), "{}", shown.stdout);
        let read = || fs::read_to_string(sandbox.project.join("hooks.test.yaml")).unwrap();
        insta::assert_snapshot!("kept", read());
        let tested = sandbox.run("test --yes --format json").assert_status(0);
        assert_eq!(tested.json()["passed"], 2, "{}", tested.stdout);
        sandbox.run("undo --yes").assert_status(0);
        assert_eq!(read().matches("name:").count(), 1);
        // The hook has changed, and so has what the case expects.
        sandbox.file("hooks/guard.sh", "exit 0\n");
        let before = read();
        fire(r#"@tool --tool @shell --input '{"command": "rm -rf build"}'"#);
        let after = read();
        assert_eq!((after.matches("name:").count(), after == before), (1, false), "{after}");
    });
}

/// A mistake in a suite is named with its place and the fix, before anything runs.
#[test]
fn mistakes_in_a_suite_have_a_place_and_a_fix() {
    let sandbox = Sandbox::for_agent("claude");
    let case = "cases:\n  - name: a\n    event: PreToolUse\n    tool: Bash\n";
    for (text, place, says) in [
        (format!("home: nosuch\n{case}"), ":1:7:", &["is not a directory beside the suite", "scratch"][..]),
        (format!("{case}    ? [x, y]\n    : z\n"), ":5:", &["this key is not a text", "in quotes"]),
        ("cases:\n  - name: 5\n    event: Stop\n".to_owned(), ":2:11:", &["expected a string", "in quotes"]),
        (format!("agent: driod\n{case}"), ":1:", &["unknown agent", "did you mean droid?"]),
    ] {
        sandbox.file("hooks.test.yaml", &text);
        let done = sandbox.run("test --yes").assert_status(5).assert_stderr(says);
        done.assert_stderr(&[&format!("hooks.test.yaml{place}")]);
    }
}

/// `--agent all` tests every agent that is in use, and names the others.
#[test]
fn all_agents_are_all_that_are_in_use() {
    let suite = "cases:\n  - name: it stops\n    event: Stop\n    expect: { blocked: false }\n";
    for (agent, tested, left_out) in
        [("claude", 4, ["Copilot CLI", "Droid"].as_slice()), ("droid", 5, &["Copilot CLI"])]
    {
        let sandbox = Sandbox::for_agent(agent);
        sandbox.settings(r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#);
        sandbox.file("hooks.test.yaml", suite);
        let done = sandbox.run("test --agent all --yes --format json");
        let report = done.json();
        let cases = report["cases"].as_array().unwrap().iter().map(|case| case["case"].as_str().unwrap());
        let names: Vec<&str> = cases.collect();
        assert_eq!(names.len(), tested, "{done}");
        assert_eq!(names.contains(&"it stops [droid]"), agent == "droid", "{done}");
        let named = |name: &&str| done.stderr.contains(*name);
        assert!(done.stderr.contains("left out: ") && left_out.iter().all(named), "{done}");
    }
}
