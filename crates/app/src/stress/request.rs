//! The input of a stress test: a hook, and the event that it receives.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::firing::consent::{Consent, ConsentItem, consent_key, consent_text};
use hookbench_core::config::{LoadedConfig, Place};
use hookbench_core::dialects::{Dialect, Version};
use hookbench_core::hook::{EventSpec, Handler, HookDefinition};
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
    pub dialect: &'static dyn Dialect,
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

impl StressRequest {
    /// The command to ask the user about, if there is no consent for it.
    pub fn consent_missing(&self, consent: &Consent) -> Option<ConsentItem> {
        let definition = &self.definition;
        if !matches!(definition.handler, Handler::Command(_) | Handler::Http(_)) {
            return None;
        }
        let key = consent_key(&self.place.project, self.dialect.id().as_str(), definition, &self.loaded);
        (!consent.has(&key)).then(|| ConsentItem {
            key,
            hook: definition.id.clone(),
            command: consent_text(definition, &self.loaded),
            source: format!("{}:{}", definition.provenance.file, definition.provenance.line),
        })
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
