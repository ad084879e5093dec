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
    HandlerFormat, PLANS, PROJECT, SettingsAbove, SettingsFormat, no_max_timeout, no_refusal_reason, runs_everywhere,
    same_handler, variable,
};
use hookbench_base::hook::Layer;

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    handlers: &[HandlerFormat { kind: "command", required: &["command"], optional: &["name", "description", "env"] }],
    group: &["sequential"],
    variables: &[
        variable("GEMINI_PROJECT_DIR", PROJECT),
        variable("CLAUDE_PROJECT_DIR", PROJECT),
        variable("GEMINI_CWD", PROJECT),
        variable("GEMINI_SESSION_ID", "the id of the session"),
        variable("GEMINI_PLANS_DIR", PLANS),
    ],
    settings_above: SettingsAbove::None,
    event_directory_moves: false,
    replaces_text: true,
    expands_on_load: true,
    project_hooks_stay: true,
    windows_shell: "PowerShell",
    syntax: layers::SETTINGS,
    pattern_dialect: "JavaScript",
    surfaces: &[],
    runs_duplicates: false,
    runs_duplicates_across_bundles: false,
    reload_action: Some("restart it"),
    layer_file: file,
    runs_in_order: false,
    plain_handler: same_handler,
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

const ROWS: &[SupportedAnswer] = &[
    ("pre_tool_use", D::Allow, AnswerShape::BareWord("allow")),
    ("pre_tool_use", D::Deny, AnswerShape::Word("deny")),
    ("pre_tool_use", D::Ask, AnswerShape::BareWord("ask")),
    ("pre_tool_use", D::Modify, AnswerShape::MergedInput),
    ("pre_tool_use", D::Halt, AnswerShape::Halt),
    ("post_tool_use", D::Deny, AnswerShape::Word("deny")),
    ("post_tool_use", D::Replace, AnswerShape::Context),
    ("post_tool_use", D::Halt, AnswerShape::Halt),
    ("user_prompt_submit", D::Deny, AnswerShape::Word("deny")),
    ("user_prompt_submit", D::Replace, AnswerShape::Context),
    ("session_start", D::Replace, AnswerShape::Context),
    ("stop", D::Deny, AnswerShape::Word("deny")),
    ("stop", D::Halt, AnswerShape::Halt),
];

pub static LIVE_FORMAT: LiveFormat = LiveFormat {
    renames: &[
        ("pre_tool_use", "BeforeTool"),
        ("post_tool_use", "AfterTool"),
        ("user_prompt_submit", "BeforeAgent"),
        ("stop", "AfterAgent"),
        ("pre_compact", "PreCompress"),
    ],
    answers: ROWS,
    // The agent's own rules still decide whether to ask the user.
    partially_supported: &[("pre_tool_use", D::Allow)],
    unsafe_events: &[],
    frequent: &["BeforeModel", "AfterModel", "BeforeToolSelection"],
    handoff: HandoffPoint::Prompt,
    input: InputKeys {
        path: &["file_path", "dir_path", "path"],
        command: &["command"],
        content: &["content"],
        old: &["old_string"],
        new: &["new_string"],
        patch: None,
    },
    required_text: &[],
    project_variables: &["GEMINI_PROJECT_DIR"],
};

/// The plugin form.
pub static PLUGIN_FORMAT: PluginFormat = PluginFormat {
    manifest: "gemini-extension.json",
    hooks: "hooks/hooks.json",
    skills: "skills",
    others: &[],
    load: &["gemini extensions link DIR"],
    note: None,
};
