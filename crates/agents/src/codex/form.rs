//! The format of hooks in Codex's `hooks.json` (spec §2.1). Hooks in `config.toml` run too, so hooks written here
//! are added to them.

use std::time::Duration;

use serde_json::Value;

use super::{discovery, events, layers};
use hookbench_base::config::Place;
use hookbench_base::dialects::form::{HandlerForm, SettingsForm, Surface, refuses_nothing};
use hookbench_base::hook::Layer;
use hookbench_base::text::Syntax;

pub static FORM: SettingsForm = SettingsForm {
    handlers: &[
        HandlerForm {
            kind: "command",
            needs: &["command"],
            may: &["commandWindows", "async", "statusMessage", "additionalContextLimit"],
        },
        HandlerForm { kind: "mcp_tool", needs: &["server", "tool"], may: &["input", "statusMessage"] },
    ],
    group: &[],
    variables: &[],
    // Hooks run in the directory in which the session started.
    project_word: Some("PWD"),
    replaces_text: false,
    expands_on_load: false,
    project_hooks_stay: false,
    windows_shell: "cmd",
    trusting: &[],
    syntax: Syntax { comments: false, trailing_commas: false, bom: false },
    patterns: "Rust",
    surfaces: &[Surface {
        name: "Codex Desktop",
        sign: ("CODEX_INTERNAL_ORIGINATOR_OVERRIDE", "Codex Desktop"),
        silent: &["SessionStart"],
    }],
    repeats: true,
    repeats_across_bundles: true,
    reads_once: Some("start it anew, and review the hooks with /hooks"),
    file,
    // `SessionEnd` does not wait for an MCP server.
    runs: |kind, event| kind != "mcp_tool" || event != "SessionEnd",
    refuses: refuses_nothing,
    default_timeout: |_, event| Duration::from_secs(discovery::seconds(event, None)),
    longest: |event| events::is_short(event).then_some(Duration::from_secs(discovery::LONGEST_SHORT)),
    timeout: |_, limit| whole_seconds(limit),
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(format!("{}/hooks.json", layers::home(place))),
        Layer::Project => Some(format!("{}/.codex/hooks.json", place.project)),
        _ => None,
    }
}

/// Rounds up to whole seconds, at least one: a fraction makes the whole file invalid.
fn whole_seconds(limit: Duration) -> (Value, Duration) {
    let whole = limit.as_secs() + u64::from(limit.subsec_nanos() > 0);
    (Value::from(whole.max(1)), Duration::from_secs(whole.max(1)))
}
