//! CodeBuddy Code. `NOTES.md` holds the known behaviour and its sources.

mod condition;
mod config;
mod decide;
mod events;
mod formats;
mod rules;

use std::time::Duration;

use serde_json::{Value, json};

use crate::kernel::events::text_subject;
use crate::kernel::launch::{ShellRun, in_shell};
use crate::kernel::plan::{drop_duplicates, plan_in_order, with_condition};
use crate::kernel::{agent, first_hooks, patterns, session_lines::SessionLines};
use hookbench_base::dialects::{InstallHint, Quirks, Scene, VersionRange};
use hookbench_base::hook::{EventSpec, Handler, HookDefinition};
use hookbench_base::names::AgentId;
use hookbench_base::output::TextRecipient;
use hookbench_base::plan::Plan;
use hookbench_base::run::{FinishCondition, HookVariable, Launch, NEEDS_MODEL, Question};

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 1] =
    [VersionRange { from: V, to: V, basis: "tested on 2.117.0", measured: Some((V, "2026-11-29")) }];
const V: &str = "2.117.0";
const ID: AgentId = AgentId::new("codebuddy");
static SESSION: SessionLines = SessionLines::new("codebuddy-session", include_str!("session.json"));

agent! {
    name: "CodeBuddy Code",
    versions: &RANGES,
    is_released: true,
    install: InstallHint { command: "codebuddy", package: "@tencent-ai/codebuddy-code" },
    home_variables: &[config::HOME_VARIABLE],
    transcripts: &[&SESSION],
    debug_log: &formats::DEBUG_LOG,
    first_hooks: first_hooks!(),
    events: |_| events::EVENTS.events.iter().collect(),
    recognize: events::recognise,
    iter_examples: |event, place, _| Box::new(events::EVENTS.examples(event.name, place, &config::user_dir(place))),
    missing_keys_like: |examples, event, body, _| events::EVENTS.fill(examples, event, body),
    sessions: |place, _| SESSION.directories(place, &config::user_dir(place)),
    read_configuration: |place, files, _| {
        let mut loaded = config::load(place, files);
        patterns::check(&mut loaded, ID, &events::EVENTS);
        loaded
    },
    // A session without a terminal asks for no trust; what one in a terminal asks was not observed.
    trust_files: |_, _| Vec::new(),
    subject: |event, body, _| text_subject(event, body),
    matches: |event, matcher, subject, _| patterns::matches(event, matcher, subject).hit(),
    read_matcher: |event, matcher, _| patterns::read(event, matcher),
    plan,
    build_launch: launch,
    interpret_run: decide::interpret,
    text_recipient: |event, _| {
        if decide::takes_text(event.name) { TextRecipient::Model } else { TextRecipient::Discarded }
    },
    quirks: Quirks {
        is_configured: config::is_configured,
        plan_reads: |hook| hook.condition.iter().flat_map(|_| ["/tool_name", "/tool_input"]).collect(),
        conditions_hold: |hook, input, _| {
            hook.condition.as_deref().map_or(Some(true), |rule| condition::holds(rule, &input.body))
        },
        ..Quirks::NONE
    },
}

/// Plans which hooks run (spec §3, §4): all that match start together, each distinct command of one origin once.
fn plan(scene: &Scene) -> Plan {
    let event = events::EVENTS.by_name(&scene.input.event);
    let assess = |definition, event: &EventSpec| {
        let matched = patterns::assess(ID, definition, event, &scene.input.subject);
        with_condition(matched, |rule| condition::holds(rule, &scene.input.body))
    };
    plan_in_order(scene, AGENT.name, event, assess, |firing, dropped| {
        drop_duplicates(firing, identity, rules::PLAN_DUPLICATE, dropped)
    })
}

/// A handler without the type `command` that is configured twice runs twice.
fn identity(definition: &HookDefinition) -> Option<(Value, &str)> {
    let Handler::Command(command) = &definition.handler else { return None };
    definition.raw.get("type").filter(|kind| *kind == "command")?;
    let keys = json!([definition.provenance.bundle, command.command, command.shell, definition.condition]);
    Some((keys, "command"))
}

/// How a definition is run (spec §4): `$SHELL`, or `/bin/sh`. Only the agent can send a request or ask its model.
fn launch(definition: &HookDefinition, scene: &Scene) -> Launch {
    let Handler::Command(command) = &definition.handler else {
        let is_request = matches!(definition.handler, Handler::Http(_));
        let requires = if is_request { "needs the agent's own process" } else { NEEDS_MODEL };
        let (prompt, template) = (definition.handler.text(), json!({"continue": true}));
        return Launch::ByHand(Question { requires, prompt, template });
    };
    let shell = scene.place.var("SHELL").filter(|shell| !shell.is_empty()).unwrap_or("/bin/sh");
    let run = ShellRun { shell, finish: FinishCondition::AtExit, grace: Duration::from_secs(1) };
    // A list of allowed variables takes the place of the two.
    let is_limited = definition.raw.pointer("/allowedEnvVars/0").is_some();
    let names = ["CLAUDE_PROJECT_DIR", "CODEBUDDY_PROJECT_DIR"].into_iter().filter(|_| !is_limited);
    let project = names.map(|name| HookVariable::of_agent(name, &scene.place.project));
    let plugin = command.env.iter().map(|(name, root)| HookVariable::of_agent(name, root));
    in_shell(definition, scene, &run, project.chain(plugin))
}
