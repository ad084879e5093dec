//! Whether a hook that refuses in one agent still refuses in another, with its settings converted and its script
//! unchanged.

use serde::Serialize;

use super::answer_effect::AnswerEffect;
use super::converted_definition::ConvertedDefinition;
use crate::hook::HookDefinition;
use crate::lint::{HookRefusals, Refusal};
use crate::live::{Decision, LiveAnswer, hook_response, wire_event};
use crate::names::AgentId;
use crate::port::AgentVersion;
use crate::run::{Exit, RunId, RunReport};

hookbench_base::words! {
    /// The effect of a hook's refusals in an agent.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum PortedEffect {
        /// Each of them blocks the event.
        Refuses = "refuses",
        /// At least one of them does not.
        LetsPass = "lets pass",
        /// At least one of them was never observed in the agent, or a check of the script may never apply there.
        Unknown = "unknown",
        /// The agent cannot run the hook.
        NeverRuns = "never runs",
        /// The hook runs, and no refusal is known.
        Runs = "runs",
    }
    /// The words for people.
    fn words;
}

/// A hook, or one answer, in an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PortedHook {
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub agent: AgentId,
    pub version: String,
    /// The event there; null if the hook never runs.
    pub event: Option<String>,
    pub effect: PortedEffect,
    /// What is lost, and what the agent does where it does not refuse, in sentences.
    pub losses: Vec<String>,
    /// The answer that refuses; null where nothing has to change, or no answer refuses.
    pub cure: Option<String>,
}

/// The text in place of a reason.
const REASON: &str = "…";

/// Judges a hook in an agent: as it was converted for it, or unchanged in its own agent. `refuses_here` says whether it refuses
/// in its own agent, and `script` what its script refuses there.
pub fn port_hook(
    side: &AgentVersion,
    definition: &HookDefinition,
    converted: Option<&ConvertedDefinition>,
    refuses_here: bool,
    script: HookRefusals,
) -> PortedHook {
    let lost = converted.iter().flat_map(|converted| &converted.notes).filter(|note| note.loss);
    let losses: Vec<String> = lost.map(|note| note.message.clone()).collect();
    let event = converted.map_or(Some(definition.event.as_str()), ConvertedDefinition::event_there);
    let Some(event) = event else { return PortedHook::new(side, None, PortedEffect::NeverRuns, losses) };
    let answers: Vec<RunReport> = script.answers.iter().flatten().map(Refusal::report).collect();
    let mut ported = port_answers(side, event, &answers);
    ported.losses.splice(0..0, losses);
    if refuses_here && answers.is_empty() {
        ported.effect = PortedEffect::LetsPass;
        ported.losses.push(format!("its script does not refuse what {} sends", side.dialect.name()));
    }
    if !script.unsent.is_empty() && ported.effect == PortedEffect::Refuses {
        ported.effect = PortedEffect::Unknown;
    }
    ported.losses.extend(script.unsent);
    ported
}

/// Judges answers that are meant as refusals of an event.
pub fn port_answers(side: &AgentVersion, event: &str, answers: &[RunReport]) -> PortedHook {
    let mut ported = PortedHook::new(side, Some(event), PortedEffect::Runs, Vec::new());
    for answer in answers {
        let Some(effect) = AnswerEffect::of(side, event, answer) else { continue };
        match effect.why_not() {
            Some(why) => {
                let is_known = ported.effect == PortedEffect::LetsPass || !effect.is_unknown();
                ported.effect = if is_known { PortedEffect::LetsPass } else { PortedEffect::Unknown };
                if !ported.losses.contains(&why) {
                    ported.losses.push(why);
                }
            }
            None if ported.effect == PortedEffect::Runs => ported.effect = PortedEffect::Refuses,
            None => {}
        }
    }
    if matches!(ported.effect, PortedEffect::LetsPass | PortedEffect::Unknown) {
        ported.cure = refusing_answer(side, event);
    }
    ported
}

impl PortedHook {
    fn new(side: &AgentVersion, event: Option<&str>, effect: PortedEffect, losses: Vec<String>) -> PortedHook {
        let (agent, version) = (side.dialect.id(), side.version.to_string());
        PortedHook { agent, version, event: event.map(str::to_owned), effect, losses, cure: None }
    }
}

/// The answer that blocks an event, as an instruction: exit status 2 where the agent tells its reason, or else the agent's
/// own JSON. `None` if neither blocks it.
fn refusing_answer(side: &AgentVersion, event: &str) -> Option<String> {
    let blocks = |report: &RunReport| AnswerEffect::of(side, event, report).filter(AnswerEffect::blocks);
    let status = blocks(&RunReport::new(RunId(0), Exit::Code(2), "", REASON));
    if status.is_some_and(|effect| effect.tells(REASON)) {
        return Some("write the reason to stderr and exit with 2".to_owned());
    }
    let format = side.dialect.live_format();
    let deny = LiveAnswer::new(Decision::Deny { reason: Some(REASON.to_owned()) });
    let response = hook_response(format, &wire_event(Some(format), event), &deny);
    let answer = response.stdout.trim();
    blocks(&RunReport::new(RunId(0), Exit::Code(0), answer, ""))?;
    Some(format!("print {answer} and exit with 0"))
}
