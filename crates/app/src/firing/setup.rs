//! An agent in a place with its loaded configuration: what is needed to plan and fire events.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::input::{BuiltInput, InputError, InputRequest, build_input};
use crate::disk::files::DiskFiles;
use crate::environment::place::{PlaceError, make_place};
use hookbench_core::config::{Files, LoadedConfig, Place};
use hookbench_core::dialects::{self, Agent, Version};
use hookbench_core::hook::DefinitionId;
use hookbench_core::run::RunReport;

/// The place where an agent would run, and the configuration that it loads there.
#[derive(Debug, Clone)]
pub struct FiringSetup {
    pub place: Place,
    pub dialect: &'static Agent,
    pub version: Version,
    pub loaded: Arc<LoadedConfig>,
    /// Whether the agent runs without a user to ask.
    pub headless: bool,
    /// Whether hooks run contained, in a copy of the project.
    pub contain: bool,
    /// The program and its first arguments that start a hook. Empty if hooks are started as the agent starts them.
    pub prefix: Vec<String>,
    /// Multiplies every timeout of a hook.
    pub timeout_scale: f64,
}

/// Canned reports for hooks that are not started.
pub type CannedReports = HashMap<DefinitionId, RunReport>;

impl FiringSetup {
    /// Loads the configuration that the agent would load. Without a version, uses the newest one whose behaviour is
    /// known.
    ///
    /// # Errors
    /// Returns an error if the project or home directory does not exist.
    pub fn load(
        project: &Path,
        home: Option<&Path>,
        dialect: &'static Agent,
        version: Option<Version>,
    ) -> Result<FiringSetup, PlaceError> {
        Ok(FiringSetup::load_with(make_place(Some(project), home)?, dialect, version, &DiskFiles))
    }

    /// Loads the configuration from the given files, for example with unsaved changes.
    pub fn load_with(
        place: Place,
        dialect: &'static Agent,
        version: Option<Version>,
        files: &dyn Files,
    ) -> FiringSetup {
        let version = version.unwrap_or_else(|| dialects::default_version(dialect));
        let loaded = dialect.load(&place, files, &version);
        let (headless, contain, timeout_scale) = (false, false, 1.0);
        FiringSetup { place, dialect, version, loaded, headless, contain, prefix: Vec::new(), timeout_scale }
    }

    /// Builds the complete input of an event.
    pub fn build(&self, request: &InputRequest) -> Result<BuiltInput, InputError> {
        let is_own = request.agent == Some(self.dialect.id());
        let of_agent = (!is_own).then(|| InputRequest { agent: Some(self.dialect.id()), ..request.clone() });
        build_input(of_agent.as_ref().unwrap_or(request), &self.place, &DiskFiles, &|_| self.version.clone())
    }
}
