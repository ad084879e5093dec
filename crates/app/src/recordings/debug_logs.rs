//! The debug logs of agents: where they are, and their content. The logs of a project's sessions are found by the
//! names of its session files; others were imported in the project.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::disk::files::DiskFiles;
use crate::disk::state_dir::{StateDir, StateError};
use hookbench_core::config::Place;
use hookbench_core::debug_log::DebugLog;
use hookbench_core::dialects::Agent;
use hookbench_core::names::AgentId;
use hookbench_system::disk;

/// The bytes of a log that are read, counted from its end.
const MAX_LOG_BYTES: u64 = 16 << 20;
/// The number of newest logs that are read.
const MAX_LOGS: usize = 8;
/// The number of imported logs that are remembered.
const MAX_IMPORTED: usize = 50;
/// The state file with the imported logs.
const IMPORTED: &str = "debug-logs.json";

/// One debug log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugLogFile {
    pub file: PathBuf,
    pub log: DebugLog,
    /// The settings files that were changed after the log was written.
    pub changed_since: Vec<PathBuf>,
}

/// An imported log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ImportedLog {
    agent: String,
    project: String,
    file: PathBuf,
}

/// The debug logs of an agent in this project, newest first. `settings` are the files whose time is compared.
pub fn debug_logs(place: &Place, dialect: &Agent, settings: &[PathBuf]) -> Vec<DebugLogFile> {
    let mut files = session_logs(place, dialect);
    files.extend((dialect.debug_log().shared_files)(place).into_iter().map(PathBuf::from));
    let of_project = |log: &ImportedLog| log.project == place.project && log.agent == dialect.id().as_str();
    files.extend(imported(&StateDir::of(place)).into_iter().filter(of_project).map(|log| log.file));
    let written = |file: &PathBuf| std::fs::metadata(file).ok()?.modified().ok();
    let mut files: Vec<(SystemTime, PathBuf)> =
        files.into_iter().filter_map(|file| Some((written(&file)?, file))).collect();
    files.sort_by(|a, b| b.cmp(a));
    files.dedup();
    files.truncate(MAX_LOGS);
    let settings: Vec<(SystemTime, &PathBuf)> =
        settings.iter().filter_map(|file| Some((written(file)?, file))).collect();
    let read = |(written, file): (SystemTime, PathBuf)| {
        let log = read_debug_log(&file, dialect).ok()?;
        let changed_since = settings.iter().filter(|(at, _)| *at > written).map(|(_, file)| (*file).clone()).collect();
        Some(DebugLogFile { file, log, changed_since })
    };
    files.into_iter().filter_map(read).collect()
}

/// Reads a debug log. Of a large one, only its end is read.
pub fn read_debug_log(file: &Path, dialect: &Agent) -> std::io::Result<DebugLog> {
    let mut from: File = disk::open(file)?;
    let size = from.metadata()?.len();
    from.seek(SeekFrom::Start(size.saturating_sub(MAX_LOG_BYTES)))?;
    let mut bytes = Vec::new();
    from.take(MAX_LOG_BYTES).read_to_end(&mut bytes)?;
    Ok(DebugLog::read(dialect, &String::from_utf8_lossy(&bytes)))
}

/// The existing logs of the project's sessions. Only the names of the session files are read.
fn session_logs(place: &Place, dialect: &Agent) -> Vec<PathBuf> {
    let own = dialect.sessions(place, &DiskFiles).into_iter().filter(|directory| !directory.shared);
    let files = own.filter_map(|directory| std::fs::read_dir(directory.path).ok()).flatten().flatten();
    let log = |path: PathBuf| session_log(place, dialect, path.file_stem()?.to_str()?);
    files.filter_map(|entry| log(entry.path())).collect()
}

/// The debug log of a session, if the session has one.
pub fn session_log(place: &Place, dialect: &Agent, session: &str) -> Option<PathBuf> {
    let plain = !session.is_empty() && session.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    let file = (dialect.debug_log().session_file)(place, session).filter(|_| plain).map(PathBuf::from)?;
    file.is_file().then_some(file)
}

fn imported(state: &StateDir) -> Vec<ImportedLog> {
    state.read(IMPORTED).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Remembers imported debug logs, so that the explanations of hooks in this project use them.
pub fn remember_debug_logs(
    state: &StateDir,
    place: &Place,
    logs: impl IntoIterator<Item = (AgentId, PathBuf)>,
) -> Result<(), StateError> {
    let new = logs.into_iter().map(|(agent, file)| ImportedLog {
        agent: agent.to_string(),
        project: place.project.clone(),
        file,
    });
    let new: Vec<ImportedLog> = new.collect();
    if new.is_empty() {
        return Ok(());
    }
    let mut all = imported(state);
    all.retain(|known| !new.contains(known));
    all.extend(new);
    let too_many = all.len().saturating_sub(MAX_IMPORTED);
    all.drain(..too_many);
    state.write(IMPORTED, &serde_json::to_string(&all).unwrap_or_default())
}
