//! Stop and SubagentStop (spec §10.3, §11): all reasons are delivered and the work goes on, unless one hook says
//! `continue: false`.

use super::super::answer::By;
use super::super::environment;
use super::super::rules::Rules;
use super::{Said, Tally};
use crate::core::dialects::Scene;

/// Blocks in a row after which the next one is overridden, unless a variable says otherwise.
const CAP: u32 = 8;

/// Folds the answers in the order in which the hooks ended.
pub fn fold(tally: &mut Tally, said: &[Said<'_>], scene: &Scene) {
    let who = if scene.input.event == "Stop" { "the turn" } else { "the subagent" };
    let mut goes_on = false;
    for one in said.iter().filter(|s| s.counts()) {
        tally.system_message(one, scene);
        tally.stop(one);
        let impossible = one.answer.objection.as_ref().is_some_and(|o| o.impossible);
        if let Some(block) = one.answer.block().filter(|b| b.by != By::OnFailure && !impossible) {
            goes_on = true;
            tally.also_by(one, &block.text);
        }
        if one.answer.own_text("additionalContext").is_some() {
            goes_on = true;
            if !tally.outcome.decided_by.contains(&one.run.hook) {
                tally.outcome.decided_by.push(one.run.hook.clone());
            }
            tally.additional_context(one, scene);
        }
    }
    if !tally.outcome.continues {
        tally.outcome.reason = None;
        let stoppers = said.iter().filter(|s| s.counts() && s.answer.stops());
        tally.outcome.decided_by = stoppers.take(1).map(|s| s.run.hook.clone()).collect();
        tally.does(format!("{who} ends, because a hook said so"), Some("the user"));
    } else if goes_on && capped(scene) {
        tally.outcome.reason = None;
        tally.outcome.decided_by.clear();
        let blocked = scene.memory.stops_blocked;
        tally.does(format!("{who} ends with a warning: hooks have blocked {blocked} times in a row"), Some("the user"));
    } else if goes_on {
        tally.outcome.blocked = true;
        tally.parts.denied = true;
        tally.does(format!("{who} goes on"), Some("the model"));
    } else {
        tally.does(format!("{who} ends"), None);
    }
}

/// Whether the agent no longer listens.
fn capped(scene: &Scene) -> bool {
    stop_cap(scene).is_some_and(|cap| scene.memory.stops_blocked.saturating_add(1) >= cap)
}

/// The block in a row that is overridden. Only the main thread's stops are known to be counted.
pub fn stop_cap(scene: &Scene) -> Option<u32> {
    let variable = environment::var(scene, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP").and_then(|text| text.trim().parse().ok());
    let cap: u32 = variable.unwrap_or(CAP);
    let counts = scene.input.event == "Stop" && Rules::of(&scene.version).stop_cap;
    (counts && cap > 0).then_some(cap.saturating_add(1))
}
