//! Loads the configurations that recorded events are planned with: the old and new settings of the event's project,
//! for its agent version.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::SettingsChange;
use super::config_pair::ConfigPair;
use super::earlier_files::EarlierFiles;
use crate::disk::files::DiskFiles;
use crate::firing::setup::FiringSetup;
use hookbench_core::config::Place;
use hookbench_core::dialects::{self, Version};
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
        let real = std::fs::canonicalize(recorded).unwrap_or_else(|_| PathBuf::from(recorded));
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
