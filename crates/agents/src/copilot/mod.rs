//! GitHub Copilot CLI. `NOTES.md` holds the known behaviour and its sources.

mod answer;
mod checks;
mod config;
mod debug_log;
mod decide;
mod environment;
mod events;
mod formats;
mod handlers;
mod hook_output;
mod json;
mod launch;
mod layers;
mod lints;
mod matcher;
mod payloads;
mod plan;
mod rules;
mod spelling;
mod telemetry;
#[cfg(test)]
mod test_firings;
mod transcript;

use crate::kernel::{agent, first_hooks};
use hookbench_base::names::AgentId;
use serde_json::json;

use super::shared::matcher_checks::{check_patterns, check_spelled_tool_names};
use hookbench_base::dialects::{InstallHint, Quirks, SessionState, VersionRange};
use hookbench_base::hook::HookDefinition;
use hookbench_base::output::TextRecipient;

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 1] = [VersionRange {
    from: "1.0.102",
    to: "1.0.102",
    basis: "tested on 1.0.102",
    measured: Some(("1.0.102", "2026-11-22")),
}];

const ID: AgentId = AgentId::new("copilot");

agent! {
    name: "Copilot CLI",
    versions: &RANGES,
    is_released: true,
    install: InstallHint { command: "copilot", package: "@github/copilot" },
    home_variables: &["COPILOT_HOME"],
    transcripts: &transcript::FORMATS,
    debug_log: &debug_log::DEBUG_LOG,
    first_hooks: first_hooks!(),
    events: |_| events::EVENTS.events.iter().collect(),
    recognize: payloads::recognise,
    iter_examples: |event, place, _| Box::new(payloads::examples(event, place)),
    missing_keys_like: |examples, event, body, _| payloads::fill(examples, event, body),
    sessions: transcript::directories,
    read_configuration: |place, files, _| {
        let mut loaded = config::load(place, files);
        check_patterns(
            &mut loaded,
            |_| "the hook is skipped",
            |definition, text| matcher::compiled(events::by_name(&definition.event)?, text),
        );
        let spelled =
            |definition: &HookDefinition, tool: &str| spelling::tool_in_matchers(&definition.event, tool).to_owned();
        check_spelled_tool_names(&mut loaded, ID.as_str(), spelled, |definition, tool| {
            let event = events::by_name(&definition.event)?;
            let key = event.subject.filter(|key| *key == "tool_name")?;
            let subject = plan::subject(event, &json!({ key: tool }));
            matcher::matches(event, definition.matcher.as_ref(), &subject).hit()
        });
        loaded
    },
    trust_files: |place, _| {
        let config = json!({ "trustedFolders": [&place.project] });
        vec![(format!("{}/config.json", layers::user_dir(place)), config.to_string())]
    },
    subject: |event, body, _| plan::subject(event, body),
    matches: |event, matcher, subject, _| matcher::matches(event, matcher, subject).hit(),
    read_matcher: |event, matcher, _| matcher::read(event, matcher),
    plan: plan::plan,
    build_launch: launch::launch,
    interpret_run: |definition, report, _| hook_output::read(definition, report),
    text_recipient: |_, _| TextRecipient::Discarded,
    quirks: Quirks {
        is_configured: layers::has_own_files,
        event_by_spelling: |name| events::EVENTS.others.iter().find(|event| event.name == name),
        event_of: payloads::event_of,
        main_spelling: spelling::main_spelling,
        event_spelled_like: events::spelled_like,
        tool_in_matchers: spelling::tool_in_matchers,
        held_payload: |event, body| Some(spelling::held_payload(event, body)),
        sent_payload: spelling::sent_payload,
        server_files: |place| {
            vec![(format!("{}/mcp-config.json", layers::user_dir(place)), vec!["mcpServers".to_owned()])]
        },
        stop_cap: decide::stop_cap,
        remember: |state, input, before, outcome| match input.event.as_str() {
            "SessionStart" => *state = SessionState::default(),
            "Stop" | "SubagentStop" => state.count_stop(&input.event, before, outcome),
            _ => {}
        },
        after_run: decide::chain::after,
        failure_blocks: lints::failure_blocks,
        definition_findings: lints::check_definition,
        telemetry: || Some(&telemetry::TELEMETRY),
        ..Quirks::NONE
    },
}
