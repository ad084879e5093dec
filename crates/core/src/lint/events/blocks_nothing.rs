//! HW205: a hook that tries to block an event that cannot be blocked, or not with exit 2.

use hookbench_script::{ByteRange, Piece, Run, ScriptStream, Value as ScriptValue, decision};
use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::hook::EventSpec;
use crate::lint::answers::HookText;
use crate::lint::commands::consequence::{blocks_event, run_blocks};
use crate::run::{Exit, RunId, RunReport};
use crate::text::stringify;

/// Checks for a way that exits with 2 or prints a refusal, in a script that serves no event that can be blocked.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    // Some events are blocked only by an answer.
    let needs_answer = at.event.blockable_action.is_some();
    // If the agent obeys the answer, or if the model gets the text, it is not a mistake.
    let obeys = !needs_answer && at.event.honoured_output.iter().any(|key| key.ends_with("ecision"));
    if obeys || at.event.exit_2_delivers || needs_answer && blocks_event(at, 2) {
        return None;
    }
    let text = HookText::of(at)?;
    let walked = text.walk(at)?;
    if needs_answer && walked.runs.iter().any(|run| refusal(run).is_some() || blocks(run, at)) {
        return None;
    }
    // What a program prints may be the answer.
    let may_answer = |run: &Run| needs_answer && prints_unknown(run);
    let exits = walked.runs.iter().filter(|run| run.status == Some(2) && !may_answer(run));
    let exits = exits.filter_map(|run| run.end.clone());
    let exits = exits.map(|place| ("exit 2", place));
    let refusals = walked.runs.iter().filter_map(refusal).map(|place| ("this answer", place));
    let (what, place) = exits.chain(refusals).min_by_key(|(_, place)| place.start)?;
    if serves_blocking_events(at, &text.text) {
        return None;
    }
    let event = at.event.name;
    let says = format!("{what} does not block {event}: {}", lower_first(at.event.exit_2));
    let help = if needs_answer {
        "print a JSON answer that blocks, and exit 0"
    } else {
        "use an event that can be blocked, or exit 0"
    };
    let line = text.text.get(..place.start).unwrap_or_default().matches('\n').count();
    let span = at.script.map_or_else(|| at.handler_span(), |script| script.line_span(line));
    let found = Diagnostic::new(Code::HW205, says).at(span).with_help(help);
    let start = at.agent.sources.start(at.handler_span());
    let file = at.agent.sources.name(at.handler_span().source);
    Some(if at.script.is_some() {
        found.with_note(format!("the hook is configured for {event} in {file}:{}", start.line))
    } else {
        found
    })
}

/// Whether a text on stdout is not known, such as that of a program.
fn prints_unknown(run: &Run) -> bool {
    let printed = run.printed_on(ScriptStream::Stdout);
    let is_unknown = |piece: &Piece| match piece {
        Piece::Is(_) => false,
        Piece::Of(_) => true,
        Piece::Json(value) => !matches!(value, ScriptValue::Object(_)),
    };
    printed.iter().any(|one| one.text.iter().any(is_unknown))
}

/// Whether the output of a run blocks the event.
fn blocks(run: &Run, at: &RuleContext<'_>) -> bool {
    let answer = run.answer("").map(|answer| stringify(&Value::Object(answer)));
    let report = |stdout| RunReport::new(RunId(0), Exit::Code(run.status.unwrap_or(0)), stdout, "");
    answer.is_some_and(|stdout| run_blocks(at, report(stdout)))
}

/// The place that prints an answer that refuses.
fn refusal(run: &Run) -> Option<ByteRange> {
    let answer = Value::Object(run.answer("")?);
    let place = run.printed_on(ScriptStream::Stdout).first().map(|printed| printed.at.clone());
    place.filter(|_| matches!(decision(&answer), Some("deny" | "block")))
}

/// Whether the same command, or a script that names another event, also serves events that can be blocked.
fn serves_blocking_events(at: &RuleContext<'_>, text: &str) -> bool {
    let events = at.agent.dialect.events(at.agent.version);
    let blocks = |name: &str| events.iter().any(|event| event.name == name && event.blockable_action.is_some());
    let other = |event: &&EventSpec| event.blockable_action.is_some() && event.name != at.event.name;
    let names = events.iter().copied().filter(other).any(|event| text.contains(event.name));
    let twins = at.agent.handlers.events_of(&at.definition.handler);
    let twin = |event: &&str| **event != at.definition.event && blocks(event);
    names || twins.iter().any(twin)
}

/// Lowers the first letter of a sentence and removes its period.
fn lower_first(sentence: &str) -> String {
    let mut chars = sentence.trim_end_matches('.').chars();
    chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
}
