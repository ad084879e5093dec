//! Conversion of time limits to the other agent's unit, or to the nearest limit that it allows.

use std::time::Duration;

use serde_json::Value;

use super::ConversionPair;
use super::note::{ConversionNote, NoteCode};

/// A shorter limit was probably meant in another unit.
const SHORT: Duration = Duration::from_secs(1);

/// The time limit of a converted hook.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvertedTimeout {
    /// The limit in the first agent.
    pub here: Duration,
    /// The limit in the other agent.
    pub there: Duration,
    /// The value to write. `None` if the other agent's default is the same.
    pub value: Option<Value>,
}

/// Converts the time limit of a handler. `given` is the limit in its settings, `None` if they set none.
pub fn convert_timeout(
    pair: &ConversionPair<'_>,
    kind: &str,
    here: &str,
    there: &str,
    given: Option<Duration>,
) -> (ConvertedTimeout, Option<ConversionNote>) {
    let (from, to) = (pair.from.dialect.settings_format(), pair.to.dialect.settings_format());
    let cut = |limit: Duration, longest: Option<Duration>| longest.map_or(limit, |longest| limit.min(longest));
    let wanted = cut(given.unwrap_or_else(|| (from.default_timeout)(kind, here)), (from.max_timeout)(here));
    let longest = (to.max_timeout)(there);
    let default = cut((to.default_timeout)(kind, there), longest);
    if given.is_none() && cut(wanted, longest) == default {
        let limit = ConvertedTimeout { here: wanted, there: default, value: None };
        return (limit, (wanted != default).then(|| timeout_note(pair, there, wanted, default, false)));
    }
    let (value, written) = (to.timeout)(kind, cut(wanted, longest));
    let written = cut(written, longest);
    let cut = (written != wanted).then(|| timeout_note(pair, there, wanted, written, given.is_some()));
    let note = cut.or_else(|| (given.is_some() && wanted < SHORT).then(|| short_timeout_note(pair, wanted)));
    (ConvertedTimeout { here: wanted, there: written, value: Some(value) }, note)
}

fn timeout_note(
    pair: &ConversionPair<'_>,
    there: &str,
    wanted: Duration,
    got: Duration,
    asked: bool,
) -> ConversionNote {
    let to = pair.to.dialect.name();
    let less = got < wanted;
    let got = format_timeout(got);
    let wanted_words = format_timeout(wanted);
    if asked {
        let says = format!("its {wanted_words} become {got} on {there}: {to} has a fixed limit");
        return ConversionNote::worse(NoteCode::TimeoutCut, says);
    }
    let says = format!("{} allows it {wanted_words}, {to} allows {got} on {there}", pair.from.dialect.name());
    // Without a configured limit, the hook could still have used the longer default.
    if less {
        ConversionNote::worse(NoteCode::TimeoutDefault, says)
    } else {
        ConversionNote::warned(NoteCode::TimeoutDefault, says)
    }
}

fn short_timeout_note(pair: &ConversionPair<'_>, wanted: Duration) -> ConversionNote {
    let (from, to) = (pair.from.dialect.name(), pair.to.dialect.name());
    let says = format!("{from} gives it {}, and so will {to}; did you mean seconds?", format_timeout(wanted));
    ConversionNote::warned(NoteCode::TimeoutShort, says)
}

/// Formats a duration: `30 s`, `1.5 s`, `30 ms`.
pub fn format_timeout(limit: Duration) -> String {
    if limit < Duration::from_secs(1) {
        return format!("{} ms", limit.as_secs_f64() * 1000.0);
    }
    format!("{} s", limit.as_secs_f64())
}
