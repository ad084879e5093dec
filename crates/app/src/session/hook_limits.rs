//! The places and the time limits of hooks with recorded runs.

use std::collections::HashMap;

use super::state::Session;
use crate::recordings::hook_stats::{ConfiguredHook, HookStats};
use hookbench_core::recorded::definition_key;

impl Session {
    /// The places and the time limits of the definitions that are configured now, by their keys.
    pub fn configured_hooks(&self) -> HashMap<String, ConfiguredHook> {
        let mut configured: HashMap<String, ConfiguredHook> = HashMap::new();
        for agent in self.agents() {
            for definition in agent.loaded.iter().flat_map(|loaded| &loaded.definitions) {
                let source = format!("{}:{}", definition.provenance.file, definition.provenance.line);
                let hook = ConfiguredHook { source, limit: definition.timeout };
                configured.entry(definition_key(agent.dialect.id().as_str(), definition)).or_insert(hook);
            }
        }
        configured
    }

    /// Adds the places and the time limits of the definitions that are configured now.
    pub fn add_configured(&self, stats: &mut [HookStats]) {
        let configured = self.configured_hooks();
        for one in stats {
            if let Some(hook) = one.definition.as_ref().and_then(|key| configured.get(key)) {
                one.add_configured(hook);
            }
        }
    }
}
