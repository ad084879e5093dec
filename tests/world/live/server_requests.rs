//! Valid and invalid requests to the server (S-T11, S-T12, S-T17 to S-T19, hostile input).

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;

use hookbench::core::live::http::write_request;
use serde_json::{Value, json};

use crate::live::live_sandbox::{ForwardResult, LiveSandbox, STOP};
use crate::live::serve_process::{JSON, answer, envelope, send};

#[test]
fn an_event_by_hand_is_answered_and_stored() {
    let desk = LiveSandbox::new();
    let server = desk.start_server();
    let body = envelope("pre_tool_use", &json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
    let response = server.ask("POST", "/v1/hooks", &[JSON], body.to_string().as_bytes());
    let answer: Value = serde_json::from_slice(&response.body).unwrap();
    let id = answer["id"].as_str().unwrap().to_owned();
    assert_eq!(answer, json!({"decision": "observe", "id": id, "source": "default"}));
    assert_eq!(response.status, 200);
    // The answer does not wait for the writer, but the writer may have been faster.
    let stored = response.header("Hookbench-Stored").unwrap();
    assert!(matches!(stored, "queued" | "yes"), "{stored}");
    let health = server.get("/v1/health");
    assert_eq!(
        (&health["events"], &health["storeErrors"], &health["pid"]),
        (&json!(1), &json!(0), &json!(server.pid()))
    );
    assert_eq!(server.terminate(), Some(0));

    // It is stored under that id, with all fields.
    let server = desk.start_server();
    let mut kept = server.get(&format!("/v1/observations/{id}"));
    let fields = ["schemaVersion", "provider", "event", "providerRef", "projectPath", "receivedAt", "payload"];
    for field in fields {
        assert_eq!(kept[field], body[field], "{field}");
    }
    assert_eq!((kept["decision"].take(), kept["source"].take()), (json!("observe"), json!("default")));
    assert_eq!(kept["nativeEvent"], "PreToolUse");
    let page = server.get("/v1/observations?session=s1&event=pre_tool_use");
    assert_eq!((page["observations"].as_array().unwrap().len(), &page["next"]), (1, &kept["seq"]));
    assert_eq!(server.get("/v1/observations?event=stop")["observations"], json!([]));
    assert_eq!(server.get(&format!("/v1/observations?since={}", kept["seq"]))["observations"], json!([]));
    assert_eq!(server.get("/v1/sessions")["sessions"][0]["providerRef"], "s1");
    assert_eq!(server.get("/v1/held"), json!({"held": []}));
}

#[test]
fn what_is_stored_is_what_the_agent_gave_its_hook() {
    let desk = LiveSandbox::new();
    let server = desk.start_server();
    let odd = "{\"b\":1.0,\"a\":12345678901234567890,\r\n\t\"a\" : \"\\ud83d \\u00e9 é\",\"\\ud800\":-0}";
    let long = format!("\"{}\"", "x".repeat(10 * 1024 * 1024 + 1));
    let cases: [(&[u8], &[u8], Option<&str>); 5] = [
        (odd.as_bytes(), odd.as_bytes(), None),
        (b"", b"null", None),
        (b"hello\n", b"hello\n", Some("text")),
        (b"\xff{}", "\u{fffd}{}".as_bytes(), Some("text")),
        (long.as_bytes(), b"null", Some("oversize=10485763")),
    ];
    for (stdin, _, _) in &cases {
        assert_eq!(desk.forward("claude", stdin).stdout, "{}\n");
    }
    assert_eq!(server.terminate(), Some(0));
    let kept = desk.captured();
    assert_eq!(kept.len(), cases.len());
    for (one, (stdin, payload, flags)) in kept.iter().zip(&cases) {
        let shown = String::from_utf8_lossy(&stdin[..stdin.len().min(40)]).into_owned();
        assert!(one.payload.as_deref() == Some(payload), "{shown}: {:?}", one.payload.as_ref().map(Vec::len));
        assert_eq!(one.live.flags.as_deref(), *flags, "{shown}");
    }
}

#[test]
fn what_is_wrong_is_refused_with_its_status() {
    let desk = LiveSandbox::new();
    let server = desk.start_server();
    let hooks =
        |body: &str| [write_request("POST", "/v1/hooks", &[JSON], body.len()), body.as_bytes().to_vec()].concat();
    let with = |key: &str, value: Value| {
        let mut body = envelope("stop", &json!({}));
        if value.is_null() {
            body.as_object_mut().unwrap().remove(key);
        } else {
            body[key] = value;
        }
        hooks(&body.to_string())
    };
    // A valid request except for one byte.
    let mut invalid = hooks(&envelope("stop", &json!({"prompt": "?"})).to_string());
    let at = invalid.iter().rposition(|byte| *byte == b'?').unwrap();
    invalid[at] = 0xff;
    for (what, bytes, status) in [
        ("version 0", with("schemaVersion", json!(0)), 422),
        ("version 2", with("schemaVersion", json!(2)), 422),
        ("version as a text", with("schemaVersion", json!("1")), 400),
        ("no version", with("schemaVersion", Value::Null), 400),
        ("no payload", with("payload", Value::Null), 400),
        ("no event's name", with("event", json!("Stop")), 400),
        ("an unknown agent", with("provider", json!("nobody")), 200),
        ("an unknown event", with("event", json!("never_heard_of")), 200),
        ("an unknown field", with("later", json!([1])), 200),
        ("no JSON", hooks("hello"), 400),
        ("not an object", hooks("[]"), 400),
        ("invalid UTF-8", invalid, 400),
        ("half a text", hooks("{\"a\":\""), 400),
        ("another type", write_request("POST", "/v1/hooks", &[("Content-Type", "text/plain")], 2), 415),
        ("no type", write_request("POST", "/v1/hooks", &[], 2), 415),
        ("100 MB", write_request("POST", "/v1/hooks", &[JSON], 100_000_000), 413),
        ("no length", b"POST /v1/hooks HTTP/1.1\r\nContent-Type: application/json\r\n\r\n".to_vec(), 411),
        (
            "chunked",
            b"POST /v1/hooks HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec(),
            411,
        ),
        ("another method", write_request("DELETE", "/v1/hooks", &[], 0), 405),
        ("another path", write_request("GET", "/", &[], 0), 404),
        ("no such event", write_request("GET", "/v1/observations/none", &[], 0), 404),
        ("not held", write_request("GET", "/v1/held/none", &[], 0), 404),
        ("a long head", write_request("GET", &format!("/{}", "x".repeat(20_000)), &[], 0), 400),
        ("no HTTP", b"hello\r\n\r\n".to_vec(), 400),
    ] {
        assert_eq!(send(&desk.socket(), &bytes).status, status, "{what}");
    }
    let refused = server.ask("PUT", "/v1/held/x", &[JSON], b"{}");
    assert_eq!((refused.status, refused.header("Allow")), (405, Some("GET, POST")));
    // The server still works.
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&[]));
    assert_eq!(server.get("/v1/health")["events"], 4);
}

#[test]
fn a_client_is_told_to_go_on_with_its_body() {
    let desk = LiveSandbox::new();
    let _server = desk.start_server();
    let body = envelope("stop", &json!({})).to_string();
    let mut stream = UnixStream::connect(desk.socket()).unwrap();
    let head = write_request("POST", "/v1/hooks", &[JSON, ("Expect", "100-continue")], body.len());
    stream.write_all(&head).unwrap();
    let mut told = [0; 25];
    stream.read_exact(&mut told).unwrap();
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(body.as_bytes()).unwrap();
    assert_eq!(answer(&mut stream).status, 200);
}

#[test]
fn half_a_request_keeps_nobody_and_is_ended() {
    let desk = LiveSandbox::new();
    let server = desk.start_server();
    let half = &write_request("POST", "/v1/hooks", &[JSON], 1_000)[..];
    // More connections than allowed, from clients that send nothing more.
    let mut idle: Vec<UnixStream> = (0..300)
        .map(|_| {
            let mut stream = UnixStream::connect(desk.socket()).unwrap();
            stream.write_all(half).unwrap();
            stream
        })
        .collect();
    // A further client is rejected in time.
    let ran = desk.forward("claude", STOP);
    assert_eq!((ran.stdout.as_str(), ran.status), ("{}\n", 0));
    assert_eq!(ran.problems, ["status"]);
    // Accepted connections time out; the others were rejected as too many.
    let mut statuses: Vec<u16> = idle.iter_mut().map(|stream| answer(stream).status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses.iter().filter(|status| **status == 408).count(), 64);
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 236);
    drop(idle);
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&[]));
    assert_eq!(server.get("/v1/health")["events"], 1);
}

#[test]
fn a_client_that_knows_two_decisions_is_sent_no_other() {
    let desk = LiveSandbox::new();
    desk.breakpoints("[[breakpoint]]\nname = 'no'\nevent = 'pre_tool_use'\naction = 'deny'\nreason = 'never'\n");
    let server = desk.start_server();
    let body = envelope("pre_tool_use", &json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
    let old = server.ask("POST", "/v1/hooks", &[JSON], body.to_string().as_bytes());
    let old: Value = serde_json::from_slice(&old.body).unwrap();
    assert_eq!((&old["decision"], &old["source"]), (&json!("observe"), &json!("rule:no")));
    let new: Value = serde_json::from_slice(&server.post(&body).body).unwrap();
    let expected = json!({"decision": "deny", "reason": "never", "id": new["id"], "source": "rule:no"});
    assert_eq!(new, expected);
    assert_eq!(server.terminate(), Some(0));
    let suppressed: Vec<Option<String>> = desk.captured().into_iter().map(|one| one.live.suppressed).collect();
    assert_eq!(suppressed, [Some("deny: not accepted".to_owned()), None]);
}

/// S-45: neither printed lines nor answers to requests can move a cursor or reverse text.
#[test]
fn nothing_that_is_said_does_anything_to_a_terminal() {
    const HOSTILE: &str = "\u{1b}]52;c;cm0=\u{7}\u{9b}2J\u{202e}fr- mr\u{200b}\u{7f}\u{2028}";
    for format in ["jsonl", "text"] {
        let desk = LiveSandbox::new();
        let mut command = desk.serve_command();
        let program = command.get_program().to_owned();
        let args: Vec<_> =
            command.get_args().map(|arg| if arg == "jsonl" { format.into() } else { arg.to_owned() }).collect();
        command = std::process::Command::new(program);
        command.args(args).env_clear().env("HOME", desk.home());
        command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        let mut next = || {
            let mut line = String::new();
            std::io::BufRead::read_line(&mut lines, &mut line).unwrap();
            said.push_str(&line);
            line
        };
        next();
        let mut body = envelope("pre_tool_use", &json!({"tool_name": "Bash", "tool_input": {"command": HOSTILE}}));
        body["providerRef"] = json!(format!("s{HOSTILE}"));
        body["projectPath"] = json!(format!("/work/{HOSTILE}"));
        let body = body.to_string();
        let headers = write_request("POST", "/v1/hooks", &[JSON], body.len());
        let answered = send(&desk.socket(), &[headers, body.into_bytes()].concat());
        assert_eq!(answered.status, 200);
        while !next().contains("observe") {}
        let id = serde_json::from_slice::<Value>(&answered.body).unwrap()["id"].as_str().unwrap().to_owned();
        let mut found = None;
        // The writer may not have stored it yet.
        while found.is_none() {
            let one = send(&desk.socket(), &write_request("GET", &format!("/v1/observations/{id}"), &[], 0));
            found = (one.status == 200).then(|| String::from_utf8(one.body).unwrap());
        }
        let found = found.unwrap();
        assert_eq!(serde_json::from_str::<Value>(&found).unwrap()["payload"]["tool_input"]["command"], HOSTILE);
        let harms = |c: char| (c != '\n' && c.is_control()) || HOSTILE.chars().any(|h| h == c && !h.is_ascii());
        assert!(said.contains("fr- mr") && !said.contains(harms), "{format}: {said:?}");
        assert!(!found.contains(harms), "{found:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
