//! How a hook would be started, and what its timeout would mean. The latter is determined by applying the agent's
//! rules to a run that timed out.

use std::time::Duration;

use crate::resolve::Resolved;
use hookbench_core::decide::{HookRun, Runs};
use hookbench_core::dialects::{Dialect, Scene, event_of};
use hookbench_core::hook::HookDefinition;
use hookbench_core::output::Form;
use hookbench_core::plan::{Plan, PlanEntry, Selection, Why};
use hookbench_core::run::{Exit, Launch, RunId, RunReport};

/// How a definition would be started.
#[derive(Debug, Clone, PartialEq)]
pub struct Prospect {
    pub launch: Launch,
    pub resolved: Option<Resolved>,
    /// One sentence.
    pub timeout_means: String,
}

/// Describes the effect of a timeout in one sentence; the part before the first comma suffices where space is
/// short.
pub fn timeout_means(dialect: &dyn Dialect, definition: &HookDefinition, launch: &Launch, scene: &Scene) -> String {
    let limit = match launch {
        Launch::Process(spec) => spec.timeout,
        Launch::Http(spec) => spec.timeout,
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => definition.timeout,
    };
    if definition.detached {
        return "a timeout here decides nothing, since nobody waits for it".to_owned();
    }
    let why = Why::new("deadline", "it is asked what a timeout of this hook alone would do");
    let entry = PlanEntry {
        hook: definition.id.clone(),
        selection: Selection::Fires { order: 1 },
        why,
        fell_at: None,
        nearest: Vec::new(),
    };
    let budget = dialect.plan(scene).budget;
    let plan = Plan { entries: vec![entry], budget, ..Plan::default() };
    // The agent's own time limit may pass first; the hook's limit is then never reached.
    if let Some(patience) = budget.filter(|b| limit.is_none_or(|l| *b < l)) {
        let runs = Runs { finished: &[], expired: true, aborted: None };
        let outcome = dialect.decide(&plan, runs, scene);
        return format!("the agent waits only {} s, and then: {}", patience.as_secs_f64(), outcome.agent_does);
    }
    let report = RunReport::of(RunId(0), Exit::TimedOut { after: limit.unwrap_or(Duration::ZERO) }, "", "");
    let output = dialect.read(definition, &report, scene);
    let lost = output.form == Form::Lost;
    let run = HookRun {
        run: RunId(0),
        hook: definition.id.clone(),
        awaited: true,
        launch: launch.clone(),
        input: scene.input.clone(),
        report,
        output,
    };
    let outcome = dialect.decide(&plan, Runs { finished: &[run], expired: false, aborted: None }, scene);
    let thrown = if lost { ", and everything it printed is thrown away" } else { "" };
    let can_block = event_of(dialect, &scene.version, &scene.input.event).is_some_and(|e| e.blocks.is_some());
    if outcome.blocked {
        format!("a timeout here blocks: {}{thrown}", outcome.agent_does)
    } else if outcome.reason.is_some() || outcome.additional_context.is_some() {
        format!("a timeout here counts: {}{thrown}", outcome.agent_does)
    } else if can_block {
        format!("a timeout here does not block{thrown}")
    } else {
        format!("a timeout here changes nothing{thrown}")
    }
}
