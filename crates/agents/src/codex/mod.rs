//! Codex. `NOTES.md` holds the known behaviour and its sources.

mod answer;
mod answer_lints;
mod answer_schema;
mod config;
mod config_keys;
mod config_node;
mod config_types;
mod debug_log;
mod decide;
mod discovery;
mod environment;
mod events;
mod features;
mod formats;
mod hook_output;
mod hook_state;
mod launch;
mod layers;
mod matcher;
mod payloads;
mod plan;
mod plugins;
mod project;
mod rules;
mod schema;
mod setting_keys;
mod start_arguments;
mod telemetry;
mod tools;
mod transcript;
mod trust;
mod trust_hash;

use crate::kernel::{agent, first_hooks};
use hookbench_base::names::AgentId;
use serde_json::{Value, json};

use super::shared::matcher_checks::check_tool_names;
use hookbench_base::dialects::{InstallHint, Quirks, VersionRange};
use hookbench_base::text::replace_surrogates_in;

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 2] = [
    VersionRange {
        from: "0.171.0",
        to: "0.171.0",
        basis: "tested on 0.171.0",
        measured: Some(("0.171.0", "2026-11-28")),
    },
    VersionRange {
        from: "0.169.0",
        to: "0.170.99",
        basis: "tested on 0.169.0",
        measured: Some(("0.169.0", "2026-11-20")),
    },
];

const ID: AgentId = AgentId::new("codex");

agent! {
    name: "Codex",
    versions: &RANGES,
    is_released: true,
    install: InstallHint { command: "codex", package: "@openai/codex" },
    home_variables: &["CODEX_HOME"],
    transcripts: &transcript::FORMATS,
    debug_log: &debug_log::DEBUG_LOG,
    first_hooks: first_hooks!(),
    events: |_| events::EVENTS.events.iter().collect(),
    recognize: payloads::recognise,
    iter_examples: |event, place, _| Box::new(events::EVENTS.examples(event.name, place, &layers::user_dir(place))),
    missing_keys_like: |examples, event, body, _| payloads::fill(examples, event, body),
    sessions: transcript::directories,
    read_configuration: |place, files, _| {
        let mut loaded = config::load(place, files);
        check_tool_names(&mut loaded, ID.as_str(), |definition, tool| {
            let event = events::EVENTS.by_name(&definition.event).filter(|e| e.subject == Some("tool_name"))?;
            let subject = plan::subject(event, &json!({"tool_name": tool}));
            Some(matcher::matches(true, definition.matcher.as_ref().and_then(Value::as_str), &subject).hit())
        });
        loaded
    },
    trust_files: trust::trusting,
    subject: |event, body, _| plan::subject(event, body),
    matches: |event, matcher, subject, _| {
        let text = matcher.and_then(Value::as_str);
        Some(matcher::matches(event.subject.is_some(), text, subject).hit())
    },
    read_matcher: |event, matcher, _| matcher::read(event, matcher.and_then(Value::as_str)),
    plan: plan::plan,
    build_launch: launch::launch,
    interpret_run: hook_output::read,
    text_recipient: |event, _| answer::text_reaches(event.name),
    quirks: Quirks {
        telemetry: || Some(&telemetry::TELEMETRY),
        // Keeps all digits; half a surrogate pair cannot be kept.
        normalize_numbers: replace_surrogates_in,
        ..Quirks::NONE
    },
}
