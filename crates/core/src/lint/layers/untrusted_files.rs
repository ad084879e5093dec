//! HW703: settings files in a directory that the agent does not trust.

use crate::config::{LayerState, LoadedConfig, Place};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::{Agent, AgentContext};

pub(super) fn check(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    untrusted_files(at.dialect, at.place, at.loaded)
}

/// The findings about settings files that wait for trust, also for outputs other than a lint.
pub fn untrusted_files(dialect: &Agent, place: &Place, loaded: &LoadedConfig) -> Vec<Diagnostic> {
    // Some readers do not read such files at all and report this themselves.
    if loaded.notes.iter().any(|note| note.code == Code::HW703) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for layer in loaded.layers.iter().filter(|layer| layer.state == LayerState::Untrusted) {
        let hooks: Vec<_> = loaded.definitions.iter().filter(|d| d.provenance.file == layer.file).collect();
        let Some(first) = hooks.first() else { continue };
        let why = first.rejection.as_ref().map(|refused| refused.message.clone()).or_else(|| layer.message.clone());
        let count = hooks.len();
        let says = format!(
            "{count} hook{} of this file {} not run: {}",
            if count == 1 { "" } else { "s" },
            if count == 1 { "does" } else { "do" },
            why.unwrap_or_else(|| "the directory is not trusted".to_owned())
        );
        let help = format!("start {} in this directory and trust it", dialect.name());
        found.push(Diagnostic::new(Code::HW703, says).at(first.provenance.span).with_help(help));
    }
    loaded.settle_missing_trust(place, dialect.name(), &mut found);
    found
}
