//! What this agent alone does otherwise than meant: hooks that are switched off by name.

use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Whole;

/// Remarks on everything that was loaded.
pub fn on_all(at: &Whole<'_>) -> Vec<Diagnostic> {
    let list = at.loaded.switches.iter().find(|switch| switch.name == "hooksConfig.disabled");
    let by = list.and_then(|switch| switch.set_by.clone()).unwrap_or_else(|| "the settings".to_owned());
    let off = at.loaded.definitions.iter().filter_map(|d| Some((d, d.refused.as_ref()?)));
    off.filter(|(_, refused)| refused.rule == "config.disabled")
        .map(|(definition, refused)| {
            let says = format!("this hook does not run: {} of {by}", refused.says);
            let help = "take its name out of that list, or enable it with /hooks";
            Diagnostic::info("HW711", says).at(definition.from.span).help(help)
        })
        .collect()
}
