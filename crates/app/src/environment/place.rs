//! The environment in which an agent would run: the project, the home directory, the variables.

use std::path::{Path, PathBuf};

use hookbench_core::config::{Os, Place};
use hookbench_core::dialects;
use hookbench_core::run::{Launch, RunRequest};
use hookbench_system::own_directories::home_directory;

/// Errors in the project or home directory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    #[error("the project directory {0} does not exist")]
    Missing(String),
    #[error("the project {0} is not a directory")]
    NotADirectory(String),
    #[error("the project directory {0} is not readable: {1}")]
    Unreadable(String, String),
    #[error("the home directory {0} does not exist")]
    NoSuchHome(String),
    #[error(
        "your home directory is unknown: HOME is not an absolute path, and the system knows no other; set HOME, or use --home"
    )]
    NoHome,
}

/// Builds the place for a project directory (default: the current one) and a home directory (default: the real
/// one).
///
/// # Errors
/// Returns an error if the project directory does not exist or cannot be read, or if the home directory is unknown.
pub fn make_place(project: Option<&Path>, home: Option<&Path>) -> Result<Place, PlaceError> {
    let shown = project.unwrap_or(Path::new(".")).display().to_string();
    let project = absolute(project.unwrap_or(Path::new(".")));
    if !project.exists() {
        return Err(PlaceError::Missing(shown));
    }
    if !project.is_dir() {
        return Err(PlaceError::NotADirectory(shown));
    }
    std::fs::read_dir(&project).map_err(|why| PlaceError::Unreadable(shown, why.to_string()))?;
    let home_given = home.is_some();
    let home = match home {
        Some(home) if !home.is_dir() => return Err(PlaceError::NoSuchHome(home.display().to_string())),
        Some(home) => absolute(home),
        None => home_directory().ok_or(PlaceError::NoHome)?,
    };
    // If a home directory is given, variables that point outside it are dropped. A relative path is not one of them.
    let is_below = |value: &str| Path::new(value).is_relative() || Path::new(value).starts_with(&home);
    let counts = |name: &str, value: &str| !home_given || !is_home_variable(name) || is_below(value);
    let env = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .filter(|(name, value)| counts(name, value))
        .collect();
    Ok(Place { project: text(&project), home: text(&home), home_given, env, os: os(), assumes_trust: false })
}

/// The home directory for another place of the same user; `None` for the real one.
pub(crate) fn other_home(place: &Place) -> Option<PathBuf> {
    let real = home_directory().map(|home| absolute(&home));
    (place.home_given || real.as_deref() != Some(Path::new(&place.home))).then(|| PathBuf::from(&place.home))
}

/// Returns whether this variable points some agent at its configuration directory.
fn is_home_variable(name: &str) -> bool {
    dialects::released().any(|dialect| dialect.home_variables().contains(&name))
}

/// Removes the variables that the place drops from a run too, because hooks inherit the process environment
/// otherwise.
pub(crate) fn drop_home_variables(mut request: RunRequest, place: &Place) -> RunRequest {
    if let (Launch::Process(spec), true) = (&mut request.launch, place.home_given) {
        let all = dialects::released().flat_map(|dialect| dialect.home_variables());
        spec.env.remove.extend(all.filter(|name| !place.env.contains_key(**name)).map(|name| (*name).to_owned()));
    }
    request
}

/// The canonical absolute path if it exists, because agents get their working directory resolved by the system.
fn absolute(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

fn text(path: &Path) -> String {
    let text = path.to_string_lossy().into_owned();
    if text.len() > 1 { text.trim_end_matches('/').to_owned() } else { text }
}

pub(crate) fn os() -> Os {
    match std::env::consts::OS {
        "macos" => Os::MacOs,
        "windows" => Os::Windows,
        _ => Os::Linux,
    }
}
