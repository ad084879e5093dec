//! Compares what the caller would do with what the script's agent would have done.

use super::adapter::{HookAdapter, IntendedEffect, strictness};
use super::lone_hook::plain_reason;
use crate::decide::{Outcome, Verdict};
use crate::dialects::find_event;
use crate::text::stringify;

/// What differs, and how much that matters.
pub(super) struct EffectDifference {
    /// Whether the caller goes on with something that the script's agent would have kept back.
    more_open: bool,
    other_decision: bool,
    pub losses: Vec<String>,
    /// Differences that do no harm.
    pub remarks: Vec<String>,
}

impl EffectDifference {
    pub fn is_none(&self) -> bool {
        self.losses.is_empty()
    }

    /// The order of preference, the best first.
    pub fn rank(&self) -> (bool, bool, usize) {
        (self.more_open, self.other_decision, self.losses.len())
    }
}

/// The outcome that an answer for the caller is compared with.
pub(super) struct EffectComparison<'a> {
    pub adapter: &'a HookAdapter,
    pub intended: &'a IntendedEffect,
    /// The caller's event.
    pub event: &'a str,
}

impl EffectComparison<'_> {
    /// Compares an outcome of the caller.
    pub fn difference(&self, got: &Outcome) -> EffectDifference {
        let want = &self.intended.outcome;
        let (script, caller) = (self.adapter.script.dialect.name(), self.adapter.caller.dialect.name());
        let mut losses = Vec::new();
        // A refusal because of a failure is a refusal.
        let is_same_refusal = strictness(want) == 3 && strictness(got) == 3 && want.continues && got.continues;
        let mut remarks = Vec::new();
        if want.verdict != got.verdict && is_same_refusal {
            remarks.push(format!("{script} refuses because the hook failed, {caller} because it decided so"));
        } else if want.verdict != got.verdict {
            losses.push(format!(
                "the decision is {} in {script} and {} in {caller}",
                want.verdict.title(),
                got.verdict.title()
            ));
        } else if want.blocked != got.blocked {
            let [stops, goes_on] = if want.blocked { [script, caller] } else { [caller, script] };
            losses
                .push(format!("{stops} stops {}; {goes_on} continues and passes the reason to the model", self.event));
        }
        let other_decision = !losses.is_empty();
        let is_refused = strictness(got) == 3;
        let mut text = |what: &str, want: Option<&String>, got: Option<&String>| {
            let clean = |text: Option<&String>| text.map(|text| plain_reason(text).to_owned()).unwrap_or_default();
            let (want, got) = (clean(want), clean(got));
            if want != got {
                losses.push(match (want.as_str(), got.as_str()) {
                    (_, "") => format!("{what} does not arrive in {caller}"),
                    ("", _) => format!("{caller} makes {what} of the output, {script} would not"),
                    _ => format!("{what} arrives changed in {caller}"),
                });
            }
        };
        // A reason that blocks nothing and a text both go to the model.
        let is_told = !want.blocked && want.reason.is_some() && got.reason.is_none();
        let is_context = is_told && want.additional_context.is_none() && got.additional_context == want.reason;
        if is_context {
            remarks.push(format!("{caller} gives the reason to its model as a text"));
        }
        // Another decision has another reason.
        if !other_decision && !is_context {
            text("the reason", want.reason.as_ref(), got.reason.as_ref());
        }
        if !is_context {
            text("the text for the model", want.additional_context.as_ref(), got.additional_context.as_ref());
        }
        if want.verdict != Verdict::FailedOpen || want.system_message.is_some() {
            text("the message for the user", want.system_message.as_ref(), got.system_message.as_ref());
        } else if got.system_message.is_some() {
            remarks.push(format!("{caller} shows the failure to the user"));
        }
        text("the reason of the stop", want.stop_reason.as_ref(), got.stop_reason.as_ref());
        if want.continues != got.continues {
            losses.push(if want.continues {
                format!("{caller} stops working, {script} would not")
            } else {
                format!("{script} would stop working, {caller} does not")
            });
        }
        if want.suppress_output != got.suppress_output {
            losses.push(format!("suppressOutput has no effect in {caller}"));
        }
        let input_lost = match &self.intended.untranslated_input {
            Some(why) => Some(why.clone()),
            None if want.updated_input.as_ref().map(stringify) == got.updated_input.as_ref().map(stringify) => None,
            None if want.updated_input.is_none() => Some(format!("{caller} changes the input, {script} would not")),
            None => Some(format!("{caller} cannot change the input of this tool as the script does")),
        };
        let kept_input = input_lost.is_some() && !is_refused;
        losses.extend(input_lost);
        EffectDifference {
            more_open: strictness(want) > strictness(got) || kept_input,
            other_decision,
            losses,
            remarks,
        }
    }

    /// Output keys of the script that the caller does not read, as sentences.
    pub fn unread_keys(&self) -> Vec<String> {
        let caller = &self.adapter.caller;
        let spec = find_event(caller.dialect, &caller.version, self.event);
        let read = |pointer: &str| spec.is_some_and(|spec| spec.honoured_output.contains(&pointer));
        let unread = self.intended.other_keys.iter().filter(|(pointer, _)| !read(pointer));
        unread
            .map(|(pointer, _)| {
                format!(
                    "{} does not read {} of the answer",
                    caller.dialect.name(),
                    pointer.trim_start_matches('/').replace('/', ".")
                )
            })
            .collect()
    }
}
