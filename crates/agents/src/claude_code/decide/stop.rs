//! Stop and SubagentStop (spec §10.3, §11): all reasons are delivered and the work continues, unless a hook
//! returns `continue: false`.

use super::super::answer::BlockCause;
use super::super::environment;
use super::super::version_behaviour::VersionBehaviour;
use super::{AnsweredRun, OutcomeBuilder};
use hookbench_base::dialects::Scene;

/// The number of consecutive blocks after which the agent overrides the next one, unless a variable sets another
/// number.
const DEFAULT_CAP: u32 = 8;

/// Combines the answers in the order in which the hooks ended.
pub fn fold(tally: &mut OutcomeBuilder, said: &[AnsweredRun<'_>], scene: &Scene) {
    let who = if scene.input.event == "Stop" { "the turn" } else { "the subagent" };
    let mut goes_on = false;
    for one in said.iter().filter(|s| s.is_awaited()) {
        tally.add_system_message(one, scene);
        tally.apply_stop(one);
        let impossible = one.answer.objection.as_ref().is_some_and(|o| o.impossible);
        if let Some(block) = one.answer.block().filter(|b| b.cause != BlockCause::OnFailure && !impossible) {
            goes_on = true;
            tally.add_reason(one, &block.text);
        }
        if one.answer.specific_text("additionalContext").is_some() {
            goes_on = true;
            if !tally.outcome.decided_by.contains(&one.run.hook) {
                tally.outcome.decided_by.push(one.run.hook.clone());
            }
            tally.add_additional_context(one, scene);
        }
    }
    if !tally.outcome.continues {
        tally.outcome.reason = None;
        let stoppers = said.iter().filter(|s| s.is_awaited() && s.answer.ends_turn());
        tally.outcome.decided_by = stoppers.take(1).map(|s| s.run.hook.clone()).collect();
        tally.set_action(format!("{who} ends, because a hook ended it"), Some("the user"));
    } else if goes_on && is_cap_reached(scene) {
        tally.outcome.reason = None;
        tally.outcome.decided_by.clear();
        let blocked = scene.memory.stops_blocked;
        tally.set_action(
            format!("{who} ends with a warning: hooks have blocked {blocked} times in a row"),
            Some("the user"),
        );
    } else if goes_on {
        tally.outcome.blocked = true;
        tally.parts.denied = true;
        tally.set_action(format!("{who} continues"), Some("the model"));
    } else {
        tally.set_action(format!("{who} ends"), None);
    }
}

/// Whether the agent overrides this block.
fn is_cap_reached(scene: &Scene) -> bool {
    stop_cap(scene).is_some_and(|cap| scene.memory.stops_blocked.saturating_add(1) >= cap)
}

/// Returns the number of the consecutive block that the agent overrides. Only stops of the main thread are known
/// to be counted.
pub fn stop_cap(scene: &Scene) -> Option<u32> {
    let cap = environment::var(scene, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP").map_or(Some(DEFAULT_CAP), parse_cap);
    let counts = scene.input.event == "Stop" && VersionBehaviour::for_version(&scene.version).caps_blocked_stops;
    cap.filter(|_| counts).map(|cap| cap.saturating_add(1))
}

/// Parses the cap from the variable's text: the number at its beginning, without decimals. Less than 1 means no
/// cap; without a number the default applies.
fn parse_cap(text: &str) -> Option<u32> {
    let text = text.trim_start();
    // Like JavaScript's `parseFloat`: the longest prefix that is a number.
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).collect::<Vec<_>>();
    let number = ends.into_iter().rev().filter_map(|end| text.get(..end)).find_map(|start| {
        let plain = start.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
        start.parse::<f64>().ok().filter(|number| plain && number.is_finite())
    });
    match number {
        None => Some(DEFAULT_CAP),
        Some(number) if number < 1.0 => None,
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 and more; too much is the most")]
        Some(number) => Some(number as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_cap;

    /// The number of times that a hook which always blocks was started on 2.1.330, minus one.
    #[test]
    fn caps() {
        for (text, want) in [
            ("1", Some(1)),
            ("2", Some(2)),
            ("0", None),
            ("-1", None),
            ("x", Some(8)),
            ("", Some(8)),
            ("2.9", Some(2)),
            ("2abc", Some(2)),
            (" 3 ", Some(3)),
            ("1e1", Some(10)),
            ("0x2", None),
            ("+2", Some(2)),
            ("0.5", None),
            ("-0", None),
            ("NaN", Some(8)),
            ("Infinity", Some(8)),
            ("3,5", Some(3)),
            ("00002", Some(2)),
        ] {
            assert_eq!(parse_cap(text), want, "{text:?}");
        }
    }
}
