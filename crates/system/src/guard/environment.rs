//! The environment: directories, and the user's settings.

use std::path::{Path, PathBuf};

use hookbench_core::dialects;
use hookbench_core::guard::{GuardSettings, read_guard_settings};
use hookbench_core::live::{project_variables, settings_file, state_directory};

use super::files::DiskSurroundings;
use crate::own_directories::home_directory;

/// The size limit for settings files.
const LONGEST_SETTINGS: u64 = 256 * 1024;

/// The home directory and the project of the process.
pub struct GuardEnvironment {
    home: Option<PathBuf>,
    /// The project's directory, if the agent names it in a variable.
    pub project: Option<String>,
}

impl GuardEnvironment {
    /// Reads the environment.
    pub fn read() -> GuardEnvironment {
        GuardEnvironment {
            home: home_directory(),
            project: project_variables().filter_map(var).find(|path| path.starts_with('/')),
        }
    }

    /// The user's settings.
    pub fn settings(&self) -> GuardSettings {
        read_guard_settings(&self.settings_text()).0
    }

    /// The text of the user's settings. Empty without a file.
    pub fn settings_text(&self) -> String {
        let path = settings_file(var("XDG_CONFIG_HOME").as_deref(), self.home.as_deref());
        let bytes = path.and_then(|path| crate::disk::read_beginning(path, LONGEST_SETTINGS).ok());
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }

    /// The home directory.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The directory of hits and counters. `None` without a home directory.
    pub fn state_directory(&self) -> Option<PathBuf> {
        self.home.as_deref().map(state_directory)
    }

    /// The files around an event. Transcripts may be below the home directory, in the project, and where variables
    /// move the directories of agents.
    pub fn surroundings(&self, project: &str) -> DiskSurroundings {
        let moved = dialects::released().flat_map(|dialect| dialect.home_variables()).filter_map(|name| var(name));
        let roots =
            self.home.iter().cloned().chain([project.to_owned()].map(PathBuf::from)).chain(moved.map(PathBuf::from));
        DiskSurroundings {
            home: self.home.as_ref().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default(),
            temporary: var("TMPDIR"),
            roots: roots.filter(|root| root.is_absolute() && root.parent().is_some()).collect(),
        }
    }
}

fn var(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}
