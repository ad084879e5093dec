//! Mistral Vibe. `NOTES.md` holds the known behaviour and its sources.

mod config;
mod decide;
mod events;
mod formats;
mod matcher;
mod rules;

use std::time::Duration;

use self::events::ID;
use crate::kernel::launch::{ShellRun, in_shell};
use crate::kernel::plan::plan_in_order;
use crate::kernel::session_lines::SessionLines;
use crate::kernel::{agent, first_hooks};
use crate::shared::assessment::HookAssessment;
use crate::shared::matcher_checks::{check_patterns, check_tool_names};
use hookbench_base::dialects::{InstallHint, Quirks, Scene, VersionRange};
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::output::TextRecipient;
use hookbench_base::plan::{Plan, Schedule};
use hookbench_base::run::{FinishCondition, Launch};

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 1] =
    [VersionRange { from: "3.0.2", to: "3.0.2", basis: "tested on 3.0.2", measured: Some(("3.0.2", "2026-11-29")) }];

/// At the time limit, the whole tree is killed at once.
const RUN: ShellRun = ShellRun { shell: "/bin/sh", finish: FinishCondition::AtEof, grace: Duration::ZERO };

static SESSION: SessionLines = SessionLines::new("vibe-session", include_str!("session.json"));

agent! {
    name: "Mistral Vibe",
    versions: &RANGES,
    is_released: true,
    install: InstallHint { command: "vibe", package: "mistral-vibe" },
    home_variables: &[config::HOME_VARIABLE],
    transcripts: &[&SESSION],
    debug_log: &formats::DEBUG_LOG,
    first_hooks: first_hooks!("toml"),
    events: |_| events::EVENTS.events.iter().collect(),
    recognize: events::recognise,
    iter_examples: |event, place, _| Box::new(events::EVENTS.examples(event.name, place, &config::user_dir(place))),
    missing_keys_like: |examples, event, body, _| events::fill(examples, event, body),
    sessions: |place, _| SESSION.directories(place, &config::user_dir(place)),
    read_configuration: |place, files, _| {
        let mut loaded = config::load(place, files);
        check_patterns(&mut loaded, |_| "it matches nothing", |_, text| matcher::compiled(text));
        check_tool_names(&mut loaded, ID.as_str(), |definition, tool| {
            let event = events::EVENTS.by_name(&definition.event).filter(|event| event.subject.is_some())?;
            matcher::matches(event, definition.matcher.as_ref(), &events::named(tool)).hit()
        });
        loaded
    },
    trust_files: |place, _| config::trust_files(place),
    subject: |event, body, _| events::subject(event, body),
    matches: |event, matcher, subject, _| matcher::matches(event, matcher, subject).hit(),
    read_matcher: |event, matcher, _| matcher::read(event, matcher),
    plan,
    build_launch: launch,
    interpret_run: decide::interpret,
    text_recipient: |_, _| TextRecipient::Discarded,
    quirks: Quirks {
        is_configured: |place, files| config::hook_files(place).iter().any(|(_, path)| files.exists(path)),
        stop_cap: |_| Some(decide::MOST_STOPS),
        remember: |state, input, before, outcome| {
            if input.event == "post_agent" {
                state.count_stop(&input.event, before, outcome);
            }
        },
        // No payload says whether an earlier stop was blocked.
        recall: |_, _, _| Vec::new(),
        after_run: decide::after_run,
        ..Quirks::NONE
    },
}

/// Plans which hooks run (spec §3, §4): all that match, one after the other, in the order in which they are read.
fn plan(scene: &Scene) -> Plan {
    let event = events::EVENTS.by_name(&scene.input.event);
    let assess = |definition, event: &EventSpec| assess(definition, event, scene);
    Plan { schedule: Schedule::Sequential, ..plan_in_order(scene, AGENT.name, event, assess, |firing, _| firing) }
}

fn assess<'a>(definition: &'a HookDefinition, event: &EventSpec, scene: &Scene) -> HookAssessment<'a> {
    let subject = &scene.input.subject;
    let found = matcher::matches(event, definition.matcher.as_ref(), subject);
    let why = matcher::explain(event, &definition.matcher_text(), subject, &found);
    HookAssessment::matched(definition, found.hit(), why)
}

/// How to run a hook. A time limit of 0 ends it before it starts.
fn launch(definition: &HookDefinition, scene: &Scene) -> Launch {
    let is_over = definition.timeout == Some(Duration::ZERO);
    if is_over { Launch::Refused("timed out".to_owned()) } else { in_shell(definition, scene, &RUN, []) }
}
