//! The format of hooks in settings files, and of live answers.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{http, layers, plan, timeout};
use hookbench_base::config::Place;
use hookbench_base::dialects::live::{
    AnswerShape, DecisionKind as D, HandoffPoint, InputKeys, LiveFormat, SupportedAnswer,
};
use hookbench_base::dialects::plugin_format::PluginFormat;
use hookbench_base::dialects::settings_format::{
    HandlerFormat, PROJECT, SettingsAbove, SettingsFormat, runs_everywhere, same_handler, seconds, variable,
};
use hookbench_base::hook::Layer;

/// From this number on, a timeout is read as milliseconds.
const FIRST_MILLISECONDS: u64 = 1000;

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    handlers: &[
        HandlerFormat {
            kind: "command",
            required: &["command"],
            optional: &["name", "description", "statusMessage", "env", "shell", "async"],
        },
        HandlerFormat {
            kind: "http",
            required: &["url"],
            optional: &["name", "description", "statusMessage", "headers", "allowedEnvVars", "once"],
        },
        HandlerFormat {
            kind: "prompt",
            required: &["prompt"],
            optional: &["name", "description", "statusMessage", "model"],
        },
    ],
    group: &["sequential"],
    variables: &[
        variable("QWEN_PROJECT_DIR", PROJECT),
        variable("CLAUDE_PROJECT_DIR", PROJECT),
        variable("GEMINI_PROJECT_DIR", PROJECT),
        variable("QWEN_CODE_PROJECT_DIR", PROJECT),
        variable("QWEN_CODE_SESSION_ID", "the id of the session"),
        variable("QWEN_CODE_MODEL", "the model"),
        variable("QWEN_CODE_AGENT_ID", "the id of the sub-agent"),
        variable("QWEN_CODE_PROMPT_ID", "the id of the prompt"),
    ],
    settings_above: SettingsAbove::None,
    event_directory_moves: false,
    replaces_text: false,
    expands_on_load: true,
    project_hooks_stay: true,
    windows_shell: "cmd",
    syntax: layers::SETTINGS,
    pattern_dialect: "JavaScript",
    surfaces: &[],
    runs_duplicates: false,
    runs_duplicates_across_bundles: false,
    reload_action: Some("open /hooks in it, or restart it"),
    layer_file: file,
    runs_in_order: false,
    plain_handler: same_handler,
    runs_on: runs_everywhere,
    refusal_reason: refuses,
    default_timeout,
    max_timeout: plan::budget,
    timeout: write_timeout,
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(format!("{}/settings.json", layers::user_dir(place))),
        Layer::Project => Some(layers::NAMES.project_path(place)),
        _ => None,
    }
}

/// Refuses addresses of private networks, which only the user's own settings can allow.
fn refuses(handler: &Map<String, Value>) -> Option<String> {
    http::refusal(handler.get("url")?.as_str()?, &[], false)
}

fn default_timeout(kind: &str, _event: &str) -> Duration {
    match kind {
        "http" => timeout::HTTP,
        "prompt" => timeout::PROMPT,
        _ => timeout::COMMAND,
    }
}

/// Returns the value to write, and the timeout that the agent reads from it: seconds, or milliseconds for a
/// command of 1000 seconds or more, because the agent reads such numbers as milliseconds.
fn write_timeout(kind: &str, limit: Duration) -> (Value, Duration) {
    if kind == "command" && limit.as_secs() >= FIRST_MILLISECONDS {
        let milliseconds = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let value = Value::from(milliseconds);
        let (read, _) = timeout::command(super::version_behaviour::TimeoutUnit::SecondsOrLegacy, Some(&value));
        return (value, read);
    }
    (seconds(limit), limit)
}

const ROWS: &[SupportedAnswer] = &[
    ("pre_tool_use", D::Allow, AnswerShape::ReasonedPermission("allow")),
    ("pre_tool_use", D::Deny, AnswerShape::ReasonedPermission("deny")),
    // Without a user to ask, an ask becomes a denial.
    ("pre_tool_use", D::Ask, AnswerShape::ReasonedPermission("ask")),
    ("pre_tool_use", D::Modify, AnswerShape::WholeInput),
    ("pre_tool_use", D::Replace, AnswerShape::Context),
    ("pre_tool_use", D::Halt, AnswerShape::HaltAndDeny),
    ("permission_request", D::Allow, AnswerShape::Behaviour("allow")),
    ("permission_request", D::Deny, AnswerShape::Behaviour("deny")),
    ("permission_request", D::Modify, AnswerShape::Behaviour("allow")),
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
    ("pre_compact", D::Replace, AnswerShape::Context),
    ("todo_created", D::Deny, AnswerShape::Word("block")),
    ("todo_completed", D::Deny, AnswerShape::Word("block")),
    ("post_tool_batch", D::Deny, AnswerShape::Word("block")),
    ("post_tool_batch", D::Replace, AnswerShape::Context),
    ("user_prompt_expansion", D::Deny, AnswerShape::Word("block")),
    ("user_prompt_expansion", D::Replace, AnswerShape::Context),
];

pub static LIVE_FORMAT: LiveFormat = LiveFormat {
    renames: &[],
    answers: ROWS,
    // On PreToolUse, allow does nothing because permission was already granted, and a changed input or an added
    // context is dropped. On PostToolUse `decision` is ignored.
    partially_supported: &[
        ("pre_tool_use", D::Allow),
        ("pre_tool_use", D::Modify),
        ("pre_tool_use", D::Replace),
        ("post_tool_use", D::Deny),
    ],
    unsafe_events: &[],
    frequent: &["MessageDisplay"],
    handoff: HandoffPoint::Compaction,
    input: InputKeys {
        path: &["file_path", "notebook_path", "path"],
        command: &["command"],
        content: &["content", "new_source"],
        old: &["old_string"],
        new: &["new_string"],
        patch: None,
    },
    required_text: &[],
    project_variables: &["QWEN_PROJECT_DIR"],
};

/// The plugin form.
pub static PLUGIN_FORMAT: PluginFormat = PluginFormat {
    manifest: "qwen-extension.json",
    hooks: "hooks/hooks.json",
    skills: "skills",
    others: &[],
    load: &["qwen extensions link DIR"],
    note: None,
};
