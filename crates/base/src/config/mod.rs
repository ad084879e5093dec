//! What is read from an agent's files: layers, switches, definitions, and everything that was not loaded, with the
//! reason.

mod watchlist;
mod would_be;

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::hook::{DefinitionId, HookDefinition, Layer};
use crate::text::{SourceId, SourceMap, Span, clean_path};

pub use watchlist::Watchlist;
pub use would_be::WouldBe;

/// Among [`Loaded::settings`]: why no hook runs at all, where a switch says so.
pub const HOOKS_OFF: &str = "hooks_off";

/// The files of the outside, as the core sees them. Paths are absolute.
pub trait Files {
    /// The bytes of a file.
    ///
    /// # Errors
    /// Why it could not be read; a missing file is [`FileError::Missing`].
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError>;
    /// Whether something is there.
    fn exists(&self, path: &str) -> bool;
    /// The real path, links resolved; none when nothing is there.
    fn canonical(&self, path: &str) -> Option<String>;
    /// The names in a folder, sorted; empty when it is none.
    fn list(&self, path: &str) -> Vec<String>;
    /// Whether a file may be run; none when no file is there.
    fn executable(&self, path: &str) -> Option<bool>;
    /// Whether only the system's administrator can change what lies there: the file and every folder above it are his
    /// and closed to others.
    fn guarded(&self, path: &str) -> bool;
}

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("not there")]
    Missing,
    #[error("{why}")]
    Unreadable { why: String, cure: &'static str },
}

/// The longest settings file that is read. Nobody writes one by hand that is a thousandth of it, and reading it costs an agent
/// and us many times its size.
pub const LONGEST_SETTINGS: usize = 16 << 20;

/// The bytes of a file with settings.
///
/// # Errors
/// As [`Files::read`]; and when it is longer than settings can be.
pub fn read_settings(files: &dyn Files, path: &str) -> Result<Vec<u8>, FileError> {
    let bytes = files.read(path)?;
    if bytes.len() <= LONGEST_SETTINGS {
        return Ok(bytes);
    }
    let mib = |bytes: usize| bytes.div_ceil(1 << 20);
    let why = format!("it has {} MiB, and at most {} MiB are read", mib(bytes.len()), mib(LONGEST_SETTINGS));
    Err(FileError::Unreadable { why, cure: "settings are a few lines: is it another file?" })
}

/// Where and under which circumstances an agent would run: everything that the core may not find out by itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Place {
    /// The folder in which the agent was started. Absolute, no slash at the end.
    pub project: String,
    /// The home folder whose user layer counts. Absolute.
    pub home: String,
    /// True when the home folder was named by the user: hooks then get `HOME` set to it.
    pub home_given: bool,
    /// The environment that the agent would be started in.
    pub env: BTreeMap<String, String>,
    pub os: Os,
}

/// Operating systems that change an agent's rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Os {
    #[default]
    Linux,
    MacOs,
    Windows,
}

impl Place {
    /// A variable of the environment.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str)
    }

    /// How a path is shown: relative to the project, `~/…` below the home folder, else absolute.
    pub fn show(&self, path: &str) -> String {
        let below = |root: &str| {
            if root.is_empty() { None } else { path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')) }
        };
        if let Some(rest) = below(&self.project) {
            return rest.to_owned();
        }
        below(&self.home).map_or_else(|| path.to_owned(), |rest| format!("~/{rest}"))
    }

    /// Makes `path` absolute: `~/…` is the home folder, anything relative starts at `base`. Dots are resolved as text.
    pub fn absolute(&self, base: &str, path: &str) -> String {
        if path == "~" {
            return self.home.clone();
        }
        let joined = match path.strip_prefix("~/") {
            Some(rest) => format!("{}/{rest}", self.home),
            None if path.starts_with('/') => path.to_owned(),
            None => format!("{base}/{path}"),
        };
        clean_path(&joined)
    }
}

/// What became of one file that an agent looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerFile {
    pub layer: Layer,
    /// As opened.
    pub path: String,
    /// As shown.
    pub file: String,
    pub state: LayerState,
    /// Why, where the state needs a reason.
    pub says: Option<String>,
    pub bundle: Option<String>,
}

/// The states of a layer, in the words of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerState {
    Read,
    Absent,
    Broken,
    Untrusted,
    Off,
}

/// A setting that turns hooks off or on, with its effective value and the layer that set it.
#[derive(Debug, Clone, PartialEq)]
pub struct Switch {
    pub name: String,
    pub value: Value,
    /// The file (as shown) or environment variable that set it; none: the default.
    pub set_by: Option<String>,
    pub span: Option<Span>,
    pub says: String,
}

/// A variable that a settings file puts into the environment of hooks.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    pub value: String,
    /// The file that set it, as shown.
    pub file: String,
    pub span: Span,
}

/// Something that looks like hook configuration, and is not read.
#[derive(Debug, Clone, PartialEq)]
pub struct NotLoaded {
    /// As shown.
    pub file: String,
    pub says: String,
}

/// The agent would not start at all, or loses everything.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub says: String,
    pub span: Option<Span>,
}

/// Everything that one agent reads in one place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    pub sources: SourceMap,
    /// In the agent's own order of loading; dropped definitions are here too, with `refused` set.
    pub definitions: Vec<HookDefinition>,
    pub layers: Vec<LayerFile>,
    pub switches: Vec<Switch>,
    pub not_loaded: Vec<NotLoaded>,
    pub refused: Option<Refusal>,
    pub notes: Vec<Diagnostic>,
    /// Settings other than hooks that rules look at, merged as the agent merges them.
    pub settings: IndexMap<String, Value>,
    /// Variables that settings give to every hook, by name, merged as the agent merges them.
    pub variables: IndexMap<String, Variable>,
    /// Why the agent trusts a definition, where it keeps account of that.
    pub trust: IndexMap<DefinitionId, String>,
    /// Everything that was looked for while reading, found or not: a change there may change all of the above.
    pub looked: Looked,
}

/// Where a reader has looked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looked {
    pub files: BTreeSet<String>,
    pub folders: BTreeSet<String>,
}

impl Loaded {
    /// Whether both say the same of the hooks of these events, in the same places: nothing that is shown of a firing of
    /// one of them has changed.
    pub fn same_for(&self, other: &Loaded, event: impl Fn(&str) -> bool) -> bool {
        let of = |loaded: &Loaded| -> Vec<_> {
            let told = |d: &HookDefinition| {
                let says = d.refused.as_ref().map(|r| r.says.clone());
                let from = (d.from.layer, d.from.file.clone(), d.from.line);
                (d.event.clone(), d.matcher.clone(), d.raw.clone(), d.group.clone(), d.detached, says, from)
            };
            loaded.definitions.iter().filter(|d| event(&d.event)).map(told).collect()
        };
        let variables = |l: &Loaded| l.variables.iter().map(|(n, v)| (n.clone(), v.value.clone())).collect::<Vec<_>>();
        let switches = |l: &Loaded| l.switches.iter().map(|s| (s.name.clone(), s.value.clone())).collect::<Vec<_>>();
        of(self) == of(other)
            && switches(self) == switches(other)
            && variables(self) == variables(other)
            && (&self.layers, &self.settings) == (&other.layers, &other.settings)
            && self.refused.as_ref().map(|r| &r.says) == other.refused.as_ref().map(|r| &r.says)
    }

    /// The same with only some of its definitions.
    #[must_use]
    pub fn with_definitions(&self, keep: impl Fn(&HookDefinition) -> bool) -> Loaded {
        Loaded {
            definitions: self.definitions.iter().filter(|d| keep(d)).cloned().collect(),
            sources: self.sources.clone(),
            layers: self.layers.clone(),
            switches: self.switches.clone(),
            not_loaded: self.not_loaded.clone(),
            refused: self.refused.clone(),
            notes: Vec::new(),
            settings: self.settings.clone(),
            variables: self.variables.clone(),
            trust: self.trust.clone(),
            looked: Looked::default(),
        }
    }

    /// The definition of that id.
    pub fn definition(&self, id: &str) -> Option<&HookDefinition> {
        // They are numbered in their order: as a rule it is known where to look.
        let numbered = || self.definitions.get(id.strip_prefix('h')?.parse::<usize>().ok()?.checked_sub(1)?);
        numbered().filter(|d| d.id == id).or_else(|| self.definitions.iter().find(|d| d.id == id))
    }

    /// Why an event has no hooks at all: none is configured, as far as that can be told.
    pub fn none_for(&self, event: &str) -> String {
        match self.broken().next() {
            Some(broken) => format!("{event} has no hook: {} could not be read", broken.file),
            None => format!("no hook is configured for {event}"),
        }
    }

    /// The files that are there and count for nothing, because they cannot be read.
    pub fn broken(&self) -> impl Iterator<Item = &LayerFile> {
        self.layers.iter().filter(|l| l.state == LayerState::Broken)
    }

    /// Keeps a text under its shown name.
    pub fn add_source(&mut self, place: &Place, path: &str, text: &str) -> SourceId {
        self.sources.add(place.show(path), path, text)
    }

    /// Gives every definition its id, in order.
    pub fn number(&mut self) {
        for (index, definition) in self.definitions.iter_mut().enumerate() {
            definition.id = format!("h{}", index + 1);
        }
    }

    /// Paths of all files that were looked at, whether they are there or not: what a watcher has to watch.
    pub fn paths(&self) -> Vec<String> {
        self.layers.iter().map(|l| l.path.clone()).collect()
    }
}

/// An in-memory file system for tests and for what-if questions.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    pub files: BTreeMap<String, Vec<u8>>,
}

impl MemoryFiles {
    /// Puts a file there.
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

    fn guarded(&self, path: &str) -> bool {
        path.starts_with("/etc/")
    }
}
