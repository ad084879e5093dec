//! HW703: settings files in a folder that the agent does not trust.

use crate::config::LayerState;
use crate::diagnostic::Diagnostic;
use crate::dialects::Whole;

pub(super) fn look(at: &Whole<'_>) -> Vec<Diagnostic> {
    // Some readers do not read such files at all and report this themselves.
    if at.loaded.notes.iter().any(|note| note.code == "HW703") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for layer in at.loaded.layers.iter().filter(|layer| layer.state == LayerState::Untrusted) {
        let hooks: Vec<_> = at.loaded.definitions.iter().filter(|d| d.from.file == layer.file).collect();
        let Some(first) = hooks.first() else { continue };
        let why = first.refused.as_ref().map(|refused| refused.says.clone()).or_else(|| layer.says.clone());
        let count = hooks.len();
        let says = format!(
            "{count} hook{} of this file {} not run: {}",
            if count == 1 { "" } else { "s" },
            if count == 1 { "does" } else { "do" },
            why.unwrap_or_else(|| "the folder is not trusted".to_owned())
        );
        let help = format!("start {} in this folder and trust it", at.dialect.name());
        found.push(Diagnostic::error("HW703", says).at(first.from.span).help(help));
    }
    found
}
