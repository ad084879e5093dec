//! Held requests (S-T24 to S-T26, S-T28), and attached observers (S-T15, S-39).

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use hookbench::app::live::{LiveCommand, LiveFact, LiveHandle, LiveSettings, ServerPaths, StorageSettings};
use hookbench::core::live::Decision;
use hookbench::core::live::intercept::{Breakpoint, InterceptSettings};
use serde_json::{Value, json};

use crate::live::live_sandbox::{ForwardInput, ForwardResult, LiveSandbox};
use crate::live::serve_process::{JSON, ServeProcess, envelope, send};

const HOLD: &str = "[[breakpoint]]\nname = 'look'\nevent = 'pre_tool_use'\naction = 'hold'\n";
const TOOL: &[u8] = br#"{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"/work","tool_name":"Bash","tool_input":{"command":"ls"}}"#;

fn holding() -> LiveSandbox {
    let desk = LiveSandbox::new();
    desk.breakpoints(HOLD);
    desk
}

/// Starts an agent's hook without waiting for it.
fn begin(desk: &LiveSandbox) -> std::process::Child {
    begin_with(desk, TOOL)
}

fn begin_with(desk: &LiveSandbox, payload: &[u8]) -> std::process::Child {
    let socket = desk.socket();
    let given =
        ForwardInput { args: &["--agent", "claude", "--socket", socket.to_str().unwrap()], ..ForwardInput::default() };
    let mut child = desk.command(&given).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload).unwrap();
    child
}

/// However hookbench ends, a held event gets the answer that the screen has announced. After KILL, only `forward` is left
/// to give it.
#[test]
fn every_end_gives_the_announced_answer() {
    let desk = LiveSandbox::new();
    for (announced, told) in [("pass", None), ("deny", Some("deny")), ("ask", Some("ask"))] {
        desk.breakpoints(&format!("{HOLD}on_timeout = '{announced}'\n"));
        for signal in ["TERM", "INT", "HUP", "KILL"] {
            let server = desk.start_server();
            let hook = begin(&desk);
            let LiveFact::Held(held) = server.wait_for(|fact| matches!(fact, LiveFact::Held(_))) else {
                unreachable!("it was looked for")
            };
            assert_eq!(held.on_timeout, announced);
            server.signal(signal);
            let output = hook.wait_with_output().unwrap();
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
            let own = &answer["hookSpecificOutput"];
            assert_eq!(own["permissionDecision"].as_str(), told, "{announced} {signal}: {answer}");
            let reason = told.map(|_| "hookbench ended before you decided");
            assert_eq!(own["permissionDecisionReason"].as_str(), reason, "{announced} {signal}: {answer}");
            assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
            server.wait_for_end();
        }
    }
}

/// An answer that the agent cannot express is not announced either.
#[test]
fn only_possible_answers_are_announced() {
    let desk = LiveSandbox::new();
    desk.breakpoints("[[breakpoint]]\nname = 'look'\nevent = 'post_tool_use'\non_timeout = 'ask'\n");
    let server = desk.start_server();
    let payload = br#"{"hook_event_name":"PostToolUse","session_id":"s1","cwd":"/work","tool_name":"Bash"}"#;
    let hook = begin_with(&desk, payload);
    let LiveFact::Held(held) = server.wait_for(|fact| matches!(fact, LiveFact::Held(_))) else {
        unreachable!("it was looked for")
    };
    assert_eq!(held.on_timeout, "pass");
    server.kill();
    assert_eq!(hook.wait_with_output().unwrap().stdout, b"{}\n");
}

#[test]
fn shutdown_releases_held_events() {
    let desk = holding();
    let server = desk.start_server();
    let hooks: Vec<_> = (0..5).map(|_| begin(&desk)).collect();
    for _ in &hooks {
        server.wait_for_held();
    }
    assert_eq!(server.get("/v1/health")["held"], 5);
    assert_eq!(server.terminate(), Some(0));
    for hook in hooks {
        let output = hook.wait_with_output().unwrap();
        assert_eq!((output.stdout.as_slice(), output.status.code()), (b"{}\n".as_slice(), Some(0)));
    }
    let sources: Vec<_> = desk.captured().into_iter().map(|one| one.live.source.unwrap()).collect();
    assert_eq!(sources, ["shutdown"; 5]);
}

#[test]
fn disconnected_clients_are_recorded() {
    let desk = holding();
    let server = desk.start_server();
    let mut hook = begin(&desk);
    let id = server.wait_for_held();
    let held = server.get("/v1/held");
    assert_eq!(held["held"][0]["id"], json!(id));
    assert_eq!(held["held"][0]["breakpoint"], "look");
    let one = server.get(&format!("/v1/held/{id}"));
    assert_eq!(one["payload"], serde_json::from_slice::<Value>(TOOL).unwrap());
    hook.kill().unwrap();
    hook.wait().unwrap();
    assert_eq!(
        server.wait_for(|fact| matches!(fact, LiveFact::Abandoned { .. })),
        LiveFact::Abandoned { id: id.clone() }
    );
    assert_eq!(server.get("/v1/held"), json!({"held": []}));
    assert_eq!(server.terminate(), Some(0));
    let kept = desk.captured();
    assert_eq!((kept[0].id.as_str(), kept[0].live.decision.as_deref()), (id.as_str(), None));
    assert_eq!(kept[0].live.flags.as_deref(), Some("abandoned"));
}

/// A live path in this process, as on the screen.
async fn here(desk: &LiveSandbox, breakpoints: Vec<Breakpoint>) -> LiveHandle {
    let settings = LiveSettings {
        whereabouts: ServerPaths { socket: desk.socket(), state_file: Some(desk.home().join("state/socket")) },
        store: desk.store(),
        storage: StorageSettings::default(),
        desk: InterceptSettings { breakpoints, ..InterceptSettings::default() },
        token: None,
        mode: "tui",
    };
    LiveHandle::start(settings).await.unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

#[test]
fn held_events_do_not_block_others() {
    let desk = LiveSandbox::new();
    runtime().block_on(async {
        let mut hold = Breakpoint::holding("some");
        hold.session = Some("held".to_owned());
        let mut live = here(&desk, vec![hold]).await;
        let mut feed = live.feed().unwrap();
        let socket = desk.socket();
        let ask = |held: bool| {
            let socket: PathBuf = socket.clone();
            let mut body = envelope("pre_tool_use", &json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
            body["providerRef"] = json!(if held { "held" } else { "free" });
            tokio::task::spawn_blocking(move || {
                let body = body.to_string();
                let headers = [JSON, ("Hookbench-Budget", "ack=1500, hold=290000")];
                let head = hookbench::core::live::http::write_request("POST", "/v1/hooks", &headers, body.len());
                let response = send(&socket, &[head, body.into_bytes()].concat());
                (response.status, response.header("Hookbench-Stored").map(str::to_owned))
            })
        };
        let held: Vec<_> = (0..20).map(|_| ask(true)).collect();
        let free: Vec<_> = (0..180).map(|_| ask(false)).collect();
        for one in free {
            assert_eq!(one.await.unwrap().0, 200);
        }
        let mut count = 0;
        while count < 20 {
            count += usize::from(matches!(feed.next().await.unwrap(), LiveFact::Held(_)));
        }
        live.ask(LiveCommand::ReleaseAll);
        for one in held {
            assert_eq!(one.await.unwrap().0, 200);
        }
        live.end().await;
    });
    let mut sources: Vec<_> = desk.captured().into_iter().map(|one| one.live.source.unwrap()).collect();
    sources.sort();
    assert_eq!(sources.iter().filter(|source| *source == "user").count(), 20);
    assert_eq!(sources.len(), 200);
}

#[test]
fn what_the_user_decides_is_what_the_agent_is_told() {
    let desk = LiveSandbox::new();
    runtime().block_on(async {
        let mut live = here(&desk, vec![Breakpoint::holding("all")]).await;
        let mut feed = live.feed().unwrap();
        let hook = begin(&desk);
        let held = loop {
            if let LiveFact::Held(held) = feed.next().await.unwrap() {
                break held;
            }
        };
        assert_eq!(held.arrived.what.as_deref(), Some("ls"));
        live.ask(LiveCommand::Payload { id: held.arrived.id.clone() });
        let payload = loop {
            if let LiveFact::Payload { payload, .. } = feed.next().await.unwrap() {
                break payload;
            }
        };
        assert_eq!(payload.as_deref().map(str::as_bytes), Some(TOOL));
        live.ask(LiveCommand::Decide {
            id: held.arrived.id.clone(),
            decision: Decision::Deny { reason: Some("no".to_owned()) },
        });
        let answered = loop {
            if let LiveFact::Answered(answered) = feed.next().await.unwrap() {
                break answered;
            }
        };
        assert_eq!((answered.decision.as_str(), answered.source.as_str()), ("deny", "user"));
        // Nothing is held under this id now.
        live.ask(LiveCommand::Decide { id: held.arrived.id.clone(), decision: Decision::Observe });
        let refused = loop {
            if let LiveFact::Refused { id, .. } = feed.next().await.unwrap() {
                break id;
            }
        };
        assert_eq!(refused, Some(held.arrived.id));
        let output = tokio::task::spawn_blocking(|| hook.wait_with_output().unwrap()).await.unwrap();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(told["hookSpecificOutput"]["permissionDecision"], "deny");
        live.end().await;
    });
}

#[test]
fn a_screen_looks_on_while_another_process_serves() {
    let desk = holding();
    let server = desk.start_server();
    let first = begin(&desk);
    let id = server.wait_for_held();
    runtime().block_on(async {
        let mut live = LiveHandle::attach(desk.socket()).await.unwrap();
        let mut feed = live.feed().unwrap();
        let pid = server.pid();
        let socket = desk.socket().display().to_string();
        assert_eq!(feed.next().await, Some(LiveFact::Attached { socket, pid }));
        // An observer first gets the current state, then the following facts.
        let mut held = Vec::new();
        let mut second = None;
        while held.len() < 2 {
            if let LiveFact::Held(one) = feed.next().await.unwrap() {
                held.push(one.arrived.id);
                second = second.or_else(|| Some(begin(&desk)));
            }
        }
        assert_eq!(held[0], id);
        live.ask(LiveCommand::Payload { id: id.clone() });
        let payload = loop {
            if let LiveFact::Payload { payload, .. } = feed.next().await.unwrap() {
                break payload;
            }
        };
        assert_eq!(payload.as_deref().map(str::as_bytes), Some(TOOL));
        // An observer cannot decide.
        for command in [LiveCommand::ReleaseAll, LiveCommand::Decide { id: id.clone(), decision: Decision::Observe }] {
            live.ask(command);
            while !matches!(feed.next().await.unwrap(), LiveFact::Refused { .. }) {}
        }
        server.signal("TERM");
        while feed.next().await != Some(LiveFact::Ended) {}
        assert_eq!(second.unwrap().wait_with_output().unwrap().stdout, b"{}\n");
        live.end().await;
    });
    assert_eq!(first.wait_with_output().unwrap().stdout, b"{}\n");
}

#[test]
fn nobody_decides_over_the_socket_unless_it_was_allowed() {
    let desk = holding();
    let server = desk.start_server();
    let hook = begin(&desk);
    let id = server.wait_for_held();
    let target = format!("/v1/held/{id}");
    let decide = |token: Option<&str>| {
        let bearer = token.map(|token| format!("Bearer {token}")).unwrap_or_default();
        server.ask("POST", &target, &[JSON, ("Authorization", &bearer)], br#"{"decision":"allow"}"#).status
    };
    assert_eq!([decide(None), decide(Some("x"))], [403; 2]);
    // Without a terminal the token would be visible to everyone.
    assert_eq!(server.terminate(), Some(0));
    let mut command = std::process::Command::new("setsid");
    command.arg(env!("CARGO_BIN_EXE_hookbench")).args(["serve", "--remote-decide", "--socket"]).arg(desk.socket());
    let output = command.env("HOME", desk.home()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("this process has no terminal"), "{said}");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(hook.wait_with_output().unwrap().stdout, b"{}\n");
}

/// Starts a server on a terminal, and returns the token from its output.
fn with_token(desk: &LiveSandbox) -> (Box<dyn portable_pty::Child + Send + Sync>, String) {
    let pair = portable_pty::native_pty_system().openpty(portable_pty::PtySize::default()).unwrap();
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_hookbench"));
    command.args(["serve", "--remote-decide", "--socket", desk.socket().to_str().unwrap()]);
    command.env_clear();
    command.env("HOME", desk.home());
    let child = pair.slave.spawn_command(command).unwrap();
    let mut screen = pair.master.try_clone_reader().unwrap();
    let mut shown = String::new();
    let mut piece = [0; 4096];
    while !(shown.contains("Bearer ") && shown.contains("listening on") && shown.ends_with('\n')) {
        let count = screen.read(&mut piece).unwrap();
        shown.push_str(&String::from_utf8_lossy(&piece[..count]));
    }
    // The terminal must stay open: closing it would end the server.
    std::mem::forget(pair);
    let token = shown.split("Bearer ").nth(1).unwrap().lines().next().unwrap().trim().to_owned();
    (child, token)
}

#[test]
fn whoever_knows_the_token_decides_and_five_wrong_ones_end_it() {
    let desk = holding();
    let (mut child, token) = with_token(&desk);
    assert_eq!(token.len(), 32);
    let hook = begin(&desk);
    let ask = |method: &str, target: &str, headers: &[(&str, &str)], body: &str| {
        let head = hookbench::core::live::http::write_request(method, target, headers, body.len());
        send(&desk.socket(), &[head, body.as_bytes().to_vec()].concat())
    };
    let id = loop {
        let held: Value = serde_json::from_slice(&ask("GET", "/v1/held", &[], "").body).unwrap();
        if let Some(id) = held["held"][0]["id"].as_str() {
            break id.to_owned();
        }
        std::thread::yield_now();
    };
    let decide = |id: &str, token: &str, body: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [JSON, ("Authorization", bearer.as_str())];
        ask("POST", &format!("/v1/held/{id}"), &headers, body).status
    };
    let deny = r#"{"decision":"deny","reason":"no"}"#;
    assert_eq!(decide("none", &token, deny), 404);
    assert_eq!(decide(&id, &token, "{}"), 400);
    assert_eq!(decide(&id, "wrong", deny), 401);
    assert_eq!(decide(&id, &token, deny), 200);
    let told: Value = serde_json::from_slice(&hook.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(told["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!([(); 4].map(|()| decide(&id, "wrong", deny)), [401; 4]);
    assert_eq!(decide(&id, &token, deny), 403, "off until it is started again");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// An event is held as long as its client waits, but not longer.
#[test]
fn nobody_decides_and_the_agent_goes_on_in_time() {
    let desk = LiveSandbox::new();
    desk.write_config(&format!("[forward]\nhold_ms = 1500\n{HOLD}"));
    let server = desk.start_server();
    assert_eq!(desk.forward("claude", TOOL), ForwardResult::passed(&[]));
    let answered = server.wait_for(|fact| matches!(fact, LiveFact::Answered(_)));
    let LiveFact::Answered(answered) = answered else { unreachable!("it was looked for") };
    assert_eq!((answered.decision.as_str(), answered.source.as_str()), ("observe", "timeout"));
    assert!(answered.held_ms.is_some_and(|ms| Duration::from_millis(ms) < Duration::from_millis(1_500)));
}

/// An event that was answered as stored is in the store, even if the server is killed.
#[test]
fn an_event_that_is_answered_as_stored_outlives_a_kill() {
    let desk = holding();
    let server = desk.start_server();
    let body = envelope("pre_tool_use", &json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
    let text = body.to_string();
    let headers = [JSON, ("Hookbench-Budget", "ack=1000, hold=1500")];
    let response = server.ask("POST", "/v1/hooks", &headers, text.as_bytes());
    assert_eq!(response.header("Hookbench-Stored"), Some("yes"), "it was held long enough to be written");
    let answer: Value = serde_json::from_slice(&response.body).unwrap();
    ServeProcess::kill(server);
    assert!(desk.captured().iter().any(|one| answer["id"] == one.id.as_str()));
}

/// S-43: events that are not held for lack of space are counted, reported at once, and reported to later observers.
#[test]
fn events_not_held_for_lack_of_space_are_counted() {
    let desk = LiveSandbox::new();
    runtime().block_on(async {
        let mut live = here(&desk, vec![Breakpoint::holding("all")]).await;
        let mut feed = live.feed().unwrap();
        let socket = desk.socket();
        // Each client is a connection. More than 64 may be open if they are held.
        let body = envelope("pre_tool_use", &json!({"tool_name": "Bash"})).to_string();
        let all = "observe, replace, allow, deny, ask, modify, halt, raw";
        let headers = [JSON, ("Hookbench-Accept", all), ("Hookbench-Budget", "ack=60000, hold=60000")];
        let head = hookbench::core::live::http::write_request("POST", "/v1/hooks", &headers, body.len());
        let bytes = [head, body.into_bytes()].concat();
        let mut open = Vec::new();
        for _ in 0..hookbench::core::live::intercept::MAX_HELD {
            let mut stream = std::os::unix::net::UnixStream::connect(&socket).unwrap();
            stream.write_all(&bytes).unwrap();
            open.push(stream);
            while !matches!(feed.next().await.unwrap(), LiveFact::Held(_)) {}
        }
        let send_one = move |socket: PathBuf| tokio::task::spawn_blocking(move || send(&socket, &bytes).status);
        for passed in 1..=2 {
            assert_eq!(send_one.clone()(socket.clone()).await.unwrap(), 200);
            let counted = LiveFact::Counted { passed_full: passed, store_errors: 0 };
            while feed.next().await.unwrap() != counted {}
        }
        let mut late = LiveHandle::attach(socket.clone()).await.unwrap();
        let mut heard = late.feed().unwrap();
        while heard.next().await.unwrap() != (LiveFact::Counted { passed_full: 2, store_errors: 0 }) {}
        late.end().await;
        drop(open);
        live.end().await;
    });
}

/// An observer sees held and stored payloads in full, whatever their length.
#[test]
fn a_screen_that_looks_on_is_given_long_payloads_whole() {
    let desk = holding();
    let server = desk.start_server();
    let socket = desk.socket();
    // The longest possible payload, with characters that are escaped on the way.
    let most = hookbench::core::live::MAX_PAYLOAD - 1_000;
    let text = "\u{202e}".repeat(most / 3);
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": "/work", "tool_name": "Write",
        "tool_input": {"content": text}})
    .to_string();
    let given =
        ForwardInput { args: &["--agent", "claude", "--socket", socket.to_str().unwrap()], ..ForwardInput::default() };
    let mut child = desk.command(&given).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    let id = server.wait_for_held();
    let asked = |id: String| {
        runtime().block_on(async {
            let mut other = LiveHandle::attach(desk.socket()).await.unwrap();
            let mut heard = other.feed().unwrap();
            other.ask(LiveCommand::Payload { id });
            loop {
                if let LiveFact::Payload { payload, .. } = heard.next().await.unwrap() {
                    return payload.map(|payload| serde_json::from_str::<Value>(&payload).unwrap());
                }
            }
        })
    };
    let want: Value = serde_json::from_str(&payload).unwrap();
    assert!(asked(id.clone()).is_some_and(|held| held == want), "of what is held");
    child.kill().unwrap();
    child.wait().unwrap();
    server.wait_for(|fact| matches!(fact, LiveFact::Abandoned { .. }));
    assert_eq!(server.terminate(), Some(0));
    let server = desk.start_server();
    assert!(asked(id).is_some_and(|stored| stored == want), "of what is stored");
    assert_eq!(server.terminate(), Some(0));
}
