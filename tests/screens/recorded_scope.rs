//! The scope of the list of recorded events, and the import of files and of pasted events.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests read files, and fail by panicking")]

use std::fs;

use hookbench::app::{AgentSession, EventStoreResponse, Fact};
use hookbench::core::recorded::{RecordedEvent, RecordedSession, format_event_line};
use hookbench::tui::Msg;

use crate::recorded_screen::{COLOUR, RecordedScreen, event, six};
use crate::screen::{MEDIUM, PROJECT, WIDE};

/// The six events of the project, and one of another project.
fn with_another_project() -> Vec<RecordedEvent> {
    let mut other = event(7, "claude", "PreToolUse", Some("Bash"), "curl secret.example", None);
    other.project = Some("/home/dev/other".to_owned());
    "session-three".clone_into(&mut other.session);
    six().into_iter().chain([other]).collect()
}

fn paste(desk: &mut RecordedScreen, text: &str) {
    desk.screen.send(Msg::Paste(text.to_owned()));
    desk.answer_requests();
}

#[test]
fn one_key_goes_from_the_project_to_all_events_and_to_a_session() {
    let mut desk = RecordedScreen::with(WIDE, COLOUR, Some(&with_another_project()));
    desk.assert_shows(&[" all › project shop ", "6 events"]).assert_hides("secret.example");
    desk.keys("P");
    desk.assert_shows(&["secret.example", "7 events"]).assert_hides("all ›");
    desk.keys("P");
    desk.assert_shows(&["all › session session-thre…", "1 event"]);
    desk.keys("P");
    desk.assert_shows(&[" all › project shop ", "6 events"]).assert_hides("secret.example");
    // Esc leads from a session to its project.
    desk.keys("] Esc");
    desk.assert_shows(&[" all › project shop ", "6 events"]);
}

#[test]
fn the_filter_and_the_replay_stay_in_the_scope() {
    let mut desk = RecordedScreen::with(WIDE, COLOUR, Some(&with_another_project()));
    desk.keys("/").type_text("~t Bash").keys("Enter");
    desk.assert_shows(&["all › project shop   / ~t Bash", "1 of 6 shown"]).assert_hides("secret.example");
    desk.keys("Esc r listed Enter");
    desk.assert_shows(&["all › project shop › replay of 6 events"]);
}

#[test]
fn a_project_without_events_names_the_others() {
    let mut other = event(1, "claude", "Stop", None, "", None);
    other.project = Some("/home/dev/other".to_owned());
    let mut desk = RecordedScreen::with(MEDIUM, COLOUR, Some(&[other]));
    desk.assert_shows(&["no recorded events of this project", "P next scope (1 event)", "P scope"]);
    desk.keys("P");
    desk.assert_shows(&["1 event", "Stop"]);
}

#[test]
fn a_pasted_path_is_offered_for_import() {
    let mut desk = RecordedScreen::with(WIDE, COLOUR, None);
    let file = desk.directory.path().join("two words.jsonl");
    let lines: Vec<String> = six().iter().map(format_event_line).collect();
    fs::write(&file, lines.join("\n")).unwrap();
    paste(&mut desk, &format!("'{}'\n", file.display()));
    desk.assert_shows(&["import /", "two words.jsonl"]);
    desk.keys("Enter");
    desk.assert_shows(&["6 new events", "6 events"]);
}

#[test]
fn pasted_events_are_imported_once() {
    let mut desk = RecordedScreen::with(WIDE, COLOUR, None);
    let payload = |command: &str| {
        serde_json::json!({"hook_event_name": "PreToolUse", "session_id": "s9", "cwd": PROJECT, "tool_name": "Bash",
            "tool_input": {"command": command}, "transcript_path": "/x.jsonl", "permission_mode": "default"})
        .to_string()
    };
    paste(&mut desk, &format!("{}\n{}\n", payload("make test"), payload("rm -rf /opt/x")));
    desk.assert_shows(&["2 new events", "all › project shop › session s9", "rm -rf /opt/x"])
        .assert_hides("pasted.jsonl");
    paste(&mut desk, &payload("make test"));
    desk.assert_shows(&["0 new events, 1 already there"]);
    let line = format_event_line(&event(3, "claude", "Stop", None, "", None));
    paste(&mut desk, &line);
    desk.assert_shows(&["1 new event", "session session-one"]);
}

#[test]
fn a_wrong_paste_says_what_is_accepted() {
    let mut desk = RecordedScreen::with(WIDE, COLOUR, None);
    let accepted = "session files and debug logs of agents, payloads, event lines of hookbench";
    paste(&mut desk, "{\"no\": \"event\"}");
    desk.assert_shows(&["no events. Accepted: ", accepted]);
    paste(&mut desk, "/no/such/file.jsonl");
    desk.assert_shows(&["Accepted: the path of a file, payloads, event lines of hookbench"]);
    let file = desk.directory.path().join("notes.txt");
    fs::write(&file, "my notes\n").unwrap();
    paste(&mut desk, file.to_str().unwrap());
    desk.keys("Enter");
    desk.assert_shows(&["notes.txt has no events. Accepted: ", accepted]);
}

/// Imports 29 events, replays them and shows the only deny: six keys from the list to the answer.
#[test]
fn the_deny_of_a_day_is_found_in_six_keys() {
    let directory = tempfile::tempdir().unwrap();
    let shop = directory.path().canonicalize().unwrap().join("shop");
    fs::create_dir_all(shop.join(".claude")).unwrap();
    let settings = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "sh guard.sh"}]}]}}"#;
    fs::write(shop.join(".claude/settings.json"), settings).unwrap();
    fs::write(shop.join("guard.sh"), "grep -q 'rm -rf' && { echo no >&2; exit 2; }\nexit 0\n").unwrap();
    let payload = |n: usize| {
        let (event, tool) = if n.is_multiple_of(4) { ("PreToolUse", "Bash") } else { ("PostToolUse", "Edit") };
        let command = if n == 8 { "rm -rf /opt/x".to_owned() } else { format!("make {n}") };
        serde_json::json!({"hook_event_name": event, "session_id": "day", "cwd": shop, "tool_name": tool,
            "tool_input": {"command": command}, "transcript_path": "", "permission_mode": "default"})
        .to_string()
    };
    let file = directory.path().join("day.jsonl");
    fs::write(&file, (0..29).map(|n| payload(n) + "\n").collect::<String>()).unwrap();
    let mut desk = RecordedScreen::at(WIDE, COLOUR, Some(&six()), directory, shop);
    desk.screen.keys("I");
    desk.take_requests();
    let session =
        RecordedSession { agent: "claude".to_owned(), session: "day".to_owned(), ..RecordedSession::default() };
    let own = AgentSession { file, kind: "payloads", session, bytes: 4_000, written: None, debug_log: None };
    desk.screen.fact(Fact::EventList(EventStoreResponse::AgentSessions(vec![own])));
    let keys = ["I", "Enter", "r", "Enter", "R", "Y"];
    desk.keys(&keys[1..].join(" "));
    desk.assert_shows(&[
        "1 of 29 would now be DENIED: `rm -rf /opt/x` (guard.sh)",
        "  DENIED       rm -rf /opt/x   guard.sh",
        "28 unchanged or not decided by a hook · Enter expand",
    ]);
    // The answer is selected, and opens.
    desk.keys("Enter");
    desk.assert_shows(&["rm -rf /opt/x", "not known", "DENY"]);
    desk.keys("Esc j Enter");
    desk.assert_shows(&["28 unchanged or not decided by a hook", "make 4"]);
}
