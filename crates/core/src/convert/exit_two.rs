//! Compares the effect of exit status 2 with a reason on stderr in both agents: fires the event with one hook that
//! ends like this and compares the agents' decisions.

use super::answer_effect::AnswerEffect;
use super::{ConversionNote, ConversionPair, ConvertedDefinition, NoteCode};
use crate::adapt::HookAdapter;
use crate::config::Place;
use crate::port::AgentVersion;
use crate::run::{Exit, RunId, RunReport};

/// The text on stderr, which no agent writes itself.
const REASON: &str = "(the reason on stderr)";

/// Whether exit status 2 blocks the event in both agents, in all examples, and both report the reason.
pub fn blocks_with_reason_in_both(pair: &ConversionPair<'_>, event: &str, there: &str) -> bool {
    let all = |side, event| effect(side, event).is_some_and(|effect| effect.always_blocks() && effect.tells(REASON));
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
    let here = effect(pair.from, event)?;
    let there = if is_adapted { adapted_effect(pair, event, event_there) } else { effect(pair.to, event_there) }?;
    let (from, to) = (pair.from.dialect.name(), pair.to.dialect.name());
    if here.blocks() && !there.blocks() {
        let says = format!("exit 2 blocks {event} in {from}, but does not block {event_there} in {to}");
        return Some(ConversionNote::worse(NoteCode::Exit2NoEffect, says));
    }
    let ending = there.blocked().find(|outcome| !outcome.continues);
    if let Some(ending) = ending.filter(|_| here.blocked().any(|outcome| outcome.continues)) {
        let says = format!("a refusal of {event_there} does more in {to} than in {from}: {}", ending.agent_does);
        return Some(ConversionNote::worse(NoteCode::AnswerEndsTurn, says));
    }
    if is_adapted {
        return None;
    }
    if !here.blocks() && there.blocks() {
        let says = format!("exit 2 does not block {event} in {from}, but blocks {event_there} in {to}");
        return Some(ConversionNote::changed(NoteCode::Exit2Blocks, says));
    }
    if here.tells(REASON) && !there.tells(REASON) && there.blocks() {
        let other = there.blocked().find_map(|outcome| outcome.reason.as_ref());
        let instead = other.map_or(String::new(), |reason| format!(" and reports \"{reason}\""));
        let says = format!("exit 2 blocks {event_there} in {to} too, but {to} discards the reason on stderr{instead}");
        return Some(ConversionNote::worse(NoteCode::Exit2ReasonLost, says));
    }
    None
}

/// The effect of exit status 2 after `hookbench adapt` has translated it.
fn adapted_effect(pair: &ConversionPair<'_>, event: &str, event_there: &str) -> Option<AnswerEffect> {
    let spelling = Some(event.to_owned()).filter(|event| pair.from.dialect.main_spelling(event) != event);
    let place = Place { project: "/project".to_owned(), home: "/home".to_owned(), ..Place::default() };
    AnswerEffect::adapted(
        &HookAdapter::new(pair.from.clone(), pair.to.clone(), spelling, place),
        event_there,
        2,
        REASON,
    )
}

/// The effect of exit status 2 with a reason on stderr. `None` if nothing is known.
fn effect(side: &AgentVersion, event: &str) -> Option<AnswerEffect> {
    AnswerEffect::of(side, event, &RunReport::new(RunId(0), Exit::Code(2), "", REASON))
}
