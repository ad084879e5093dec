//! Finds the sessions of a project that the agents have stored. Only the beginning of each file is read.

use hookbench_core::names::AgentId;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::file_import::about;
use super::file_search::{ImportFileKind, file_kind, files_below, head};
use crate::DiskFiles;
use crate::recordings::debug_logs::session_log;
use hookbench_core::config::Place;
use hookbench_core::dialects;
use hookbench_core::recorded::{FileShape, RecordedSession, SessionDirectory, TranscriptItem};
use hookbench_core::transcript::TranscriptFileReader;
use hookbench_system::disk;

/// The number of newest files to examine in a directory that holds the sessions of all projects.
const MAX_FILES: usize = 5000;
/// The maximum size in bytes of a file that is a single JSON value.
const MAX_JSON_BYTES: u64 = 8 << 20;

/// One session that an agent has stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSession {
    pub file: PathBuf,
    pub kind: &'static str,
    pub session: RecordedSession,
    pub bytes: u64,
    /// The debug log of the session, if the agent wrote one.
    pub debug_log: Option<PathBuf>,
    /// The time of the file's last write, in milliseconds since 1970.
    pub written: Option<i64>,
}

/// The sessions of the place's project, of one agent or of all, most recently written first.
pub fn sessions_of(place: &Place, agent: Option<AgentId>) -> Vec<AgentSession> {
    let mut found = Vec::new();
    for dialect in dialects::released().filter(|dialect| agent.is_none_or(|id| dialect.id() == id)) {
        for directory in dialect.sessions(place, &DiskFiles) {
            let shared = directory.shared;
            let sessions = files(&directory).into_iter().filter_map(|file| session(&file, place));
            let sessions = sessions
                .map(|found| AgentSession { debug_log: session_log(place, dialect, &found.session.session), ..found });
            found.extend(sessions.filter(|s| !shared || s.session.project.as_deref() == Some(&place.project)));
        }
    }
    found.sort_by(|a, b| (b.written, &a.file).cmp(&(a.written, &b.file)));
    found
}

fn files(directory: &SessionDirectory) -> Vec<PathBuf> {
    let path = Path::new(&directory.path);
    if directory.shared {
        let mut files = files_below(path).map(|walked| walked.files).unwrap_or_default();
        // Directories and files are named after dates.
        files.reverse();
        files.truncate(MAX_FILES);
        return files;
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.is_file()).collect()
}

/// Reads the session of a file; `None` if it is not a session, or if it belongs to a sub-agent.
fn session(file: &Path, place: &Place) -> Option<AgentSession> {
    let Ok(ImportFileKind::Known(format)) = file_kind(file) else { return None };
    let meta = fs::metadata(file).ok()?;
    let mut reading = TranscriptFileReader::new(format, &about(file, format, place));
    let mut out = Vec::new();
    match reading.shape() {
        FileShape::Whole if meta.len() <= MAX_JSON_BYTES => {
            reading.line(1, &disk::read_up_to(file, MAX_JSON_BYTES).ok()?, true, &mut out);
        }
        FileShape::Whole => {}
        FileShape::Lines | FileShape::Objects => {
            let head = head(file).ok()?;
            // The last line is cut off unless the file ends there.
            let whole = head.len() as u64 == meta.len();
            let mut lines: Vec<&[u8]> = head.split(|byte| *byte == b'\n').collect();
            if !whole {
                lines.pop();
            }
            for (number, line) in (1..).zip(lines) {
                reading.line(number, line, true, &mut out);
            }
        }
    }
    reading.end(&mut out);
    let first = out.iter().find_map(|read| if let TranscriptItem::Event(event) = read { Some(event) } else { None });
    if first.is_some_and(|event| event.agent_id.is_some()) {
        return None;
    }
    let session = out.into_iter().rev().find_map(|read| match read {
        TranscriptItem::Session(session) => Some(session),
        _ => None,
    })?;
    let written = meta.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let written = written.and_then(|since| i64::try_from(since.as_millis()).ok());
    Some(AgentSession {
        file: file.to_owned(),
        kind: format.kind(),
        session,
        bytes: meta.len(),
        debug_log: None,
        written,
    })
}
