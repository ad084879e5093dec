//! Gemini CLI. `NOTES.md` holds the known behaviour and its sources.

mod answer;
mod config;
mod debug_log;
mod decide;
mod environment;
mod events;
mod extensions;
mod formats;
mod handlers;
mod hook_output;
mod launch;
mod layers;
mod lints;
mod matcher;
mod merge;
mod model_request;
mod payloads;
mod plan;
mod redaction;
mod rules;
mod substitution;
mod switches;
mod telemetry;
#[cfg(test)]
mod test_firings;
mod timeout;
mod tools;
mod transcript;
mod trust;

use crate::kernel::{agent, first_hooks};
use hookbench_base::names::AgentId;
use serde_json::json;

use super::shared::matcher_checks::{check_patterns, check_tool_names};
use hookbench_base::dialects::{InstallHint, Quirks, SessionState, VersionRange};

/// The measurement behind both ranges.
const MEASURED: Option<(&str, &str)> = Some(("0.61.0", "2026-11-20"));

/// The versions whose behaviour is known, newest first. The rules are the same in all of them.
static RANGES: [VersionRange; 2] = [
    VersionRange { from: "0.61.0", to: "0.61.0", basis: "tested on 0.61.0", measured: MEASURED },
    VersionRange {
        from: "0.56.0",
        to: "0.60.99",
        basis: "the source of 0.56, which has the same hooks as 0.61.0",
        measured: MEASURED,
    },
];

const ID: AgentId = AgentId::new("gemini");

agent! {
    name: "Gemini CLI",
    versions: &RANGES,
    is_released: true,
    install: InstallHint { command: "gemini", package: "@google/gemini-cli" },
    home_variables: &["GEMINI_CLI_HOME"],
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
        let broken = |_: &str| "it is compared literally and matches only a tool with exactly that name";
        check_patterns(&mut loaded, broken, |definition, text| {
            matcher::compiled(events::EVENTS.by_name(&definition.event)?, text)
        });
        check_tool_names(&mut loaded, ID.as_str(), |definition, tool| {
            let event = events::EVENTS.by_name(&definition.event).filter(|e| events::has_tool_subject(e))?;
            matcher::matches(event, definition.matcher.as_ref(), &plan::subject(event, &json!({"tool_name": tool})))
                .hit()
        });
        loaded
    },
    trust_files: |place, _| {
        let rules = json!({ &place.project: "TRUST_FOLDER" });
        vec![(format!("{}/trustedFolders.json", layers::user_dir(place)), rules.to_string())]
    },
    subject: |event, body, _| plan::subject(event, body),
    matches: |event, matcher, subject, _| matcher::matches(event, matcher, subject).hit(),
    read_matcher: |event, matcher, _| matcher::read(event, matcher),
    plan: plan::plan,
    build_launch: launch::launch,
    interpret_run: |_, report, scene| hook_output::read(report, scene),
    text_recipient: |event, _| answer::text_reaches(event),
    quirks: Quirks {
        telemetry: || Some(&telemetry::TELEMETRY),
        remember: |state, input, before, outcome| match input.event.as_str() {
            "SessionStart" => *state = SessionState::default(),
            "AfterAgent" => state.count_stop(&input.event, before, outcome),
            _ => {}
        },
        after_run: decide::chain::after,
        definition_findings: lints::check_definition,
        agent_findings: lints::check_agent,
        ..Quirks::NONE
    },
}
