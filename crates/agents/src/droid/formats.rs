//! The format of hooks in settings files, and of live answers.

use std::time::Duration;

use serde_json::Value;

use super::{layers, timeout};
use hookbench_base::config::Place;
use hookbench_base::dialects::live::{
    AnswerShape, DecisionKind as D, HandoffPoint, InputKeys, LiveFormat, SupportedAnswer,
};
use hookbench_base::dialects::plugin_format::PluginFormat;
use hookbench_base::dialects::settings_format::{
    HandlerFormat, PROJECT, SettingsAbove, SettingsFormat, no_max_timeout, no_refusal_reason, runs_everywhere,
    same_handler, seconds, variable,
};
use hookbench_base::hook::Layer;

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    handlers: &[HandlerFormat { kind: "command", required: &["command"], optional: &[] }],
    group: &[],
    variables: &[
        variable("FACTORY_PROJECT_DIR", PROJECT),
        variable("DROID_PROJECT_DIR", PROJECT),
        variable("CLAUDE_PROJECT_DIR", PROJECT),
    ],
    settings_above: SettingsAbove::Root,
    event_directory_moves: false,
    replaces_text: false,
    expands_on_load: false,
    project_hooks_stay: false,
    windows_shell: "PowerShell",
    syntax: layers::SYNTAX,
    pattern_dialect: "JavaScript",
    surfaces: &[],
    runs_duplicates: true,
    runs_duplicates_across_bundles: true,
    runs_in_order: false,
    plain_handler: same_handler,
    reload_action: Some("restart it"),
    layer_file: file,
    runs_on: runs_everywhere,
    refusal_reason: no_refusal_reason,
    default_timeout: |_, _| timeout::DEFAULT,
    max_timeout: no_max_timeout,
    timeout: |_, limit| whole_limit(limit),
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    layers::layer_dir(place, layer).map(|directory| format!("{directory}/{}", layers::SETTINGS))
}

/// Seconds with fractions; at least a millisecond, because zero means no limit.
fn whole_limit(limit: Duration) -> (Value, Duration) {
    let value = seconds(limit.max(Duration::from_millis(1)));
    let read = timeout::limit(Some(&value)).unwrap_or(limit);
    (value, read)
}

const ROWS: &[SupportedAnswer] = &[
    // Without a terminal, ask runs the tool, so it is not offered.
    ("pre_tool_use", D::Allow, AnswerShape::Permission("allow")),
    ("pre_tool_use", D::Deny, AnswerShape::Permission("deny")),
    ("pre_tool_use", D::Modify, AnswerShape::WholeInput),
    ("pre_tool_use", D::Halt, AnswerShape::Halt),
    ("post_tool_use", D::Replace, AnswerShape::Context),
    ("post_tool_use", D::Halt, AnswerShape::Halt),
    ("session_start", D::Replace, AnswerShape::Context),
    ("stop", D::Deny, AnswerShape::Word("block")),
];

pub static LIVE_FORMAT: LiveFormat = LiveFormat {
    renames: &[],
    answers: ROWS,
    partially_supported: &[],
    unsafe_events: &[],
    frequent: &[],
    handoff: HandoffPoint::SessionStart,
    input: InputKeys {
        path: &["file_path", "directory_path", "folder", "path"],
        command: &["command"],
        content: &["content"],
        old: &["old_str"],
        new: &["new_str"],
        patch: Some(("ApplyPatch", "input")),
    },
    required_text: &[("Execute", "command")],
    project_variables: &["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"],
};

/// The plugin form (measured on 0.225.2). The agent calls a marketplace by the name of its directory.
pub static PLUGIN_FORMAT: PluginFormat = PluginFormat {
    manifest: ".factory-plugin/plugin.json",
    hooks: "hooks/hooks.json",
    skills: "skills",
    others: &[(".factory-plugin/marketplace.json", PluginFormat::MARKETPLACE)],
    load: &["droid plugin marketplace add DIR && droid plugin install hookbench@BASE"],
    note: None,
};
