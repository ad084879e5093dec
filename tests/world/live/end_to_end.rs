//! The live path from the agent's side: the command that `hookbench install` writes, run for every recorded payload,
//! with a server that is running, stopped, foreign, silent, full, or killed. The agent always gets one JSON object
//! and status 0.

use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use hookbench::core::live::http::write_response;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::live::live_sandbox::{ForwardInput, ForwardResult, LiveSandbox};

/// An agent, and a payload that it sent.
struct SentEvent {
    agent: String,
    event: String,
    payload: Vec<u8>,
}

/// All recorded payloads, except for events that must never be answered.
fn recorded() -> Vec<SentEvent> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut all = Vec::new();
    for agent in ["claude", "codex", "droid", "gemini", "qwen"] {
        let mut files: Vec<PathBuf> = fs::read_dir(root.join(agent)).unwrap().flatten().map(|e| e.path()).collect();
        files.sort();
        for file in files.iter().filter(|file| !file.ends_with("WorktreeCreate.jsonl")) {
            let event = file.file_stem().unwrap().to_str().unwrap().to_owned();
            for line in fs::read_to_string(file).unwrap().lines() {
                all.push(SentEvent { agent: agent.to_owned(), event: event.clone(), payload: payload(line) });
            }
        }
    }
    assert!(all.len() > 300, "{} payloads", all.len());
    all
}

/// Some lines are the payload; others also have details of the recording.
fn payload(line: &str) -> Vec<u8> {
    #[derive(serde::Deserialize)]
    struct RecordingLine<'a> {
        #[serde(borrow)]
        stdin: Option<&'a RawValue>,
    }
    let line_of: RecordingLine<'_> = serde_json::from_str(line).unwrap();
    line_of.stdin.map_or(line, RawValue::get).as_bytes().to_vec()
}

/// The first payload of every event of every agent.
fn one_of_every_event() -> Vec<SentEvent> {
    let mut seen = HashSet::new();
    recorded().into_iter().filter(|sent| seen.insert((sent.agent.clone(), sent.event.clone()))).collect()
}

/// Runs the hook as its agent does.
fn hook(desk: &LiveSandbox, sent: &SentEvent) -> ForwardResult {
    desk.run(&ForwardInput { args: &["--agent", &sent.agent], stdin: &sent.payload, ..ForwardInput::default() })
}

fn is_right(ran: &ForwardResult, sent: &SentEvent) {
    let what = format!("{} {}: {ran:?}", sent.agent, sent.event);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{what}");
    assert!(serde_json::from_str::<Value>(&ran.stdout).unwrap().is_object(), "{what}");
}

#[test]
fn every_event_of_every_agent_is_stored_as_it_was_sent() {
    let desk = LiveSandbox::new();
    let server = desk.start_server();
    let all = recorded();
    for sent in &all {
        let ran = hook(&desk, sent);
        is_right(&ran, sent);
        assert_eq!((ran.stdout.as_str(), ran.problems.as_slice()), ("{}\n", [].as_slice()), "{}", sent.event);
    }
    assert_eq!(server.terminate(), Some(0));
    let kept = desk.captured();
    assert_eq!(kept.len(), all.len());
    for (one, sent) in kept.iter().zip(&all) {
        let expected = (sent.agent.as_str(), Some(sent.payload.as_slice()));
        assert_eq!((one.agent.as_str(), one.payload.as_deref()), expected, "{}", sent.event);
        assert_eq!(one.event, sent.event, "the agent's own name of it");
        assert_eq!((one.live.decision.as_deref(), one.live.source.as_deref()), (Some("observe"), Some("default")));
    }
}

#[test]
fn without_a_server_every_agent_goes_on() {
    let desk = LiveSandbox::new();
    for sent in one_of_every_event() {
        let ran = hook(&desk, &sent);
        is_right(&ran, &sent);
        assert_eq!((ran.stdout.as_str(), ran.problems.as_slice()), ("{}\n", [].as_slice()));
    }
}

/// With a breakpoint for every event, each agent gets its own format, and always one object.
#[test]
fn every_decision_prints_one_object() {
    let desk = LiveSandbox::new();
    desk.write_config("[[breakpoint]]\nname = 'no'\naction = 'deny'\nreason = 'no'\n");
    let server = desk.start_server();
    let mut denied = 0;
    for sent in one_of_every_event() {
        let ran = hook(&desk, &sent);
        is_right(&ran, &sent);
        denied += usize::from(ran.stdout != "{}\n");
    }
    assert!(denied > 12, "{denied} agents and events can be refused");
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn a_foreign_or_broken_server_is_skipped() {
    let events = one_of_every_event();
    // Each case has its own desk, because its log is checked.
    let each = |socket: &dyn Fn(&LiveSandbox), problem: &str| {
        for sent in events.iter().step_by(7) {
            let desk = LiveSandbox::with("ack_ms = 300");
            let args = ["--agent", &sent.agent, "--socket", desk.socket().to_str().unwrap()].map(str::to_owned);
            socket(&desk);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let ran = desk.run(&ForwardInput { args: &args, stdin: &sent.payload, ..ForwardInput::default() });
            is_right(&ran, sent);
            assert_eq!((ran.stdout.as_str(), ran.problems.as_slice()), ("{}\n", [problem.to_owned()].as_slice()));
        }
    };
    // It accepts connections and sends nothing; the listener lives as long as the test.
    each(&|desk| std::mem::forget(UnixListener::bind(desk.socket()).unwrap()), "ack");
    // Other users have access to its directory.
    each(
        &|desk| {
            std::mem::forget(UnixListener::bind(desk.socket()).unwrap());
            fs::set_permissions(desk.root().join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        },
        "owner",
    );
    // It speaks another version.
    let answering = |bytes: Vec<u8>| {
        move |desk: &LiveSandbox| {
            let bytes = bytes.clone();
            drop(desk.serve(move |stream: &mut UnixStream| stream.write_all(&bytes).unwrap()));
        }
    };
    let version = write_response(422, "application/json", &[], br#"{"error":"schema_version","supported":[9]}"#);
    each(&answering(version), "status");
    // It is full.
    each(&answering(write_response(429, "application/json", &[], b"{}")), "status");
}

#[test]
fn a_server_that_is_killed_in_the_middle_loses_nothing_that_it_called_stored() {
    let desk = LiveSandbox::new();
    let mut server = desk.start_server();
    let mut ids = Vec::new();
    for (at, sent) in recorded().iter().enumerate() {
        if at % 60 == 59 {
            server.kill();
            let ran = hook(&desk, sent);
            is_right(&ran, sent);
            server = desk.start_server();
        }
        let ran = hook(&desk, sent);
        is_right(&ran, sent);
        // Events that the store already has are listed as committed.
        if at % 20 == 0 {
            let page = server.get("/v1/observations");
            let rows = page["observations"].as_array().unwrap();
            ids.extend(rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        }
    }
    server.kill();
    let kept: HashSet<String> = desk.captured().into_iter().map(|one| one.id).collect();
    let lost: Vec<&String> = ids.iter().filter(|id| !kept.contains(*id)).collect();
    assert_eq!(lost, Vec::<&String>::new());
    assert!(kept.len() > 200, "{} are kept", kept.len());
}
