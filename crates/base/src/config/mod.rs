//! The loaded configuration of an agent: layers, switches, definitions, and everything that was not loaded, with
//! the reason.

mod arguments;
mod environment_source;
mod missing_trust;
mod overlay;
mod tracking;

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::hook::{DefinitionId, HookDefinition, Layer};
use crate::text::{SourceId, SourceMap, Span, is_absolute_path, normalize_path};

pub use arguments::{AgentArguments, AgentFlag, FlagEffect, FlagValue, GivenFlag, GivenFlags, is_argument};
pub use environment_source::EnvironmentSource;
pub use overlay::OverlayFiles;
pub(crate) use tracking::TrackingFiles;
pub use tracking::Watchlist;

/// The file system as the core sees it. Paths are absolute.
pub trait Files {
    /// The files below a view, which answer what the view does not change. `None` for files of their own.
    fn below(&self) -> Option<&dyn Files> {
        None
    }
    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read; [`FileError::Missing`] if it does not exist.
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError>;
    /// Whether a file or directory exists.
    fn exists(&self, path: &str) -> bool {
        self.below().is_some_and(|files| files.exists(path))
    }
    /// The real path, with links resolved. `None` if the path does not exist.
    fn canonical(&self, path: &str) -> Option<String> {
        self.below()?.canonical(path)
    }
    /// The names in a directory, sorted; empty if the path is not a directory.
    fn list(&self, path: &str) -> Vec<String> {
        self.below().map(|files| files.list(path)).unwrap_or_default()
    }
    /// Whether a file is executable. `None` if there is no file.
    fn executable(&self, path: &str) -> Option<bool> {
        self.below()?.executable(path)
    }
    /// Whether only the system administrator can change the path: the administrator owns the file and every directory
    /// above it, and other users cannot write to them.
    fn is_admin_only(&self, path: &str) -> bool {
        self.below().is_some_and(|files| files.is_admin_only(path))
    }
}

/// The reason why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("not found")]
    Missing,
    #[error("{why}")]
    Unreadable { why: String, help: &'static str },
}

/// The size limit for settings files, in bytes. Real settings are thousands of times smaller, and reading a file
/// costs the agent and hookbench many times its size.
pub const MAX_SETTINGS_BYTES: usize = 16 << 20;

/// Reads a settings file.
///
/// # Errors
/// Returns an error if [`Files::read`] does, or if the file is larger than [`MAX_SETTINGS_BYTES`].
pub fn read_settings(files: &dyn Files, path: &str) -> Result<Vec<u8>, FileError> {
    let bytes = files.read(path)?;
    if bytes.len() <= MAX_SETTINGS_BYTES {
        return Ok(bytes);
    }
    let mib = |bytes: usize| bytes.div_ceil(1 << 20);
    let why = format!("it has {} MiB, but hookbench reads at most {} MiB", mib(bytes.len()), mib(MAX_SETTINGS_BYTES));
    Err(FileError::Unreadable { why, help: "settings are usually a few lines: is this the right file?" })
}

/// The project, home directory, environment and operating system of an agent: facts that the core may not query
/// itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Place {
    /// The directory in which the agent was started. Absolute, without a trailing slash.
    pub project: String,
    /// The home directory of the user layer. Absolute.
    pub home: String,
    /// Whether the user named the home directory. Hooks then get `HOME` set to it.
    pub home_given: bool,
    /// The environment in which the agent would be started.
    pub env: BTreeMap<String, String>,
    /// The source of `env`.
    pub env_source: EnvironmentSource,
    pub os: Os,
    /// Whether the project counts as trusted and its hooks as reviewed, whatever the agent has recorded.
    pub assumes_trust: bool,
    /// The arguments with which the user starts an agent.
    pub arguments: Option<AgentArguments>,
    /// The directories of profiles that a file chooses, by the variable that the agent sets to it.
    pub profiles: BTreeMap<&'static str, String>,
}

/// Operating systems that change an agent's rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Os {
    #[default]
    Linux,
    MacOs,
    Windows,
}

impl Os {
    /// The system with this name in `std::env::consts::OS`.
    pub fn named(name: &str) -> Os {
        match name {
            "macos" => Os::MacOs,
            "windows" => Os::Windows,
            _ => Os::Linux,
        }
    }
}

impl Place {
    /// Why an untrusted project counts as trusted if [`Place::assumes_trust`] is set.
    pub const TRUST_ASSUMED: &str = "you chose to treat it as trusted";

    /// The same place, with the project trusted and its hooks reviewed.
    #[must_use]
    pub fn as_trusted(&self) -> Place {
        Place { assumes_trust: true, ..self.clone() }
    }

    /// The value of an environment variable.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str)
    }

    /// The path to display: relative to the project, `~/…` below the home directory, otherwise absolute.
    pub fn display_path(&self, path: &str) -> String {
        let below = |root: &str| {
            if root.is_empty() { None } else { path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')) }
        };
        if let Some(rest) = below(&self.project) {
            return rest.to_owned();
        }
        below(&self.home).map_or_else(|| path.to_owned(), |rest| format!("~/{rest}"))
    }

    /// A path as the agent writes it in payloads and variables: with `\` on Windows.
    pub fn native_path(&self, path: &str) -> String {
        if self.os == Os::Windows { path.replace('/', "\\") } else { path.to_owned() }
    }

    /// Whether a text is the path of the project or of the home directory, or of something in them.
    pub fn is_own_path(&self, text: &str) -> bool {
        let is_in = |root: &str| text.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        [&self.project, &self.home].into_iter().any(|root| !root.is_empty() && is_in(root))
    }

    /// Writes the own paths of a payload as the agent itself writes them.
    pub fn write_native_paths(&self, body: &mut Value) {
        if self.os != Os::Windows {
            return;
        }
        match body {
            Value::String(text) if self.is_own_path(text) => *text = self.native_path(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.write_native_paths(item)),
            Value::Object(keys) => keys.values_mut().for_each(|value| self.write_native_paths(value)),
            _ => {}
        }
    }

    /// Makes `path` absolute: `~/…` is below the home directory, a relative path starts at `base`. `.` and `..` are
    /// resolved as text.
    pub fn absolute(&self, base: &str, path: &str) -> String {
        if path == "~" {
            return self.home.clone();
        }
        let joined = match path.strip_prefix("~/") {
            Some(rest) => format!("{}/{rest}", self.home),
            None if is_absolute_path(path) => path.to_owned(),
            None => format!("{base}/{path}"),
        };
        normalize_path(&joined)
    }
}

/// One settings file of an agent, with its state.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerFile {
    pub layer: Layer,
    /// The path as opened.
    pub path: String,
    /// The path as displayed.
    pub file: String,
    pub state: LayerState,
    /// The reason for the state, if the state needs one.
    pub message: Option<String>,
    pub bundle: Option<String>,
}

/// The states of a layer, named as in the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerState {
    Read,
    Absent,
    Broken,
    Untrusted,
    Off,
}

/// A setting that turns hooks on or off.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SwitchDoc"))]
pub struct Switch {
    pub name: String,
    // The effective value.
    pub value: Value,
    // The file (as displayed) or environment variable that set it. `None` for the default.
    pub set_by: Option<String>,
    #[serde(skip)]
    pub span: Option<Span>,
    #[serde(rename = "says")]
    pub message: String,
}

/// A variable that a file puts into the environment of hooks.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedVariable {
    pub value: String,
    /// The file that set it, as displayed.
    pub file: String,
    /// The line in the file, counted from 1.
    pub line: Option<u32>,
    /// The position, if the file is a settings file.
    pub span: Option<Span>,
}

/// A file that looks like hook configuration but is not read.
#[derive(Debug, Clone, PartialEq)]
pub struct IgnoredFile {
    /// The path as displayed.
    pub file: String,
    pub message: String,
    /// The way to make the agent read the file, if one is known.
    pub cure: Option<UnreadCure>,
}

/// A way to make an agent read a file that it does not read here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadCure {
    /// To start it in this directory above the project.
    StartAbove(String),
    /// To start it with these words, its program first. They load the plugin of the file.
    LoadPlugin(Vec<String>),
    /// To install the plugin of the file with this command line. `None` if the line needs the plugin's name.
    InstallPlugin(Option<String>),
}

impl IgnoredFile {
    /// The reason, and what to do as far as that is known.
    pub fn advice(&self) -> String {
        match self.cure.as_ref().map(UnreadCure::advice) {
            Some(cure) => format!("{}; {cure}", self.message),
            None => self.message.clone(),
        }
    }
}

impl UnreadCure {
    /// The advice, as a sentence.
    pub fn advice(&self) -> String {
        match self {
            UnreadCure::StartAbove(above) => format!("start it in {above}, or move the hooks here"),
            UnreadCure::LoadPlugin(words) => {
                format!("--agent-args '{}' shows a start that loads it", words.join(" "))
            }
            UnreadCure::InstallPlugin(Some(line)) => format!("`{line}` installs it"),
            UnreadCure::InstallPlugin(None) => "install it".to_owned(),
        }
    }
}

/// The reason why the agent does not start, or drops all its configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadRefusal {
    pub message: String,
    pub span: Option<Span>,
}

/// Everything that one agent loads in one [`Place`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadedConfig {
    pub sources: SourceMap,
    /// In the agent's loading order. Includes the dropped definitions, which have `refused` set.
    pub definitions: Vec<HookDefinition>,
    pub layers: Vec<LayerFile>,
    pub switches: Vec<Switch>,
    pub ignored_files: Vec<IgnoredFile>,
    pub refusal: Option<LoadRefusal>,
    pub notes: Vec<Diagnostic>,
    /// The reason why a switch turns all hooks off.
    pub hooks_off: Option<String>,
    /// Other settings on which the agent's plans, launches and decisions depend, merged as the agent merges them.
    /// Only the agent's own code knows the keys.
    pub agent_settings: IndexMap<String, Value>,
    /// Environment variables that files set for every hook, by name, merged as the agent merges them.
    pub variables: IndexMap<String, LoadedVariable>,
    /// The reason why the agent trusts a definition, if the agent records trust.
    pub trust: IndexMap<DefinitionId, String>,
    /// All files and directories that the loader looked up, whether they exist or not. A change in any of them may
    /// change the rest of this struct.
    pub lookups: LookupPaths,
}

/// The files and directories that a loader looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookupPaths {
    pub files: BTreeSet<String>,
    pub directories: BTreeSet<String>,
}

impl LoadedConfig {
    /// Whether both configurations have the same hooks for the selected events, at the same places, so that the
    /// display of a firing is unchanged.
    pub fn has_same_hooks(&self, other: &LoadedConfig, event: impl Fn(&str) -> bool) -> bool {
        let of = |loaded: &LoadedConfig| -> Vec<_> {
            let told = |d: &HookDefinition| {
                let says = d.rejection.as_ref().map(|r| r.message.clone());
                let from = (d.provenance.layer, d.provenance.file.clone(), d.provenance.line);
                (d.event.clone(), d.matcher.clone(), d.raw.clone(), d.group.clone(), d.detached, says, from)
            };
            loaded.definitions.iter().filter(|d| event(&d.event)).map(told).collect()
        };
        let variables =
            |l: &LoadedConfig| l.variables.iter().map(|(n, v)| (n.clone(), v.value.clone())).collect::<Vec<_>>();
        let switches =
            |l: &LoadedConfig| l.switches.iter().map(|s| (s.name.clone(), s.value.clone())).collect::<Vec<_>>();
        of(self) == of(other)
            && switches(self) == switches(other)
            && variables(self) == variables(other)
            && (&self.layers, &self.hooks_off, &self.agent_settings)
                == (&other.layers, &other.hooks_off, &other.agent_settings)
            && self.refusal.as_ref().map(|r| &r.message) == other.refusal.as_ref().map(|r| &r.message)
    }

    /// Returns a copy with only the definitions that `keep` accepts.
    #[must_use]
    pub fn with_definitions(&self, keep: impl Fn(&HookDefinition) -> bool) -> LoadedConfig {
        LoadedConfig {
            definitions: self.definitions.iter().filter(|d| keep(d)).cloned().collect(),
            sources: self.sources.clone(),
            layers: self.layers.clone(),
            switches: self.switches.clone(),
            ignored_files: self.ignored_files.clone(),
            refusal: self.refusal.clone(),
            notes: Vec::new(),
            hooks_off: self.hooks_off.clone(),
            agent_settings: self.agent_settings.clone(),
            variables: self.variables.clone(),
            trust: self.trust.clone(),
            lookups: LookupPaths::default(),
        }
    }

    /// The definition with the given id.
    pub fn definition(&self, id: &str) -> Option<&HookDefinition> {
        // Ids are numbered in order, so the number normally gives the index.
        let numbered = || self.definitions.get(id.strip_prefix('h')?.parse::<usize>().ok()?.checked_sub(1)?);
        numbered().filter(|d| d.id == id).or_else(|| self.definitions.iter().find(|d| d.id == id))
    }

    /// The reason why an event has no hooks, as far as it is known.
    pub fn why_no_hooks(&self, event: &str) -> String {
        if let Some(broken) = self.broken_layers().next() {
            return format!("{event} has no hook: {} could not be read", broken.file);
        }
        // With other hooks, the directory above was probably not meant.
        let with_cure = |file: &&IgnoredFile| file.cure.is_some();
        match self.ignored_files.iter().find(with_cure).filter(|_| self.definitions.is_empty()) {
            Some(file) => {
                format!("no hook is configured for {event} here, and {} is not read: {}", file.file, file.advice())
            }
            None => format!("no hook is configured for {event}"),
        }
    }

    /// The files that exist but are ignored because they cannot be parsed.
    pub fn broken_layers(&self) -> impl Iterator<Item = &LayerFile> {
        self.layers.iter().filter(|l| l.state == LayerState::Broken)
    }

    /// The files that exist.
    pub fn existing_layers(&self) -> impl Iterator<Item = &LayerFile> {
        self.layers.iter().filter(|l| l.state != LayerState::Absent)
    }

    /// Stores a text under its display name.
    pub fn add_source(&mut self, place: &Place, path: &str, text: &str) -> SourceId {
        self.sources.add(place.display_path(path), path, text)
    }

    /// Numbers the definitions in order.
    pub fn assign_ids(&mut self) {
        for (index, definition) in self.definitions.iter_mut().enumerate() {
            definition.id = format!("h{}", index + 1);
        }
    }

    /// Records why the agent trusts the definitions of some layers.
    pub fn set_trust(&mut self, reason: &str, needs_trust: impl Fn(Layer) -> bool) {
        let needing = self.definitions.iter().filter(|definition| needs_trust(definition.provenance.layer));
        self.trust.extend(needing.map(|definition| (definition.id.clone(), reason.to_owned())));
    }

    /// The paths of all settings files, whether they exist or not, for the file watcher.
    pub fn paths(&self) -> Vec<String> {
        self.layers.iter().map(|l| l.path.clone()).filter(|path| !is_argument(path)).collect()
    }
}

/// An in-memory file system for tests and what-if questions.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    pub files: BTreeMap<String, Vec<u8>>,
}

impl MemoryFiles {
    /// Adds or replaces a file.
    pub fn put(&mut self, path: impl Into<String>, text: impl AsRef<[u8]>) {
        self.files.insert(path.into(), text.as_ref().to_vec());
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        self.files.get(path).cloned().ok_or(FileError::Missing)
    }

    fn exists(&self, path: &str) -> bool {
        self.files.contains_key(path) || !self.list(path).is_empty()
    }

    fn canonical(&self, path: &str) -> Option<String> {
        self.exists(path).then(|| path.to_owned())
    }

    fn list(&self, path: &str) -> Vec<String> {
        let root = format!("{}/", path.trim_end_matches('/'));
        let mut names: Vec<String> = self
            .files
            .keys()
            .filter_map(|file| file.strip_prefix(&root))
            .map(|rest| rest.split('/').next().unwrap_or(rest).to_owned())
            .collect();
        names.dedup();
        names
    }

    fn executable(&self, path: &str) -> Option<bool> {
        self.files.get(path).map(|bytes| bytes.starts_with(b"#!"))
    }

    fn is_admin_only(&self, path: &str) -> bool {
        path.starts_with("/etc/")
    }
}
