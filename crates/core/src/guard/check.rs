//! Runs the rules of a guard on an event.

use serde_json::Value;

use super::answer::{Allowance, GuardAnswer};
use super::event::GuardEvent;
use super::hit::GuardFinding;
use super::rule::{GuardName, Surroundings};
use super::settings::{GuardMode, GuardSettings};
use super::{malicious, quality, research, response, todo};
use crate::dialects::Agent;
use crate::live::HookResponse;

/// A payload to check.
pub struct GuardRequest<'a> {
    pub guard: GuardName,
    pub body: &'a Value,
    /// The agent that runs the guard, if it is named.
    pub agent: Option<&'static Agent>,
    /// The project's directory, if the caller knows it.
    pub project: Option<&'a str>,
    /// The number of times in a row that this session was kept from stopping.
    pub blocks: u32,
}

/// The result of the rules alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RulesVerdict {
    /// No rule objects. A second opinion may be asked for only now.
    Passed,
    /// A rule objects, and its mode is not `off`. This is final.
    Objected(Vec<GuardFinding>),
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardReport {
    pub verdict: RulesVerdict,
    /// Findings that the user allows, with the allowance.
    pub allowed: Vec<(GuardFinding, Allowance)>,
    pub answer: GuardAnswer,
    /// The answer in the words of the agent.
    pub response: HookResponse,
}

/// Checks a payload. `None` if the event does not concern the guard.
pub fn check_payload(
    request: &GuardRequest<'_>,
    settings: &GuardSettings,
    around: &dyn Surroundings,
) -> Option<GuardReport> {
    let event = GuardEvent::read(request.body, request.agent, request.project)?;
    check_event(request.guard, &event, request.blocks, settings, around)
}

/// Checks an event. `None` if the event does not concern the guard.
pub fn check_event(
    guard: GuardName,
    event: &GuardEvent<'_>,
    blocks: u32,
    settings: &GuardSettings,
    around: &dyn Surroundings,
) -> Option<GuardReport> {
    if !guard.events().contains(&event.event.as_str()) {
        return None;
    }
    let mut found = match guard {
        GuardName::Malicious => malicious::check(event, around),
        GuardName::Quality => quality::check(event, around),
        GuardName::Research => research::check(event, &settings.options(guard), around),
        GuardName::Todo => todo::check(event, around),
        GuardName::Response => response::check(event, settings, blocks, around),
    };
    found.retain(|finding| settings.rule_mode(finding.rule) != GuardMode::Off);
    found.sort();
    found.dedup();
    let mut allowed = Vec::new();
    found.retain(|finding| {
        let allowance = settings.allowances.iter().find(|one| one.allows(finding, &event.project));
        allowed.extend(allowance.map(|one| (finding.clone(), one.clone())));
        allowance.is_none()
    });
    let answer = GuardAnswer::of(guard, &found, settings);
    let response = answer.response(event.dialect.live_format(), &event.event);
    let verdict = if found.is_empty() { RulesVerdict::Passed } else { RulesVerdict::Objected(found) };
    Some(GuardReport { verdict, allowed, answer, response })
}
