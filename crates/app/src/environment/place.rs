//! The environment in which an agent would run: the project, the home directory, the variables.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::disk::files::DiskFiles;
use hookbench_core::config::{EnvironmentSource, Os, Place};
use hookbench_core::dialects;
use hookbench_system::disk::{canonical, usual_form};
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
    #[error("{0}")]
    Environment(String),
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
    let env = own_environment(home_given.then_some(home.as_path()));
    let place = Place {
        project: text(&project),
        home: text(&home),
        home_given,
        env,
        env_source: EnvironmentSource::Shell,
        os: os(),
        assumes_trust: false,
        arguments: None,
        profiles: BTreeMap::new(),
    };
    let profiles = dialects::released().filter_map(|dialect| dialect.chosen_profile(&place, &DiskFiles)).collect();
    Ok(Place { profiles, ..place })
}

/// The home directory for another place of the same user; `None` for the real one.
pub(crate) fn other_home(place: &Place) -> Option<PathBuf> {
    let real = home_directory().map(|home| absolute(&home));
    (place.home_given || real.as_deref() != Some(Path::new(&place.home))).then(|| PathBuf::from(&place.home))
}

/// Returns whether this variable points some agent at its configuration directory.
pub(super) fn is_home_variable(name: &str) -> bool {
    dialects::released().any(|dialect| dialect.home_variables().contains(&name))
}

/// The environment of this process. If a home directory is given, variables that point an agent outside it are dropped.
pub(super) fn own_environment(given_home: Option<&Path>) -> BTreeMap<String, String> {
    let text = |text: OsString| text.to_string_lossy().into_owned();
    // Windows does not distinguish `Path` and `PATH`.
    let name_of = |name: OsString| if cfg!(windows) { text(name).to_uppercase() } else { text(name) };
    let variables = std::env::vars_os().map(|(name, value)| (name_of(name), text(value)));
    without_other_homes(variables.collect(), given_home)
}

/// Drops the variables that point an agent outside a home directory. A relative path is not one of them.
pub(super) fn without_other_homes(
    mut env: BTreeMap<String, String>,
    given_home: Option<&Path>,
) -> BTreeMap<String, String> {
    if let Some(home) = given_home {
        let is_below = |value: &str| Path::new(value).is_relative() || Path::new(value).starts_with(home);
        env.retain(|name, value| !is_home_variable(name) || is_below(value));
    }
    env
}

/// The canonical absolute path if it exists, because agents get their working directory resolved by the system.
fn absolute(path: &Path) -> PathBuf {
    canonical(path).or_else(|_| std::path::absolute(path).map(usual_form)).unwrap_or_else(|_| path.to_owned())
}

fn text(path: &Path) -> String {
    let text = path.to_string_lossy().into_owned();
    if text.len() > 1 { text.trim_end_matches('/').to_owned() } else { text }
}

pub(crate) fn os() -> Os {
    Os::named(std::env::consts::OS)
}
