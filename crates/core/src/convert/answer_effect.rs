//! The effect of one answer in an agent: fires the examples of an event with one hook that ends like this.

use hookbench_script::DECISION_POINTERS;

use crate::adapt::{AdaptedAnswer, HookAdapter, LoneDecision, LoneHook, ScriptRun};
use crate::config::Place;
use crate::decide::{Outcome, Verdict};
use crate::hook::HookInput;
use crate::output::{FieldUse, KeyUse};
use crate::port::AgentVersion;
use crate::run::{Exit, RunId, RunReport};
use crate::text::{capitalized, one_line};

/// The key for the name of the event, which decides nothing.
const EVENT_KEY: &str = "/hookEventName";

/// The decisions after an answer, one for each example of the event. Never empty.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerEffect {
    decisions: Vec<LoneDecision>,
    /// Sentences about the parts of the answer that `hookbench adapt` cannot translate.
    pub losses: Vec<String>,
}

impl AnswerEffect {
    /// The effect of an answer on an event. `None` if no hook could be fired on it, so that nothing is known.
    pub fn of(side: &AgentVersion, event: &str, answer: &RunReport) -> Option<AnswerEffect> {
        let place = Place { project: "/project".to_owned(), home: "/home".to_owned(), ..Place::default() };
        let hook = LoneHook::on(side, event, &place)?;
        let inputs = hook.example_inputs(event);
        let decisions: Vec<LoneDecision> = inputs.iter().filter_map(|input| hook.decide(input, answer)).collect();
        (!decisions.is_empty()).then_some(AnswerEffect { decisions, losses: Vec::new() })
    }

    /// The effect of an exit status with a text on stderr, which `hookbench adapt` translates. `event` is the caller's.
    pub fn adapted(adapter: &HookAdapter, event: &str, status: i32, stderr: &str) -> Option<AnswerEffect> {
        let hook = LoneHook::on(&adapter.caller, event, &adapter.place)?;
        let run = |event| ScriptRun {
            exit: Exit::Code(status),
            stderr: stderr.as_bytes().to_vec(),
            ..ScriptRun::silent(event)
        };
        let decide = |input: &HookInput| {
            let runs: Vec<ScriptRun> = adapter.translate_event(input).ok()?.into_iter().map(run).collect();
            let AdaptedAnswer { exit, stdout, stderr, losses } = adapter.translate_answer(input, &runs);
            Some((hook.decide(input, &RunReport::new(RunId(0), Exit::Code(exit), stdout, stderr))?, losses))
        };
        let (decisions, losses): (Vec<LoneDecision>, Vec<_>) =
            hook.example_inputs(event).iter().filter_map(decide).unzip();
        let losses = losses.into_iter().next().unwrap_or_default();
        (!decisions.is_empty()).then_some(AnswerEffect { decisions, losses })
    }

    /// The outcomes in which the event is blocked.
    pub fn blocked(&self) -> impl Iterator<Item = &Outcome> {
        self.decisions.iter().map(|decision| &decision.outcome).filter(|outcome| outcome.blocked)
    }

    /// Whether the event is blocked in some examples.
    pub fn blocks(&self) -> bool {
        self.blocked().next().is_some()
    }

    /// Whether the agent's rules do not say what it does.
    pub fn is_unknown(&self) -> bool {
        !self.blocks() && self.decisions.iter().any(|decision| decision.outcome.verdict == Verdict::Unknown)
    }

    /// Whether it is blocked in all of them.
    pub fn always_blocks(&self) -> bool {
        self.decisions.iter().all(|decision| decision.outcome.blocked)
    }

    /// A sentence that says why the event is not blocked, and the agent's action. `None` if some example is blocked.
    pub fn why_not(&self) -> Option<String> {
        let passed = self.decisions.first().filter(|_| !self.blocks())?;
        let cause = passed.output.failure.clone().or_else(|| {
            let vain = || passed.output.fields.iter().filter(|field| field.key_use != KeyUse::Used);
            let decides = |field: &&FieldUse| DECISION_POINTERS.contains(&field.pointer.as_str());
            let vain = vain().find(decides).or_else(|| vain().find(|field| !field.pointer.ends_with(EVENT_KEY)))?;
            Some(format!("`{}`: {}", vain.pointer.trim_start_matches('/').replace('/', "."), vain.message))
        });
        let does = capitalized(&passed.outcome.agent_does);
        Some(one_line(&cause.map_or_else(|| does.clone(), |cause| format!("{does}: {cause}"))))
    }

    /// Whether a text is in what the agent displays or sends to its model in an example that is blocked.
    pub fn tells(&self, text: &str) -> bool {
        self.blocked().any(|outcome| {
            let texts = [&outcome.reason, &outcome.stop_reason, &outcome.system_message, &outcome.additional_context];
            texts.into_iter().flatten().any(|told| told.contains(text)) || outcome.agent_does.contains(text)
        })
    }
}
