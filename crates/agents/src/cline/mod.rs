//! Cline, whose hooks are files. `NOTES.md` holds the known behaviour and its sources.

mod config;
mod decide;
mod events;
mod formats;
mod rules;

use std::time::Duration;

use crate::kernel::events::text_subject;
use crate::kernel::launch::directly;
use crate::kernel::plan::plan_in_order;
use crate::kernel::session_lines::SessionLines;
use crate::kernel::{agent, first_hooks};
use crate::shared::assessment::HookAssessment;
use hookbench_base::dialects::{InstallHint, Quirks, VersionRange};
use hookbench_base::matcher::{MatcherInterpretation, MatcherKind};
use hookbench_base::names::AgentId;
use hookbench_base::output::TextRecipient;
use hookbench_base::plan::Reason;
use hookbench_base::run::{FinishCondition, HookVariable};

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 1] = [VersionRange {
    from: "3.0.65",
    to: "3.0.65",
    basis: "tested on 3.0.65",
    measured: Some(("3.0.65", "2026-11-30")),
}];

const ID: AgentId = AgentId::new("cline");

/// At its limit a hook gets SIGKILL. What a child of it prints within a second of its end counts, too, but not here.
const RUN: (FinishCondition, Duration) = (FinishCondition::AtExit, Duration::ZERO);

static SESSION: SessionLines = SessionLines::new("cline-session", include_str!("session.json"));

agent! {
    name: "Cline",
    versions: &RANGES,
    is_released: true,
    install: InstallHint { command: "cline", package: "cline" },
    home_variables: &[config::HOME_VARIABLE],
    transcripts: &[&SESSION],
    debug_log: &formats::DEBUG_LOG,
    first_hooks: first_hooks!("sh"),
    events: |_| events::EVENTS.events.iter().collect(),
    recognize: events::recognise,
    iter_examples: |event, place, _| {
        let examples = events::EVENTS.examples(event.name, place, &config::user_dir(place));
        Box::new(examples)
    },
    missing_keys_like: |examples, event, body, _| events::EVENTS.fill(examples, event, body),
    sessions: |place, _| SESSION.directories(place, &config::user_dir(place)),
    read_configuration: |place, files, _| config::load(place, files),
    // No session was seen to ask.
    trust_files: |_, _| Vec::new(),
    subject: |event, body, _| text_subject(event, body),
    matches: |_, _, _, _| Some(true),
    read_matcher: |_, _, _| MatcherInterpretation::plain(MatcherKind::Ignored, "a hook has no matcher".to_owned()),
    plan: |scene| {
        let event = events::EVENTS.by_name(&scene.input.event);
        let assess = |definition, _: &_| {
            let why =
                Reason::new(rules::MATCHER_EVERYTHING, "a hook has no matcher: it runs on each event of its name");
            HookAssessment::matched(definition, Some(true), (why, Vec::new()))
        };
        plan_in_order(scene, AGENT.name, event, assess, |firing, _| firing)
    },
    build_launch: |definition, scene| {
        let build = HookVariable::of_agent("CLINE_BUILD_ENV", "production");
        let body = events::sent(&scene.input.event, &scene.input.body);
        directly(definition, scene, RUN, &body, [build])
    },
    interpret_run: |_, report, scene| decide::interpret(report, scene),
    text_recipient: |_, _| TextRecipient::Discarded,
    quirks: Quirks {
        is_configured: config::is_configured,
        event_of: events::event_of,
        held_payload: |event, body| Some(events::held(event, body)),
        sent_payload: events::sent,
        recall: |_, _, _| Vec::new(),
        own_hook_files: |place, layer| {
            let events = events::EVENTS.events.iter();
            Some(events.filter_map(|event| config::hook_file(place, &place.project, layer, event.name)).collect())
        },
        own_file_for_event: |place, files, layer, event| {
            config::hook_file(place, config::workspace(place, files), layer, events::EVENTS.by_name(event)?.name)
        },
        ..Quirks::NONE
    },
}
