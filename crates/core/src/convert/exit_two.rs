//! Compares the effect of exit status 2 with a reason on stderr in both agents: fires the event with one hook that
//! ends like this and compares the agents' decisions.

use super::{ConversionNote, ConversionPair, ConvertedDefinition, NoteCode};
use crate::adapt::LoneHook;
use crate::config::Place;
use crate::decide::Outcome;
use crate::port::AgentVersion;
use crate::run::{Exit, RunId, RunReport};

/// The text on stderr, which no agent writes itself.
const REASON: &str = "(the reason on stderr)";

/// Whether the event is blocked: in some of the agent's examples, in all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BlockingEffect {
    in_some_examples: bool,
    in_all_examples: bool,
    /// Whether the text on stderr is read in an example that is blocked.
    reports_reason: bool,
    /// The reason that the agent reports in place of stderr.
    other_reason: Option<String>,
}

/// Whether exit status 2 blocks the event in both agents, in all examples, and both report the reason.
pub fn blocks_with_reason_in_both(pair: &ConversionPair<'_>, event: &str, there: &str) -> bool {
    let all = |side, event| {
        blocking_effect(side, event).is_some_and(|effect| effect.in_all_examples && effect.reports_reason)
    };
    all(pair.from, event) && all(pair.to, there)
}

/// Returns notes about the effect of exit status 2, one for each pair of events.
pub fn exit_two_notes(pair: &ConversionPair<'_>, items: &[ConvertedDefinition]) -> Vec<ConversionNote> {
    // Both events, and whether `hookbench adapt` translates the exit status.
    let mut known: Vec<(&str, &str, bool)> = Vec::new();
    for item in items {
        let is_command = |handler: &serde_json::Map<String, serde_json::Value>| {
            handler.get("type").is_some_and(|kind| kind == "command")
        };
        let written = item.written.iter().filter(|w| is_command(&w.handler)).map(|w| (w.event.as_str(), pair.adapts));
        let shared = item.shared.iter().filter(|shared| shared.is_command).map(|s| (s.event.as_str(), false));
        for (there, is_adapted) in written.chain(shared) {
            let events = (item.event.as_str(), there, is_adapted);
            if !known.contains(&events) {
                known.push(events);
            }
        }
    }
    known.into_iter().filter_map(|(event, there, adapted)| exit_two_note(pair, event, there, adapted)).collect()
}

fn exit_two_note(
    pair: &ConversionPair<'_>,
    event: &str,
    event_there: &str,
    is_adapted: bool,
) -> Option<ConversionNote> {
    let (here, there) = (blocking_effect(pair.from, event)?, blocking_effect(pair.to, event_there)?);
    let (from, to) = (pair.from.dialect.name(), pair.to.dialect.name());
    if here.in_some_examples && !there.in_some_examples {
        let says = format!("exit 2 blocks {event} in {from}, but does not block {event_there} in {to}");
        return Some(ConversionNote::worse(NoteCode::Exit2NoEffect, says));
    }
    if is_adapted {
        return None;
    }
    if !here.in_some_examples && there.in_some_examples {
        let says = format!("exit 2 does not block {event} in {from}, but blocks {event_there} in {to}");
        return Some(ConversionNote::changed(NoteCode::Exit2Blocks, says));
    }
    if here.reports_reason && !there.reports_reason && there.in_some_examples {
        let instead = there.other_reason.map_or(String::new(), |reason| format!(" and reports \"{reason}\""));
        let says = format!("exit 2 blocks {event_there} in {to} too, but {to} discards the reason on stderr{instead}");
        return Some(ConversionNote::worse(NoteCode::Exit2ReasonLost, says));
    }
    None
}

/// Returns whether exit status 2 blocks an event. `None` if no hook could be fired on it, so that nothing is
/// known.
fn blocking_effect(side: &AgentVersion, event: &str) -> Option<BlockingEffect> {
    let place = Place { project: "/project".to_owned(), home: "/home".to_owned(), ..Place::default() };
    let hook = LoneHook::on(side, event, &place)?;
    let report = RunReport::new(RunId(0), Exit::Code(2), "", REASON);
    let inputs = hook.example_inputs(event);
    let outcomes: Vec<Outcome> = inputs.iter().filter_map(|input| Some(hook.decide(input, &report)?.outcome)).collect();
    let blocked = || outcomes.iter().filter(|outcome| outcome.blocked);
    let reports_reason = blocked().any(reports_reason);
    (!outcomes.is_empty()).then(|| BlockingEffect {
        in_some_examples: blocked().next().is_some(),
        in_all_examples: blocked().count() == outcomes.len(),
        reports_reason,
        other_reason: blocked().find_map(|outcome| outcome.reason.clone()).filter(|_| !reports_reason),
    })
}

/// Whether the text on stderr is in one of the texts that the agent displays or sends to its model.
fn reports_reason(outcome: &Outcome) -> bool {
    let texts =
        [&outcome.reason, &outcome.stop_reason, &outcome.system_message, &outcome.additional_context].into_iter();
    texts.flatten().any(|text| text.contains(REASON)) || outcome.agent_does.contains(REASON)
}
