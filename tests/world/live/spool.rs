//! What was answered as queued survives a killed server (K1): the spool, and the start after it.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};

use hookbench::app::live::LiveFact;
use hookbench::core::live::http::{ResponseProgress, ResponseReader, write_request};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::live::live_sandbox::LiveSandbox;
use crate::live::serve_process::{JSON, ServeProcess, envelope};

/// The number of kills, of clients, and of answers before each kill.
const KILLS: u64 = 10;
const CLIENTS: u64 = 8;
const ANSWERS: u64 = 200;

fn spool(desk: &LiveSandbox) -> Vec<PathBuf> {
    let directory = desk.store().with_file_name("live-spool");
    std::fs::read_dir(directory).map_or_else(|_| Vec::new(), |files| files.map(|file| file.unwrap().path()).collect())
}

fn event(n: u64, more: &str) -> Value {
    envelope("post_tool_use", &json!({"tool_name": "Read", "n": n, "tool_response": more}))
}

/// Posts events until the server is gone, and sends the ids of those that were answered as kept.
fn flood(socket: &PathBuf, next: &AtomicU64, ids: &Sender<String>, stop: &AtomicBool) {
    let text = "x".repeat(20_000);
    while !stop.load(Ordering::Relaxed) {
        let body = event(next.fetch_add(1, Ordering::Relaxed), &text).to_string();
        let Ok(mut stream) = UnixStream::connect(socket) else { return };
        let request = [write_request("POST", "/v1/hooks", &[JSON], body.len()), body.into_bytes()].concat();
        if stream.write_all(&request).is_err() {
            return;
        }
        let (mut reader, mut piece) = (ResponseReader::default(), [0; 4096]);
        let response = loop {
            match std::io::Read::read(&mut stream, &mut piece) {
                Ok(count) if count > 0 => {
                    if let ResponseProgress::Done(response) = reader.push(&piece[..count]).unwrap() {
                        break response;
                    }
                }
                _ => return,
            }
        };
        if matches!(response.header("Hookbench-Stored"), Some("queued" | "yes")) {
            let answer: Value = serde_json::from_slice(&response.body).unwrap();
            ids.send(answer["id"].as_str().unwrap().to_owned()).unwrap();
        }
    }
}

#[test]
fn ten_kills_in_a_flood_lose_nothing_that_was_answered_as_queued() {
    let desk = LiveSandbox::new();
    let (next, mut promised) = (AtomicU64::new(0), Vec::new());
    for _ in 0..KILLS {
        let server = desk.start_server();
        let (stop, socket) = (AtomicBool::new(false), desk.socket());
        let (sender, answered) = channel();
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                let ids = sender.clone();
                let (socket, next, stop) = (&socket, &next, &stop);
                scope.spawn(move || flood(socket, next, &ids, stop));
            }
            drop(sender);
            promised.extend((0..ANSWERS).map(|_| answered.recv().unwrap()));
            server.kill();
            stop.store(true, Ordering::Relaxed);
            promised.extend(answered);
        });
    }
    assert!(promised.len() as u64 >= KILLS * ANSWERS);
    // A server that is stopped before it has stored everything leaves the rest to the next one.
    assert!((0..100).any(|_| desk.start_server().terminate() == Some(0)));
    let mut stored: BTreeMap<String, usize> = BTreeMap::new();
    for event in desk.captured() {
        *stored.entry(event.id).or_default() += 1;
    }
    let lost: Vec<&String> = promised.iter().filter(|id| !stored.contains_key(*id)).collect();
    assert_eq!(lost, Vec::<&String>::new(), "{} of {} are lost", lost.len(), promised.len());
    assert!(stored.values().all(|count| *count == 1));
    assert_eq!(spool(&desk), Vec::<PathBuf>::new(), "what is stored is in the spool no more");
}

/// Kills a server that cannot store its events, because another process holds the store. Returns what it was asked.
fn killed_with_a_backlog(desk: &LiveSandbox, events: u64) {
    let server = desk.start_server();
    let other = Connection::open(desk.store()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for n in 0..events {
        let response = server.post(&event(n, "curl -H sk-abcdefghijklmnop1234"));
        assert_eq!(response.header("Hookbench-Stored"), Some("queued"));
    }
    ServeProcess::kill(server);
    other.execute_batch("ROLLBACK").unwrap();
}

/// The numbers in the stored payloads.
fn stored(desk: &LiveSandbox) -> Vec<u64> {
    let number = |payload: Vec<u8>| serde_json::from_slice::<Value>(&payload).unwrap()["n"].as_u64().unwrap();
    desk.captured().into_iter().map(|event| number(event.payload.unwrap())).collect()
}

#[test]
fn events_are_stored_as_they_came_and_with_their_answers() {
    let desk = LiveSandbox::new();
    desk.breakpoints("[[breakpoint]]\nname = 'no'\ntool = 'Read'\naction = 'deny'\nreason = 'not here'\n");
    let without_kill = LiveSandbox::new();
    without_kill.breakpoints("[[breakpoint]]\nname = 'no'\ntool = 'Read'\naction = 'deny'\nreason = 'not here'\n");
    killed_with_a_backlog(&desk, 3);
    assert!(spool(&desk).iter().all(|file| std::fs::metadata(file).unwrap().mode().trailing_zeros() >= 6));
    // Killed again before or after it has stored them, and started twice: each is stored once.
    desk.start_server().kill();
    assert_eq!(desk.start_server().terminate(), Some(0));
    assert_eq!(desk.start_server().terminate(), Some(0));
    let server = without_kill.start_server();
    for n in 0..3 {
        server.post(&event(n, "curl -H sk-abcdefghijklmnop1234"));
    }
    assert_eq!(server.terminate(), Some(0));
    let plain = |desk: &LiveSandbox| -> Vec<_> {
        desk.captured()
            .into_iter()
            .map(|mut event| {
                (event.id, event.live.stored_ms, event.live.answered_ms) = (String::new(), None, None);
                let answer: Option<Value> =
                    event.live.decision_json.take().map(|json| serde_json::from_str(&json).unwrap());
                let reason = answer.map(|answer| (answer["decision"].clone(), answer["reason"].clone()));
                (event, reason)
            })
            .collect()
    };
    assert_eq!(plain(&desk), plain(&without_kill));
}

#[test]
fn a_damaged_end_is_reported_and_the_rest_is_stored() {
    let desk = LiveSandbox::new();
    killed_with_a_backlog(&desk, 3);
    let [file] = spool(&desk).try_into().unwrap();
    let whole = std::fs::metadata(&file).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(whole - 7).unwrap();
    let server = desk.start_server();
    let note = server.wait_for(|fact| matches!(fact, LiveFact::Advice { .. }));
    let LiveFact::Advice { says, .. } = note else { unreachable!("it was looked for") };
    assert!(says.contains("damaged and were skipped") && says.contains("live-spool"), "{says}");
    assert_eq!(server.terminate(), Some(0));
    assert_eq!(stored(&desk), [0, 1]);
    assert_eq!(spool(&desk), Vec::<PathBuf>::new());
}

/// S-67 holds for the spool too.
#[test]
fn secrets_are_masked_in_the_spool() {
    for (redact, flags) in [(true, Some("redacted")), (false, None)] {
        let desk = LiveSandbox::new();
        desk.write_config(&format!("[store]\nredact = {redact}\n"));
        killed_with_a_backlog(&desk, 1);
        let [file] = spool(&desk).try_into().unwrap();
        let text = String::from_utf8(std::fs::read(file).unwrap()).unwrap();
        assert_eq!(text.contains("sk-abcdefghijklmnop1234"), !redact, "{text}");
        assert_eq!(desk.start_server().terminate(), Some(0));
        assert_eq!(desk.captured()[0].live.flags.as_deref(), flags);
    }
}
