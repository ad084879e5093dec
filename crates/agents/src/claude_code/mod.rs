//! The Claude Code dialect.

mod answer;
mod answer_schema;
mod bash_rule;
mod condition;
mod config;
mod debug_log;
mod decide;
mod environment;
mod events;
mod formats;
mod glob;
mod handlers;
mod hook_output;
mod http;
mod json_error;
mod launch;
mod layer_reader;
mod layers;
mod lints;
mod managed_settings;
mod matcher;
mod matcher_advice;
mod misplaced_hooks;
mod model_names;
mod payloads;
mod permission_update;
mod plan;
mod plugins;
mod rules;
mod settings_keys;
mod settings_schema;
mod shell;
mod skill_refusal;
mod skills;
mod start_arguments;
mod switches;
mod telemetry;
#[cfg(test)]
mod test_scenes;
mod transcript;
mod truncation;
mod url;
mod version_behaviour;

use crate::kernel::{agent, first_hooks};
use hookbench_base::names::AgentId;
use serde_json::json;

use hookbench_base::dialects::{InstallHint, Quirks};

const ID: AgentId = AgentId::new("claude");

agent! {
    name: "Claude Code",
    versions: version_behaviour::VERSIONS,
    is_released: true,
    install: InstallHint { command: "claude", package: "@anthropic-ai/claude-code" },
    home_variables: &["CLAUDE_CONFIG_DIR"],
    transcripts: &transcript::FORMATS,
    debug_log: &debug_log::DEBUG_LOG,
    first_hooks: first_hooks!(),
    events: |version| events::for_version(version_behaviour::VersionBehaviour::for_version(version)),
    recognize: events::recognise,
    iter_examples: |event, place, _| Box::new(payloads::examples(event, place)),
    missing_keys_like: payloads::fill,
    sessions: transcript::session_directories,
    read_configuration: layers::load,
    trust_files: |place, _| {
        let state = json!({ "projects": { &place.project: { "hasTrustDialogAccepted": true } } });
        vec![(layers::state_file(place), state.to_string())]
    },
    subject: |event, body, _| events::subject(event, body),
    matches: |event, matcher, subject, version| {
        matcher::passes(matcher, event, subject, version_behaviour::VersionBehaviour::for_version(version))
    },
    read_matcher: |event, matcher, version| {
        matcher::describe(matcher, event, version_behaviour::VersionBehaviour::for_version(version))
    },
    plan: plan::plan,
    build_launch: launch::launch,
    interpret_run: hook_output::read,
    text_recipient: |event, _| hook_output::text_reaches(event),
    quirks: Quirks {
        telemetry: || Some(&telemetry::TELEMETRY),
        // Current versions no longer write it.
        todo_file: |place, session| {
            Some(format!("{}/todos/{session}-agent-{session}.json", layer_reader::config_dir(place)))
        },
        plan_reads: plan::payload_pointers,
        conditions_hold: plan::condition_holds,
        stop_cap: decide::stop_cap,
        remember: payloads::remember,
        recall: payloads::recall,
        after_ahead_runs: |_, runs, scene| decide::after_managed(runs, scene),
        definition_findings: lints::check_hook,
        agent_findings: lints::check_all,
        server_files: layers::server_files,
        ..Quirks::NONE
    },
}
