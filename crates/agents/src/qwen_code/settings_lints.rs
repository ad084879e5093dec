//! Reports surprises specific to this agent: switches that disable all hooks, and a settings file that the agent
//! rewrites.

use serde_json::Value;

use super::switches::OFF;
use hookbench_base::config::LayerState;
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::dialects::AgentContext;
use hookbench_base::hook::Layer;
use hookbench_base::text::{JsonSyntax, parse_json, truthy};

/// Checks everything that was loaded.
pub fn check_all(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = check_rewritten(at).into_iter().collect();
    let hooks = at.loaded.definitions.len();
    if hooks == 0 || !at.loaded.settings.contains_key(OFF) {
        return found;
    }
    for switch in &at.loaded.switches {
        let (code, help) = match switch.name.as_str() {
            "disableAllHooks" if truthy(&switch.value) => ("HW701", "delete the key"),
            "QWEN_CODE_SAFE_MODE" | "QWEN_CODE_SIMPLE" if is_on(&switch.value) => ("HW712", "unset the variable"),
            _ => continue,
        };
        let by = switch.set_by.as_deref().unwrap_or("the settings");
        let count = format!("{hooks} hook{}", if hooks == 1 { "" } else { "s" });
        let says = match code {
            "HW712" => format!("{count} will not run: the variable {by} is set, so no hooks of files run"),
            _ => format!("{count} will not run: `{}` is set in {by}", switch.name),
        };
        let mut one = Diagnostic::error(code, says).with_help(help);
        one.span = switch.span;
        found.push(one);
    }
    found
}

/// Reports project settings without a version number, which the agent will add (HW112). Reported only if git
/// tracks the file, where the change shows until it is committed.
fn check_rewritten(at: &AgentContext<'_>) -> Option<Diagnostic> {
    let tracked = at.machine.tracked.as_ref()?;
    let mut project = at.loaded.layers.iter().filter(|l| l.layer == Layer::Project && l.state == LayerState::Read);
    let file = project.find(|layer| tracked.contains(&layer.path))?;
    let source = at.loaded.sources.by_path(&file.path)?;
    let syntax = JsonSyntax { bom: true, ..at.dialect.settings_format().syntax };
    let root = parse_json(source, at.loaded.sources.text(source), syntax).ok()?;
    if root.get("$version").is_some() {
        return None;
    }
    let says = "the agent rewrites this file when it starts: it adds \"$version\": 4, and git shows a change";
    Some(Diagnostic::info("HW112", says).in_file(file.file.clone()).with_help("commit the file after the first start"))
}

/// Returns whether a value is `1`, `true`, `yes` or `on`.
fn is_on(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(text.as_str(), "1" | "true" | "yes" | "on")
}
