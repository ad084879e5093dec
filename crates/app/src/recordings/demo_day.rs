//! The recorded day of the demo: the events of a day's work in the sample project, stored before the user looks at
//! them.

use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::disk::state_dir::StateDir;
use crate::firing::history::recorded_gist;
use crate::recordings::store::{NewEvent, OpenMode, StoreError, now_ms, open_store};
use hookbench_core::config::Place;
use hookbench_core::recorded::{RecordedEvent, RecordedSession, digest, format_time, parse_event_line, parse_time};
use serde_json::Value;

/// The recorded events of a day's work in the project, as event lines with `{project}` and `{home}` for the
/// directories.
const DAY: &str = include_str!("../../../../sample-hooks/day.jsonl");

/// The transcripts of that day by the payload key that names them, with the same marks for the directories.
const TRANSCRIPTS: [(&str, &str); 2] = [
    ("transcript_path", include_str!("../../../../sample-hooks/transcripts/session.jsonl")),
    ("agent_transcript_path", include_str!("../../../../sample-hooks/transcripts/subagent.jsonl")),
];

/// The time between the last recorded event and the start of the demo, in milliseconds.
const SINCE_LAST_EVENT: i64 = 20 * 60 * 1000;

/// The time limit of indexing the words of the events.
const INDEXING: Duration = Duration::from_secs(5);

/// Begins to store the recorded day in the state directory of the demo's place. Returns at once: the events arrive
/// while the workbench is open.
pub fn store_demo_day(place: &Place) -> JoinHandle<()> {
    let (state, project, home) = (StateDir::of(place), place.project.clone(), place.home.clone());
    std::thread::spawn(move || {
        // Without the events the demo still works, and its Events page says that there are none.
        let _ = store_day(&state, &project, &home);
    })
}

/// Replaces the marks of the directories in JSON lines.
fn with_directories(lines: &str, project: &str, home: &str) -> String {
    let escaped = |path: &str| Value::from(path).to_string().trim_matches('"').to_owned();
    lines.replace("{project}", &escaped(project)).replace("{home}", &escaped(home))
}

/// The recorded day, with its last event a few minutes before `now`, and the milliseconds by which it was moved.
fn recorded_day(project: &str, home: &str, now: i64) -> (Vec<RecordedEvent>, i64) {
    let text = with_directories(DAY, project, home);
    let mut events: Vec<RecordedEvent> = text.lines().filter_map(|line| parse_event_line(line).ok()).collect();
    let last = events.iter().filter_map(|event| event.at).max().unwrap_or(now);
    let moved = now - SINCE_LAST_EVENT - last;
    for event in &mut events {
        event.at = event.at.map(|at| at + moved);
        // Each hook read the payload, which contains the directories.
        let stdin = digest(&event.payload);
        for run in &mut event.runs {
            run.stdin = Some(stdin.clone());
        }
    }
    (events, moved)
}

/// The lines of a transcript with their times moved like those of the events.
fn moved_lines(lines: &str, moved: i64) -> String {
    let mut text = String::with_capacity(lines.len());
    for line in lines.lines() {
        let Ok(mut record) = serde_json::from_str::<Value>(line) else { continue };
        if let Some(at) = record.get("timestamp").and_then(Value::as_str).and_then(parse_time) {
            record["timestamp"] = format_time(at + moved).into();
        }
        text.push_str(&record.to_string());
        text.push('\n');
    }
    text
}

/// Writes the transcripts that the events name.
fn write_transcripts(events: &[RecordedEvent], project: &str, home: &str, moved: i64) {
    for (key, lines) in TRANSCRIPTS {
        let named = events.iter().find_map(|event| {
            let payload = serde_json::from_slice::<Value>(&event.payload).ok()?;
            payload.get(key)?.as_str().map(PathBuf::from)
        });
        let Some(file) = named else { continue };
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = std::fs::write(file, moved_lines(&with_directories(lines, project, home), moved));
    }
}

fn store_day(state: &StateDir, project: &str, home: &str) -> Result<(), StoreError> {
    let (events, moved) = recorded_day(project, home, now_ms());
    let Some(first) = events.first() else { return Ok(()) };
    let session = RecordedSession {
        agent: first.agent.clone(),
        session: first.session.clone(),
        version: first.version.clone(),
        project: Some(project.to_owned()),
        title: Some("a day's work in the shop".to_owned()),
        started: first.at,
        ended: events.last().and_then(|event| event.at),
    };
    let gists: Vec<Option<String>> = events.iter().map(recorded_gist).collect();
    let new: Vec<NewEvent<'_>> =
        events.iter().zip(&gists).map(|(event, gist)| NewEvent::imported(event, gist.as_deref())).collect();
    write_transcripts(&events, project, home, moved);
    let mut store = open_store(state, OpenMode::Write)?;
    store.add(&[session], &new, false)?;
    store.continue_index(INDEXING)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_has_ended_and_every_line_is_an_event() {
        let now = 1_800_000_000_000;
        let (day, _) = recorded_day("/tmp/a \"b\"/shop", "/tmp/home", now);
        assert_eq!(day.len(), DAY.lines().count());
        assert!(day.len() >= 30);
        assert_eq!(day.last().and_then(|event| event.at), Some(now - SINCE_LAST_EVENT));
        for event in &day {
            let text = String::from_utf8(event.payload.clone()).unwrap();
            assert!(!text.contains("{project}") && !text.contains("{home}"), "{text}");
            assert_eq!(event.project.as_deref(), Some("/tmp/a \"b\"/shop"));
        }
    }

    /// A hook that reads the transcript of an event finds the tool call or the message that the event is about.
    #[test]
    fn the_transcript_has_every_call_before_its_event() {
        let (day, moved) = recorded_day("/p", "/h", 1_800_000_000_000);
        let lines = moved_lines(&with_directories(TRANSCRIPTS[0].1, "/p", "/h"), moved);
        for event in &day {
            let payload: Value = serde_json::from_slice(&event.payload).unwrap();
            for key in ["tool_use_id", "prompt", "last_assistant_message"] {
                let Some(text) = payload.get(key).and_then(Value::as_str) else { continue };
                let line = lines.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}"));
                let at = serde_json::from_str::<Value>(line).unwrap()["timestamp"].as_str().and_then(parse_time);
                assert!(at < event.at || event.event == "SubagentStop", "{text}: {at:?}, {:?}", event.at);
            }
        }
    }
}
