//! Runs a script that was written for one agent under another: translates the event that the caller sends into the
//! event that the script's agent would have sent, and the script's answer into one that the caller understands.
//!
//! An answer is not translated key by key. The script's agent decides with the script as its only hook, several
//! answers for the caller are composed from that outcome, the caller decides with each, and the one that agrees is
//! chosen. What still differs is a named loss.

mod adapter;
mod answer_options;
mod effect_comparison;
mod lone_hook;
mod script_process;

use serde_json::Value;

use crate::decide::Outcome;
use crate::hook::HookInput;
use crate::port::{MissingEvent, TranslationNoteKind};
use crate::run::{Exit, RunId, RunReport};

pub use adapter::{AdaptedAnswer, AdaptedEvent, HookAdapter, ScriptRun};
use adapter::{IntendedEffect, strictness};
use answer_options::AnswerOption;
use effect_comparison::{EffectComparison, EffectDifference};
pub use lone_hook::{LoneDecision, LoneHook, is_translated};

impl HookAdapter {
    /// Returns the payload of the caller as an event.
    pub fn read_event(&self, body: Value) -> HookInput {
        let dialect = self.caller.dialect;
        let named = body.get("hook_event_name").and_then(Value::as_str);
        let named = named.or_else(|| dialect.event_of(&body).map(|event| event.name)).unwrap_or_default();
        let event = dialect.main_spelling(named).to_owned();
        let body = dialect.held_payload(&event, &body).unwrap_or(body);
        let spec = crate::dialects::find_event(dialect, &self.caller.version, &event);
        let subject =
            spec.map(|spec| self.caller.dialect.subject(spec, &body, &self.caller.version)).unwrap_or_default();
        HookInput { event, subject, body }
    }

    /// Translates an event of the caller for the script. A patch that changes several files becomes one event for
    /// each, so that a guard sees every file.
    ///
    /// # Errors
    /// Returns an error if the script's agent has no such event.
    pub fn translate_event(&self, input: &HookInput) -> Result<Vec<AdaptedEvent>, MissingEvent> {
        adapter::translate_event(self, input)
    }

    /// The event as the settings of the script's agent spell it.
    pub fn script_event<'e>(&'e self, event: &'e AdaptedEvent) -> &'e str {
        let is_same = |spelling: &&str| self.script.dialect.main_spelling(spelling) == event.input.event;
        self.spelling.as_deref().filter(is_same).unwrap_or(&event.input.event)
    }

    /// Translates the script's answers to the parts of one event into one answer for the caller. `input` is the
    /// caller's event.
    pub fn translate_answer(&self, input: &HookInput, runs: &[ScriptRun]) -> AdaptedAnswer {
        let [first, ..] = runs else { return AdaptedAnswer::default() };
        let unchanged = AnswerOption {
            exit: exit_status(&first.exit),
            stdout: first.stdout.clone(),
            stderr: runs.iter().flat_map(|run| run.stderr.clone()).collect(),
        };
        let caller_hook = self.lone_hook(&self.caller, &input.event);
        let (Some(intended), Some(hook)) = (self.intended_effect(input, runs), caller_hook) else {
            return unchanged.into_answer(Vec::new());
        };
        let decide = |option: &AnswerOption| hook.decide(input, &option.report()).map(|decided| decided.outcome);
        let comparison = EffectComparison { adapter: self, intended: &intended, event: &input.event };
        let mut best: Option<(AnswerOption, EffectDifference)> = None;
        // Most answers need no change. The others are composed only if this one does.
        let others = || answer_options::answer_options(self, input, &intended, &unchanged);
        for option in std::iter::once(unchanged.clone()).chain(std::iter::once_with(others).flatten()) {
            let Some(outcome) = decide(&option) else { continue };
            let difference = comparison.difference(&outcome);
            let exact = difference.is_none();
            if best.as_ref().is_none_or(|(_, known)| difference.rank() < known.rank()) {
                best = Some((option, difference));
            }
            if exact {
                break;
            }
        }
        let Some((option, difference)) = best else { return AdaptedAnswer::default() };
        let mut losses = difference.losses;
        losses.extend(difference.remarks);
        losses.extend(comparison.unread_keys());
        let lost = runs.iter().flat_map(|run| &run.event.notes).filter(|n| n.kind == TranslationNoteKind::Lost);
        for note in lost {
            if !losses.contains(&note.message) {
                losses.push(note.message.clone());
            }
        }
        if losses.is_empty() {
            return option.into_answer(losses);
        }
        // The caller may take stderr for an answer.
        let told = option.with_losses(&losses);
        let same = decide(&told).is_some_and(|outcome| decide(&option).is_some_and(|before| outcome == before));
        if same { told } else { option }.into_answer(losses)
    }

    /// What the script's agent would do. If there are several runs, the strictest one counts.
    fn intended_effect(&self, input: &HookInput, runs: &[ScriptRun]) -> Option<IntendedEffect> {
        let mut decided: Vec<(&ScriptRun, LoneDecision)> = Vec::new();
        for run in runs {
            let hook = self.lone_hook(&self.script, self.script_event(&run.event))?;
            let report = RunReport::new(RunId(0), run.exit.clone(), run.stdout.clone(), run.stderr.clone());
            decided.push((run, hook.decide(&run.event.input, &report)?));
        }
        let strictest = decided.iter().max_by_key(|(_, decision)| strictness(&decision.outcome))?;
        let mut outcome = strictest.1.outcome.clone();
        let join = |part: fn(&Outcome) -> Option<&String>| {
            let texts: Vec<&str> = decided.iter().filter_map(|(_, d)| part(&d.outcome)).map(String::as_str).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        };
        outcome.additional_context = join(|outcome| outcome.additional_context.as_ref());
        outcome.system_message = join(|outcome| outcome.system_message.as_ref());
        outcome.reason = outcome.reason.as_deref().map(|text| lone_hook::plain_reason(text).to_owned());
        let changed = decided.iter().find(|(_, decision)| decision.outcome.updated_input.is_some());
        let mut untranslated_input = None;
        outcome.updated_input = None;
        if let Some((run, decision)) = changed {
            match (decided.len(), decision.outcome.updated_input.clone()) {
                (1, Some(changed)) => match adapter::translate_input(self, input, run, changed) {
                    Ok(input) => outcome.updated_input = Some(input),
                    Err(why) => untranslated_input = Some(why),
                },
                _ => {
                    let says = "the script changed one part of a patch, and the parts cannot be merged";
                    untranslated_input = Some(says.to_owned());
                }
            }
        }
        let failure = strictest.1.output.failure.clone();
        let other_keys = decided.iter().flat_map(|(_, decision)| decision.other_keys()).collect();
        Some(IntendedEffect { outcome, other_keys, untranslated_input, failure })
    }
}

/// The exit status of a process, as a shell reports it.
fn exit_status(exit: &Exit) -> i32 {
    match exit {
        Exit::Code(code) => *code,
        Exit::Signal(signal) => 128 + signal,
        _ => 1,
    }
}
