//! The format of hooks in Codex's `hooks.json` (spec §2.1). Hooks in `config.toml` run too, so hooks written here
//! are added to them.

use std::time::Duration;

use serde_json::Value;

use super::{discovery, events, layers};
use hookbench_base::config::Place;
use hookbench_base::dialects::settings_format::{HandlerFormat, SettingsFormat, Surface, no_refusal_reason};
use hookbench_base::hook::Layer;
use hookbench_base::text::JsonSyntax;

pub static FORM: SettingsFormat = SettingsFormat {
    handlers: &[
        HandlerFormat {
            kind: "command",
            required: &["command"],
            optional: &["commandWindows", "async", "statusMessage", "additionalContextLimit"],
        },
        HandlerFormat { kind: "mcp_tool", required: &["server", "tool"], optional: &["input", "statusMessage"] },
    ],
    group: &[],
    variables: &[],
    // Hooks run in the directory in which the session started.
    project_expression: Some("PWD"),
    replaces_text: false,
    expands_on_load: false,
    project_hooks_stay: false,
    windows_shell: "cmd",
    trust_variables: &[],
    syntax: JsonSyntax { comments: false, trailing_commas: false, bom: false },
    pattern_dialect: "Rust",
    surfaces: &[Surface {
        name: "Codex Desktop",
        marker_variable: ("CODEX_INTERNAL_ORIGINATOR_OVERRIDE", "Codex Desktop"),
        missing_events: &["SessionStart"],
    }],
    runs_duplicates: true,
    runs_duplicates_across_bundles: true,
    reload_action: Some("start it anew, and review the hooks with /hooks"),
    layer_file: file,
    // `SessionEnd` does not wait for an MCP server.
    runs_on: |kind, event| kind != "mcp_tool" || event != "SessionEnd",
    refusal_reason: no_refusal_reason,
    default_timeout: |_, event| Duration::from_secs(discovery::effective_timeout(event, None)),
    max_timeout: |event| events::is_short(event).then_some(Duration::from_secs(discovery::SHORT_MAX_TIMEOUT)),
    timeout: |_, limit| whole_seconds(limit),
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(format!("{}/hooks.json", layers::user_dir(place))),
        Layer::Project => Some(format!("{}/.codex/hooks.json", place.project)),
        _ => None,
    }
}

/// Rounds up to whole seconds, at least one: a fraction makes the whole file invalid.
fn whole_seconds(limit: Duration) -> (Value, Duration) {
    let whole = limit.as_secs() + u64::from(limit.subsec_nanos() > 0);
    (Value::from(whole.max(1)), Duration::from_secs(whole.max(1)))
}
