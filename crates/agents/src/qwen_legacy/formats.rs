//! The format of `claudeHooks`, and empty formats for a program that was never released.

use std::time::Duration;

use super::{entries, layers};
use hookbench_base::config::Place;
use hookbench_base::debug_log::DebugLogFormat;
use hookbench_base::dialects::headless::{HeadlessFormat, ModelInterface};
use hookbench_base::dialects::live::{HandoffPoint, InputKeys, LiveFormat};
use hookbench_base::dialects::settings_format::{
    HandlerFormat, SettingsAbove, SettingsFormat, no_max_timeout, no_refusal_reason, runs_everywhere, same_handler,
    seconds,
};
use hookbench_base::dialects::verification::VerificationFormat;
use hookbench_base::hook::Layer;

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    handlers: &[HandlerFormat {
        kind: "command",
        required: &["command"],
        optional: &["args", "priority", "critical", "enabled", "name", "description"],
    }],
    group: &[],
    variables: &[],
    settings_above: SettingsAbove::None,
    event_directory_moves: false,
    replaces_text: false,
    expands_on_load: false,
    project_hooks_stay: true,
    windows_shell: "no shell",
    syntax: layers::SETTINGS,
    pattern_dialect: "none",
    surfaces: &[],
    runs_duplicates: true,
    runs_duplicates_across_bundles: true,
    reload_action: None,
    layer_file: file,
    runs_in_order: false,
    plain_handler: same_handler,
    runs_on: runs_everywhere,
    refusal_reason: no_refusal_reason,
    default_timeout: |_, _| entries::DEFAULT_TIMEOUT,
    max_timeout: no_max_timeout,
    timeout: |_, limit: Duration| (seconds(limit), limit),
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(layers::user_file(place)),
        Layer::Project => Some(layers::project_file(place)),
        _ => None,
    }
}

/// No program sends events, so no agent reads an answer.
pub static LIVE_FORMAT: LiveFormat = LiveFormat {
    renames: &[],
    answers: &[],
    partially_supported: &[],
    unsafe_events: &[],
    frequent: &[],
    handoff: HandoffPoint::SessionStart,
    input: InputKeys {
        path: &["file_path", "path"],
        command: &["command"],
        content: &["content"],
        old: &["old_string"],
        new: &["new_string"],
        patch: None,
    },
    required_text: &[],
    project_variables: &[],
};

/// No program can be started.
pub static HEADLESS_FORMAT: HeadlessFormat = HeadlessFormat {
    interface: ModelInterface::ChatCompletions,
    arguments: &[],
    resume: &[],
    environment: &[],
    files: &[],
    settings: "",
    shell_call: "{}",
    main_tools: &[],
    probes: "[]",
    tables: "{}",
    cache_variable: None,
    observable: &[],
};

/// No program writes a log, because none was released.
pub static DEBUG_LOG: DebugLogFormat = DebugLogFormat {
    kind: "qwen-legacy-log",
    switch: "",
    detect: |_| false,
    parse: |_| Vec::new(),
    session_file: |_, _| None,
    shared_files: |_| Vec::new(),
};

/// No event can be brought about.
pub static VERIFICATION_FORMAT: VerificationFormat = VerificationFormat {
    triggers: &[],
    unattended_arguments: &[],
    permission_arguments: &[],
    permission_keys: &[],
    settings: &[],
    partial_input: &[],
    model_tools: &[],
    read_before: &[],
    harmless_tools: &[],
    service_variables: &[],
    session_keys: &[],
    observer: ("", &[]),
    observes_failures: false,
    refusals: &[],
};
