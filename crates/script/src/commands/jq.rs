//! The command jq.

use crate::state::State;
use crate::steps::{ByteRange, ScriptStream};
use crate::value::{Piece, Value, from_json};
use crate::walk::Walk;

/// Runs jq: its filter is applied to stdin, to nothing, or to what a file holds.
pub(super) fn run(walk: &mut Walk<'_>, arguments: &[Value], at: &ByteRange, state: &mut State) {
    let mut variables = Vec::new();
    let (mut raw, mut null, mut tests) = (false, false, false);
    let mut filter = None;
    let mut from_file = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.known_text().unwrap_or_default();
        match text.as_str() {
            "--arg" | "--argjson" => {
                let (name, value) = (words.next().and_then(Value::known_text), words.next());
                if let (Some(name), Some(value)) = (name, value) {
                    let parsed = || value.known_text().and_then(|text| serde_json::from_str(&text).ok()).map(from_json);
                    let value = if text == "--arg" { value.clone() } else { parsed().unwrap_or(Value::Unknown) };
                    variables.push((name, value));
                }
            }
            "--slurpfile" | "--rawfile" => {
                if let Some(name) = words.next().and_then(Value::known_text) {
                    variables.push((name, Value::Unknown));
                }
                words.next();
            }
            "--indent" | "-L" => drop(words.next()),
            "-f" | "--from-file" => {
                words.next();
                filter = Some(Value::Unknown);
            }
            "--args" | "--jsonargs" => break,
            "--raw-output" => raw = true,
            "--null-input" => null = true,
            "--exit-status" => tests = true,
            long if long.starts_with("--") => {}
            short if short.starts_with('-') && short.len() > 1 => {
                raw |= short.contains('r') || short.contains('j');
                null |= short.contains('n') || short.contains('R');
                tests |= short.contains('e');
            }
            _ if filter.is_none() => filter = Some(word.clone()),
            _ => from_file = true,
        }
    }
    let input = match (null, from_file) {
        (true, _) => Value::Null,
        (false, true) => Value::Unknown,
        (false, false) => walk.drain_stdin(state, at).parsed(),
    };
    state.status = if tests { None } else { Some(0) };
    let result =
        filter.and_then(|filter| filter.source_text()).and_then(|text| walk.filter(&text, &variables, &input, at));
    let Some(result) = result else {
        return state.print(ScriptStream::Stdout, vec![Piece::Of(Value::Unknown)], at);
    };
    if !result.is_empty {
        let pieces = match (raw, result.value) {
            (true, Value::Text(pieces)) => pieces,
            (_, value @ Value::Payload(_)) => vec![Piece::Of(value)],
            (true, value @ (Value::Unknown | Value::Stdin | Value::Environment(_))) => vec![Piece::Of(value)],
            (_, Value::Unknown) => vec![Piece::Of(Value::Unknown)],
            (_, value) => vec![Piece::Json(value)],
        };
        state.print(ScriptStream::Stdout, pieces.into_iter().chain([Piece::Is("\n".to_owned())]).collect(), at);
    }
}
