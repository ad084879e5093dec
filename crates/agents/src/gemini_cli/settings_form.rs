//! The format of hooks in Gemini CLI's settings (spec §1.2, §5).

use std::time::Duration;

use serde_json::Value;

use super::{layers, timeout};
use hookbench_base::config::Place;
use hookbench_base::dialects::settings_format::{
    HandlerFormat, PROJECT, SettingsFormat, no_max_timeout, no_refusal_reason, runs_everywhere, variable,
};
use hookbench_base::hook::Layer;

pub static FORM: SettingsFormat = SettingsFormat {
    handlers: &[HandlerFormat { kind: "command", required: &["command"], optional: &["name", "description", "env"] }],
    group: &["sequential"],
    variables: &[
        variable("GEMINI_PROJECT_DIR", PROJECT),
        variable("CLAUDE_PROJECT_DIR", PROJECT),
        variable("GEMINI_CWD", PROJECT),
        variable("GEMINI_SESSION_ID", "the id of the session"),
        variable("GEMINI_PLANS_DIR", "the folder of plans"),
    ],
    project_expression: None,
    replaces_text: true,
    expands_on_load: true,
    project_hooks_stay: true,
    windows_shell: "PowerShell",
    trust_variables: &[("GEMINI_CLI_TRUST_WORKSPACE", "true")],
    syntax: layers::SETTINGS,
    pattern_dialect: "JavaScript",
    surfaces: &[],
    runs_duplicates: false,
    runs_duplicates_across_bundles: false,
    reload_action: Some("start it anew"),
    layer_file: file,
    runs_on: runs_everywhere,
    refusal_reason: no_refusal_reason,
    default_timeout: |_, _| timeout::DEFAULT,
    max_timeout: no_max_timeout,
    timeout: |_, limit| milliseconds(limit),
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(format!("{}/settings.json", layers::user_dir(place))),
        Layer::Project => Some(layers::NAMES.project_path(place)),
        _ => None,
    }
}

/// Clamps to whole milliseconds within the range of a Node.js timer.
fn milliseconds(limit: Duration) -> (Value, Duration) {
    let whole = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).clamp(1, 2_147_483_647);
    let value = Value::from(whole);
    let read = timeout::limit(Some(&value)).0;
    (value, read)
}
