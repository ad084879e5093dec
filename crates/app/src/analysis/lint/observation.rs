//! What a trial of a hook has shown: its result in words, and the findings about its real answer.

use std::sync::Arc;

use super::{Finding, LintResult, finding_hook};
use hookbench_core::config::LoadedConfig;
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::hook::HookDefinition;
use hookbench_core::names::AgentId;

/// What a trial of a hook has shown.
#[derive(Debug, Clone, PartialEq)]
pub struct HookObservation {
    pub agent: AgentId,
    pub definition: HookDefinition,
    pub loaded: Arc<LoadedConfig>,
    /// The path of the script, and its digest.
    pub script: Option<(String, String)>,
    /// The result in words: `deny on rm -rf build: exit 2`.
    pub message: String,
    /// The line of the script, counted from 1, at which it decided.
    pub line: Option<u32>,
    pub found: Vec<Diagnostic>,
}

impl LintResult {
    /// Adds what a trial of a hook has shown, without what reading its script has shown already.
    pub fn add_observed(&mut self, observed: &HookObservation) {
        let HookObservation { agent, definition, loaded, .. } = observed;
        let (span, sources) = (definition.provenance.span, &loaded.sources);
        let script = observed.script.as_ref().map(|(path, _)| path.as_str());
        for one in observed.found.iter().filter(|one| one.code.family().is_some()) {
            let is_same = |known: &Finding| known.code == one.code && known.is_about(*agent, definition, script);
            if self.findings.iter().any(is_same) {
                continue;
            }
            let position = |at: usize| sources.position(span.source, at);
            let place = (position(span.start), position(span.end));
            self.findings.push(Finding {
                agent: Some(*agent),
                code: one.code,
                severity: one.severity,
                message: one.message.clone(),
                note: Some("seen in a run of the hook in a copy of the project".to_owned()),
                help: one.help.clone(),
                fix: None,
                cause: one.cause.clone(),
                file: Some(definition.provenance.file.clone()),
                path: Some(sources.path(span.source).to_owned()),
                place: Some(place),
                line: sources.line(span.source, place.0.line).to_owned(),
                hook: Some(finding_hook(definition)),
            });
        }
    }
}
