//! The input of a stress test: a hook, and the event that it receives.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::environment::hook_environment::with_environment_of;
use crate::firing::approval::ConsentItem;
use crate::firing::consent::Consent;
use hookbench_core::config::{LoadedConfig, Place};
use hookbench_core::dialects::{Agent, Scene, SessionMemory, Version};
use hookbench_core::hook::{EventSpec, HookDefinition, HookInput};
use hookbench_core::lint::ScriptFile;
use hookbench_core::script_keys::ScriptKey;

/// The parts of a stress test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StressParts {
    All,
    Variants,
    World,
}

/// One hook in the settings of its agent, and how it is stressed.
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone)]
pub struct LintTrial {
    pub request: StressRequest,
    /// The script that it starts.
    pub script: Option<ScriptFile>,
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
        Scene {
            input: HookInput {
                event: self.event.name.to_owned(),
                subject: self.dialect.subject(self.event, body, &self.version),
                body: body.clone(),
            },
            loaded: Arc::clone(&self.loaded),
            place: Arc::clone(&self.place),
            version: self.version.clone(),
            headless: self.headless,
            memory: SessionMemory::default(),
        }
    }
}

/// Two requests are equal if they test the same hook with the same payloads.
impl PartialEq for StressRequest {
    fn eq(&self, other: &StressRequest) -> bool {
        self.dialect.id() == other.dialect.id()
            && self.version == other.version
            && self.definition == other.definition
            && self.payloads == other.payloads
            && (self.contain, self.parts) == (other.contain, other.parts)
    }
}
