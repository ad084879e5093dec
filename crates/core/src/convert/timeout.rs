//! Conversion of time limits to the other agent's unit, or to the nearest limit that it allows.

use std::time::Duration;

use serde_json::Value;

use super::Pair;
use super::note::Note;

/// A shorter limit was probably meant in another unit.
const SHORT: Duration = Duration::from_secs(1);

/// The time limit of a converted hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The limit in the first agent.
    pub here: Duration,
    /// The limit in the other agent.
    pub there: Duration,
    /// The value to write. `None` if the other agent's default is the same.
    pub value: Option<Value>,
}

/// Converts the time limit of a handler. `given` is the limit in its settings, `None` if they set none.
pub fn port(pair: &Pair<'_>, kind: &str, here: &str, there: &str, given: Option<Duration>) -> (Limit, Option<Note>) {
    let (from, to) = (pair.from.dialect.form(), pair.to.dialect.form());
    let cut = |limit: Duration, longest: Option<Duration>| longest.map_or(limit, |longest| limit.min(longest));
    let wanted = cut(given.unwrap_or_else(|| (from.default_timeout)(kind, here)), (from.longest)(here));
    let longest = (to.longest)(there);
    let default = cut((to.default_timeout)(kind, there), longest);
    if given.is_none() && cut(wanted, longest) == default {
        let limit = Limit { here: wanted, there: default, value: None };
        return (limit, (wanted != default).then(|| note(pair, there, wanted, default, false)));
    }
    let (value, written) = (to.timeout)(kind, cut(wanted, longest));
    let written = cut(written, longest);
    let cut = (written != wanted).then(|| note(pair, there, wanted, written, given.is_some()));
    let note = cut.or_else(|| (given.is_some() && wanted < SHORT).then(|| short(pair, wanted)));
    (Limit { here: wanted, there: written, value: Some(value) }, note)
}

fn note(pair: &Pair<'_>, there: &str, wanted: Duration, got: Duration, asked: bool) -> Note {
    let to = pair.to.dialect.name();
    let less = got < wanted;
    let got = words(got);
    let wanted_words = words(wanted);
    if asked {
        let says = format!("its {wanted_words} are {got} on {there}: {to} gives no other time");
        return Note::worse("timeout.cut", says);
    }
    let says = format!("{} lets it take {wanted_words}, {to} {got} on {there}", pair.from.dialect.name());
    // Without a configured limit, the hook could still have used the longer default.
    if less { Note::worse("timeout.default", says) } else { Note::warned("timeout.default", says) }
}

fn short(pair: &Pair<'_>, wanted: Duration) -> Note {
    let (from, to) = (pair.from.dialect.name(), pair.to.dialect.name());
    let says = format!("{from} gives it {}, and so does {to} now; were seconds meant?", words(wanted));
    Note::warned("timeout.short", says)
}

/// Formats a duration: `30 s`, `1.5 s`, `30 ms`.
pub fn words(limit: Duration) -> String {
    if limit < Duration::from_secs(1) {
        return format!("{} ms", limit.as_secs_f64() * 1000.0);
    }
    format!("{} s", limit.as_secs_f64())
}
