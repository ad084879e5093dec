//! The decisions that may be sent: those that the agent supports, the client understands and the server's options
//! allow.

use super::step::{Suppressed, WhySuppressed};
use super::{Arrival, WhyNot};
use crate::live::{
    Answer, Decision, DecisionKind, MAX_ANSWER, NeededText, Source, Verbatim, choices, form_of, has_text, needed_text,
};

/// A final decision and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Final {
    pub decision: Decision,
    pub source: Source,
}

impl Final {
    pub fn observe(source: Source) -> Final {
        Final { decision: Decision::Observe, source }
    }
}

/// Returns the possible decisions about an event, `observe` first.
pub fn possible(arrival: &Arrival, allow_raw: bool) -> Vec<DecisionKind> {
    let own = form_of(&arrival.provider).map(|form| choices(form, &arrival.event)).unwrap_or_default();
    let raw = allow_raw.then_some(DecisionKind::Raw);
    let all = std::iter::once(DecisionKind::Observe).chain(own).chain(raw);
    all.filter(|kind| arrival.accept.allows(*kind)).collect()
}

/// Returns an error if a decision cannot be sent.
pub fn admit(arrival: &Arrival, decision: &Decision, allow_raw: bool) -> Result<(), WhyNot> {
    let kind = decision.kind();
    let expressible = match kind {
        DecisionKind::Observe => true,
        DecisionKind::Raw if !allow_raw => return Err(WhyNot::RawNotAllowed),
        DecisionKind::Raw => true,
        _ => form_of(&arrival.provider).is_some_and(|form| choices(form, &arrival.event).contains(&kind)),
    };
    if !expressible {
        return Err(WhyNot::NotExpressible { decision: kind, event: arrival.event.clone() });
    }
    if !arrival.accept.allows(kind) {
        return Err(WhyNot::NotAccepted(kind));
    }
    if let Decision::Modify { updated_input, .. } = decision
        && !updated_input.is_object()
    {
        return Err(WhyNot::NotAnObject);
    }
    if let Decision::Modify { updated_input, .. } = decision {
        let tool = arrival.normal.tool_native.as_deref();
        fits(form_of(&arrival.provider).and_then(|form| needed_text(form, tool)), updated_input)?;
    }
    let bytes = length(arrival, decision);
    if bytes > MAX_ANSWER { Err(WhyNot::TooLong { bytes }) } else { Ok(()) }
}

/// Checks that an input has the text that its tool needs.
///
/// # Errors
/// Returns an error if it is missing, so that the agent would fail the call.
pub fn fits(needed: Option<NeededText>, input: &Verbatim) -> Result<(), WhyNot> {
    match needed {
        Some((tool, key)) if !has_text(input, key) => Err(WhyNot::InputLacks { tool, key }),
        _ => Ok(()),
    }
}

/// Returns the length of the answer in bytes, with room for later additions.
fn length(arrival: &Arrival, decision: &Decision) -> usize {
    let answer = Answer { id: Some(arrival.id.clone()), ..Answer::of(decision.clone()) };
    answer.to_json().len() + 256
}

/// Returns the decision if it can be sent, and otherwise `observe` with the suppressed decision.
pub fn or_observe(arrival: &Arrival, wanted: Decision, allow_raw: bool) -> (Decision, Option<Suppressed>) {
    let why = match admit(arrival, &wanted, allow_raw) {
        Ok(()) => return (wanted, None),
        Err(WhyNot::NotAccepted(_)) => WhySuppressed::NotAccepted,
        Err(WhyNot::RawNotAllowed) => WhySuppressed::RawNotAllowed,
        Err(WhyNot::TooLong { .. }) => WhySuppressed::TooLong,
        Err(WhyNot::NotExpressible { .. } | WhyNot::NotAnObject | WhyNot::InputLacks { .. } | WhyNot::NotHeld(_)) => {
            WhySuppressed::NotExpressible
        }
    };
    (Decision::Observe, Some(Suppressed { decision: Some(wanted.kind()), why }))
}
