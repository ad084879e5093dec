//! The installed agents and the state of hookbench's own files. This is the only use case that executes agents.

mod forwarding;
mod version_query;

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use version_query::{VersionReply, query_versions};

use crate::calibration::read_calibrations;
use crate::disk::state_dir::{StateDir, config_file};
use crate::environment::installed_agents::{Installation, InstalledProgram, find_program};
use crate::session::AgentState;
use hookbench_core::config::Place;
use hookbench_core::dialects::{self, Agent, Calibration, Version};
use hookbench_core::install::InstalledEntry;

pub use forwarding::ServerHealth;

/// One of hookbench's own files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OwnFileDoc"))]
pub struct OwnFile {
    pub path: String,
    /// `state` or `config`.
    pub kind: &'static str,
    pub exists: bool,
    /// Octal; null if the file does not exist.
    pub mode: Option<String>,
    /// A problem with the file.
    pub note: Option<String>,
}

/// The state directory, its files by name, and the configuration.
pub fn own_files(place: &Place) -> Vec<OwnFile> {
    let directory = StateDir::of(place).root().to_owned();
    let mut inside: Vec<_> = std::fs::read_dir(&directory).into_iter().flatten().flatten().map(|e| e.path()).collect();
    inside.sort();
    let mut files: Vec<OwnFile> =
        std::iter::once(&directory).chain(&inside).map(|path| examine_file(path, "state", 0o077)).collect();
    // The configuration may be readable by others, but a user who can change it chooses the program that opens
    // files.
    files.extend(
        config_file(&|name| place.var(name).map(str::to_owned)).map(|path| examine_file(&path, "config", 0o022)),
    );
    files
}

/// Examines one file; `wrong` are the permission bits that it must not have.
fn examine_file(path: &Path, kind: &'static str, wrong: u32) -> OwnFile {
    let name = path.display().to_string();
    let gone = |note| OwnFile { path: name.clone(), kind, exists: false, mode: None, note };
    match std::fs::metadata(path) {
        Ok(found) => {
            let mode: Option<u32> = mode(&found).into();
            let note = mode.filter(|mode| mode & wrong != 0).map(|mode| {
                let does = if mode & 0o022 != 0 { "change" } else { "read" };
                format!("other users can {does} it")
            });
            OwnFile { exists: true, mode: mode.map(|mode| format!("{mode:04o}")), note, ..gone(None) }
        }
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => gone(None),
        Err(why) => gone(Some(format!("cannot be checked: {why}"))),
    }
}

/// The permission bits, if the system has them.
#[cfg(unix)]
fn mode(found: &std::fs::Metadata) -> impl Into<Option<u32>> {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn mode(_: &std::fs::Metadata) -> impl Into<Option<u32>> {
    None
}

/// The result of the examination.
#[derive(Debug, Clone, PartialEq)]
pub struct DoctorReport {
    pub agents: Vec<AgentHealth>,
    pub files: Vec<OwnFile>,
    /// The server that forwarding hooks send events to.
    pub server: ServerHealth,
}

/// One agent, installed or not.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentHealth {
    pub dialect: &'static str,
    pub name: &'static str,
    pub command: &'static str,
    pub installed: Option<ProgramHealth>,
    /// The forwarding hooks in the settings that the agent reads here.
    pub entries: Vec<InstalledEntry>,
}

/// An agent's program.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramHealth {
    /// The path as found on `PATH`.
    pub path: String,
    /// The canonical path of the program.
    pub program: String,
    /// The version according to its files.
    pub version_in_files: Option<Version>,
    /// The version that the program prints.
    pub version_printed: Option<Version>,
    /// The exit of the version query, such as `exit 0`.
    pub exit: String,
    /// Whether the behaviour of this version is known; `None` if the version is unknown.
    pub known: Option<bool>,
    /// The basis of that knowledge, or the version that is used instead.
    pub basis: String,
    /// Problems with the program.
    pub notes: Vec<String>,
}

/// Examines everything, and queries every installed agent for its version.
pub async fn examine(place: &Place) -> DoctorReport {
    let found: Vec<(&'static Agent, Option<InstalledProgram>)> =
        dialects::released().map(|dialect| (dialect, find_program(&dialect.install(), place))).collect();
    let programs = found.iter().filter_map(|(_, installed)| Some(installed.as_ref()?.command.display().to_string()));
    let mut said = query_versions(programs.collect()).await.into_iter();
    let changes = forwarding::deadline_settings(place);
    let calibrations = read_calibrations(place);
    let version = |dialect, installed: Option<&InstalledProgram>| {
        AgentState::new(dialect, installed.cloned().into(), None).version
    };
    let agents = found
        .into_iter()
        .map(|(dialect, installed)| AgentHealth {
            entries: forwarding::entries(dialect, &version(dialect, installed.as_ref()), place, &changes),
            dialect: dialect.id().as_str(),
            name: dialect.name(),
            command: dialect.install().command,
            installed: installed.and_then(|installed| {
                let calibration = calibrations.iter().find(|(agent, _)| *agent == dialect.id());
                Some(program(dialect, installed, said.next()?, calibration.map(|(_, found)| found)))
            }),
        })
        .collect();
    DoctorReport { agents, files: own_files(place), server: forwarding::server(place) }
}

fn program(
    dialect: &'static Agent,
    installed: InstalledProgram,
    said: VersionReply,
    calibration: Option<&Arc<Calibration>>,
) -> ProgramHealth {
    let InstalledProgram { command, program, version } = installed;
    let mut notes = Vec::new();
    if let Some(why) = said.problem() {
        notes.push(why);
    }
    if let (Some(files), Some(says)) = (&version, &said.version)
        && files != says
    {
        notes.push(format!("the version is {files} in its files, but the program reports {says}"));
    }
    let known_version = version.clone().or_else(|| said.version.clone());
    let installation = known_version.map_or(Installation::UnknownVersion, Installation::Version);
    let state = AgentState::new(dialect, installation, None);
    let state = state.with_calibration(calibration);
    let broken = |found: &Calibration| {
        let sentences = found.broken_rules.iter();
        sentences
            .map(|broken| format!("; {} does not hold ({})", broken.rule, broken.probe))
            .collect::<Vec<_>>()
            .concat()
    };
    let tested = state.basis.calibration.as_ref().map(|found| {
        let (on, agreed) = (&found.on, found.agreed);
        let news = if found.news > 0 { format!("; {} new to hookbench", found.news) } else { String::new() };
        format!("calibrated on {on}: {agreed} of {} probes as predicted{}{news}", found.probes, broken(found))
    });
    let (known, basis) = match (state.installed.version(), state.basis.sentence(dialect.name())) {
        _ if tested.is_some() => (Some(true), tested.unwrap_or_default()),
        (None, _) => (None, format!("its version is unknown; hookbench assumes {}", state.version)),
        (Some(_), Some(sentence)) => (Some(false), format!("{sentence} (known: {})", state.known_words())),
        (Some(version), None) => {
            let range = dialect.versions().iter().find(|range| range.contains(version));
            let basis = range.map_or("tested", |range| range.basis);
            (Some(true), format!("{basis}; not calibrated on this machine"))
        }
    };
    ProgramHealth {
        path: command.display().to_string(),
        program: program.display().to_string(),
        version_in_files: version,
        exit: said.exit.describe(),
        version_printed: said.version,
        known,
        basis,
        notes,
    }
}
