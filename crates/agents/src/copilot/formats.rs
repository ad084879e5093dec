//! The format of hooks in settings files, and of live answers. Written hooks use PascalCase events, because their payloads
//! and their answers are those of other agents.

use std::time::Duration;

use serde_json::Value;

use super::{handlers, layers};
use hookbench_base::config::Place;
use hookbench_base::dialects::live::{
    AnswerShape, DecisionKind as D, HandoffPoint, InputKeys, LiveFormat, SupportedAnswer,
};
use hookbench_base::dialects::plugin_format::PluginFormat;
use hookbench_base::dialects::settings_format::{
    HandlerFormat, PROJECT, SettingsAbove, SettingsFormat, no_max_timeout, no_refusal_reason, runs_everywhere, seconds,
    variable,
};
use hookbench_base::hook::Layer;

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    handlers: &[
        HandlerFormat { kind: "command", required: &["command"], optional: &["cwd", "env"] },
        HandlerFormat { kind: "http", required: &["url"], optional: &["headers"] },
    ],
    group: &[],
    variables: &[variable("COPILOT_PROJECT_DIR", PROJECT), variable("CLAUDE_PROJECT_DIR", PROJECT)],
    settings_above: SettingsAbove::None,
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
    reload_action: Some("restart it"),
    layer_file: file,
    runs_in_order: true,
    plain_handler: handlers::plain,
    runs_on: runs_everywhere,
    refusal_reason: no_refusal_reason,
    default_timeout: |_, _| handlers::DEFAULT_TIMEOUT,
    max_timeout: no_max_timeout,
    timeout: |_, limit| positive_limit(limit),
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(format!("{}/settings.json", layers::user_dir(place))),
        Layer::Project => Some(format!("{}/.github/copilot/settings.json", place.project)),
        Layer::Local => Some(format!("{}/.github/copilot/settings.local.json", place.project)),
        _ => None,
    }
}

/// Seconds with fractions, above zero.
fn positive_limit(limit: Duration) -> (Value, Duration) {
    let limit = limit.max(Duration::from_millis(1));
    (seconds(limit), limit)
}

const ROWS: &[SupportedAnswer] = &[
    ("pre_tool_use", D::Allow, AnswerShape::Permission("allow")),
    ("pre_tool_use", D::Deny, AnswerShape::Permission("deny")),
    ("pre_tool_use", D::Ask, AnswerShape::Permission("ask")),
    ("pre_tool_use", D::Modify, AnswerShape::WholeInput),
    ("pre_tool_use", D::Replace, AnswerShape::Context),
    ("permission_request", D::Allow, AnswerShape::TopBehaviour("allow")),
    ("permission_request", D::Deny, AnswerShape::TopBehaviour("deny")),
    ("post_tool_use", D::Deny, AnswerShape::Word("block")),
    ("post_tool_use", D::Replace, AnswerShape::TopContext),
    ("post_tool_use_failure", D::Replace, AnswerShape::TopContext),
    ("user_prompt_submit", D::Deny, AnswerShape::Word("block")),
    ("user_prompt_submit", D::Replace, AnswerShape::TopContext),
    ("session_start", D::Replace, AnswerShape::TopContext),
    ("subagent_start", D::Replace, AnswerShape::TopContext),
    ("stop", D::Deny, AnswerShape::Word("block")),
    ("subagent_stop", D::Deny, AnswerShape::Word("block")),
];

pub static LIVE_FORMAT: LiveFormat = LiveFormat {
    renames: &[
        ("user_prompt_submit", "UserPromptSubmit"),
        ("user_prompt_submit", "userPromptSubmitted"),
        ("user_prompt_transformed", "userPromptTransformed"),
        ("stop", "Stop"),
        ("stop", "agentStop"),
    ],
    answers: ROWS,
    partially_supported: &[],
    unsafe_events: &[],
    frequent: &[],
    // Nothing is fired after a compaction.
    handoff: HandoffPoint::Prompt,
    input: InputKeys {
        path: &["path", "file_path"],
        command: &["command"],
        content: &["file_text"],
        old: &["old_str"],
        new: &["new_str"],
        patch: None,
    },
    required_text: &[("Bash", "command"), ("Read", "path"), ("Grep", "pattern"), ("Glob", "pattern")],
    project_variables: &["COPILOT_PROJECT_DIR"],
};

/// The plugin form (measured on 1.0.102).
pub static PLUGIN_FORMAT: PluginFormat = PluginFormat {
    manifest: "plugin.json",
    hooks: "hooks/hooks.json",
    skills: "skills",
    others: &[(".github/plugin/marketplace.json", PluginFormat::MARKETPLACE)],
    load: &[
        "copilot --plugin-dir DIR",
        "copilot plugin marketplace add DIR && copilot plugin install hookbench@hookbench",
    ],
    note: None,
};
