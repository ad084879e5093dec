//! Events while the store cannot be written (S-T27), persisted state (S-T20, S-T21), and retention (S-68).

use std::process::Command;

use hookbench::app::live::LiveFact;
use hookbench::store::{OpenMode, Store};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::live::live_sandbox::{ForwardResult, LiveSandbox, STOP};
use crate::live::serve_process::{ServeProcess, envelope};

fn errors(server: &ServeProcess) -> u64 {
    server.get("/v1/health")["storeErrors"].as_u64().unwrap()
}

#[test]
fn a_store_that_another_process_holds_is_written_later() {
    let desk = LiveSandbox::new();
    let server = desk.start_server();
    let other = Connection::open(desk.store()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for _ in 0..5 {
        assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&[]));
    }
    let trouble = server.wait_for(|fact| matches!(fact, LiveFact::StoreTrouble { .. }));
    let LiveFact::StoreTrouble { says, .. } = trouble else { unreachable!("it was looked for") };
    assert!(says.contains("another process is writing"), "{says}");
    assert!(errors(&server) > 0);
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&[]));
    other.execute_batch("COMMIT").unwrap();
    server.wait_for(|fact| matches!(fact, LiveFact::StoreWell { .. }));
    assert_eq!(server.terminate(), Some(0));
    assert_eq!(desk.captured().len(), 6, "nothing is lost");
}

#[test]
fn a_full_disk_keeps_no_agent_waiting() {
    let desk = LiveSandbox::new();
    drop(desk.start_server());
    // The limit is 1000 blocks of 512 or 1024 bytes, depending on the shell.
    let plain = desk.serve_command();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 1000; exec \"$0\" \"$@\""]).arg(plain.get_program());
    command.args(plain.get_args()).env_clear().env("HOME", desk.home()).env("PATH", "/usr/bin:/bin");
    command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    let server = desk.start_server_with(command);
    let long = "x".repeat(200_000);
    for n in 0..20 {
        let response = server.post(&envelope("post_tool_use", &json!({"n": n, "tool_response": long})));
        assert_eq!(response.status, 200);
    }
    let trouble = server.wait_for(|fact| matches!(fact, LiveFact::StoreTrouble { .. }));
    let LiveFact::StoreTrouble { says, .. } = trouble else { unreachable!("it was looked for") };
    assert!(says.contains("no space left"), "{says}");
    assert!(errors(&server) > 0);
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&[]));
    let (status, says) = server.terminate_with_stderr();
    assert_eq!(status, Some(5), "{says}");
    // Earlier events are stored in full, and lost ones are counted.
    let store = Store::open(&desk.store(), OpenMode::Read).unwrap();
    let stored = store.captured_events(0, None, None, 100).unwrap().len();
    assert!(stored < 21);
    let lost = format!("{} forwarded events are not stored: ", 21 - stored);
    assert!(says.contains(&lost) && says.contains("no space left"), "{stored} stored: {says}");
}

#[test]
fn a_store_that_cannot_be_used_is_said_and_served_without() {
    let desk = LiveSandbox::new();
    std::fs::create_dir_all(desk.store().parent().unwrap()).unwrap();
    std::fs::write(desk.store(), "this is no store at all, and it is longer than a hundred bytes, so that it is not empty; it is a text that somebody has put there").unwrap();
    let server = desk.start_server();
    let trouble = server.wait_for(|fact| matches!(fact, LiveFact::StoreTrouble { .. }));
    let LiveFact::StoreTrouble { says, .. } = trouble else { unreachable!("it was looked for") };
    assert!(says.contains("not a store of hookbench") && says.contains("Move the file away"), "{says}");
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&[]));
    let (status, says) = server.terminate_with_stderr();
    assert!(status == Some(5) && says.contains("1 forwarded event is not stored"), "{status:?} {says}");
    assert!(std::fs::read_to_string(desk.store()).unwrap().starts_with("this is no store"));
}

/// S-67: no secret is written to disk; observers see the original.
#[test]
fn secrets_are_masked_in_what_is_stored_and_nowhere_else() {
    const KEY: &str = "sk-abcdefghijklmnop1234";
    let transcript = |desk: &LiveSandbox| {
        let path = desk.root().join("t.jsonl");
        let made = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts/claude-transcript/made.jsonl");
        let text = std::fs::read_to_string(made).unwrap().replace("I ran them.", &format!("I ran {KEY}."));
        assert!(text.contains(KEY));
        std::fs::write(&path, text).unwrap();
        path
    };
    for (redact, stored) in [("true", false), ("false", true)] {
        let desk = LiveSandbox::new();
        let point = format!("[[breakpoint]]\nname = 'no'\ntool = 'Bash'\naction = 'deny'\nreason = 'not {KEY}'\n");
        desk.write_config(&format!("[store]\nredact = {redact}\n[handlers]\nhandoff = true\n{point}"));
        let server = desk.start_server();
        let event = |name: &str, more: Value| {
            let mut payload = json!({"hook_event_name": name, "session_id": "s1", "cwd": "/work"});
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            payload.to_string().into_bytes()
        };
        let command = format!("curl -H {KEY}");
        let ran = desk
            .forward("claude", &event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": command}})));
        assert!(ran.stdout.contains(&format!("not {KEY}")), "{ran:?}");
        let arrived = server.wait_for(|fact| matches!(fact, LiveFact::Arrived(_)));
        assert!(format!("{arrived:?}").contains(KEY), "{arrived:?}");
        desk.forward("claude", &event("UserPromptSubmit", json!({"prompt": format!("use {KEY}")})));
        let compact = json!({"trigger": "auto", "transcript_path": transcript(&desk)});
        desk.forward("claude", &event("PreCompact", compact));
        assert_eq!(server.terminate(), Some(0));
        let mut found = Vec::new();
        for file in std::fs::read_dir(desk.store().parent().unwrap()).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() && std::fs::read(&path).unwrap().windows(KEY.len()).any(|part| part == KEY.as_bytes()) {
                found.push(path);
            }
        }
        assert_eq!(!found.is_empty(), stored, "redact = {redact}: {found:?}");
        let all = desk.captured();
        let flagged: Vec<bool> = all.iter().map(|one| one.live.flags.as_deref() == Some("redacted")).collect();
        assert_eq!(flagged, [!stored, !stored, false], "redact = {redact}");
        let payload = String::from_utf8(all[0].payload.clone().unwrap()).unwrap();
        let written = if stored { command.as_str() } else { "curl -H [masked]" };
        assert_eq!(serde_json::from_str::<Value>(&payload).unwrap()["tool_input"]["command"], written);
        let store = Store::open(&desk.store(), OpenMode::Read).unwrap();
        let handoffs = store.handoffs_since(0).unwrap();
        assert_eq!(handoffs.iter().map(|one| one.json.contains(KEY)).collect::<Vec<_>>(), [stored]);
    }
}

fn stop_at(server: &ServeProcess, received_at: &str) -> Value {
    let mut body = envelope("stop", &json!({"transcript_path": "/none"}));
    body["receivedAt"] = json!(received_at);
    serde_json::from_slice(&server.post(&body).body).unwrap()
}

#[test]
fn the_work_after_a_stop_is_not_done_again_after_a_restart() {
    let desk = LiveSandbox::new();
    desk.write_config("[handlers]\nhandoff = true\n");
    let server = desk.start_server();
    for at in ["2026-11-20T12:00:00.000Z", "2026-11-20T12:02:59.999Z", "2026-11-20T12:03:00.000Z"] {
        assert_eq!(stop_at(&server, at)["decision"], "observe");
    }
    assert_eq!(server.terminate(), Some(0));
    let server = desk.start_server();
    stop_at(&server, "2026-11-20T12:03:01.000Z");
    assert_eq!(server.terminate(), Some(0));
    let gated: Vec<Option<bool>> = desk.captured().into_iter().map(|one| one.live.cooldown).collect();
    assert_eq!(gated, [false, true, false, true].map(Some));
}

#[test]
fn a_time_that_cannot_be_is_noted() {
    let desk = LiveSandbox::new();
    desk.write_config("[handlers]\nhandoff = true\n");
    let server = desk.start_server();
    let in_an_hour = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    stop_at(&server, &format!("{in_an_hour:.3}"));
    assert_eq!(server.terminate(), Some(0));
    assert_eq!(desk.captured()[0].live.flags.as_deref(), Some("clockSkew"));
}

#[test]
fn what_is_old_goes_at_the_start_and_what_is_marked_stays() {
    let desk = LiveSandbox::new();
    let server = desk.start_server();
    for (session, at) in [("old", "2026-01-01T00:00:00.000Z"), ("marked", "2026-01-02T00:00:00.000Z")] {
        let mut body = envelope("stop", &json!({}));
        body["providerRef"] = json!(session);
        body["receivedAt"] = json!(at);
        assert_eq!(server.post(&body).status, 200);
    }
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&[]));
    assert_eq!(server.terminate(), Some(0));
    let marked = desk.captured().iter().find(|one| one.session == "marked").unwrap().seq;
    Store::open(&desk.store(), OpenMode::Write).unwrap().mark(marked, true).unwrap();
    assert_eq!(desk.start_server().terminate(), Some(0));
    let mut left: Vec<String> = desk.captured().into_iter().map(|one| one.session).collect();
    left.sort();
    assert_eq!(left, ["marked", "s1"]);
}

/// S-T30, with a restart in between.
#[test]
fn what_a_session_had_come_to_is_told_once_and_outlives_a_restart() {
    let desk = LiveSandbox::new();
    desk.write_config("[handlers]\nhandoff = true\n");
    let transcript = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts/claude-transcript/made.jsonl");
    let now = format!("{:.3}", jiff::Timestamp::now());
    let ask = |server: &ServeProcess, event: &str, payload: Value| -> (Value, Value, Value) {
        let mut body = envelope(event, &payload);
        body["receivedAt"] = json!(now);
        let mut answer: Value = serde_json::from_slice(&server.post(&body).body).unwrap();
        (answer["decision"].take(), answer["source"].take(), answer["content"].take())
    };
    let server = desk.start_server();
    let (decision, _, _) = ask(&server, "pre_compact", json!({"trigger": "auto", "transcript_path": transcript}));
    assert_eq!(decision, "observe", "this agent cannot be told now");
    assert_eq!(server.terminate(), Some(0));

    let server = desk.start_server();
    let (decision, source, content) = ask(&server, "session_start", json!({"source": "compact"}));
    assert_eq!((decision, source), (json!("replace"), json!("handler:handoff")));
    assert!(content.as_str().unwrap().contains("Summary of this session"), "{content}");
    assert_eq!(ask(&server, "session_start", json!({"source": "compact"})).0, "observe");
    assert_eq!(server.terminate(), Some(0));
    let server = desk.start_server();
    assert_eq!(ask(&server, "session_start", json!({"source": "compact"})).0, "observe", "once is once");
    assert_eq!(server.terminate(), Some(0));
}
