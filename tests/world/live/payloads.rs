//! Requests to the server and its answers (S-T10 to S-T12).

use hookbench::core::live::{ClientBudget, MAX_PAYLOAD, ReceivedEnvelope, parse_envelope};
use serde_json::{Value, json};

use crate::live::live_sandbox::{ForwardInput, ForwardResult, LiveSandbox, STOP};

const OBSERVE: &str = r#"{"decision":"observe"}"#;

#[test]
fn the_envelope_has_seven_fields_and_the_request_its_headers() {
    let desk = LiveSandbox::new();
    let serving = desk.answer(OBSERVE);
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&[]));
    let (head, body) = serving.join().unwrap();
    assert_eq!((head.method.as_str(), head.target.as_str()), ("POST", "/v1/hooks"));
    let header = |name: &str| head.header(name).unwrap_or_default().to_owned();
    assert_eq!(header("Host"), "hookbench");
    assert_eq!(header("Connection"), "close");
    assert_eq!(header("Content-Type"), "application/json");
    assert_eq!(header("Hookbench-Client"), format!("forward/{}", env!("CARGO_PKG_VERSION")));
    assert_eq!(header("Hookbench-Accept"), "observe, replace, allow, deny, ask, modify, halt, raw");
    assert_eq!((header("Hookbench-Request-Id").len(), &header("Hookbench-Request-Id")[14..15]), (36, "7"));
    // The remaining time of both deadlines.
    let budget = ClientBudget::parse(&header("Hookbench-Budget")).unwrap();
    assert!(budget.ack.as_millis() <= 1_500 && budget.hold.as_millis() <= 110_000, "{budget}");
    assert_eq!((head.header("Hookbench-Payload"), head.header("Hookbench-Oversize")), (None, None));

    let text = String::from_utf8(body).unwrap();
    let mut whole: Value = serde_json::from_str(&text).unwrap();
    let at = whole["receivedAt"].take();
    let at = at.as_str().unwrap();
    assert!(at.len() == 24 && at.ends_with('Z') && at.parse::<jiff::Timestamp>().is_ok(), "{at}");
    let expected = json!({
        "schemaVersion": 1, "provider": "claude", "event": "stop", "providerRef": "s1", "projectPath": "/work",
        "receivedAt": null, "payload": {"hook_event_name": "Stop", "session_id": "s1", "cwd": "/work"},
    });
    assert_eq!(whole.to_string(), expected.to_string(), "the order counts");
}

fn sent(desk: &LiveSandbox, given: &ForwardInput<'_>) -> Value {
    let serving = desk.answer(OBSERVE);
    let socket = desk.socket();
    let args: Vec<&str> = given.args.iter().copied().chain(["--socket", socket.to_str().unwrap()]).collect();
    desk.run(&ForwardInput { args: &args, ..ForwardInput { args: &[], ..*given } });
    std::fs::remove_file(desk.socket()).unwrap();
    serde_json::from_slice(&serving.join().unwrap().1).unwrap()
}

#[test]
fn what_the_payload_does_not_say_comes_from_elsewhere() {
    let desk = LiveSandbox::new();
    let here = desk.root().to_str().unwrap().to_owned();
    let project = [("CLAUDE_PROJECT_DIR", "no".to_owned()), ("GEMINI_PROJECT_DIR", "/g".to_owned())];
    for (agent, event, stdin, env, expected) in [
        ("gemini", None, r#"{"hook_event_name":"BeforeTool"}"#, &[] as &[_], ["pre_tool_use", "unknown", &here]),
        ("gemini", Some("stop"), r#"{"hook_event_name":"AfterAgent"}"#, &project, ["stop", "unknown", "/g"]),
        (
            "claude",
            Some("PreToolUse"),
            r#"{"hook_event_name":"Stop","cwd":"."}"#,
            &project,
            ["pre_tool_use", "unknown", "/g"],
        ),
        ("qwen", None, r#"{"id":"tool_before_1","sessionId":"q\u0007"}"#, &[], ["pre_tool_use", "q", &here]),
        ("qwen", None, r#"{"hook_event_name":"New.Thing","session_id":""}"#, &[], ["new_thing", "unknown", &here]),
        ("codex", None, "{}", &[], ["unknown", "unknown", &here]),
    ] {
        let mut args = vec!["--agent", agent];
        args.extend(event.into_iter().flat_map(|event| ["--event", event]));
        let body = sent(&desk, &ForwardInput { args: &args, stdin: stdin.as_bytes(), env, ..ForwardInput::default() });
        let seen = ["event", "providerRef", "projectPath"].map(|key| body[key].as_str().unwrap());
        assert_eq!((body["provider"].as_str(), seen), (Some(agent), expected), "{agent} {stdin}");
    }
}

/// Returns the exact payload in an envelope, and the two headers about it.
fn carried(stdin: &[u8], ran: &ForwardResult) -> (String, Option<String>, Option<String>) {
    // Unoptimised builds are slow.
    let desk = LiveSandbox::with("ack_ms = 60000");
    let serving = desk.answer(OBSERVE);
    assert_eq!(desk.forward("claude", stdin), *ran);
    let (head, body) = serving.join().unwrap();
    let ReceivedEnvelope { payload, .. } = parse_envelope(&body).unwrap();
    let header = |name: &str| head.header(name).map(str::to_owned);
    (payload.to_owned(), header("Hookbench-Payload"), header("Hookbench-Oversize"))
}

#[test]
fn a_payload_travels_byte_for_byte() {
    let odd = "{\"b\":1.0,\"a\":12345678901234567890,\r\n\t\"a\" : \"\\ud83d \\u00e9 é\",\"\\ud800\":-0}";
    assert_eq!(carried(format!("\r\n{odd}\n").as_bytes(), &ForwardResult::passed(&[])), (odd.to_owned(), None, None));
    let text = || Some("text".to_owned());
    let strange = ForwardResult::passed(&["payload"]);
    assert_eq!(carried(b"", &strange), ("null".to_owned(), None, None));
    assert_eq!(carried(b"hello\n", &strange), (r#""hello\n""#.to_owned(), text(), None));
    assert_eq!(carried(b"\xff{}", &strange), ("\"\u{fffd}{}\"".to_owned(), text(), None));
}

#[test]
fn a_payload_travels_whole_or_not_at_all() {
    let json = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
    let whole = json(MAX_PAYLOAD);
    assert!(carried(whole.as_bytes(), &ForwardResult::passed(&[])) == (whole, None, None), "it is another one");
    for length in [MAX_PAYLOAD + 1, 100_000_000] {
        let expected = ("null".to_owned(), None, Some(length.to_string()));
        assert_eq!(carried(json(length).as_bytes(), &ForwardResult::passed(&["payload"])), expected);
    }
}

#[test]
fn a_payload_that_does_not_end_is_not_waited_for() {
    let desk = LiveSandbox::with("stdin_ms = 200");
    let ran =
        desk.run(&ForwardInput { args: &["--agent", "claude"], stdin: STOP, endless: true, ..ForwardInput::default() });
    assert_eq!(ran, ForwardResult::passed(&["stdin"]));
}

#[test]
fn every_agent_is_told_in_its_own_words() {
    let deny = r#"{"decision":"deny","reason":"no","id":"1","source":"user","later":1}"#;
    let permission = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
    for (agent, event, told) in [
        ("claude", "PreToolUse", permission),
        ("codex", "PreToolUse", permission),
        ("qwen", "PreToolUse", permission),
        ("gemini", "BeforeTool", r#"{"decision":"deny","reason":"no"}"#),
    ] {
        let desk = LiveSandbox::new();
        let serving = desk.answer(deny);
        let ran = desk.forward(agent, format!(r#"{{"hook_event_name":"{event}"}}"#).as_bytes());
        assert_eq!(ran, ForwardResult { stdout: format!("{told}\n"), ..ForwardResult::passed(&[]) }, "{agent}");
        serving.join().unwrap();
    }
    let desk = LiveSandbox::new();
    let serving = desk.answer(r#"{"decision":"ask"}"#);
    assert_eq!(desk.forward("codex", br#"{"hook_event_name":"PreToolUse"}"#), ForwardResult::passed(&["degraded"]));
    serving.join().unwrap();
}

/// For testing how an agent reacts to a misbehaving hook.
#[test]
fn a_raw_answer_is_what_it_is() {
    let desk = LiveSandbox::new();
    let serving = desk.answer(r#"{"decision":"raw","stdout":"o","stderr":"e","exitCode":2}"#);
    let raw = ForwardResult { status: 2, stdout: "o".to_owned(), stderr: "e".to_owned(), problems: Vec::new() };
    assert_eq!(desk.forward("claude", STOP), raw);
    serving.join().unwrap();
}
