//! The recorded day of the demo: the events of a day's work in the sample project, stored before the user looks at
//! them.

use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::disk::state_dir::StateDir;
use crate::firing::history::recorded_gist;
use crate::recordings::store::{NewEvent, OpenMode, StoreError, now_ms, open_store};
use hookbench_core::config::Place;
use hookbench_core::recorded::{RecordedEvent, RecordedSession, digest, parse_event_line};

/// The recorded events of a day's work in the project, as event lines with `{project}` and `{home}` for the
/// directories.
const DAY: &str = include_str!("../../../../sample-hooks/day.jsonl");

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

/// The recorded day, with its last event a few minutes before `now`.
fn recorded_day(project: &str, home: &str, now: i64) -> Vec<RecordedEvent> {
    let escaped = |path: &str| serde_json::Value::from(path).to_string().trim_matches('"').to_owned();
    let text = DAY.replace("{project}", &escaped(project)).replace("{home}", &escaped(home));
    let mut events: Vec<RecordedEvent> = text.lines().filter_map(|line| parse_event_line(line).ok()).collect();
    let last = events.iter().filter_map(|event| event.at).max().unwrap_or(now);
    for event in &mut events {
        event.at = event.at.map(|at| at + now - SINCE_LAST_EVENT - last);
        // Each hook read the payload, which contains the directories.
        let stdin = digest(&event.payload);
        for run in &mut event.runs {
            run.stdin = Some(stdin.clone());
        }
    }
    events
}

/// Creates the session files that the events name, empty, because a replay remarks on missing ones.
fn create_transcripts(events: &[RecordedEvent]) {
    for event in events {
        let Ok(payload) = serde_json::from_slice::<serde_json::Value>(&event.payload) else { continue };
        for key in ["transcript_path", "agent_transcript_path"] {
            let Some(file) = payload.get(key).and_then(|path| path.as_str()).map(Path::new) else { continue };
            let _ = file.parent().map(std::fs::create_dir_all);
            let _ = std::fs::write(file, "");
        }
    }
}

fn store_day(state: &StateDir, project: &str, home: &str) -> Result<(), StoreError> {
    let events = recorded_day(project, home, now_ms());
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
    create_transcripts(&events);
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
        let day = recorded_day("/tmp/a \"b\"/shop", "/tmp/home", now);
        assert_eq!(day.len(), DAY.lines().count());
        assert!(day.len() >= 30);
        assert_eq!(day.last().and_then(|event| event.at), Some(now - SINCE_LAST_EVENT));
        for event in &day {
            let text = String::from_utf8(event.payload.clone()).unwrap();
            assert!(!text.contains("{project}") && !text.contains("{home}"), "{text}");
            assert_eq!(event.project.as_deref(), Some("/tmp/a \"b\"/shop"));
        }
    }
}
