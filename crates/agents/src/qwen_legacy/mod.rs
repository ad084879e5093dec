//! The compatibility layer that two documents specify for Qwen Code, and that no release contains. `NOTES.md` holds its
//! sources and the choices between them.

mod answer;
mod commands;
mod config;
mod decide;
mod entries;
mod events;
mod formats;
mod hook_output;
mod internal_payload;
mod launch;
mod layers;
mod matcher;
mod older_payload;
mod plan;
mod rules;
mod tools;

use crate::kernel::{agent, first_hooks};
use hookbench_base::names::AgentId;

use hookbench_base::dialects::{InstallHint, Quirks, VersionRange};
use hookbench_base::output::TextRecipient;

/// The versions of the format of `hooks.yaml`. No program has them.
static RANGES: [VersionRange; 1] =
    [VersionRange { from: "1.0.0", to: "2.0.0", basis: "specified by two documents, never released", measured: None }];

const ID: AgentId = AgentId::new("qwen-legacy");

agent! {
    name: "Qwen legacy",
    versions: &RANGES,
    is_released: false,
    install: InstallHint { command: "qwen-legacy", package: "qwen-legacy" },
    home_variables: &["QWEN_HOME"],
    transcripts: &[],
    debug_log: &formats::DEBUG_LOG,
    first_hooks: first_hooks!(),
    events: |_| events::EVENTS.events.iter().collect(),
    recognize: internal_payload::recognise,
    iter_examples: |event, place, _| Box::new(events::EVENTS.examples(event.name, place, &layers::user_dir(place))),
    missing_keys_like: |examples, event, body, _| events::fill(examples, event, body),
    sessions: |_, _| Vec::new(),
    read_configuration: |place, files, _| config::load(place, files),
    trust_files: |_, _| Vec::new(),
    subject: |event, body, _| plan::subject(event, body),
    matches: |event, matcher, subject, _| Some(matcher::matches(event, matcher, subject).hit()),
    read_matcher: |event, matcher, _| matcher::read(event, matcher),
    plan: plan::plan,
    build_launch: launch::launch,
    interpret_run: hook_output::read,
    text_recipient: |_, _| TextRecipient::Discarded,
    quirks: Quirks {
        event_by_spelling: events::by_spelling,
        read_older_payload: older_payload::read,
        after_run: decide::after_run,
        ..Quirks::NONE
    },
}
