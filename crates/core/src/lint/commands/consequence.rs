//! The consequence of a hook's exit status, from the agent's own reading of runs.

use std::sync::Arc;

use crate::config::LoadedConfig;
use crate::decide::{FiringRuns, HookRun};
use crate::dialects::{Agent, RuleContext, Scene, SessionMemory};
use crate::hook::{EventSpec, HookDefinition, HookInput};
use crate::lint::script_context::script_author;
use crate::names::RunId;
use crate::output::Vote;
use crate::run::{Exit, RunReport};

/// Returns half a sentence: what the agent does when this hook ends with that status and prints a reason on
/// stderr.
pub(in crate::lint) fn consequence(at: &RuleContext<'_>, status: i32) -> String {
    let agent = at.agent_name();
    match (blocks_event(at, status), at.event.blockable_action) {
        (true, Some(blocks)) => format!("{agent} treats that as a denial every time: {blocks}"),
        _ => format!("{agent} continues as if there were no hook"),
    }
}

/// Whether that status blocks the event. The status of an adapted script means what it means to the script's own agent.
pub(in crate::lint) fn blocks_event(at: &RuleContext<'_>, status: i32) -> bool {
    let starts_adapter = at.start.is_none_or(|start| start.adapted || !start.fails);
    match script_author(at).filter(|_| starts_adapter) {
        Some(author) => at.event.blockable_action.is_some() && status_blocks(&author.context(at), status),
        None => status_blocks(at, status),
    }
}

/// Whether the agent itself reads that status as a refusal, on the first example of the event.
fn status_blocks(at: &RuleContext<'_>, status: i32) -> bool {
    at.run_effect("blocks", status, || run_blocks(at, failed(status)))
}

/// Whether the agent reads a run as a refusal, on the first example of the event.
pub(in crate::lint) fn run_blocks(at: &RuleContext<'_>, report: RunReport) -> bool {
    let whole = at.agent;
    let Some(example) = whole.examples(at.event).first().cloned() else { return false };
    let subject = whole.dialect.subject(at.event, &example.body, whole.version);
    let scene = Scene {
        input: HookInput { event: at.event.name.to_owned(), subject, body: example.body },
        loaded: Arc::new(LoadedConfig::default()),
        place: Arc::clone(whole.place),
        version: whole.version.clone(),
        headless: false,
        memory: SessionMemory::default(),
    };
    run_blocks_in(whole.dialect, at.event, at.definition, &scene, report)
}

/// Whether the agent reads that status, with a reason on stderr, as a refusal of this firing.
pub(in crate::lint) fn status_blocks_in(
    dialect: &Agent,
    event: &EventSpec,
    definition: &HookDefinition,
    scene: &Scene,
    status: i32,
) -> bool {
    run_blocks_in(dialect, event, definition, scene, failed(status))
}

/// A run that ends with this status and a reason on stderr.
fn failed(status: i32) -> RunReport {
    RunReport::new(RunId(0), Exit::Code(status), "", "it failed")
}

fn run_blocks_in(
    dialect: &Agent,
    event: &EventSpec,
    definition: &HookDefinition,
    scene: &Scene,
    report: RunReport,
) -> bool {
    let output = dialect.interpret_run(definition, &report, scene);
    let refuses = matches!(output.vote, Vote::Deny | Vote::Block);
    let run = HookRun {
        run: report.run,
        hook: definition.id.clone(),
        awaited: true,
        launch: dialect.launch(definition, scene),
        input: scene.input.clone(),
        report,
        output,
    };
    let runs = FiringRuns { finished: &[run], expired: false, aborted: None };
    let alone = LoadedConfig { definitions: vec![definition.clone()], ..LoadedConfig::default() };
    let scene = Scene { loaded: Arc::new(alone), ..scene.clone() };
    let plan = dialect.plan(&scene);
    // In some events an agent blocks because of the status, whatever the hook voted, and in some a vote is not enough. If the
    // hook does not fire on this example, only its vote is known.
    let fires = plan.firing().next().is_some();
    event.blockable_action.is_some() && (refuses && !fires || dialect.decide(&plan, runs, &scene).blocked)
}
