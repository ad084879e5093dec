//! The answer to an event, its reason, who gave it and when: stored, filtered, listed, exported and imported.

use hookbench::app::live::{LiveCommand, LiveFact, LiveHandle, LiveSettings, ServerPaths, StorageSettings};
use hookbench::core::filter::parse;
use hookbench::core::live::Decision;
use hookbench::core::live::intercept::{Breakpoint, BreakpointAction, InterceptSettings, TimeoutAction};
use hookbench::core::recorded::{RecordedAnswer, format_event_line, parse_event_line};
use hookbench::store::{ListDirection, NewEvent, OpenMode, Store};
use serde_json::{Value, json};

use crate::live::live_sandbox::{ForwardInput, LiveSandbox};

fn point(name: &str, session: &str) -> Breakpoint {
    Breakpoint { session: Some(session.to_owned()), on_timeout: TimeoutAction::Deny, ..Breakpoint::holding(name) }
}

/// Lets the user, a rule and the end of hookbench answer one event each, and lets a fourth one pass.
fn answer_events(desk: &LiveSandbox) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let deny = Decision::Deny { reason: Some("never".to_owned()) };
        let rule = Breakpoint { action: BreakpointAction::Fixed(deny), ..point("no push", "rule") };
        let settings = LiveSettings {
            whereabouts: ServerPaths { socket: desk.socket(), state_file: Some(desk.home().join("state/socket")) },
            store: desk.store(),
            storage: StorageSettings::default(),
            desk: InterceptSettings {
                breakpoints: vec![rule, point("look", "user"), point("look", "end")],
                ..InterceptSettings::default()
            },
            token: None,
            mode: "tui",
        };
        let mut live = LiveHandle::start(settings).await.unwrap();
        let mut feed = live.feed().unwrap();
        for session in ["pass", "rule", "user", "end"] {
            let payload = json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": "/work",
                "tool_name": "Bash", "tool_input": {"command": "git push --force"}});
            let socket = desk.socket();
            let given = ForwardInput {
                args: &["--agent", "claude", "--socket", socket.to_str().unwrap()],
                ..ForwardInput::default()
            };
            #[allow(clippy::zombie_processes, reason = "the answer ends the hook")]
            let mut hook = desk.command(&given).spawn().unwrap();
            std::io::Write::write_all(&mut hook.stdin.take().unwrap(), payload.to_string().as_bytes()).unwrap();
            let held = loop {
                match feed.next().await.unwrap() {
                    LiveFact::Held(held) => break Some(held.arrived.id),
                    LiveFact::Answered(_) => break None,
                    _ => {}
                }
            };
            match (session, held) {
                ("user", Some(id)) => {
                    let decision = Decision::Allow { reason: Some("Ann said so".to_owned()) };
                    live.ask(LiveCommand::Decide { id, decision });
                    while !matches!(feed.next().await.unwrap(), LiveFact::Answered(_)) {}
                }
                ("end", Some(_)) | ("pass" | "rule", None) => {}
                other => panic!("{other:?}"),
            }
        }
        live.end().await;
    });
}

#[allow(clippy::type_complexity, reason = "rows of one table")]
fn answers(store: &Store, filter: &str) -> Vec<(String, Option<(String, String, Option<String>)>)> {
    let filter = parse(filter).unwrap();
    let rows = store.page(&filter, 0, ListDirection::Forward, None, 10).unwrap();
    let words = |answer: RecordedAnswer| {
        assert!(answer.at.is_some_and(|at| at > 1_700_000_000_000), "{answer:?}");
        (answer.decision, answer.by, answer.reason)
    };
    rows.into_iter().map(|row| (row.session, row.answer.map(words))).collect()
}

#[test]
fn who_answered_what_and_why_is_there_after_a_restart() {
    let desk = LiveSandbox::new();
    answer_events(&desk);
    let store = Store::open(&desk.store(), OpenMode::Read).unwrap();
    let some = |session: &str, decision: &str, by: &str, reason: &str| {
        (session.to_owned(), Some((decision.to_owned(), by.to_owned(), Some(reason.to_owned()))))
    };
    let rule = some("rule", "deny", "rule:no push", "never");
    let user = some("user", "allow", "user", "Ann said so");
    let end = some("end", "deny", "shutdown", "hookbench ended before you decided");
    let pass = ("pass".to_owned(), None);
    assert_eq!(answers(&store, ""), [pass, rule.clone(), user.clone(), end.clone()]);
    for (filter, want) in [
        ("~answer deny", vec![&rule, &end]),
        ("~answer allow", vec![&user]),
        ("~answer user", vec![&user]),
        ("~answer rule", vec![&rule]),
        ("~answer shutdown ~answer deny", vec![&end]),
        ("~answer timeout", vec![]),
        ("~answer * !~answer user", vec![&rule, &end]),
    ] {
        let found = answers(&store, filter);
        assert_eq!(found.iter().collect::<Vec<_>>(), want, "{filter}");
    }

    // An exported event keeps its answer in another store, and is no event that this store has captured.
    let copy = LiveSandbox::new();
    let mut other = Store::open(&copy.root().join("copy.db"), OpenMode::Write).unwrap();
    for seq in 1..=4 {
        let event = store.event(seq).unwrap().unwrap();
        let read = parse_event_line(&format_event_line(&event)).unwrap();
        assert_eq!(read, event);
        other.add(&[], &[NewEvent::imported(&read, None)], false).unwrap();
    }
    assert_eq!(answers(&other, ""), answers(&store, ""));
    assert_eq!(other.captured_events(0, None, None, 10).unwrap().len(), 0);

    // The documents of the command line have it too.
    let run = |args: &[&str]| -> String {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hookbench"));
        let output = command.args(args).env_clear().env("HOME", desk.home()).current_dir(desk.root()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let list: Value =
        serde_json::from_str(&run(&["db", "list", "--filter", "~answer user", "--format", "json"])).unwrap();
    assert_eq!(list["count"], 1);
    let answer = &list["events"][0]["answer"];
    assert_eq!(
        (&answer["decision"], &answer["by"], &answer["reason"]),
        (&json!("allow"), &json!("user"), &json!("Ann said so"))
    );
    let shown: Value = serde_json::from_str(&run(&["db", "show", "3", "--format", "json"])).unwrap();
    assert_eq!(shown["answer"], *answer);
    // Its pages as well.
    assert!(run(&["db", "show", "3"]).contains("allow by user   Ann said so"));
    assert!(run(&["db", "list", "--filter", "~answer user"]).contains("allow by user"));
    let lines = run(&["db", "export", "--filter", "~answer shutdown"]);
    let line: Value = serde_json::from_str(lines.trim()).unwrap();
    assert_eq!(line["answer"]["by"], "shutdown");
}
