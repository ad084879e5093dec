//! The bundled sample project, unpacked into a scratch folder that is deleted with the demo. The folder also has the
//! demo's own state folder, so the demo neither reads nor changes what the user has recorded.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use include_dir::{Dir, DirEntry, include_dir};

use crate::disk::scratch::write_trust;
use crate::disk::state_dir::{StateDir, StateError};
use crate::firing::history::recorded_gist;
use crate::recordings::store::{NewEvent, OpenMode, StoreError, now_ms, open_store};
use hookbench_core::config::Place;
use hookbench_core::dialects;
use hookbench_core::recorded::{RecordedEvent, RecordedSession, digest, parse_event_line};

static SHOP: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../sample-hooks/shop");

/// The recorded events of a day's work in the project, as event lines with `{project}` and `{home}` for the folders.
const DAY: &str = include_str!("../../../../sample-hooks/day.jsonl");

/// The time between the last recorded event and the start of the demo, in milliseconds.
const SINCE_LAST_EVENT: i64 = 20 * 60 * 1000;

/// The time limit of indexing the words of the events.
const INDEXING: std::time::Duration = std::time::Duration::from_secs(5);

/// The file in the user's own state folder that says that the tour was finished or left.
const TOUR_FILE: &str = "demo-tour";

/// A scratch copy of the sample project with a home directory beside it. Dropping it removes both.
#[derive(Debug)]
pub struct Demo {
    root: tempfile::TempDir,
    /// Stores the recorded day.
    recording: Option<JoinHandle<()>>,
}

impl Demo {
    /// Unpacks the project.
    ///
    /// # Errors
    /// Returns an error if the scratch folder cannot be written.
    pub fn unpack() -> std::io::Result<Demo> {
        let root = tempfile::Builder::new().prefix("hookbench-demo-").tempdir()?;
        let demo = Demo { root, recording: None };
        std::fs::create_dir_all(demo.home())?;
        std::fs::create_dir_all(demo.project())?;
        unpack_into(&SHOP, &demo.project())?;
        write_trust(&demo.project(), &demo.home(), dialects::ALL)?;
        Ok(demo)
    }

    /// The project folder.
    pub fn project(&self) -> PathBuf {
        self.root.path().join("shop")
    }

    /// Gives the place a state folder inside the scratch folder, and begins to store the recorded day there. Returns
    /// at once: the events arrive while the workbench is open.
    pub fn record_day(&mut self, place: &mut Place) {
        let state = self.root.path().join("state").to_string_lossy().into_owned();
        place.env.insert("XDG_STATE_HOME".to_owned(), state);
        let (state, project, home) = (StateDir::of(place), place.project.clone(), place.home.clone());
        self.recording = Some(std::thread::spawn(move || {
            // Without the events the demo still works, and its Events page says that there are none.
            let _ = store_day(&state, &project, &home);
        }));
    }

    /// The home directory of a user who trusts the project and has reviewed its hooks. It contains no hooks itself.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // The thread writes into the folder that is about to be deleted.
        if let Some(recording) = self.recording.take() {
            let _ = recording.join();
        }
    }
}

/// Whether the user has finished or left the tour.
pub fn tour_is_over() -> bool {
    StateDir::for_process().file(TOUR_FILE).exists()
}

/// Remembers that the user has finished or left the tour.
///
/// # Errors
/// Returns an error if the state folder cannot be written.
pub fn remember_tour() -> Result<(), StateError> {
    StateDir::for_process().write(TOUR_FILE, "over\n")
}

/// The recorded day, with its last event a few minutes before `now`.
fn recorded_day(project: &str, home: &str, now: i64) -> Vec<RecordedEvent> {
    let escaped = |path: &str| serde_json::Value::from(path).to_string().trim_matches('"').to_owned();
    let text = DAY.replace("{project}", &escaped(project)).replace("{home}", &escaped(home));
    let mut events: Vec<RecordedEvent> = text.lines().filter_map(|line| parse_event_line(line).ok()).collect();
    let last = events.iter().filter_map(|event| event.at).max().unwrap_or(now);
    for event in &mut events {
        event.at = event.at.map(|at| at + now - SINCE_LAST_EVENT - last);
        // Each hook read the payload, which contains the folders.
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

fn unpack_into(dir: &Dir<'_>, into: &Path) -> std::io::Result<()> {
    for entry in dir.entries() {
        let target = into.join(entry.path().file_name().unwrap_or_default());
        match entry {
            DirEntry::Dir(dir) => {
                std::fs::create_dir_all(&target)?;
                unpack_into(dir, &target)?;
            }
            DirEntry::File(file) => {
                std::fs::write(&target, file.contents())?;
                // Embedded files have no modes, so a file that starts with `#!` is made executable.
                if file.contents().starts_with(b"#!") {
                    set_run_bit(&target)?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(unix)]
fn set_run_bit(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn set_run_bit(_path: &Path) -> std::io::Result<()> {
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
