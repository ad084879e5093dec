//! `calibrate` against an agent for tests that speaks each interface.

use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use hookbench::app::{CalibrationRequest, calibrate};
use hookbench::core::calibration::read_probes;
use hookbench::core::dialects;
use serde_json::Value;

use crate::sandbox::Sandbox;

const FAKE_AGENT: &str = include_str!("../support/fake_agent.py");

/// A sandbox with this agent on PATH. `fault` names the rule that it breaks.
fn sandbox(agent: &str, fault: Option<&str>) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.program("env");
    let bin = sandbox.project.parent().unwrap().join("bin");
    crate::programs::write_program(&bin.join(agent), FAKE_AGENT.as_bytes());
    symlink(env!("CARGO_BIN_EXE_hookbench"), bin.join("hookbench")).unwrap();
    if let Some(fault) = fault {
        std::fs::write(bin.join("fault"), fault).unwrap();
    }
    sandbox
}

#[test]
fn an_agent_that_follows_the_rules_agrees_in_every_interface() {
    for dialect in dialects::ALL {
        let sandbox = sandbox(dialect.id().as_str(), None);
        for only in ["pre-tool.exit-2", "prompt.answer-", "stop.answer-block", "pre-tool.answer-updated-input"] {
            // Without a terminal, an agent may not fire the event of a prompt.
            if !read_probes(dialect).unwrap().probes.iter().any(|probe| probe.id.starts_with(only)) {
                continue;
            }
            let line = format!("calibrate --agent {} --only {only}", dialect.id());
            // The agent for tests sends fewer keys than a real one, which is news.
            let page = sandbox.run(&line).stdout;
            assert!(page.contains(" 0 differ, 0 could not be asked"), "{line}: {page}");
        }
    }
}

/// A run takes minutes, so a log without a terminal must show that it advances.
#[test]
fn each_session_has_a_line_on_stderr() {
    let sandbox = sandbox("claude", None);
    for (only, lines) in [
        ("matcher.name", ["Claude Code 1 of 1: matcher.name agrees ("].as_slice()),
        ("survey.", &["Claude Code survey.events is answered (", "Claude Code survey.tools is not answered: no hook "]),
    ] {
        let messages = sandbox.run(&format!("calibrate --agent claude --only {only}")).raw_stderr;
        for line in lines {
            assert!(messages.lines().any(|message| message.starts_with(line)), "{line}: {messages}");
        }
    }
}

#[test]
fn a_broken_rule_is_named() {
    for (fault, only, probe) in [
        ("exit-1-blocks", "pre-tool.exit-1", "DIFFERS  pre-tool.exit-1\n"),
        ("exit-2-passes", "pre-tool.exit-2", "DIFFERS  pre-tool.exit-2\n"),
        ("no-context", "prompt.answer-context", "DIFFERS  prompt.answer-context\n"),
    ] {
        let sandbox = sandbox("claude", Some(fault));
        let page = sandbox.run(&format!("calibrate --agent claude --only {only}")).assert_status(1).stdout;
        assert!(page.contains(probe) && page.contains("rules: "), "{fault}: {page}");
    }
}

/// Ten changes of an agent's behaviour, the probes that run, a probe that must differ, and the rule that must be named.
const CHANGES: [(&str, &str, &str, &str); 10] = [
    ("exit-1-blocks", "pre-tool.exit-", "pre-tool.exit-1", "decide.failed-open"),
    ("exit-2-passes", "pre-tool.exit-", "pre-tool.exit-2", "exit.2"),
    ("contexts-are-dropped", "prompt.answer-", "prompt.answer-context", "answer.fields"),
    ("deny-allows", "pre-tool.answer-deny", "pre-tool.answer-deny", "answer.blocks"),
    ("block-is-ignored", "pre-tool.answer-block", "pre-tool.answer-block", "answer.blocks"),
    ("case-is-ignored", "matcher.case", "matcher.case", "matcher.case"),
    ("parts-match", "matcher.part", "matcher.part", "matcher.part"),
    ("copies-run", "merge.same", "merge.same-command", "plan.copy"),
    ("conditions-are-ignored", "condition.miss", "condition.miss", "condition.command"),
    ("switch-is-ignored", "switch.disable-all", "switch.disable-all", "switch.disable-all"),
];

#[test]
fn a_changed_agent_is_found_out_with_the_rule() {
    let sandbox = sandbox("claude", None);
    let bin = sandbox.project.parent().unwrap().join("bin");
    let changed = bin.parent().unwrap().join("changed");
    std::fs::create_dir_all(&changed).unwrap();
    crate::programs::write_program(&changed.join("claude"), include_bytes!("../real/changed_agent.py"));
    std::fs::write(changed.join("agent"), bin.join("claude").display().to_string()).unwrap();
    for (change, only, probe, rule) in CHANGES {
        std::fs::write(changed.join("change"), change).unwrap();
        let program = changed.join("claude").display().to_string();
        let line = format!("calibrate --agent claude --program {program} --only {only} --format json");
        let document: Value = serde_json::from_str(&sandbox.run(&line).assert_status(1).raw).unwrap();
        let differ = document["agents"][0]["differ"].as_array().unwrap();
        let found = differ.iter().find(|found| found["probe"] == probe);
        let found = found.unwrap_or_else(|| panic!("{change}: {document:#}"));
        assert!(found["rules"].as_array().unwrap().contains(&Value::from(rule)), "{change}: {found:#}");
    }
    std::fs::write(changed.join("change"), "none").unwrap();
    let program = changed.join("claude").display().to_string();
    sandbox.run(&format!("calibrate --agent claude --program {program} --only pre-tool.exit-")).assert_status(0);
}

/// Additions to an agent, the probe or the survey that runs, and the fact that must be named.
const ADDITIONS: [(&str, &str, &str); 5] = [
    ("new-event", "survey.events", "event TaskFailure"),
    ("new-key", "pre-tool.exit-2", "key brand_new_key of PreToolUse"),
    ("new-limit", "survey.limits", "limit of a refusal of PreToolUse"),
    ("new-tool", "pre-tool.exit-2", "tool BrandNewTool"),
    ("new-variable", "pre-tool.exit-2", "variable BRAND_NEW_VARIABLE"),
];

#[test]
fn what_an_agent_has_and_hookbench_does_not_know_is_named() {
    let sandbox = sandbox("claude", None);
    // The hooks of a changed agent use it.
    sandbox.program("sed");
    let changed = sandbox.project.parent().unwrap().join("changed");
    std::fs::create_dir_all(&changed).unwrap();
    crate::programs::write_program(&changed.join("claude"), include_bytes!("../real/changed_agent.py"));
    let agent = changed.parent().unwrap().join("bin/claude");
    std::fs::write(changed.join("agent"), agent.display().to_string()).unwrap();
    let calibrate = |change: &str, only: &str| {
        std::fs::write(changed.join("change"), change).unwrap();
        let program = changed.join("claude").display().to_string();
        sandbox.run(&format!("calibrate --agent claude --program {program} --only {only} --format json"))
    };
    let facts = |raw: &str| -> Vec<String> {
        let document: Value = serde_json::from_str(raw).unwrap();
        let new = document["agents"][0]["new"].as_array().unwrap();
        new.iter().map(|fact| fact["says"].as_str().unwrap().to_owned()).collect()
    };
    for (change, only, fact) in ADDITIONS {
        let before = facts(&calibrate("none", only).raw);
        // A wrapper of Python may set variables of its own.
        assert!(before.iter().all(|fact| fact.starts_with("variable ")), "an unchanged agent: {before:?}");
        let output = calibrate(change, only);
        let news = facts(&output.raw);
        let added: Vec<&String> = news.iter().filter(|found| !before.contains(found)).collect();
        assert!(added.len() == 1 && added[0].starts_with(fact), "{change}: {before:?} {news:?}");
        output.assert_status(1);
    }
}

#[test]
fn an_agent_that_does_not_start_a_session_is_given_up() {
    for (fault, sentence) in [
        (
            "asks for a login",
            "the agent neither ran a hook nor asked its model (exit 1); it printed: Please run /login",
        ),
        (
            "asks a question",
            "the agent neither ran a hook nor asked its model (exit 1); it printed: Do you trust the files in this folder? (y/n)",
        ),
        ("exits at once", "the agent neither ran a hook nor asked its model (exit 3); it printed: nothing"),
    ] {
        let sandbox = sandbox("claude", Some(fault));
        let page = sandbox.run("calibrate --agent claude").assert_status(1).stdout;
        assert_eq!(page.lines().nth(1).map(str::trim), Some(sentence), "{page}");
        assert_eq!(page.lines().count(), 2, "{page}");
    }
}

#[test]
fn an_agent_that_prints_without_end_is_named_by_its_last_line() {
    let sandbox = sandbox("claude", Some("prints without end"));
    let page = sandbox.run("calibrate --agent claude --only matcher.name").assert_status(1).stdout;
    let sentence =
        format!("the agent neither ran a hook nor asked its model (exit 0); it printed: {}", "x".repeat(200));
    assert_eq!(page.lines().skip(1).collect::<Vec<_>>(), [sentence]);
}

#[test]
fn a_version_that_is_too_old_is_named() {
    let sandbox = sandbox("claude", Some("has no hooks yet"));
    let manifest = r#"{ "name": "@anthropic-ai/claude-code", "version": "2.0.53" }"#;
    std::fs::write(sandbox.project.parent().unwrap().join("package.json"), manifest).unwrap();
    let page = sandbox.run("calibrate --agent claude --jobs 1").assert_status(1).stdout;
    let sentence = "it is older than 2.1.101, the oldest version that hookbench knows, and none of the first 3 probes is as predicted";
    assert_eq!(page.lines().nth(1).map(str::trim), Some(sentence), "{page}");
}

/// The limit of a session is shorter here than that of the command.
#[test]
fn an_agent_that_hangs_is_given_up_with_its_processes() {
    let sandbox = sandbox("claude", Some("hangs"));
    let bin = sandbox.project.parent().unwrap().join("bin");
    let request = CalibrationRequest {
        dialect: dialects::by_id("claude").unwrap(),
        program: bin.join("claude"),
        installed: None,
        quick: true,
        filter: None,
        jobs: 2,
        limit: Duration::from_secs(2),
        limit_is_fixed: true,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let result = runtime.block_on(calibrate(&request, request.probes().unwrap(), &mut |_| {}));
    assert_eq!(result.nothing_shown().as_deref(), Some("the agent did not end within 2 s"));
    // The test program is not hookbench, so it cannot start the stages of isolation.
    let warning = result.isolation_warning().unwrap();
    let start = "the agent was not isolated: it ran in scratch directories, with your rights and the network (";
    assert!(warning.starts_with(start), "{warning}");
    let document = serde_json::to_value(hookbench::app::document::calibrate_doc(&[result])).unwrap();
    assert_eq!(document["agents"][0]["isolated"], false, "{document:#}");
    drop(runtime);
    let processes = std::fs::read_to_string(bin.join("processes")).unwrap_or_default();
    // A killed process needs a moment to end.
    let deadline = Instant::now() + Duration::from_secs(30);
    for process in processes.lines() {
        let stat = || std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        while !stat().is_empty() && !stat().contains(") Z ") {
            assert!(Instant::now() < deadline, "process {process} still runs: {}", stat());
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_session_has_no_network_and_writes_nowhere_else() {
    let sandbox = sandbox("claude", Some("breaks out"));
    let bin = sandbox.project.parent().unwrap().join("bin");
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    std::fs::write(bin.join("port"), server.local_addr().unwrap().port().to_string()).unwrap();
    let line = "calibrate --agent claude --only session.two-prompts";
    let calibrated = sandbox.run(line);
    if calibrated.stdout.contains("the agent was not isolated") {
        // This system has no namespaces for users. The agent had the rights that the page states.
        assert!(bin.join("written").exists() && server.accept().is_ok(), "{calibrated}");
        return;
    }
    assert!(!bin.join("written").exists(), "the agent wrote a file outside of its directories");
    assert_eq!(server.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    // It reached its model all the same.
    assert!(!calibrated.stdout.contains("nor asked its model"), "{calibrated}");
    let document: Value = serde_json::from_str(&sandbox.run(&format!("{line} --format json")).raw).unwrap();
    assert_eq!(document["agents"][0]["isolated"], true, "{document:#}");
    assert!(document["agents"][0].get("not_isolated_because").is_none(), "{document:#}");
}

#[test]
fn a_filter_without_a_probe_is_an_error() {
    let sandbox = sandbox("claude", None);
    let output = sandbox.run("calibrate --agent claude --only no-such-probe").assert_status(2);
    assert!(output.stderr.contains("no probe of Claude Code has \"no-such-probe\" in its name"), "{}", output.stderr);
}

#[test]
fn an_agent_that_is_not_installed_is_named() {
    let output = Sandbox::new().run("calibrate --agent codex").assert_status(5);
    assert!(output.stderr.contains("Codex is not installed: codex is not on PATH"), "{}", output.stderr);
}

#[test]
fn a_calibration_is_the_basis_of_later_answers() {
    let sandbox = sandbox("claude", Some("exit-2-passes"));
    let manifest = r#"{ "name": "@anthropic-ai/claude-code", "version": "2.1.330" }"#;
    std::fs::write(sandbox.project.parent().unwrap().join("package.json"), manifest).unwrap();
    sandbox.run("calibrate --agent claude --quick").assert_status(1);
    sandbox.script("pass.sh", "#!/bin/sh\nexit 0\n").script("refuse.sh", "#!/bin/sh\nexit 2\n");
    for (script, verdict) in [("refuse.sh", "unknown"), ("pass.sh", "no_objection")] {
        let hook = format!(r#"{{ "type": "command", "command": "./{script}" }}"#);
        let group = format!(r#"{{ "matcher": "Bash", "hooks": [{hook}] }}"#);
        sandbox.settings(&format!(r#"{{ "hooks": {{ "PreToolUse": [{group}] }} }}"#));
        let line = "fire PreToolUse --agent claude --tool Bash --yes --format json";
        let fired: serde_json::Value = serde_json::from_str(&sandbox.run(line).assert_status(0).raw).unwrap();
        assert_eq!(fired["basis"]["kind"], "calibrated", "{script}");
        assert_eq!(fired["outcome"]["verdict"], verdict, "{script}: {}", fired["outcome"]["agent_does"]);
    }
    let doctor = sandbox.run("doctor").stdout;
    let page = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        page.contains(" calibrated on 20")
            && page.contains(" of 20 probes as predicted; ")
            && page.contains(" does not hold (pre-tool.exit-2)"),
        "{doctor}"
    );
}

#[test]
fn the_screen_calibrates_and_keeps_what_differs() {
    let sandbox = sandbox("claude", Some("exit-2-passes"));
    let manifest = r#"{ "name": "@anthropic-ai/claude-code", "version": "2.1.331" }"#;
    std::fs::write(sandbox.project.parent().unwrap().join("package.json"), manifest).unwrap();
    let script = b"key 6\nuntil :calibrate checks it\nkey Enter\nuntil needs no key\nkey 1\nuntil of 20 probes as\n\
                   until DIFFERS\ndump\n";
    let line = "tui --agent claude --size 120x40 --limit 300 --script -";
    let shown = sandbox.run_with(line, script).assert_status(0).stdout;
    assert!(shown.contains("DIFFERS  pre-tool.exit-2") && shown.contains("predicted"), "{shown}");
    // Another session shows it without another run.
    let script = b"key 6\nuntil calibrated on\nkey Enter\nuntil DIFFERS\ndump\n";
    let again = sandbox.run_with(line, script).assert_status(0).stdout;
    assert!(again.contains("pre-tool.exit-2") && again.contains("settings"), "{again}");
}

#[test]
fn plain_mode_says_that_an_agent_cannot_be_calibrated() {
    let output = Sandbox::new().run_with("--plain --agent codex", b"calibrate\n").assert_status(0);
    let says = "Codex is not installed: codex is not on PATH";
    assert!(output.stdout.contains("The calibration of Codex runs") && output.stdout.contains(says), "{output}");
}
