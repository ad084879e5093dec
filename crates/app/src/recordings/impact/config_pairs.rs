//! Loads the configurations that recorded events are planned with: the old and new settings of the event's project,
//! for its agent version.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::SettingsChange;
use super::config_pair::ConfigPair;
use crate::disk::files::DiskFiles;
use crate::firing::setup::FiringSetup;
use hookbench_core::config::{FileError, Files, LoadedConfig, Place};
use hookbench_core::dialects::{self, Version};
use hookbench_system::disk::canonical;
use hookbench_system::store::EventKind;

/// The loaded configurations; each is loaded once.
pub(super) struct ConfigPairs<'a> {
    change: &'a SettingsChange,
    earlier: EarlierFiles<'a>,
    /// Whether a file outside the project has changed.
    pub everywhere: bool,
    /// The project directory to plan with, by the recorded project; `None` if its events are not affected.
    projects: HashMap<Option<String>, Option<String>>,
    all: Vec<ConfigPair>,
    known: HashMap<(String, Option<String>), usize>,
    /// The project and version of the last request, with the result; consecutive requests are mostly for the same
    /// ones.
    last: Option<(Option<String>, Option<String>, Option<usize>)>,
}

impl<'a> ConfigPairs<'a> {
    pub fn new(change: &'a SettingsChange) -> ConfigPairs<'a> {
        let then = EarlierFiles::new(&change.before, &change.after);
        let beside = |path: &str| !Path::new(path).starts_with(&change.place.project);
        let everywhere = then.changed().any(beside);
        ConfigPairs {
            change,
            earlier: then,
            everywhere,
            projects: HashMap::new(),
            all: Vec::new(),
            known: HashMap::new(),
            last: None,
        }
    }

    pub fn get(&self, pair: usize) -> Option<&ConfigPair> {
        self.all.get(pair)
    }

    pub fn get_mut(&mut self, pair: usize) -> Option<&mut ConfigPair> {
        self.all.get_mut(pair)
    }

    /// The index of the pair for events of a kind; `None` if they are not affected.
    pub fn of(&mut self, kind: &EventKind) -> Option<usize> {
        if let Some((project, version, pair)) = &self.last
            && (project, version) == (&kind.project, &kind.version)
        {
            return *pair;
        }
        let pair = self.find(kind);
        self.last = Some((kind.project.clone(), kind.version.clone(), pair));
        pair
    }

    fn find(&mut self, kind: &EventKind) -> Option<usize> {
        let project = match self.projects.get(&kind.project) {
            Some(project) => project.clone(),
            None => {
                let project = self.project(kind.project.as_deref());
                self.projects.insert(kind.project.clone(), project.clone());
                project
            }
        }?;
        let key = (project, kind.version.clone());
        if let Some(pair) = self.known.get(&key) {
            return Some(*pair);
        }
        self.all.push(self.load(&key.0, kind.version.as_deref()));
        self.known.insert(key, self.all.len() - 1);
        Some(self.all.len() - 1)
    }

    /// The current project if the event happened in it, below it, or in an unknown directory. Otherwise the event's
    /// own project, if files outside the project have changed.
    fn project(&self, recorded: Option<&str>) -> Option<String> {
        let here = &self.change.place.project;
        let Some(recorded) = recorded else { return Some(here.clone()) };
        let real = canonical(recorded).unwrap_or_else(|_| PathBuf::from(recorded));
        if real.starts_with(here) {
            return Some(here.clone());
        }
        self.everywhere.then(|| real.to_string_lossy().into_owned())
    }

    fn load(&self, project: &str, version: Option<&str>) -> ConfigPair {
        let change = self.change;
        let version = version.and_then(Version::parse).unwrap_or_else(|| dialects::default_version(change.dialect));
        let place = Place { project: project.to_owned(), ..(*change.place).clone() };
        let stage = |loaded| FiringSetup {
            place: (*change.place).clone(),
            dialect: change.dialect,
            version: version.clone(),
            loaded,
            contain: false,
            headless: change.headless,
            prefix: Vec::new(),
            timeout_scale: 1.0,
        };
        let [before, after] = if place == *change.place && version == change.version {
            [stage(Arc::clone(&change.before)), stage(Arc::clone(&change.after))]
        } else {
            let then = FiringSetup::load_with(place.clone(), change.dialect, Some(version.clone()), &self.earlier);
            let now = FiringSetup::load_with(place, change.dialect, Some(version.clone()), &DiskFiles);
            [then, now].map(|stage| FiringSetup { headless: change.headless, ..stage })
        };
        ConfigPair::new(Arc::new(before), Arc::new(after))
    }
}

/// The disk, with changed files in their earlier state.
pub(super) struct EarlierFiles<'a> {
    earlier: BTreeMap<&'a str, &'a str>,
    /// Files that did not exist.
    missing: BTreeSet<&'a str>,
}

impl<'a> EarlierFiles<'a> {
    /// Compares two loaded configurations to find the files that changed or were created.
    pub fn new(before: &'a LoadedConfig, after: &'a LoadedConfig) -> EarlierFiles<'a> {
        let now: BTreeMap<&str, &str> = after.sources.texts().collect();
        let was: BTreeMap<&str, &str> = before.sources.texts().collect();
        let missing = now.keys().copied().filter(|path| !was.contains_key(path)).collect();
        let changed = was.into_iter().filter(|(path, text)| now.get(path) != Some(text)).collect();
        EarlierFiles { earlier: changed, missing }
    }

    /// Every file that changed or was created.
    pub fn changed(&self) -> impl Iterator<Item = &'a str> {
        self.earlier.keys().copied().chain(self.missing.iter().copied())
    }
}

impl Files for EarlierFiles<'_> {
    fn below(&self) -> Option<&dyn Files> {
        Some(&DiskFiles)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        match self.earlier.get(path) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None if self.missing.contains(path) => Err(FileError::Missing),
            None => DiskFiles.read(path),
        }
    }

    fn exists(&self, path: &str) -> bool {
        self.earlier.contains_key(path) || (!self.missing.contains(path) && DiskFiles.exists(path))
    }

    fn canonical(&self, path: &str) -> Option<String> {
        if self.missing.contains(path) {
            return None;
        }
        DiskFiles.canonical(path).or_else(|| self.earlier.contains_key(path).then(|| path.to_owned()))
    }

    fn list(&self, path: &str) -> Vec<String> {
        let directory = format!("{}/", path.trim_end_matches('/'));
        let there = DiskFiles
            .list(path)
            .into_iter()
            .filter(|name| !self.missing.contains(format!("{directory}{name}").as_str()));
        let gone = self.earlier.keys().filter_map(|was| was.strip_prefix(&directory)?.split('/').next());
        let names: BTreeSet<String> = there.chain(gone.map(str::to_owned)).collect();
        names.into_iter().collect()
    }
}
