//! Kimi Code. `NOTES.md` holds the known behaviour and its sources.

mod config;
mod decide;
mod events;
mod formats;
mod matcher;
mod rules;

use std::time::Duration;

use serde_json::Value;

use crate::kernel::launch::{ShellRun, in_shell};
use crate::kernel::plan::{command_identity, drop_duplicates, plan_in_order};
use crate::kernel::session_lines::SessionLines;
use crate::kernel::{agent, first_hooks};
use crate::shared::assessment::HookAssessment;
use crate::shared::matcher_checks::{check_patterns, check_tool_names};
use hookbench_base::dialects::{InstallHint, Quirks, Scene, VersionRange};
use hookbench_base::hook::{EventSpec, HookDefinition, Subject};
use hookbench_base::names::AgentId;
use hookbench_base::output::TextRecipient;
use hookbench_base::plan::{Plan, Reason, RungName};
use hookbench_base::run::FinishCondition;

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 1] =
    [VersionRange { from: "2.1.0", to: "2.1.0", basis: "tested on 2.1.0", measured: Some(("2.1.0", "2026-11-28")) }];

const ID: AgentId = AgentId::new("kimi");

/// The time between the two signals is from the text of 2.1.0.
const RUN: ShellRun<'_> =
    ShellRun { shell: "/bin/sh", finish: FinishCondition::AtEof, grace: Duration::from_millis(100) };

static SESSION: SessionLines = SessionLines::new("kimi-session", include_str!("session.json"));

agent! {
    name: "Kimi Code",
    versions: &RANGES,
    is_released: true,
    install: InstallHint { command: "kimi", package: "@moonshot-ai/kimi-code" },
    home_variables: &[config::HOME_VARIABLE],
    transcripts: &[&SESSION],
    debug_log: &formats::DEBUG_LOG,
    first_hooks: first_hooks!("toml"),
    events: |_| events::EVENTS.events.iter().collect(),
    recognize: events::recognise,
    iter_examples: |event, place, _| Box::new(events::EVENTS.examples(event.name, place, &config::user_dir(place))),
    missing_keys_like: |examples, event, body, _| events::EVENTS.fill(examples, event, body),
    sessions: |place, _| SESSION.directories(place, &config::user_dir(place)),
    read_configuration: |place, files, _| {
        let mut loaded = config::load(place, files);
        check_patterns(
            &mut loaded,
            |_| "it matches nothing",
            |definition, _| matcher::compiled(definition.matcher.as_ref()).map(str::to_owned),
        );
        check_tool_names(&mut loaded, ID.as_str(), |definition, tool| {
            events::EVENTS.by_name(&definition.event).filter(|event| event.subject == Some("tool_name"))?;
            hits(definition.matcher.as_ref(), &Subject { value: Some(tool.to_owned()), aliases: Vec::new() })
        });
        loaded
    },
    // The only hooks are those of the user.
    trust_files: |_, _| Vec::new(),
    subject: |event, body, _| events::subject(event, body),
    matches: |_, matcher, subject, _| hits(matcher, subject),
    read_matcher: |event, matcher, _| matcher::read(event, matcher),
    plan,
    build_launch: |definition, scene| in_shell(definition, scene, &RUN, []),
    interpret_run: |_, report, scene| decide::interpret(report, scene),
    text_recipient: |event, _| {
        if event.name == "UserPromptSubmit" { TextRecipient::Model } else { TextRecipient::Discarded }
    },
    quirks: Quirks {
        is_configured: config::is_configured,
        stop_cap: |_| Some(1),
        // The flag of a stop is always false: the hooks of a turn that continued are not asked again.
        recall: |_, _, _| Vec::new(),
        ..Quirks::NONE
    },
}

fn hits(matcher: Option<&Value>, subject: &Subject) -> Option<bool> {
    matcher::matches(matcher, subject).hit()
}

/// Plans which hooks run (spec §3, §6): all that match start together, each distinct command once.
fn plan(scene: &Scene) -> Plan {
    let event = events::EVENTS.by_name(&scene.input.event);
    let is_used = scene.input.event == "Stop" && scene.memory.stops_blocked > 0;
    let assess = |definition, event: &EventSpec| assess(definition, event, &scene.input.subject, is_used);
    plan_in_order(scene, AGENT.name, event, assess, |firing, dropped| {
        drop_duplicates(firing, command_identity, rules::PLAN_DUPLICATE, dropped)
    })
}

fn assess<'a>(
    definition: &'a HookDefinition,
    event: &EventSpec,
    subject: &Subject,
    is_used: bool,
) -> HookAssessment<'a> {
    if is_used {
        let says = "a hook has made this turn continue already, so the agent asks no hook again";
        return HookAssessment::stopped(definition, Reason::new(rules::PLAN_STOP_USED, says), RungName::Started);
    }
    let found = matcher::matches(definition.matcher.as_ref(), subject);
    let why = matcher::explain(event, &definition.matcher_text(), subject, &found);
    HookAssessment::matched(definition, found.hit(), why)
}
