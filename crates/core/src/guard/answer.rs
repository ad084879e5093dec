//! The answer of a guard to the agent.

use super::hit::GuardFinding;
use super::rule::{GuardName, IN_SIZE, instead};
use super::settings::{GuardMode, GuardSettings};
use crate::dialects::Agent;
use crate::live::{Decision, HookResponse, LiveAnswer, LiveFormat, hook_response};

/// The maximum number of characters of a reason.
const MAX_REASON: usize = 4_000;

/// The answer of a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardAnswer {
    /// No objection: the agent continues as without a guard, and its user may still be asked.
    Pass,
    /// A message for the user.
    Warn(String),
    /// The reason of the refusal.
    Deny(String),
}

impl GuardAnswer {
    /// Returns the answer to findings, by the modes of their rules.
    pub fn of(guard: GuardName, findings: &[GuardFinding], settings: &GuardSettings) -> GuardAnswer {
        let with = |mode: GuardMode| -> Vec<&GuardFinding> {
            findings.iter().filter(|finding| settings.finding_mode(guard, finding.rule) == mode).collect()
        };
        let (denied, warned) = (with(GuardMode::Deny), with(GuardMode::Warn));
        if !denied.is_empty() {
            GuardAnswer::Deny(reason(guard, "denied", &denied))
        } else if !warned.is_empty() {
            GuardAnswer::Warn(reason(guard, "warning", &warned))
        } else {
            GuardAnswer::Pass
        }
    }

    /// Returns the answer in the words of an agent. `event` is the name on the wire.
    pub fn response(&self, form: &LiveFormat, event: &str) -> HookResponse {
        let (decision, message) = match self {
            GuardAnswer::Pass => (Decision::Observe, None),
            GuardAnswer::Warn(message) => (Decision::Observe, Some(message.clone())),
            GuardAnswer::Deny(reason) => (Decision::Deny { reason: Some(reason.clone()) }, None),
        };
        hook_response(form, event, &LiveAnswer { system_message: message, ..LiveAnswer::new(decision) })
    }

    /// The word in documents.
    pub const fn word(&self) -> &'static str {
        match self {
            GuardAnswer::Pass => "pass",
            GuardAnswer::Warn(_) => "warn",
            GuardAnswer::Deny(_) => "deny",
        }
    }
}

/// Returns the reason: the rules, the findings, and what to do instead.
fn reason(guard: GuardName, word: &str, findings: &[&GuardFinding]) -> String {
    let mut rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
    rules.dedup();
    let ids: Vec<String> = rules.iter().map(|rule| format!("[{rule}]")).collect();
    let mut text = format!("{}: {word} {}", guard.word(), ids.join(" "));
    for finding in findings {
        let place = if finding.place.is_empty() { String::new() } else { format!(" {}", finding.place) };
        let evidence = if finding.evidence.is_empty() { String::new() } else { format!(" ({})", finding.evidence) };
        text.push_str(&format!("\n{}{place} {}{evidence}", finding.rule, finding.what));
    }
    let mut help: Vec<&str> = rules.iter().filter_map(|id| instead(id)).collect();
    help.dedup();
    let last = format!("\nDo instead: {}", help.join("; "));
    let room = MAX_REASON - last.chars().count().min(MAX_REASON / 2);
    let cut: String = text.chars().take(room).collect();
    (cut + &last).chars().filter(|c| *c == '\n' || !c.is_control()).collect()
}

/// Returns the response to a payload that cannot be read, because it is too large, not JSON, or the guard fails. The
/// event is unknown then; a refusal is written for the event before a tool call.
pub fn unreadable_response(guard: GuardName, refuses: bool, why: &str, agent: &Agent) -> HookResponse {
    if !refuses || !guard.is_critical() {
        return HookResponse::observe();
    }
    let help = instead(IN_SIZE).unwrap_or_default();
    let reason = format!("{}: denied [{IN_SIZE}]\n{IN_SIZE} {why}\nDo instead: {help}", guard.word());
    GuardAnswer::Deny(reason).response(agent.live_format(), "pre_tool_use")
}

/// An allowance: findings of one rule that are right to pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowance {
    pub rule: String,
    /// A text that the evidence or the place contains. Empty: any.
    pub text: String,
    /// The project's directory. Empty: any.
    pub project: String,
    pub reason: String,
}

impl Allowance {
    /// Whether it allows a finding in a project.
    pub fn allows(&self, finding: &GuardFinding, project: &str) -> bool {
        let here = self.project.is_empty() || self.project.trim_end_matches('/') == project.trim_end_matches('/');
        let text = [&finding.evidence, &finding.place].iter().any(|own| own.contains(&self.text));
        self.rule == finding.rule && here && text
    }
}
