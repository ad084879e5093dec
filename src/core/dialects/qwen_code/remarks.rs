//! What this agent alone does otherwise than meant: everything that turns all hooks off.

use serde_json::Value;

use super::switches::OFF;
use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Whole;
use crate::core::text::truthy;

/// Remarks on everything that was loaded.
pub fn on_all(at: &Whole<'_>) -> Vec<Diagnostic> {
    let hooks = at.loaded.definitions.len();
    if hooks == 0 || !at.loaded.settings.contains_key(OFF) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for switch in &at.loaded.switches {
        let (code, help) = match switch.name.as_str() {
            "disableAllHooks" if truthy(&switch.value) => ("HW701", "take the key away"),
            "QWEN_CODE_SAFE_MODE" | "QWEN_CODE_SIMPLE" if on(&switch.value) => ("HW712", "unset the variable"),
            _ => continue,
        };
        let by = switch.set_by.as_deref().unwrap_or("the settings");
        let count = format!("{hooks} hook{}", if hooks == 1 { "" } else { "s" });
        let says = match code {
            "HW712" => format!("{count} will not run: the variable {by} is set, so no hooks of files run"),
            _ => format!("{count} will not run: `{}` is set in {by}", switch.name),
        };
        let mut one = Diagnostic::error(code, says).help(help);
        one.span = switch.span;
        found.push(one);
    }
    found
}

/// `1`, `true`, `yes`, `on`.
fn on(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(text.as_str(), "1" | "true" | "yes" | "on")
}
