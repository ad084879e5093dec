//! Factory Droid. `NOTES.md` holds the known behaviour and its sources.

mod answer;
mod config;
mod debug_log;
mod decide;
mod events;
mod formats;
mod hook_output;
mod launch;
mod layers;
mod lints;
mod matcher;
mod payloads;
mod plan;
mod rules;
#[cfg(test)]
mod test_firings;
mod transcript;

use crate::kernel::first_hooks;
use hookbench_base::names::AgentId;
use serde_json::json;

use super::shared::matcher_checks::{check_patterns, check_tool_names};
use hookbench_base::dialects::{Agent, InstallHint, Quirks, VersionRange};
use hookbench_base::output::TextRecipient;

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 1] = [VersionRange {
    from: "0.225.2",
    to: "0.225.2",
    basis: "tested on 0.225.2",
    measured: Some(("0.225.2", "2026-11-22")),
}];

const ID: AgentId = AgentId::new("droid");

/// The agent.
pub static AGENT: Agent = Agent {
    id: ID,
    name: "Droid",
    versions: &RANGES,
    is_released: true,
    install: InstallHint { command: "droid", package: "@factory/cli" },
    home_variables: &[],
    transcripts: &transcript::FORMATS,
    debug_log: &debug_log::DEBUG_LOG,
    first_hooks: first_hooks!(),
    settings_format: &formats::SETTINGS_FORMAT,
    plugin_format: formats::FORMATS.plugin.as_ref(),
    live_format: &formats::FORMATS.live,
    headless_format: &formats::FORMATS.headless,
    flags: formats::FORMATS.flags,
    verification_format: &formats::FORMATS.verification,
    rules: rules::all,
    events: |_| events::EVENTS.events.iter().collect(),
    recognize: payloads::recognise,
    iter_examples: |event, place, _| Box::new(events::EVENTS.examples(event.name, place, &layers::user_dir(place))),
    missing_keys_like: |examples, event, body, _| payloads::fill(examples, event, body),
    sessions: transcript::directories,
    read_configuration: |place, files, _| {
        let mut loaded = config::load(place, files);
        check_patterns(
            &mut loaded,
            |_| "it matches nothing",
            |definition, text| matcher::compiled(events::EVENTS.by_name(&definition.event)?, text),
        );
        check_tool_names(&mut loaded, ID.as_str(), |definition, tool| {
            let event = events::EVENTS.by_name(&definition.event).filter(|event| event.subject == Some("tool_name"))?;
            let subject = plan::subject(event, &json!({"tool_name": tool}));
            matcher::matches(event, definition.matcher.as_ref(), &subject).hit()
        });
        loaded
    },
    // Droid asks for no trust: hooks of a repository run at once.
    trust_files: |_, _| Vec::new(),
    subject: |event, body, _| plan::subject(event, body),
    matches: |event, matcher, subject, _| matcher::matches(event, matcher, subject).hit(),
    read_matcher: |event, matcher, _| matcher::read(event, matcher),
    plan: plan::plan,
    launch: launch::launch,
    interpret_run: |_, report, scene| hook_output::read(report, scene),
    text_recipient: |event, _| {
        if event.name == "SessionStart" { TextRecipient::Model } else { TextRecipient::Discarded }
    },
    decide: decide::decide,
    quirks: Quirks {
        is_configured: layers::has_files,
        definition_findings: lints::check_definition,
        own_hook_files: |place, layer| Some(layers::hook_files(place, layer)),
        own_file_for_event: config::file_for_event,
        ..Quirks::NONE
    },
};
