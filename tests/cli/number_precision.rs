//! Numbers beyond 2⁵³ and lone surrogates: hooks and documents receive them as the agent passes them.

use std::fs;

use crate::{for_each_agent, project};

/// The agent that keeps the digits of numbers and does not pass lone surrogates.
const EXACT: &str = "codex";

#[test]
fn stdin_keeps_exact_numbers() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        sandbox.file("hooks/guard.sh", "cat > hooks/stdin\n");
        let input =
            r#"{"command":"ls","n":9007199254740993,"big":123456789012345678901234567890,"f":1.50,"s":"x\ud800y"}"#;
        let line = format!(
            "fire @tool --tool @shell --yes --agent {agent} --input '{input}' --set tool_input.m=9007199254740993"
        );
        let done = sandbox.run(&format!("{line} --format json")).assert_status(0);
        let stdin = fs::read_to_string(sandbox.project.join("hooks/stdin")).unwrap();
        let (given, shown) = if agent == EXACT {
            (
                "{\"command\":\"ls\",\"n\":9007199254740993,\"big\":123456789012345678901234567890,\"f\":1.50,\
                 \"s\":\"x\u{fffd}y\",\"m\":9007199254740993}",
                "\"n\": 9007199254740993,",
            )
        } else {
            (
                r#"{"command":"ls","n":9007199254740992,"big":1.2345678901234568e+29,"f":1.5,"s":"x\ud800y","m":9007199254740992}"#,
                "\"n\": 9007199254740992,",
            )
        };
        assert!(stdin.contains(given), "{stdin}");
        assert!(done.raw.contains(shown), "{}", done.raw);
        assert_eq!(done.raw.contains(r#""s": "x\ud800y""#), agent != EXACT, "{}", done.raw);
        // The text output never has a lone surrogate.
        sandbox.run(&line).assert_status(0);
    });
}

#[test]
fn answers_keep_exact_numbers() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let answer = r#"{"decision":"block","reason":"x\ud800y","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x\ud800y"}}"#;
        sandbox.file("hooks/guard.sh", format!("printf '%s' '{answer}'\n"));
        let fire = |format: &str| sandbox.run(&format!("fire @tool --tool @shell --yes --agent {agent} {format}"));
        // Half a surrogate pair: the parsers of two agents reject it, so the answer is none, and one replaces it. To one, it is
        // no denial.
        let is_read = ![EXACT, "copilot", "vibe"].contains(&agent);
        let is_kept = is_read && !["droid", "kimi", "hermes"].contains(&agent);
        let json = fire("--format json").assert_status(0).raw;
        assert_eq!(json.contains(r#""reason": "x\ud800y""#), is_kept, "{json}");
        let text = fire("").assert_status(0).stdout;
        assert_eq!(text.contains("x\u{fffd}y"), is_read, "{text}");
    });
}
