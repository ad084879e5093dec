//! HW707: an agent that was started in this project before its settings were edited.

use crate::config::LayerState;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::AgentContext;

/// The tolerance between file times and process start times, in milliseconds.
const SLACK: i64 = 2_000;

pub(super) fn check(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let Some(cure) = at.dialect.settings_format().reload_action else { return Vec::new() };
    let mut found = Vec::new();
    for layer in at.loaded.layers.iter().filter(|layer| matches!(layer.state, LayerState::Read | LayerState::Broken)) {
        let Some(changed) = at.machine.modified_at.get(&layer.path) else { continue };
        let older = at.machine.running.iter().filter(|agent| agent.started_at + SLACK < *changed);
        let pids: Vec<String> = older.map(|agent| agent.pid.to_string()).collect();
        if pids.is_empty() {
            continue;
        }
        let says = format!(
            "{} (pid {}) started before this file was edited, and may still use the old hooks",
            at.dialect.name(),
            pids.join(", ")
        );
        found.push(Diagnostic::new(Code::HW707, says).in_file(layer.file.clone()).with_help(cure));
    }
    found
}
