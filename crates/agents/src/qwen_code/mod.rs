//! Qwen Code. `NOTES.md` holds the known behaviour and its sources.

mod address;
mod answer;
mod config;
mod debug_log;
mod decide;
mod environment;
mod events;
mod extensions;
mod formats;
mod front_matter;
mod handlers;
mod hook_output;
mod http;
mod launch;
mod layers;
mod lints;
mod matcher;
mod matcher_advice;
mod payloads;
mod plan;
mod prompt;
mod registry;
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
mod typed_output;
mod version_behaviour;

use crate::kernel::{agent, first_hooks};
use hookbench_base::names::AgentId;
use serde_json::json;

use super::shared::matcher_checks::{check_patterns, check_tool_names};
use hookbench_base::dialects::{InstallHint, Quirks};

const ID: AgentId = AgentId::new("qwen");

agent! {
    name: "Qwen Code",
    versions: &version_behaviour::RANGES,
    is_released: true,
    install: InstallHint { command: "qwen", package: "@qwen-code/qwen-code" },
    home_variables: &["QWEN_HOME"],
    transcripts: &transcript::FORMATS,
    debug_log: &debug_log::DEBUG_LOG,
    first_hooks: first_hooks!(),
    events: events::for_version,
    recognize: payloads::recognise,
    iter_examples: |event, place, version| Box::new(payloads::examples(event, place, version)),
    missing_keys_like: |examples, event, body, _| payloads::fill(examples, event, body),
    sessions: transcript::directories,
    read_configuration: |place, files, version| {
        let mut loaded = config::load(place, files, version);
        check_patterns(&mut loaded, matcher::describe_invalid, |definition, text| {
            events::EVENTS.by_name(&definition.event).filter(|e| e.subject.is_some())?;
            matcher::compiled(text)
        });
        check_tool_names(&mut loaded, ID.as_str(), |definition, tool| {
            let event = events::EVENTS.by_name(&definition.event).filter(|e| events::has_tool_subject(e.name))?;
            let subject = plan::subject(event, &json!({"tool_name": tool}), version);
            matcher::matches(
                version_behaviour::for_version(version).matcher,
                event.name,
                definition.matcher.as_ref(),
                &subject,
            )
            .hit()
        });
        loaded
    },
    trust_files: |place, _| {
        let rules = json!({ &place.project: "TRUST_FOLDER" });
        vec![(format!("{}/trustedFolders.json", layers::user_dir(place)), rules.to_string())]
    },
    subject: plan::subject,
    matches: |event, matcher, subject, version| {
        matcher::matches(version_behaviour::for_version(version).matcher, event.name, matcher, subject).hit()
    },
    read_matcher: |event, matcher, version| {
        matcher::read(version_behaviour::for_version(version).matcher, event, matcher)
    },
    plan: plan::plan,
    build_launch: launch::launch,
    interpret_run: hook_output::read,
    text_recipient: answer::text_reaches,
    quirks: Quirks {
        todo_file: |place, session| Some(format!("{}/todos/{session}.json", layers::user_dir(place))),
        telemetry: || Some(&telemetry::TELEMETRY),
        plan_reads: plan::reads,
        conditions_hold: |definition, input, _| plan::holds(definition, input),
        stop_cap: switches::stop_cap_for,
        after_run: decide::chain::after,
        definition_findings: lints::check_definition,
        agent_findings: lints::check_agent,
        ..Quirks::NONE
    },
}
