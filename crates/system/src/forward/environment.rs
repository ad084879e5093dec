//! The environment: directories, variables, the user id.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::args::ForwardArgs;
use super::outcome::ForwardNote;
use crate::local_socket::socket_directories;
use crate::own_directories::home_directory;
use crate::owner_only::{create_directory, open_options};
use hookbench_core::live::{
    ForwardSettings, PayloadFields, default_socket, is_fixed, live_form, project_variables, read_settings,
    seen_environment_file, settings_file, state_directory, write_seen_environment,
};

/// The size limit for settings files.
const LONGEST_SETTINGS: u64 = 256 * 1024;
const LONGEST_PATH: u64 = 4096;

/// The home directory of the process.
#[derive(Clone)]
pub struct ForwardEnvironment {
    home: Option<PathBuf>,
    pub debug: bool,
}

impl ForwardEnvironment {
    /// Reads the environment.
    pub fn read() -> ForwardEnvironment {
        ForwardEnvironment { home: home_directory(), debug: var("HOOKBENCH_DEBUG").as_deref() == Some("1") }
    }

    /// The directory of the log. `None` without a home directory.
    pub fn state_directory(&self) -> Option<PathBuf> {
        self.home.as_deref().map(state_directory)
    }

    /// The user's settings.
    pub fn settings(&self) -> (ForwardSettings, Vec<ForwardNote>) {
        let Some(path) = settings_file(var("XDG_CONFIG_HOME").as_deref(), self.home.as_deref()) else {
            return (ForwardSettings::default(), Vec::new());
        };
        let Some(text) = beginning(&path, LONGEST_SETTINGS) else { return (ForwardSettings::default(), Vec::new()) };
        let (settings, wrong) = read_settings(&text);
        let note = |says: String| ForwardNote::new("settings", format!("{}: {says}", path.display()));
        (settings, wrong.into_iter().map(|wrong| note(wrong.message)).collect())
    }

    /// The path of the server's socket.
    pub fn socket(&self, asked: &ForwardArgs) -> PathBuf {
        if let Some(path) = &asked.socket {
            return path.clone();
        }
        let named = var("HOOKBENCH_SOCKET").map(PathBuf::from);
        if let Some(path) = named.filter(|path| is_fixed(path)) {
            return path;
        }
        let left = self.state_directory().and_then(|state| beginning(&state.join("socket"), LONGEST_PATH));
        let left = left.map(|text| PathBuf::from(text.trim_end_matches('\n')));
        left.filter(|path| is_fixed(path)).unwrap_or_else(|| default_socket(&socket_directories()))
    }
}

/// The project directory: from the payload, from the agent's environment variables, or the current directory.
pub fn project_path(peek: &PayloadFields) -> String {
    let absolute = |path: &String| Path::new(path).is_absolute();
    let said = peek.cwd.clone().filter(absolute).or_else(|| project_variables().filter_map(var).find(absolute));
    said.unwrap_or_else(|| {
        let directory = std::env::current_dir();
        directory.map_or_else(|_| "/".to_owned(), |directory| directory.to_string_lossy().into_owned())
    })
}

fn var(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}

fn beginning(path: &Path, most: u64) -> Option<String> {
    let bytes = crate::disk::read_beginning(path, most).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The size limit of the file.
const LONGEST: u64 = 1 << 20;
/// The most processes above this one that are examined.
const MOST_ANCESTORS: usize = 64;

/// Stores the variables of this process for an agent. Errors are ignored, because the agent has its answer.
pub fn store_if_changed(directory: &Path, agent: &str) {
    if live_form(agent).is_none() {
        return;
    }
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let text = write_seen_environment(variables);
    let path = directory.join(seen_environment_file(agent));
    let known = crate::disk::read_beginning(&path, LONGEST).unwrap_or_default();
    if known == text.as_bytes() || is_started_by_hookbench() {
        return;
    }
    let _ = replace(&path, directory, &text);
}

fn replace(path: &Path, directory: &Path, text: &str) -> std::io::Result<()> {
    let temporary = directory.join(format!(".environment-{}", std::process::id()));
    let open = || open_options().write(true).create_new(true).open(&temporary);
    let mut file = match open() {
        Ok(file) => file,
        Err(_) => {
            create_directory(directory)?;
            open()?
        }
    };
    let done = file.write_all(text.as_bytes()).and_then(|()| std::fs::rename(&temporary, path));
    if done.is_err() {
        std::fs::remove_file(&temporary)?;
    }
    done
}

/// Whether a process above this one is hookbench, which runs the hook for a test: its variables are not the agent's. Only
/// Linux shows it.
fn is_started_by_hookbench() -> bool {
    let Ok(own) = std::fs::read_link("/proc/self/exe") else { return false };
    let mut process = "self".to_owned();
    for _ in 0..MOST_ANCESTORS {
        let Ok(stat) = crate::disk::read_text(format!("/proc/{process}/stat")) else { return false };
        // The second field is the program's name in parentheses, which may contain any character.
        let parent = stat.rfind(')').and_then(|at| stat.get(at + 1..)?.split_ascii_whitespace().nth(1));
        let Some(parent) = parent.filter(|parent| *parent != "0") else { return false };
        if std::fs::read_link(format!("/proc/{parent}/exe")).is_ok_and(|program| program == own) {
            return true;
        }
        parent.clone_into(&mut process);
    }
    false
}
