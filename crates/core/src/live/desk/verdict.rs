//! What may be sent to whom: what the agent can be told, what the client understands, what was allowed at the start.

use super::step::{Suppressed, WhySuppressed};
use super::{Arrival, WhyNot};
use crate::live::{
    Answer, Decision, DecisionKind, MAX_ANSWER, NeededText, Source, Verbatim, choices, form_of, has_text, needed_text,
};

/// A decision that is final, and who made it.
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

/// What can be decided about an event, to observe first.
pub fn possible(arrival: &Arrival, allow_raw: bool) -> Vec<DecisionKind> {
    let own = form_of(&arrival.provider).map(|form| choices(form, &arrival.event)).unwrap_or_default();
    let raw = allow_raw.then_some(DecisionKind::Raw);
    let all = std::iter::once(DecisionKind::Observe).chain(own).chain(raw);
    all.filter(|kind| arrival.accept.allows(*kind)).collect()
}

/// Whether a decision can be sent.
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

/// Whether an input has what its tool needs.
///
/// # Errors
/// When it has not, so that the agent fails the call.
pub fn fits(needed: Option<NeededText>, input: &Verbatim) -> Result<(), WhyNot> {
    match needed {
        Some((tool, key)) if !has_text(input, key) => Err(WhyNot::InputLacks { tool, key }),
        _ => Ok(()),
    }
}

/// Bytes of the answer, with room for what is added to it.
fn length(arrival: &Arrival, decision: &Decision) -> usize {
    let answer = Answer { id: Some(arrival.id.clone()), ..Answer::of(decision.clone()) };
    answer.to_json().len() + 256
}

/// The decision if it can be sent; else to observe, and what was suppressed.
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
