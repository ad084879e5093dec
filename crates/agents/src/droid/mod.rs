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
#[cfg(test)]
mod matcher;
mod payloads;
mod plan;
mod rules;
#[cfg(test)]
mod test_firings;
mod transcript;

use crate::kernel::events::text_subject;
use crate::kernel::{agent, first_hooks, patterns};
use hookbench_base::names::AgentId;

use hookbench_base::dialects::{InstallHint, Quirks, VersionRange};
use hookbench_base::output::TextRecipient;

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 1] = [VersionRange {
    from: "0.225.2",
    to: "0.225.2",
    basis: "tested on 0.225.2",
    measured: Some(("0.225.2", "2026-11-22")),
}];

const ID: AgentId = AgentId::new("droid");

agent! {
    name: "Droid",
    versions: &RANGES,
    is_released: true,
    install: InstallHint { command: "droid", package: "@factory/cli" },
    home_variables: &[],
    transcripts: &transcript::FORMATS,
    debug_log: &debug_log::DEBUG_LOG,
    first_hooks: first_hooks!(),
    events: |_| events::EVENTS.events.iter().collect(),
    recognize: payloads::recognise,
    iter_examples: |event, place, _| Box::new(events::EVENTS.examples(event.name, place, &layers::user_dir(place))),
    missing_keys_like: |examples, event, body, _| events::EVENTS.fill(examples, event, body),
    sessions: transcript::directories,
    read_configuration: |place, files, _| {
        let mut loaded = config::load(place, files);
        patterns::check(&mut loaded, ID, &events::EVENTS);
        loaded
    },
    // Droid asks for no trust: hooks of a repository run at once.
    trust_files: |_, _| Vec::new(),
    subject: |event, body, _| text_subject(event, body),
    matches: |event, matcher, subject, _| patterns::matches(event, matcher, subject).hit(),
    read_matcher: |event, matcher, _| patterns::read(event, matcher),
    plan: plan::plan,
    build_launch: launch::launch,
    interpret_run: |_, report, scene| hook_output::read(report, scene),
    text_recipient: |event, _| {
        if event.name == "SessionStart" { TextRecipient::Model } else { TextRecipient::Discarded }
    },
    quirks: Quirks {
        is_configured: layers::has_files,
        definition_findings: lints::check_definition,
        own_hook_files: |place, layer| Some(layers::hook_files(place, layer)),
        own_file_for_event: config::file_for_event,
        server_files: |place| {
            let directories = [format!("{}/.factory", place.project), layers::user_dir(place)];
            directories.map(|directory| (format!("{directory}/mcp.json"), vec!["mcpServers".to_owned()])).to_vec()
        },
        ..Quirks::NONE
    },
}
