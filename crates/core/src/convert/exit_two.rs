//! Compares the effect of exit status 2 with a reason on stderr in both agents: fires the event with one hook that
//! ends like this and compares the agents' decisions.

use super::{ConversionNote, ConversionPair, ConvertedDefinition, NoteCode};
use crate::adapt::LoneHook;
use crate::config::Place;
use crate::port::AgentVersion;
use crate::run::{Exit, RunId, RunReport};

/// Whether the event is blocked: in some of the agent's examples, in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BlockingEffect {
    in_some_examples: bool,
    in_all_examples: bool,
}

/// Whether exit status 2 blocks the event in both agents, in all examples.
pub fn blocks_in_both(pair: &ConversionPair<'_>, event: &str, there: &str) -> bool {
    let all = |side, event| blocking_effect(side, event).is_some_and(|held| held.in_all_examples);
    all(pair.from, event) && all(pair.to, there)
}

/// Returns notes about the effect of exit status 2, one for each pair of events.
pub fn exit_two_notes(pair: &ConversionPair<'_>, items: &[ConvertedDefinition]) -> Vec<ConversionNote> {
    let mut known: Vec<(&str, &str)> = Vec::new();
    for item in items {
        let commands = item.written.iter().filter(|w| w.handler.get("type").is_some_and(|kind| kind == "command"));
        for written in commands {
            let events = (item.event.as_str(), written.event.as_str());
            if !known.contains(&events) {
                known.push(events);
            }
        }
    }
    known.into_iter().filter_map(|(event, there)| exit_two_note(pair, event, there)).collect()
}

fn exit_two_note(pair: &ConversionPair<'_>, event: &str, event_there: &str) -> Option<ConversionNote> {
    let (here, there) = (blocking_effect(pair.from, event)?, blocking_effect(pair.to, event_there)?);
    let (from, to) = (pair.from.dialect.name(), pair.to.dialect.name());
    if here.in_some_examples && !there.in_some_examples {
        let says = format!("exit 2 blocks {event} in {from}, but does not block {event_there} in {to}");
        return Some(ConversionNote::worse(NoteCode::Exit2NoEffect, says));
    }
    if !pair.adapts && !here.in_some_examples && there.in_some_examples {
        let says = format!("exit 2 does not block {event} in {from}, but blocks {event_there} in {to}");
        return Some(ConversionNote::changed(NoteCode::Exit2Blocks, says));
    }
    None
}

/// Returns whether exit status 2 blocks an event. `None` if no hook could be fired on it, so that nothing is
/// known.
fn blocking_effect(side: &AgentVersion, event: &str) -> Option<BlockingEffect> {
    let place = Place { project: "/project".to_owned(), home: "/home".to_owned(), ..Place::default() };
    let hook = LoneHook::on(side, event, &place)?;
    let report = RunReport::new(RunId(0), Exit::Code(2), "", "no");
    let inputs = hook.example_inputs(event);
    let outcomes: Vec<bool> =
        inputs.iter().filter_map(|input| Some(hook.decide(input, &report)?.outcome.blocked)).collect();
    let some = outcomes.contains(&true);
    (!outcomes.is_empty())
        .then(|| BlockingEffect { in_some_examples: some, in_all_examples: !outcomes.contains(&false) })
}
