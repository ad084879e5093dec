//! The format of hooks in settings files, and of live answers. An unknown key makes a live answer invalid. Hooks in
//! `config.toml` run too, so hooks written to `hooks.json` are added to them.

use std::time::Duration;

use serde_json::Value;

use super::{discovery, events, layers};
use hookbench_base::config::Place;
use hookbench_base::dialects::live::{
    AnswerShape, DecisionKind as D, HandoffPoint, InputKeys, LiveFormat, SupportedAnswer,
};
use hookbench_base::dialects::plugin_format::PluginFormat;
use hookbench_base::dialects::settings_format::{
    HandlerFormat, SettingsAbove, SettingsFormat, Surface, no_refusal_reason, same_handler,
};
use hookbench_base::hook::Layer;
use hookbench_base::text::JsonSyntax;

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
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
    settings_above: SettingsAbove::UpToRoot,
    // A tool call can name another directory; hooks run in that of the session.
    event_directory_moves: true,
    replaces_text: false,
    expands_on_load: false,
    project_hooks_stay: false,
    windows_shell: "cmd",
    syntax: JsonSyntax { comments: false, trailing_commas: false, bom: false },
    pattern_dialect: "Rust",
    surfaces: &[Surface {
        name: "Codex Desktop",
        marker_variable: ("CODEX_INTERNAL_ORIGINATOR_OVERRIDE", "Codex Desktop"),
        missing_events: &["SessionStart"],
    }],
    runs_duplicates: true,
    runs_duplicates_across_bundles: true,
    reload_action: Some("restart it, and review the hooks with /hooks"),
    layer_file: file,
    // `SessionEnd` does not wait for an MCP server.
    runs_in_order: false,
    plain_handler: same_handler,
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

const ROWS: &[SupportedAnswer] = &[
    // A bare allow, an ask and `continue: false` are all invalid, so a halt becomes a deny.
    ("pre_tool_use", D::Deny, AnswerShape::ReasonedPermission("deny")),
    ("pre_tool_use", D::Modify, AnswerShape::WholeInput),
    ("pre_tool_use", D::Replace, AnswerShape::Context),
    ("pre_tool_use", D::Halt, AnswerShape::ReasonedPermission("deny")),
    // A changed input makes Codex fail closed.
    ("permission_request", D::Allow, AnswerShape::Behaviour("allow")),
    ("permission_request", D::Deny, AnswerShape::Behaviour("deny")),
    ("post_tool_use", D::Deny, AnswerShape::Word("block")),
    ("post_tool_use", D::Replace, AnswerShape::Context),
    ("post_tool_use", D::Halt, AnswerShape::Halt),
    ("user_prompt_submit", D::Deny, AnswerShape::Word("block")),
    ("user_prompt_submit", D::Replace, AnswerShape::Context),
    ("session_start", D::Replace, AnswerShape::Context),
    ("subagent_start", D::Replace, AnswerShape::Context),
    ("stop", D::Deny, AnswerShape::Word("block")),
    ("stop", D::Halt, AnswerShape::Halt),
    ("subagent_stop", D::Deny, AnswerShape::Word("block")),
    ("subagent_stop", D::Halt, AnswerShape::Halt),
];

pub static LIVE_FORMAT: LiveFormat = LiveFormat {
    renames: &[],
    answers: ROWS,
    // The reason replaces the result, and the turn continues.
    partially_supported: &[("post_tool_use", D::Halt)],
    unsafe_events: &[],
    // Fired around every request to the model.
    frequent: &["PreModelRequest", "PostModelRequest"],
    handoff: HandoffPoint::SessionStart,
    input: InputKeys {
        path: &["path"],
        command: &["command"],
        content: &[],
        old: &[],
        new: &[],
        patch: Some(("apply_patch", "command")),
    },
    // These tools ignore other keys; every other tool receives the whole object.
    required_text: &[("Bash", "command"), ("apply_patch", "command")],
    project_variables: &[],
};

/// The plugin form.
pub static PLUGIN_FORMAT: PluginFormat = PluginFormat {
    manifest: ".codex-plugin/plugin.json",
    hooks: "hooks/hooks.json",
    skills: "skills",
    others: &[(".agents/plugins/marketplace.json", PluginFormat::MARKETPLACE)],
    load: &["codex plugin marketplace add DIR && codex plugin add hookbench@hookbench"],
    note: Some("Codex runs these hooks after you review them: open /hooks in Codex."),
};
