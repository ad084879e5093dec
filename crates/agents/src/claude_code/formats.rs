//! The format of hooks in settings files, and of live answers.

use std::time::Duration;

use super::layer_reader::config_dir;
use hookbench_base::config::Place;
use hookbench_base::dialects::live::{
    AnswerShape, DecisionKind as D, HandoffPoint, InputKeys, LiveFormat, SupportedAnswer,
};
use hookbench_base::dialects::plugin_format::PluginFormat;
use hookbench_base::dialects::settings_format::{
    HandlerFormat, PLUGIN, PROJECT, SettingsAbove, SettingsFormat, Surface, no_refusal_reason, same_handler, seconds,
    variable,
};
use hookbench_base::hook::Layer;
use hookbench_base::text::JsonSyntax;

/// The time budget that all SessionEnd hooks share by default, and its maximum.
pub const SESSION_END_LIMITS: [Duration; 2] = [Duration::from_millis(1500), Duration::from_secs(60)];

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    handlers: &[
        HandlerFormat {
            kind: "command",
            required: &["command"],
            optional: &["args", "shell", "async", "asyncRewake", "onFailure", "if", "statusMessage"],
        },
        HandlerFormat {
            kind: "http",
            required: &["url"],
            optional: &["headers", "allowedEnvVars", "onFailure", "if", "statusMessage"],
        },
        HandlerFormat {
            kind: "mcp_tool",
            required: &["server", "tool"],
            optional: &["input", "onFailure", "if", "statusMessage"],
        },
        HandlerFormat {
            kind: "prompt",
            required: &["prompt"],
            optional: &["model", "continueOnBlock", "if", "statusMessage"],
        },
        HandlerFormat { kind: "agent", required: &["prompt"], optional: &["model", "if", "statusMessage"] },
    ],
    group: &[],
    variables: &[
        variable("CLAUDE_PROJECT_DIR", PROJECT),
        variable("CLAUDE_CODE_SESSION_ID", "the id of the session"),
        variable("CLAUDE_ENV_FILE", "a file of variables for later commands"),
        variable("CLAUDE_PLUGIN_ROOT", PLUGIN),
        variable("CLAUDE_PLUGIN_DATA", "the data of a plugin"),
        variable("CLAUDE_EFFORT", "the effort of the model"),
        variable("CLAUDECODE", "who runs the hook"),
        variable("CLAUDE_CODE_ENTRYPOINT", "how the agent was started"),
        variable("CLAUDE_CODE_REMOTE", "whether it is a web session"),
        variable("CLAUDE_PID", "the agent's process"),
    ],
    settings_above: SettingsAbove::None,
    event_directory_moves: true,
    replaces_text: false,
    expands_on_load: false,
    project_hooks_stay: false,
    windows_shell: "Git Bash",
    syntax: JsonSyntax { comments: false, trailing_commas: false, bom: true },
    pattern_dialect: "JavaScript",
    surfaces: &[Surface {
        name: "the VS Code extension",
        marker_variable: ("CLAUDE_CODE_ENTRYPOINT", "claude-vscode"),
        missing_events: &["Notification"],
    }],
    runs_duplicates: false,
    runs_duplicates_across_bundles: true,
    reload_action: None,
    layer_file: file,
    runs_in_order: false,
    plain_handler: same_handler,
    runs_on: runs,
    refusal_reason: no_refusal_reason,
    default_timeout,
    max_timeout: longest,
    timeout: |_, limit| (seconds(limit), limit),
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(format!("{}/settings.json", config_dir(place))),
        Layer::Project => Some(format!("{}/.claude/settings.json", place.project)),
        Layer::Local => Some(format!("{}/.claude/settings.local.json", place.project)),
        _ => None,
    }
}

/// Events with a decision, on which prompt and agent hooks run (spec §9.3).
const MODEL_EVENTS: [&str; 13] = [
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "Stop",
    "SubagentStop",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
];

fn runs(kind: &str, event: &str) -> bool {
    match kind {
        "http" => !matches!(event, "SessionStart" | "Setup"),
        "prompt" | "agent" => MODEL_EVENTS.contains(&event),
        _ => true,
    }
}

fn default_timeout(kind: &str, event: &str) -> Duration {
    if event == "SessionEnd" {
        return SESSION_END_LIMITS[0];
    }
    Duration::from_secs(match (kind, event) {
        ("agent", _) => 60,
        ("prompt", _) | (_, "UserPromptSubmit" | "PreModelSwitch" | "PostModelSwitch") => 30,
        (_, "MessageDisplay") => 10,
        _ => 600,
    })
}

fn longest(event: &str) -> Option<Duration> {
    (event == "SessionEnd").then_some(SESSION_END_LIMITS[1])
}

const ROWS: &[SupportedAnswer] = &[
    ("pre_tool_use", D::Allow, AnswerShape::Permission("allow")),
    ("pre_tool_use", D::Deny, AnswerShape::ReasonedPermission("deny")),
    ("pre_skill_shell_command", D::Deny, AnswerShape::ReasonedPermission("deny")),
    ("pre_tool_use", D::Ask, AnswerShape::Permission("ask")),
    ("pre_tool_use", D::Modify, AnswerShape::WholeInput),
    ("pre_tool_use", D::Replace, AnswerShape::Context),
    ("pre_tool_use", D::Halt, AnswerShape::Halt),
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
    ("stop", D::Replace, AnswerShape::Context),
    ("stop", D::Halt, AnswerShape::Halt),
    ("subagent_stop", D::Deny, AnswerShape::Word("block")),
    ("subagent_stop", D::Replace, AnswerShape::Context),
    ("subagent_stop", D::Halt, AnswerShape::Halt),
    ("pre_compact", D::Deny, AnswerShape::Word("block")),
    ("post_tool_batch", D::Deny, AnswerShape::Word("block")),
    ("post_tool_batch", D::Replace, AnswerShape::Context),
    ("user_prompt_expansion", D::Deny, AnswerShape::Word("block")),
    ("user_prompt_expansion", D::Replace, AnswerShape::Context),
];

pub static LIVE_FORMAT: LiveFormat = LiveFormat {
    renames: &[],
    answers: ROWS,
    partially_supported: &[],
    // The agent takes the stdout of this event as the path of the new worktree, so `{}` would create one.
    unsafe_events: &["WorktreeCreate"],
    frequent: &["MessageDisplay", "FileChanged"],
    handoff: HandoffPoint::SessionStart,
    input: InputKeys {
        path: &["file_path", "notebook_path", "path"],
        command: &["command"],
        content: &["content", "new_source"],
        old: &["old_string"],
        new: &["new_string"],
        patch: None,
    },
    required_text: &[],
    project_variables: &["CLAUDE_PROJECT_DIR"],
};

/// The plugin form.
pub static PLUGIN_FORMAT: PluginFormat = PluginFormat {
    manifest: ".claude-plugin/plugin.json",
    hooks: "hooks/hooks.json",
    skills: "skills",
    others: &[(".claude-plugin/marketplace.json", PluginFormat::MARKETPLACE)],
    load: &[
        "claude --plugin-dir DIR",
        "claude plugin marketplace add DIR && claude plugin install hookbench@hookbench",
    ],
    note: None,
};

#[cfg(test)]
mod tests {
    use super::super::config;
    use super::*;
    use hookbench_base::hook::{AgentHandler, CommandHandler, Handler, PromptHandler};

    #[test]
    fn defaults_are_those_of_the_reader() {
        for handler in [
            Handler::Command(CommandHandler::default()),
            Handler::Prompt(PromptHandler::default()),
            Handler::Agent(AgentHandler::default()),
        ] {
            for event in ["PreToolUse", "UserPromptSubmit", "MessageDisplay", "Stop", "PreModelSwitch"] {
                let read = config::default_timeout(event, &handler);
                assert_eq!(default_timeout(handler.kind(), event), read, "{event} {}", handler.kind());
            }
        }
    }
}
