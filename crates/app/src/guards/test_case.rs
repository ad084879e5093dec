//! A finding as a test case: its event, and whether a guard refuses it.

use serde_json::Value;

use hookbench_core::dialects;
use hookbench_core::guard::{GuardMode, GuardName};

use super::hits::{JudgedHit, Judgement};
use super::overview::GuardOverview;
use crate::firing::suite_case::{NewCase, SuiteAdditionError};

/// Keys that the bench fills in, or that belong to one session.
const OWN: [&str; 8] = [
    "hook_event_name",
    "tool_name",
    "tool_input",
    "cwd",
    "timestamp",
    "permission_mode",
    "model",
    "agent_transcript_path",
];

/// The maximum number of characters of the evidence in a case's name.
const MAX_NAME: usize = 60;

/// Returns the case of a finding: passed if the user judged it wrong, otherwise refused by its rule.
///
/// # Errors
/// Returns an error if the payload is not recorded, or is not as the guard saw it.
pub fn finding_case(found: &JudgedHit) -> Result<NewCase, SuiteAdditionError> {
    let hit = &found.hit;
    let failure = |message: &str| SuiteAdditionError(message.to_owned());
    let body = hit.payload.as_ref().and_then(Value::as_object);
    let body =
        body.ok_or_else(|| failure("the payload of this finding is not recorded, because it is large or old"))?;
    if hit.rule == "CQ-R6" {
        return Err(failure("the secret of this finding is masked, so a test would not find it"));
    }
    let agent = dialects::by_id(&hit.agent).ok_or_else(|| failure("this finding is of an unknown agent"))?;
    let text = |key: &str| body.get(key).and_then(Value::as_str).map(str::to_owned);
    let event = text("hook_event_name").ok_or_else(|| failure("the payload of this finding names no event"))?;
    let reads_transcript = matches!(hit.guard.as_str(), "response" | "todo" | "research");
    let is_chosen =
        |key: &str| !OWN.contains(&key) && !key.ends_with("_id") && (key != "transcript_path" || reads_transcript);
    let set = body.iter().filter(|(key, _)| is_chosen(key)).map(|(key, value)| (key.clone(), value.clone())).collect();
    let wrong = found.judged == Some(Judgement::Wrong);
    let line = hit.evidence.lines().next().filter(|line| !line.is_empty()).unwrap_or(&hit.what);
    let evidence: String = line.chars().take(MAX_NAME).collect();
    let expect = if wrong {
        vec![("verdict", Value::from("no_objection"))]
    } else {
        vec![("verdict", Value::from("deny")), ("reason", Value::from(format!("[{}]", hit.rule)))]
    };
    let expected = if wrong { "passes" } else { "is refused" };
    Ok(NewCase {
        name: format!("{} {evidence}: {expected}", hit.rule),
        agents: vec![agent.id()],
        event,
        tool: text("tool_name"),
        input: body.get("tool_input").cloned(),
        set,
        expect,
    })
}

/// Whether a case of this guard needs `--mode deny` in the hook's command: tests run in a scratch home directory, so
/// the user's configuration does not count there.
pub fn needs_mode_hint(guards: &[GuardOverview], guard: &str) -> bool {
    let own = guards.iter().find(|overview| GuardName::from_word(guard) == Some(overview.guard));
    own.is_none_or(|own| !own.installed.iter().any(|command| command.mode == Some(GuardMode::Deny)))
}
