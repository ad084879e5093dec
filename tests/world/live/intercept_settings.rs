//! The live settings in config.toml, and the messages for invalid ones.

use hookbench::core::live::intercept::{
    Breakpoint, BreakpointAction, EnabledHandlers, InterceptSettings, PathPattern, TimeoutAction, event_named,
    read_intercept_settings,
};
use hookbench::core::live::{Decision, RawJson};
use regex::Regex;

use super::intercept_events::{deny, replace};

#[allow(clippy::unnecessary_wraps, reason = "for fields that may be none")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn everything_that_can_be_written() {
    let text = r#"
theme = "dark"
[live]
cooldown_stop_ms = 0
[handlers]
overview = true
handoff = true
stop_failure = true
[store]
redact = true
[[breakpoint]]
name = "pushes"
agent = "gemini"
event = "BeforeTool"
tool = "Bash"
command = "^git push"
session = "s1"
on_timeout = "ask"
[[breakpoint]]
name = "off"
enabled = false
path = "src/**/*.rs"
action = "deny"
reason = "not there"
[[breakpoint]]
name = "text"
event = "user_prompt_submit"
action = "replace"
content = "be brief"
[[breakpoint]]
name = "other"
action = "modify"
input = ' {"command": 1.0} '
[[breakpoint]]
name = "raw"
action = "raw"
stdout = "x"
exit_code = 2
"#;
    let fixed =
        |name: &str, decision| Breakpoint { action: BreakpointAction::Fixed(decision), ..Breakpoint::holding(name) };
    let input = RawJson::parse(r#"{"command": 1.0}"#).unwrap();
    let breakpoints = vec![
        Breakpoint {
            agent: some("gemini"),
            event: some("pre_tool_use"),
            tool: some("Bash"),
            command: Some(Regex::new("^git push").unwrap()),
            session: some("s1"),
            on_timeout: TimeoutAction::Ask,
            ..Breakpoint::holding("pushes")
        },
        Breakpoint {
            enabled: false,
            path: Some(PathPattern::new("src/**/*.rs").unwrap()),
            ..fixed("off", deny("not there"))
        },
        Breakpoint { event: some("user_prompt_submit"), ..fixed("text", replace("be brief")) },
        fixed("other", Decision::Modify { updated_input: input, reason: None }),
        fixed("raw", Decision::Raw { stdout: "x".to_owned(), stderr: String::new(), exit_code: 2 }),
    ];
    let handlers = EnabledHandlers { overview: true, handoff: true, stop_failure: true };
    let want = InterceptSettings { breakpoints, handlers, cooldown_stop_ms: 0, allow_raw: false, redact: true };
    assert_eq!(read_intercept_settings(text), (want, Vec::new()));
    assert_eq!(read_intercept_settings("breakpoint = [{ name = 'x' }]").0.breakpoints, [Breakpoint::holding("x")]);
    assert_eq!(read_intercept_settings(""), (InterceptSettings::default(), Vec::new()));
}

#[test]
fn what_is_wrong_is_said_and_left_out() {
    let point = |rest: &str| format!("[[breakpoint]]\nname = 'x'\n{rest}\n");
    for (text, says) in [
        ("live = 1".to_owned(), "live must be a table of settings"),
        ("[live]\nhold = 1".to_owned(), "unknown setting live.hold; known are cooldown_stop_ms"),
        (
            "[live]\ncooldown_stop_ms = -1".to_owned(),
            "live.cooldown_stop_ms must be a whole number of milliseconds, 0 or more",
        ),
        (
            "[handlers]\nall = true".to_owned(),
            "unknown setting handlers.all; known are overview, handoff, stop_failure",
        ),
        ("[handlers]\nhandoff = 'yes'".to_owned(), "handlers.handoff must be true or false"),
        ("[store]\nredact = 1".to_owned(), "store.redact must be true or false"),
        ("[store]\nmask = true".to_owned(), "unknown setting store.mask; known are redact"),
        ("breakpoint = 1".to_owned(), "breakpoint must be a list of tables: each starts with [[breakpoint]]"),
        ("[[breakpoint]]\n".to_owned(), "a breakpoint needs a name: its answers are shown under this name"),
        (
            point("on = 1"),
            "unknown setting breakpoint.on; known are name, enabled, agent, event, tool, path, command, session, action, on_timeout, reason, content, input, stdout, stderr, exit_code",
        ),
        (point("enabled = 1"), "breakpoint.enabled must be true or false"),
        (point("tool = 1"), "breakpoint.tool must be a string"),
        (
            point("agent = 'clod'"),
            "unknown agent clod; known are claude, qwen, gemini, codex, copilot, droid, kimi, codebuddy, vibe, hermes, cline",
        ),
        (point("event = '?'"), "no agent has an event ?; `hookbench events` lists all events"),
        (point("event = 'PreToolUze'"), "no agent has an event PreToolUze; did you mean PreToolUse?"),
        (point("tool = 'Bsh'"), "no agent has an event or a tool Bsh; did you mean Bash?"),
        (point("path = ''"), "this is not a path pattern; write one like src/**/*.rs"),
        (
            point("command = '('"),
            "this is not a valid pattern; write a regular expression without look-around and back references",
        ),
        (point("on_timeout = 'allow'"), "breakpoint.on_timeout must be \"pass\", \"deny\" or \"ask\""),
        (
            point("action = 'block'"),
            "breakpoint.action must be one of \"hold\", \"observe\", \"replace\", \"allow\", \"deny\", \"ask\", \"modify\", \"halt\", \"raw\"",
        ),
        (point("action = 'replace'"), "action = \"replace\" needs content: the text for the model"),
        (
            point("action = 'modify'\ninput = '[]'"),
            "action = \"modify\" needs input: a string with the new input as a JSON object",
        ),
        (point("action = 'raw'\nexit_code = 256"), "breakpoint.exit_code must be 0 … 255"),
        (
            point("event = 'SessionStart'"),
            "session_start cannot be held: the agent waits there only for handlers, or not at all",
        ),
        (
            point("event = 'notification'\naction = 'deny'"),
            "notification gets an empty answer at once; a breakpoint cannot decide it",
        ),
        (
            point("agent = 'codex'\nevent = 'PreToolUse'\naction = 'ask'"),
            "codex does not support ask on pre_tool_use; it supports: replace, deny, modify, halt",
        ),
        (
            point("agent = 'codex'\nevent = 'PreToolUse'\non_timeout = 'ask'"),
            "codex does not support ask on pre_tool_use; it supports: replace, deny, modify, halt",
        ),
        (
            point("agent = 'gemini'\nevent = 'subagent_stop'\naction = 'deny'"),
            "Gemini CLI has no event subagent_stop; `hookbench events` lists all events",
        ),
    ] {
        let (settings, wrong) = read_intercept_settings(&text);
        let said: Vec<&str> = wrong.iter().map(|wrong| wrong.message.as_str()).collect();
        assert_eq!(said, [says], "{text}");
        assert!(wrong[0].span.is_some(), "{text}: it has no place");
        assert_eq!(settings, InterceptSettings::default(), "{text}");
    }
    assert!(read_intercept_settings("[live\n").1[0].message.starts_with("this is not valid TOML"));
}

#[test]
fn events_are_named_in_any_spelling() {
    for (agent, spelled, name) in [
        (Some("gemini"), "BeforeTool", Some("pre_tool_use")),
        (None, "BeforeTool", Some("pre_tool_use")),
        (Some("claude"), "PreToolUse", Some("pre_tool_use")),
        (None, "PreToolUse", Some("pre_tool_use")),
        (None, "pre_tool_use", Some("pre_tool_use")),
        (None, "tool.before", Some("pre_tool_use")),
        (Some("claude"), "BeforeTool", Some("before_tool")),
        (None, "a b", None),
        (None, "", None),
    ] {
        assert_eq!(event_named(agent, spelled).as_deref(), name, "{agent:?} {spelled}");
    }
}
