//! The live path: the forwarding hooks in an agent's settings, and the server that they send events to.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::disk::files::DiskFiles;
use crate::disk::program_search::{executable_at, find_on_path};
use crate::disk::state_dir::{config_file, own_home};
use crate::setup::install::OwnProgram;
use hookbench_core::config::Place;
use hookbench_core::dialects::{Agent, Version};
use hookbench_core::install::{EntryProblem, InstalledEntry, installed_entries, program_of};
use hookbench_core::live::{DeadlineOverrides, SocketDirectories, default_socket, read_settings, state_directory};
use hookbench_system::disk::usual_form;
use hookbench_system::local_socket::{ConnectError, LocalStream, connect, distrust, socket_directories};

/// The name of the state file that a running server writes.
const STATE_FILE: &str = "socket";
/// The time limit for a server to report its health.
const HEALTH_LIMIT: Duration = Duration::from_millis(500);
/// The maximum number of bytes read from a response.
const MAX_HEALTH: u64 = 64 * 1024;

/// The server that the forwarding hooks send events to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ServerDoc"))]
pub struct ServerHealth {
    pub socket: String,
    /// `HOOKBENCH_SOCKET`, the server's state file, or `default`.
    pub named_by: String,
    /// `none`, `running`, `stale`, `silent` or `not_ours`.
    pub state: &'static str,
    #[serde(rename = "says")]
    pub message: String,
    /// The server's own health report, while it runs.
    pub health: Option<Value>,
}

/// The user's settings for deadlines.
pub fn deadline_settings(place: &Place) -> DeadlineOverrides {
    let path = config_file(&|name| place.var(name).map(str::to_owned));
    let text = path.and_then(|path| hookbench_system::disk::read_text(path).ok()).unwrap_or_default();
    read_settings(&text).0.deadlines
}

/// The forwarding hooks that an agent has loaded here.
pub fn entries(
    dialect: &'static Agent,
    version: &Version,
    place: &Place,
    changes: &DeadlineOverrides,
) -> Vec<InstalledEntry> {
    let program = OwnProgram::locate(place).map(|program| program.path).unwrap_or_default();
    let loaded = dialect.load(place, &DiskFiles, version);
    let mut found = installed_entries(dialect, &loaded, &program, changes);
    for standing in &mut found {
        // A hook that cannot start is a more serious problem than one that is not run.
        if let Some(why) = cannot_start(&standing.command, place) {
            standing.problem = Some(EntryProblem::ProgramMissing(why));
        }
    }
    found
}

fn cannot_start(command: &str, place: &Place) -> Option<String> {
    let program = program_of(command)?;
    if program.contains('/') {
        let is_missing = executable_at(Path::new(&program), &DiskFiles).is_none();
        return is_missing.then(|| format!("the program {program} does not exist"));
    }
    find_on_path(&program, place.var("PATH").unwrap_or_default(), &DiskFiles)
        .is_none()
        .then(|| format!("{program} is not found on PATH"))
}

/// Looks for a server and queries its health.
pub fn server(place: &Place) -> ServerHealth {
    let (socket, named_by) = socket_path(place);
    let shown = socket.display().to_string();
    let told = |state, says: String, health| ServerHealth {
        socket: shown.clone(),
        named_by: named_by.clone(),
        state,
        message: says,
        health,
    };
    match distrust(&socket) {
        Ok(None) => {}
        Ok(Some(why)) => {
            return told("not_ours", format!("agents continue as usual, and no event is recorded: {why}"), None);
        }
        Err(_) => {
            let says = "no server is running: agents continue as usual, and no event is recorded".to_owned();
            return told("none", says, None);
        }
    }
    match health(&socket) {
        Ok(health) => {
            let word = |key: &str| health.get(key).map(|value| value.to_string().replace('"', "")).unwrap_or_default();
            let says = format!("running: version {}, process {}", word("version"), word("pid"));
            told("running", says, Some(health))
        }
        Err(why) => told(why.state, why.message, None),
    }
}

fn socket_path(place: &Place) -> (PathBuf, String) {
    let absolute = |text: &str| Some(PathBuf::from(text)).filter(|path| path.is_absolute());
    if let Some(path) = place.var("HOOKBENCH_SOCKET").and_then(absolute) {
        return (path, "HOOKBENCH_SOCKET".to_owned());
    }
    let file = own_home(place).map(|home| state_directory(&home).join(STATE_FILE)).unwrap_or_default();
    let left = hookbench_system::disk::read_text(&file).ok().and_then(|text| absolute(text.trim_end_matches('\n')));
    if let Some(path) = left {
        return (path, usual_form(file).display().to_string());
    }
    let directories = SocketDirectories {
        runtime: place.var("XDG_RUNTIME_DIR").map(str::to_owned),
        temporary: place.var("TMPDIR").map(str::to_owned),
        ..socket_directories()
    };
    (default_socket(&directories), "default".to_owned())
}

/// The reason why a server does not answer.
struct NoAnswer {
    state: &'static str,
    message: String,
}

/// Queries the server's health, on a separate thread, which is abandoned if it takes too long.
fn health(socket: &Path) -> Result<Value, NoAnswer> {
    let (sender, answer) = mpsc::channel();
    let path = socket.to_owned();
    std::thread::spawn(move || {
        // The receiver is gone if the wait has timed out.
        let _ = sender.send(connect(&path).map(|stream| ask(stream).ok().flatten()));
    });
    let silent =
        || NoAnswer { state: "silent", message: "the server does not answer: events may not be recorded".to_owned() };
    match answer.recv_timeout(HEALTH_LIMIT) {
        Ok(Ok(body)) => body.ok_or_else(silent),
        Ok(Err(ConnectError::Refused)) => {
            let says = "the server has ended: agents continue as usual, and no event is recorded".to_owned();
            Err(NoAnswer { state: "stale", message: says })
        }
        _ => Err(silent()),
    }
}

fn ask(mut stream: LocalStream) -> std::io::Result<Option<Value>> {
    // A silent server must not keep the thread. On Windows, pipes have no limits.
    #[cfg(unix)]
    {
        stream.set_read_timeout(Some(HEALTH_LIMIT))?;
        stream.set_write_timeout(Some(HEALTH_LIMIT))?;
    }
    stream.write_all(b"GET /v1/health HTTP/1.1\r\nHost: hookbench\r\nConnection: close\r\n\r\n")?;
    let mut text = Vec::new();
    stream.take(MAX_HEALTH).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let answered = text.split_once("\r\n\r\n").filter(|(head, _)| head.starts_with("HTTP/1.1 200"));
    Ok(answered.and_then(|(_, body)| serde_json::from_str(body).ok()))
}
