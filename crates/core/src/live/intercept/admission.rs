//! The decisions that may be sent: those that the agent supports, the client understands and the server's options
//! allow.

use super::step::{SuppressedDecision, SuppressionReason};
use super::{DecisionError, IncomingEvent};
use crate::live::{
    Decision, DecisionKind, DecisionSource, LiveAnswer, MAX_ANSWER, NeededText, RawJson, expressible_decisions,
    has_text, live_form, needed_text,
};

/// A final decision and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalDecision {
    pub decision: Decision,
    pub source: DecisionSource,
}

impl FinalDecision {
    pub fn observe(source: DecisionSource) -> FinalDecision {
        FinalDecision { decision: Decision::Observe, source }
    }
}

/// Returns the possible decisions about an event, `observe` first.
pub fn possible_decisions(arrival: &IncomingEvent, allow_raw: bool) -> Vec<DecisionKind> {
    let own = live_form(&arrival.provider).map(|form| expressible_decisions(form, &arrival.event)).unwrap_or_default();
    let raw = allow_raw.then_some(DecisionKind::Raw);
    let all = std::iter::once(DecisionKind::Observe).chain(own).chain(raw);
    all.filter(|kind| arrival.accept.allows(*kind)).collect()
}

/// Returns an error if a decision cannot be sent.
pub fn check_decision(arrival: &IncomingEvent, decision: &Decision, allow_raw: bool) -> Result<(), DecisionError> {
    let kind = decision.kind();
    let expressible = match kind {
        DecisionKind::Observe => true,
        DecisionKind::Raw if !allow_raw => return Err(DecisionError::RawNotAllowed),
        DecisionKind::Raw => true,
        _ => {
            live_form(&arrival.provider).is_some_and(|form| expressible_decisions(form, &arrival.event).contains(&kind))
        }
    };
    if !expressible {
        return Err(DecisionError::NotExpressible { decision: kind, event: arrival.event.clone() });
    }
    if !arrival.accept.allows(kind) {
        return Err(DecisionError::NotAccepted(kind));
    }
    if let Decision::Modify { updated_input, .. } = decision
        && !updated_input.is_object()
    {
        return Err(DecisionError::NotAnObject);
    }
    if let Decision::Modify { updated_input, .. } = decision {
        let tool = arrival.normal.tool_native.as_deref();
        check_required_text(live_form(&arrival.provider).and_then(|form| needed_text(form, tool)), updated_input)?;
    }
    let bytes = length(arrival, decision);
    if bytes > MAX_ANSWER { Err(DecisionError::TooLong { bytes }) } else { Ok(()) }
}

/// Checks that an input has the text that its tool needs.
///
/// # Errors
/// Returns an error if it is missing, so that the agent would fail the call.
pub fn check_required_text(needed: Option<NeededText>, input: &RawJson) -> Result<(), DecisionError> {
    match needed {
        Some((tool, key)) if !has_text(input, key) => Err(DecisionError::InputLacks { tool, key }),
        _ => Ok(()),
    }
}

/// Returns the length of the answer in bytes, with room for later additions.
fn length(arrival: &IncomingEvent, decision: &Decision) -> usize {
    let answer = LiveAnswer { id: Some(arrival.id.clone()), ..LiveAnswer::new(decision.clone()) };
    answer.to_json().len() + 256
}

/// Returns the decision if it can be sent, and otherwise `observe` with the suppressed decision.
pub fn or_observe(
    arrival: &IncomingEvent,
    wanted: Decision,
    allow_raw: bool,
) -> (Decision, Option<SuppressedDecision>) {
    let why = match check_decision(arrival, &wanted, allow_raw) {
        Ok(()) => return (wanted, None),
        Err(DecisionError::NotAccepted(_)) => SuppressionReason::NotAccepted,
        Err(DecisionError::RawNotAllowed) => SuppressionReason::RawNotAllowed,
        Err(DecisionError::TooLong { .. }) => SuppressionReason::TooLong,
        Err(
            DecisionError::NotExpressible { .. }
            | DecisionError::NotAnObject
            | DecisionError::InputLacks { .. }
            | DecisionError::NotHeld(_),
        ) => SuppressionReason::NotExpressible,
    };
    (Decision::Observe, Some(SuppressedDecision { decision: Some(wanted.kind()), reason: why }))
}
