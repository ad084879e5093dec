//! The outcome while it is computed: the parts that all events share, such as texts for the model and the user,
//! the end of the turn, and the verdict.

use serde_json::Value;

use super::super::answer::{BlockCause, BlockDecision};
use super::super::events;
use super::super::truncation::{RefusalTexts, truncate};
use super::AnsweredRun;
use hookbench_base::decide::{Outcome, Verdict, VerdictParts, verdict_from_parts};
use hookbench_base::dialects::Scene;

/// A builder for an outcome.
pub struct OutcomeBuilder {
    pub outcome: Outcome,
    pub parts: VerdictParts,
    contexts: Vec<String>,
    messages: Vec<String>,
    refusals: RefusalTexts,
}

impl OutcomeBuilder {
    /// Starts with an outcome without a decision.
    pub fn new(said: &[AnsweredRun<'_>], doubtful: &[&str], scene: &Scene) -> OutcomeBuilder {
        let decides = events::find(&scene.input.event)
            .is_some_and(|e| e.blockable_action.is_some() || e.honoured_output.contains(&"/decision"));
        let open = !doubtful.is_empty() || said.iter().any(|s| s.is_awaited() && s.answer.unanswered);
        let parts = VerdictParts {
            ran: true,
            unknown: open && decides,
            failed: said.iter().any(|s| s.is_awaited() && s.answer.failure.is_some()),
            ..VerdictParts::default()
        };
        OutcomeBuilder {
            outcome: Outcome::without_effect(Verdict::NoObjection, ""),
            parts,
            contexts: Vec::new(),
            messages: Vec::new(),
            refusals: RefusalTexts::of(scene),
        }
    }

    /// A text that refuses, as the agent passes it on.
    fn shorten(&self, text: &str) -> String {
        self.refusals.shorten(text)
    }

    /// Adds text for the model.
    pub fn add_context(&mut self, text: &str, kind: &str, scene: &Scene) {
        if !text.is_empty() {
            self.contexts.push(truncate(text, kind, scene));
        }
    }

    /// Adds the `additionalContext` of an answer.
    pub fn add_additional_context(&mut self, said: &AnsweredRun<'_>, scene: &Scene) {
        if let Some(text) = said.answer.specific_text("additionalContext") {
            self.add_context(text, "additionalContext", scene);
        }
    }

    /// Adds the `systemMessage` of an answer.
    pub fn add_system_message(&mut self, said: &AnsweredRun<'_>, scene: &Scene) {
        if let Some(text) = said.answer.top_text("systemMessage") {
            // The agent shows it line by line.
            let text = text.replace("\r\n", "\n").replace('\r', "\n");
            self.messages.push(truncate(&text, "systemMessage", scene));
        }
    }

    /// Ends the turn if the answer contains `continue: false`. The first such answer sets the stop reason.
    pub fn apply_stop(&mut self, said: &AnsweredRun<'_>) {
        if said.answer.ends_turn() {
            let reason = said.answer.top_text("stopReason").map(|text| self.refusals.shorten_only(text));
            self.end_turn(reason);
        }
    }

    /// Ends the turn.
    pub fn end_turn(&mut self, reason: Option<String>) {
        if self.outcome.continues {
            self.outcome.continues = false;
            self.outcome.stop_reason = reason;
        }
    }

    /// Drops all text for the model.
    pub fn drop_contexts(&mut self) {
        self.contexts.clear();
    }

    /// Records a block by this hook. Its text replaces that of an earlier one.
    pub fn set_block(&mut self, said: &AnsweredRun<'_>, block: &BlockDecision) {
        self.outcome.blocked = true;
        self.outcome.reason = Some(self.shorten(&block.text));
        self.outcome.decided_by = vec![said.run.hook.clone()];
        match block.cause {
            BlockCause::OnFailure => self.parts.failed_closed = true,
            BlockCause::Answer | BlockCause::Exit2 | BlockCause::Unsupported => self.parts.denied = true,
        }
    }

    /// Records another block by this hook. Its text is appended to the earlier ones.
    pub fn add_block(&mut self, said: &AnsweredRun<'_>, block: &BlockDecision, between: &str) {
        let (hooks, text) = (self.outcome.decided_by.clone(), self.outcome.reason.take());
        self.set_block(said, block);
        if let Some(text) = text {
            let own = self.outcome.reason.take().unwrap_or_default();
            self.outcome.reason = Some(format!("{text}{between}{own}"));
            self.outcome.decided_by = hooks.into_iter().chain([said.run.hook.clone()]).collect();
        }
    }

    /// Adds a hook to those that decide, and appends its text to the reason.
    pub fn add_reason(&mut self, said: &AnsweredRun<'_>, text: &str) {
        self.outcome.decided_by.push(said.run.hook.clone());
        let text = self.shorten(text);
        match &mut self.outcome.reason {
            Some(reason) => {
                reason.push('\n');
                reason.push_str(&text);
            }
            None => self.outcome.reason = Some(text),
        }
    }

    /// Sets a value that only this agent has.
    pub fn set_extra(&mut self, key: &str, value: Value) {
        self.outcome.extra.insert(key.to_owned(), value);
    }

    /// Sets the agent's action, and who sees the deciding text.
    pub fn set_action(&mut self, sentence: impl Into<String>, seen_by: Option<&'static str>) {
        self.outcome.agent_does = sentence.into();
        self.outcome.seen_by = seen_by;
    }

    /// Adds the late output of detached hooks, and computes the verdict.
    pub fn finish(mut self, said: &[AnsweredRun<'_>], scene: &Scene) -> Outcome {
        for late in said.iter().filter(|s| !s.is_awaited()) {
            self.add_additional_context(late, scene);
            self.add_system_message(late, scene);
            let rewakes = late.definition.raw.get("asyncRewake") == Some(&Value::Bool(true));
            if let (true, Some(block)) = (rewakes, late.answer.block().filter(|b| b.cause == BlockCause::Exit2)) {
                self.add_context(&block.text, "stderr", scene);
            }
        }
        let join = |texts: Vec<String>| (!texts.is_empty()).then(|| texts.join("\n"));
        self.outcome.additional_context = join(self.contexts);
        self.outcome.system_message = join(self.messages);
        if self.parts.unknown && !self.parts.denied && !self.parts.failed_closed {
            // A hook that has not answered could still object.
            self.parts.decision = None;
        }
        self.outcome.verdict = verdict_from_parts(self.parts);
        if self.outcome.verdict == Verdict::Unknown {
            self.outcome.agent_does =
                format!("{}, unless a hook without an answer decides otherwise", self.outcome.agent_does);
        }
        self.outcome
    }
}
