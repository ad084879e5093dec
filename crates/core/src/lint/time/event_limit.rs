//! HW506: a hook that needs more time than the event allows.

use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use super::timeout_unit::looks_like_milliseconds;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::handler_spans;
use crate::text::ascii_regex;

/// An event with a shorter default has its own time limit.
const SHORT_DEFAULT: Duration = Duration::from_secs(4);

/// Slow work: network access, builds, sleeping.
static SLOW: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r"(?m)^[^#\n]*(?:(?:^|[\s;&|(])(?:curl|wget|ssh|scp|rsync|docker|gh|aws|gcloud|kubectl|npm|npx|pnpm|yarn|pip3?|cargo|mvn|gradle|go (?:build|test)|git (?:push|pull|fetch|clone))\s|\bsleep\s+(?:[2-9]|\d\d)|\b(?:requests|httpx|urllib\.request)\.|\bfetch\()",
    )
});

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let form = at.agent.dialect.settings_format();
    let event = at.event.name;
    let written = at.definition.raw.get("timeout").filter(|value| !value.is_null());
    if let Some(most) = (form.max_timeout)(event) {
        let own = at.definition.timeout.filter(|_| written.is_some());
        // A number of milliseconds is a different mistake and reported by another rule.
        let meant_less = written.and_then(serde_json::Value::as_u64).is_some_and(looks_like_milliseconds);
        // The agent does not wait for a hook in the background at all.
        if own.is_some_and(|own| own > most) && !meant_less && !at.definition.detached {
            let says = format!(
                "{} waits for hooks of {event} at most {}, even if a longer timeout is set",
                at.agent_name(),
                words(most)
            );
            let place = handler_spans::value_span(at, "timeout");
            return Some(
                Diagnostic::new(Code::HW506, says).at(place).with_help(format!("finish within {}", words(most))),
            );
        }
    }
    let kind = at.definition.handler.kind();
    let default = (form.default_timeout)(kind, event);
    if written.is_some() || default >= SHORT_DEFAULT || at.definition.detached {
        return None;
    }
    let (place, text) = match at.script {
        Some(script) => (None, script.text.clone()),
        None => (Some(handler_spans::value_span(at, "command")), at.command()?),
    };
    let found = SLOW.as_ref()?.find(&text)?;
    let line = text.get(..found.end()).map_or(0, |before| before.lines().count().saturating_sub(1));
    let place = place.or_else(|| at.script.map(|script| script.line_span(line))).unwrap_or_else(|| at.handler_span());
    let says =
        format!("hooks of {event} have {} in {}, and this command can take longer", words(default), at.agent_name());
    let most = (form.max_timeout)(event).map(|most| format!(" (up to {})", words(most))).unwrap_or_default();
    let help = format!("add a `timeout`{most}, or do the work in a background process");
    Some(Diagnostic::new(Code::HW506, says).at(place).with_help(help))
}

fn words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if time.as_millis().is_multiple_of(1000) { format!("{seconds:.0} s") } else { format!("{seconds:.1} s") }
}
