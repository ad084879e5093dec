//! The format of hooks in settings files, and of live answers.

use std::time::Duration;

use super::layer_reader::config_dir;
use crate::kernel::formats::agent_formats;
use hookbench_base::config::Place;
use hookbench_base::dialects::settings_format::SettingsFormat;
use hookbench_base::hook::Layer;
use hookbench_base::text::JsonSyntax;

/// The time budget that all SessionEnd hooks share by default, and its maximum.
pub const SESSION_END_LIMITS: [Duration; 2] = [Duration::from_millis(1500), Duration::from_secs(60)];

agent_formats!("claude_code");

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    syntax: JsonSyntax { comments: false, trailing_commas: false, bom: true },
    layer_file: file,
    runs_on: runs,
    default_timeout,
    max_timeout: longest,
    ..FORMATS.settings
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
