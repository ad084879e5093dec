//! The decisions that may be sent: those that the agent supports, the client understands and the server's options
//! allow.

use std::collections::HashMap;
use std::sync::Arc;

use super::DecisionError;
use super::step::{SuppressedDecision, SuppressionReason};
use crate::live::normalized_event::NormalizedEvent;
use crate::live::{
    AcceptedDecisions, ClientBudget, Decision, DecisionKind, DecisionSource, LiveAnswer, MAX_ANSWER, NeededText,
    RawJson, expressible_decisions, has_text, live_form, needed_text,
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

/// The accepted clock difference of a client, in milliseconds.
const SKEW_MS: i64 = 5_000;
/// The number of sessions from which old ones are forgotten.
const MANY: usize = 4_096;

/// The time of the last work for a session. The caller stores it, so that it survives a restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cooldown {
    pub provider: String,
    pub provider_ref: String,
    pub event: String,
    /// The time of the event for which it was done, in milliseconds since 1970.
    pub last_received_ms: i64,
}

/// Whether the work is done for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CooldownCheck {
    /// The entry to store. `None` if the work is not done.
    pub accepted: Option<Cooldown>,
    /// Whether the client's time was implausible, so that the server's time was used.
    pub clock_skew: bool,
}

/// The cooldowns of all sessions.
#[derive(Debug, Clone, Default)]
pub struct Cooldowns(HashMap<(String, String, String), i64>);

impl Cooldowns {
    pub(super) fn load(&mut self, kept: Vec<Cooldown>) {
        self.0.extend(kept.into_iter().map(|c| ((c.provider, c.provider_ref, c.event), c.last_received_ms)));
    }

    /// Checks an event: at least `cooldown_ms` must have passed since the last event for which the work was done.
    pub fn check(&mut self, cooldown_ms: i64, wall_ms: i64, asked: Cooldown) -> CooldownCheck {
        let key = (asked.provider.clone(), asked.provider_ref.clone(), asked.event.clone());
        let last = self.0.get(&key).copied();
        let said = asked.last_received_ms;
        let ahead = said.saturating_sub(wall_ms) > SKEW_MS;
        let behind = last.is_some_and(|last| last.saturating_sub(said) > SKEW_MS);
        let clock_skew = ahead || behind;
        let at = if clock_skew { wall_ms } else { said };
        let passed = last.is_none_or(|last| {
            let between = at.saturating_sub(last);
            // If the server's clock was set back, the cooldown would otherwise last for that time.
            between >= cooldown_ms || between < -SKEW_MS
        });
        if !passed {
            return CooldownCheck { accepted: None, clock_skew };
        }
        if self.0.len() >= MANY {
            self.0.retain(|_, last| wall_ms.saturating_sub(*last) < cooldown_ms);
        }
        self.0.insert(key, at);
        CooldownCheck { accepted: Some(Cooldown { last_received_ms: at, ..asked }), clock_skew }
    }
}

/// An agent's event that waits for its answer. All fields are owned, because it may wait for minutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingEvent {
    /// The number under which it is stored. It increases with each event.
    pub seq: u64,
    /// The id of the request, generated by the caller if the client sent none.
    pub id: String,
    pub provider: String,
    /// The event name on the wire.
    pub event: String,
    pub provider_ref: String,
    pub project_path: String,
    /// When the client received it, as text, …
    pub received_at: String,
    /// … and in milliseconds since 1970.
    pub received_ms: i64,
    /// The original text.
    pub payload: Arc<str>,
    pub normal: NormalizedEvent,
    pub accept: AcceptedDecisions,
    /// The time that the client waits, if it says so.
    pub budget: Option<ClientBudget>,
}
