//! How a hook would be started, and what its timeout would mean. The latter is determined by applying the agent's
//! rules to a run that timed out.

use std::time::Duration;

use crate::analysis::resolve::ResolvedCommand;
use hookbench_core::decide::{FiringRuns, HookRun};
use hookbench_core::dialects::{Agent, Scene, find_event};
use hookbench_core::hook::HookDefinition;
use hookbench_core::names::RuleId;
use hookbench_core::output::AnswerForm;
use hookbench_core::plan::{Plan, PlanEntry, Reason, Selection};
use hookbench_core::run::{Exit, Launch, RunId, RunReport};

/// How a definition would be started.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchPreview {
    pub launch: Launch,
    pub resolved: Option<ResolvedCommand>,
    /// One sentence.
    pub timeout_effect: String,
}

/// Describes the effect of a timeout in one sentence; the part before the first comma suffices where space is
/// short.
pub fn timeout_effect(dialect: &Agent, definition: &HookDefinition, launch: &Launch, scene: &Scene) -> String {
    let limit = match launch {
        Launch::Process(spec) => spec.timeout,
        Launch::Http(spec) => spec.timeout,
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => definition.timeout,
    };
    if definition.detached {
        return "a timeout here has no effect, because the agent does not wait for this hook".to_owned();
    }
    let why = Reason::new(RuleId::new("deadline"), "this is a preview of a timeout of this hook");
    let entry = PlanEntry {
        hook: definition.id.clone(),
        selection: Selection::Fires { order: 1 },
        why,
        failed_rung: None,
        nearest: Vec::new(),
    };
    let budget = dialect.plan(scene).budget;
    let plan = Plan { entries: vec![entry], budget, ..Plan::default() };
    // The agent's own time limit may pass first; the hook's limit is then never reached.
    if let Some(patience) = budget.filter(|b| limit.is_none_or(|l| *b < l)) {
        let runs = FiringRuns { finished: &[], expired: true, aborted: None };
        let outcome = dialect.decide(&plan, runs, scene);
        return format!("the agent waits only {} s; then: {}", patience.as_secs_f64(), outcome.agent_does);
    }
    let report = RunReport::new(RunId(0), Exit::TimedOut { after: limit.unwrap_or(Duration::ZERO) }, "", "");
    let output = dialect.interpret_run(definition, &report, scene);
    let lost = output.form == AnswerForm::Lost;
    let run = HookRun {
        run: RunId(0),
        hook: definition.id.clone(),
        awaited: true,
        launch: launch.clone(),
        input: scene.input.clone(),
        report,
        output,
    };
    let outcome = dialect.decide(&plan, FiringRuns { finished: &[run], expired: false, aborted: None }, scene);
    let thrown = if lost { ", and its output is discarded" } else { "" };
    let can_block =
        find_event(dialect, &scene.version, &scene.input.event).is_some_and(|e| e.blockable_action.is_some());
    if outcome.blocked {
        format!("a timeout here blocks: {}{thrown}", outcome.agent_does)
    } else if outcome.reason.is_some() || outcome.additional_context.is_some() {
        format!("a timeout here has an effect: {}{thrown}", outcome.agent_does)
    } else if can_block {
        format!("a timeout here does not block{thrown}")
    } else {
        format!("a timeout here has no effect{thrown}")
    }
}
