//! The runs of a firing with their interpreted answers, and the explanation of their outcome.

use super::answer::RunAnswer;
use super::effect::{Effect, RunPart};
use crate::shared::rules;
use hookbench_base::decide::{FiringRuns, HookRun, Outcome, Verdict};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::names::RuleId;
use hookbench_base::output::AnswerForm;
use hookbench_base::plan::Plan;
use hookbench_base::trace::{Evidence, TraceStep};

/// A run together with its interpreted answer.
#[derive(Debug, Clone)]
pub struct InterpretedRun<'a, A> {
    pub run: &'a HookRun,
    pub definition: &'a HookDefinition,
    pub answer: A,
}

impl<A> InterpretedRun<'_, A> {
    /// Whether the agent waits for the hook. The decision of a detached hook does not count.
    pub fn is_awaited(&self) -> bool {
        self.run.awaited
    }

    /// The hook as the explanation names it.
    pub fn label(&self) -> String {
        self.definition.label()
    }
}

/// Reads the answers of runs, in the order of the runs. A run without a definition is left out.
pub fn interpret<'a, A>(
    runs: impl IntoIterator<Item = &'a HookRun>,
    scene: &'a Scene,
    read: impl Fn(&HookDefinition, &HookRun) -> A,
) -> Vec<InterpretedRun<'a, A>> {
    let interpret = |run: &'a HookRun| {
        let definition = scene.loaded.definition(&run.hook)?;
        Some(InterpretedRun { run, definition, answer: read(definition, run) })
    };
    runs.into_iter().filter_map(interpret).collect()
}

/// The step of one run in an explanation.
pub struct RunStep {
    /// The sentence about the run, with its evidence.
    pub step: TraceStep,
    /// Whether it belongs to the decision. The other steps follow the decision.
    pub is_cause: bool,
}

impl RunStep {
    /// The step of a run. `counts` is the part of its answer that decided.
    pub fn new(run: &HookRun, (rule, message): (RuleId, String), counts: Option<Evidence>, is_cause: bool) -> RunStep {
        let step =
            TraceStep::new(rule, message).with_evidence(Evidence::Hook { hook: run.hook.clone() }).with_exit(run.run);
        let step = counts.into_iter().fold(step, TraceStep::with_evidence);
        RunStep { step: step.because_all(run.output.trace.iter().cloned()), is_cause }
    }
}

/// The rule and the sentence of a run by its part in the decision, for agents in which a failure does not block.
pub fn describe_run(label: &str, part: RunPart, is_failed: bool) -> (RuleId, String) {
    match part {
        RunPart::Decides => (rules::RUN_CAUSE, format!("{label} decides")),
        RunPart::Contributes => (rules::RUN_CAUSE, format!("{label} contributes to the result")),
        RunPart::None if is_failed => (rules::RUN_FAILED, format!("{label} failed, which does not block")),
        RunPart::None => (rules::RUN_IRRELEVANT, format!("{label} does not change the outcome")),
    }
}

/// The step of a firing that was cancelled.
pub fn broken_off(why: &str) -> TraceStep {
    TraceStep::new(rules::DECIDE_BROKEN_OFF, format!("the firing was cancelled: {why}"))
}

/// Explains an outcome: the decision with its causes, then each other run. `aborted` says why the firing was broken off.
pub fn explain(
    decision: TraceStep,
    runs: impl IntoIterator<Item = RunStep>,
    aborted: Option<TraceStep>,
) -> Vec<TraceStep> {
    let (causes, others): (Vec<RunStep>, Vec<RunStep>) = runs.into_iter().partition(|run| run.is_cause);
    let decision = decision.because_all(causes.into_iter().map(|run| run.step)).because_all(aborted);
    std::iter::once(decision).chain(others.into_iter().map(|run| run.step)).collect()
}

/// Explains an effect. `describe` names the rule and the sentence of a run by its part, and `counts` finds the part of
/// a deciding answer that counted.
pub fn explain_effect<'a, A: 'a>(
    effect: &Effect,
    basis: &'static str,
    runs: impl IntoIterator<Item = &'a InterpretedRun<'a, A>>,
    describe: impl Fn(&InterpretedRun<'_, A>, RunPart) -> (RuleId, String),
    counts: impl Fn(&InterpretedRun<'_, A>) -> Option<Evidence>,
    aborted: Option<TraceStep>,
) -> Vec<TraceStep> {
    let steps = runs.into_iter().map(|one| {
        let part = effect.part_of(one.run.run);
        let counted = if part == RunPart::Decides { counts(one) } else { None };
        RunStep::new(one.run, describe(one, part), counted, part != RunPart::None)
    });
    let answers = effect.deciders.len() + effect.contributors.len();
    explain(effect.decision_step(answers, basis), steps, aborted)
}

/// The rules of an agent in which a failed hook does not block.
pub struct DecisionRules<'a> {
    /// `None` if the agent does not know the event.
    pub event: Option<&'static EventSpec>,
    /// The action of the agent if no hook decides.
    pub default_action: &'a str,
    /// The source of the rules, and of the rule that no hook runs.
    pub basis: [&'static str; 2],
    pub read: &'a dyn Fn(&HookDefinition, &HookRun) -> RunAnswer,
    pub effect: &'a dyn Fn(&[RunWithAnswer<'_>]) -> Effect,
}

/// A run with its interpreted answer.
pub type RunWithAnswer<'a> = InterpretedRun<'a, RunAnswer>;

impl DecisionRules<'_> {
    /// Combines the finished runs into the outcome for the agent, with the reasons.
    pub fn decide(&self, plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
        let [basis, basis_not_run] = self.basis;
        if runs.finished.is_empty() {
            let why = why_not_run(plan, scene);
            return not_run(rules::DECIDE_NOT_RUN, plan, scene, why, self.default_action, Some(basis_not_run));
        }
        let answered = interpret(runs.in_plan_order(), scene, self.read);
        let effect = (self.effect)(&answered);
        let describe = |one: &RunWithAnswer<'_>, part| describe_run(&one.label(), part, one.answer.failure.is_some());
        let counts = |one: &RunWithAnswer<'_>| deciding_pointer(self.event?, one.run);
        let trace = explain_effect(&effect, basis, &answered, describe, counts, runs.aborted.map(broken_off));
        let failed = answered.iter().any(|one| one.answer.failure.is_some());
        effect.into_outcome(runs.finished, failed, trace)
    }
}

/// Returns the key of a JSON answer that the event reads first. Returns `None` if the answer is not JSON or has no
/// such key.
pub fn deciding_pointer(event: &EventSpec, run: &HookRun) -> Option<Evidence> {
    let value = run.output.value.as_ref().filter(|_| run.output.form == AnswerForm::Json)?;
    let pointer = event.honoured_output.iter().find(|pointer| value.pointer(pointer).is_some())?;
    let stream = run.output.trace.iter().flat_map(|step| &step.evidence).find_map(|evidence| match evidence {
        Evidence::Output { stream, .. } => Some(*stream),
        _ => None,
    })?;
    Some(Evidence::Output { run: run.run, stream, pointer: Some((*pointer).to_owned()) })
}

/// Returns why no hook of the event ran.
pub fn why_not_run(plan: &Plan, scene: &Scene) -> String {
    let event = scene.input.event.as_str();
    match &plan.lost {
        Some(lost) => lost.why.message.clone(),
        None if plan.entries.is_empty() => scene.loaded.why_no_hooks(event),
        None => format!("no hook of {event} runs"),
    }
}

/// The action of an agent with these names of events if no hook decides.
pub fn default_action(event: &str) -> &'static str {
    match event {
        "PreToolUse" => "the tool runs, if its permission allows it",
        "PostToolUse" => "the model gets the unchanged tool result",
        "PostToolUseFailure" => "the model gets the error",
        "SessionStart" => "the session starts",
        "Stop" => "the agent stops",
        "SubagentStop" => "the subagent stops",
        "UserPromptSubmit" => "the prompt is sent to the model",
        "PreCompact" => "the conversation is compacted",
        "SessionEnd" => "the session ends",
        _ => "the agent continues",
    }
}

/// The action of an agent on an event whose settings keep it from starting.
pub const NO_SESSION: &str = "the agent does not start, so no session begins";

/// The outcome of an event without a running hook: the agent's usual action, and why each of the hooks does not run.
/// `basis` is the source of the rule.
pub fn not_run(
    rule: RuleId,
    plan: &Plan,
    scene: &Scene,
    message: String,
    does: impl Into<String>,
    basis: Option<&'static str>,
) -> Outcome {
    let step = TraceStep::new(rule, message);
    let step = basis.into_iter().fold(step, |step, text| step.with_evidence(Evidence::Basis { text }));
    // The step names the common cause already.
    let own_causes: Vec<_> = plan.entries.iter().filter(|entry| entry.why.message != step.message).collect();
    let step = step.because_all(own_causes.into_iter().map(|entry| {
        let child = TraceStep::new(entry.why.rule, entry.why.message.clone());
        child.with_evidence(Evidence::Hook { hook: entry.hook.clone() })
    }));
    let does = if scene.loaded.refusal.is_some() { NO_SESSION.to_owned() } else { does.into() };
    Outcome { trace: vec![step], ..Outcome::without_effect(Verdict::NotRun, does) }
}
