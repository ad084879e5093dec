//! `calibrate` against an agent for tests that speaks each interface.

use std::os::unix::fs::symlink;

use hookbench::core::dialects;

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
            let line = format!("calibrate --agent {} --only {only}", dialect.id());
            let page = sandbox.run(&line).assert_status(0).stdout;
            assert!(page.contains("as predicted"), "{line}: {page}");
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

#[test]
fn an_agent_that_does_not_start_a_session_is_given_up() {
    let sandbox = sandbox("claude", Some("asks for a login"));
    let page = sandbox.run("calibrate --agent claude").assert_status(1).stdout;
    let expected = "the agent neither ran a hook nor asked its model; it printed: Please run /login";
    assert!(page.lines().count() == 2 && page.contains(expected), "{page}");
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
    assert!(doctor.contains("of 20 probes as predicted on "), "{doctor}");
}
