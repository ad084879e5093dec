//! The input of a stress test: a hook, and the event that it receives.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::report::{StressReport, VariantRow, WorldRow};
use crate::analysis::lint::HookObservation;
use crate::environment::hook_environment::with_environment_of;
use crate::firing::approval::{Consent, ConsentItem};
use hookbench_core::config::{LoadedConfig, Place};
use hookbench_core::dialects::{Agent, Scene, Version};
use hookbench_core::hook::{EventSpec, HookDefinition, HookInput};
use hookbench_core::lint::ScriptFile;
use hookbench_core::script_keys::ScriptKey;
use hookbench_core::stress::PayloadCoverage;

/// The parts of a stress test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StressParts {
    All,
    Variants,
    World,
}

/// One hook in the settings of its agent, and how it is stressed.
#[derive(Debug, Clone, PartialEq)]
pub struct StressRequest {
    pub dialect: &'static Agent,
    pub version: Version,
    pub place: Arc<Place>,
    pub loaded: Arc<LoadedConfig>,
    pub definition: HookDefinition,
    pub event: &'static EventSpec,
    /// Complete payloads to try, in order. The first one that the hook refuses is the deed; if it refuses none, the
    /// first.
    pub payloads: Vec<Value>,
    /// The programs that the hook may need, besides those of every system.
    pub programs: Vec<String>,
    /// The payload keys that the command and its script name.
    pub script_keys: Vec<ScriptKey>,
    /// Files that a copy of the project needs from the home directory.
    pub files: Vec<PathBuf>,
    pub headless: bool,
    /// Whether hooks run contained, in a copy of the project.
    pub contain: bool,
    pub parts: StressParts,
    /// No run starts after this time.
    pub longest_test: Duration,
}

/// A hook that is run for lint.
#[derive(Debug, Clone, PartialEq)]
pub struct LintTrial {
    pub request: StressRequest,
    /// The script that it starts.
    pub script: Option<ScriptFile>,
}

/// The trials of this session.
#[derive(Debug, Default)]
pub struct HookTrials {
    /// What they have shown, the latest of each hook.
    pub observed: Vec<HookObservation>,
    /// The id of the hook that is being tried.
    pub running: Option<String>,
}

impl StressRequest {
    /// The command to ask the user about, if there is no consent for it.
    pub fn consent_missing(&self, consent: &Consent) -> Option<ConsentItem> {
        let launch = self.dialect.launch(&self.definition, &self.scene(self.payloads.first()?));
        let launch = with_environment_of(launch, &self.place, false);
        let item = ConsentItem::of(&self.place.project, self.dialect.id().as_str(), &self.definition, &launch)?;
        (!consent.has(&item.key)).then_some(item)
    }

    /// The scene in which the hook gets a payload.
    pub fn scene(&self, body: &Value) -> Scene {
        let subject = self.dialect.subject(self.event, body, &self.version);
        let input = HookInput { event: self.event.name.to_owned(), subject, body: body.clone() };
        let scene = Scene::new(input, Arc::clone(&self.loaded), Arc::clone(&self.place), self.version.clone());
        Scene { headless: self.headless, ..scene }
    }
}

/// A step of a stress test, in the order of the variants and conditions.
#[derive(Debug, Clone, PartialEq)]
pub enum StressUpdate {
    /// The description of the containment, before the first run.
    Contained(String),
    /// The deed is chosen; the report has no rows yet.
    Began(Box<StressReport>),
    Variant(Box<VariantRow>),
    /// The coverage of the payload so far.
    Coverage(Box<PayloadCoverage>),
    World(Box<WorldRow>),
    Finished {
        /// The time of the test, if it was over before everything was tried.
        out_of_time: Option<Duration>,
    },
    /// It could not run, for this reason.
    Failed(String),
}

impl StressReport {
    /// Adds a step to the report.
    pub fn absorb(&mut self, update: StressUpdate) {
        match update {
            StressUpdate::Contained(how) => self.contained = Some(how),
            StressUpdate::Began(report) => *self = *report,
            StressUpdate::Variant(row) => self.variants.push(*row),
            StressUpdate::Coverage(coverage) => self.coverage = Some(*coverage),
            StressUpdate::World(row) => self.world.push(*row),
            StressUpdate::Finished { out_of_time } => {
                self.finished = true;
                self.out_of_time = out_of_time;
            }
            StressUpdate::Failed(_) => self.finished = true,
        }
    }
}
