//! Events for a desk without a server.

use std::time::Duration;

use hookbench::core::live::handlers::{Handoff, HandoffWork, SessionSummary};
use hookbench::core::live::intercept::{
    AnswerRecord, Breakpoint, IncomingEvent, InterceptSettings, InterceptStep, Interceptor,
};
use hookbench::core::live::normalized_event::NormalizedEvent;
use hookbench::core::live::{AcceptedDecisions, ClientBudget, Decision};
use serde_json::{Value, json};

/// The time of day at which tests begin.
pub const WALL: i64 = 1_795_176_000_000;

/// An event from a client that understands every decision and waits for the maximum time.
pub fn arrival(seq: u64, agent: &str, event: &str, payload: &Value) -> IncomingEvent {
    let payload = payload.to_string();
    IncomingEvent {
        seq,
        id: format!("id-{seq}"),
        provider: agent.to_owned(),
        event: event.to_owned(),
        provider_ref: "s1".to_owned(),
        project_path: "/p".to_owned(),
        received_at: "2026-11-20T12:00:00.000Z".to_owned(),
        received_ms: WALL,
        normal: NormalizedEvent::read(agent, event, seq, &payload),
        payload: payload.into(),
        accept: AcceptedDecisions::all(),
        budget: None,
    }
}

/// A budget with another hold time.
pub fn budget(hold: u64) -> ClientBudget {
    ClientBudget { ack: Duration::from_millis(1_500), hold: Duration::from_millis(hold) }
}

/// The event before a shell command.
pub fn shell(seq: u64) -> IncomingEvent {
    arrival(seq, "claude", "pre_tool_use", &json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}))
}

/// A desk with these breakpoints.
pub fn desk(breakpoints: Vec<Breakpoint>) -> Interceptor {
    Interceptor::new(InterceptSettings { breakpoints, ..InterceptSettings::default() })
}

/// Returns the only answer in the steps: the decision, its source, and its record.
pub fn answer(steps: &[InterceptStep]) -> (Decision, String, AnswerRecord) {
    let mut answers = steps.iter().filter_map(|step| match step {
        InterceptStep::Answer { answer, record, .. } => {
            let source = answer.source.as_ref().map(ToString::to_string).unwrap_or_default();
            Some((answer.decision.clone(), source, record.clone()))
        }
        _ => None,
    });
    let first = answers.next().unwrap_or_else(|| panic!("no answer among {steps:?}"));
    assert!(answers.next().is_none(), "more than one answer: {steps:?}");
    first
}

pub fn deny(reason: &str) -> Decision {
    Decision::Deny { reason: Some(reason.to_owned()) }
}

pub fn replace(content: &str) -> Decision {
    Decision::Replace { content: content.to_owned() }
}

/// The handoff that a handler would create for this work.
pub fn handoff(asked: &HandoffWork) -> Handoff {
    let summary = SessionSummary { goal: Some("tests that pass".to_owned()), ..SessionSummary::default() };
    Handoff::of(&asked.provider, &asked.provider_ref, &asked.project, asked.trigger, &summary)
}
