//! Hermes Agent. `NOTES.md` holds the known behaviour and its sources.

mod config;
mod decide;
mod events;
mod formats;
mod matcher;
mod rules;

use std::time::Duration;

use serde_json::{Value, json};

use self::events::{EVENTS, ID};
use crate::kernel::events::text_subject;
use crate::kernel::launch::directly;
use crate::kernel::plan::{drop_duplicates, plan_in_order};
use crate::kernel::session_lines::SessionLines;
use crate::kernel::{agent, first_hooks};
use crate::shared::assessment::HookAssessment;
use crate::shared::matcher_checks::{check_patterns, check_tool_names};
use hookbench_base::dialects::{InstallHint, Quirks, Scene, VersionRange};
use hookbench_base::hook::{EventSpec, HookDefinition, Subject};
use hookbench_base::output::TextRecipient;
use hookbench_base::plan::{Plan, Reason, RungName, Schedule};
use hookbench_base::run::FinishCondition;

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 1] = [VersionRange {
    from: "0.19.0",
    to: "0.19.0",
    basis: "tested on 0.19.0",
    measured: Some(("0.19.0", "2026-11-30")),
}];

/// At the time limit the program gets SIGKILL at once.
const RUN: (FinishCondition, Duration) = (FinishCondition::AtEof, Duration::ZERO);

/// The file of `hermes sessions export`. The agent itself keeps its sessions in a database.
static SESSION: SessionLines = SessionLines::new("hermes-session", include_str!("session.json"));

agent! {
    name: "Hermes Agent",
    versions: &RANGES,
    is_released: true,
    install: InstallHint { command: "hermes", package: "hermes-agent" },
    home_variables: &[config::HOME_VARIABLE],
    transcripts: &[&SESSION],
    debug_log: &formats::DEBUG_LOG,
    first_hooks: first_hooks!("yaml"),
    events: |_| EVENTS.events.iter().collect(),
    recognize: events::recognise,
    iter_examples: |event, place, _| Box::new(EVENTS.examples(event.name, place, &config::user_dir(place))),
    missing_keys_like: |examples, event, body, _| EVENTS.fill(examples, event, body),
    sessions: |_, _| Vec::new(),
    read_configuration: |place, files, _| {
        let mut loaded = config::load(place, files);
        check_patterns(
            &mut loaded,
            |_| "it matches nothing",
            |definition, text| {
                EVENTS.by_name(&definition.event)?.subject?;
                matcher::trimmed(Some(&Value::from(text))).map(matcher::compiled)
            },
        );
        check_tool_names(&mut loaded, ID.as_str(), |definition, tool| {
            let event = EVENTS.by_name(&definition.event).filter(|event| event.subject.is_some())?;
            let subject = Subject { value: Some(tool.to_owned()), aliases: Vec::new() };
            matcher::matches(event, definition.matcher.as_ref(), &subject).hit()
        });
        loaded
    },
    trust_files: config::trust_files,
    subject: |event, body, _| text_subject(event, body),
    matches: |event, matcher, subject, _| matcher::matches(event, matcher, subject).hit(),
    read_matcher: |event, matcher, _| matcher::read(event, matcher),
    plan,
    build_launch: |definition, scene| {
        let profile = config::PROFILES.hook_variable(&scene.place, &formats::FORMATS.given(&scene.place));
        directly(definition, scene, RUN, &scene.input.body, profile)
    },
    interpret_run: |_, report, scene| decide::interpret(report, scene),
    text_recipient: |_, _| TextRecipient::Discarded,
    quirks: Quirks {
        chosen_profile: |place, files| config::PROFILES.chosen(place, files),
        is_configured: |place, files| files.exists(&config::settings_file(place)),
        stop_cap: |_| Some(decide::MOST_STOPS),
        remember: |state, input, before, outcome| match input.event.as_str() {
            "pre_verify" => state.count_stop(&input.event, before, outcome),
            "pre_llm_call" => state.forget_stops("pre_verify"),
            _ => {}
        },
        // No payload says whether an earlier stop was blocked.
        recall: |_, _, _| Vec::new(),
        ..Quirks::NONE
    },
}

/// Plans which hooks run (spec §3, §4): all that match, one after the other, each distinct entry once.
fn plan(scene: &Scene) -> Plan {
    let event = EVENTS.by_name(&scene.input.event);
    let assess = |definition, event: &EventSpec| assess(definition, event, scene);
    let plan = plan_in_order(scene, AGENT.name, event, assess, |firing, dropped| {
        drop_duplicates(firing, identity, rules::PLAN_DUPLICATE, dropped)
    });
    Plan { schedule: Schedule::Sequential, ..plan }
}

/// The parts of an entry that make it another hook: the command, and the matcher where it counts.
fn identity(definition: &HookDefinition) -> Option<(Value, &str)> {
    EVENTS.by_name(&definition.event).map(|event| {
        let matcher = event.subject.and_then(|_| matcher::trimmed(definition.matcher.as_ref()));
        (json!([matcher, definition.raw.get("command").and_then(Value::as_str).map(str::trim)]), "entry")
    })
}

fn assess<'a>(definition: &'a HookDefinition, event: &EventSpec, scene: &Scene) -> HookAssessment<'a> {
    if event.name == "pre_verify" && scene.memory.stops_blocked >= decide::MOST_STOPS {
        let says = "hooks have made this turn continue three times already, so the agent asks no hook again";
        return HookAssessment::stopped(definition, Reason::new(rules::PLAN_STOP_USED, says), RungName::Started);
    }
    let subject = &scene.input.subject;
    let found = matcher::matches(event, definition.matcher.as_ref(), subject);
    let why = matcher::explain(event, &definition.matcher_text(), subject, &found);
    HookAssessment::matched(definition, found.hit(), why)
}
