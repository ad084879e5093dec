//! Interprets a `timeout` value (spec §6.5, §8, §9).

use std::time::Duration;

use serde_json::Value;

use super::version_behaviour::TimeoutUnit;
use crate::shared::javascript::{js_number, trim};

/// The default of a command hook.
pub const COMMAND: Duration = Duration::from_secs(60);
/// The default of an HTTP hook.
pub const HTTP: Duration = Duration::from_secs(600);
/// The default of a prompt hook.
pub const PROMPT: Duration = Duration::from_secs(30);

/// The longest timer of JavaScript, in milliseconds.
pub const LONGEST_MS: f64 = 2_147_483_647.0;

/// How a configured timeout was interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutSource {
    /// Missing.
    Default,
    /// Present but unusable.
    Unusable,
    Seconds,
    Milliseconds,
}

/// Returns the time limit of a command hook.
pub fn command(unit: TimeoutUnit, value: Option<&Value>) -> (Duration, TimeoutSource) {
    let Some(value) = value else { return (COMMAND, TimeoutSource::Default) };
    if unit == TimeoutUnit::Milliseconds {
        return match value.as_f64() {
            Some(number) => (milliseconds(number), TimeoutSource::Milliseconds),
            None => (COMMAND, TimeoutSource::Unusable),
        };
    }
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) if !trim(text).is_empty() => js_number(text),
        _ => None,
    };
    match number.filter(|n| n.is_finite() && *n > 0.0) {
        None => (COMMAND, TimeoutSource::Unusable),
        Some(number) if number >= 1000.0 => (milliseconds(number), TimeoutSource::Milliseconds),
        Some(number) => (milliseconds(number * 1000.0), TimeoutSource::Seconds),
    }
}

/// Returns the time limit of an HTTP hook in seconds. A missing or falsy value means the default.
pub fn http(value: Option<&Value>) -> Duration {
    match value.filter(|v| hookbench_base::text::truthy(v)) {
        None => HTTP,
        Some(value) => milliseconds(loose_number(value) * 1000.0),
    }
}

/// Returns the time limit of a prompt hook in seconds. Only a missing or null value means the default.
pub fn prompt(value: Option<&Value>) -> Duration {
    match value.filter(|v| !v.is_null()) {
        None => PROMPT,
        Some(value) => milliseconds(loose_number(value) * 1000.0),
    }
}

/// Converts milliseconds as JavaScript's timers do: below one, not a number, or above 2³¹−1 counts as one.
fn milliseconds(number: f64) -> Duration {
    if (1.0..=LONGEST_MS).contains(&number) {
        Duration::try_from_secs_f64(number / 1000.0).unwrap_or(COMMAND)
    } else {
        Duration::from_millis(1)
    }
}

fn loose_number(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.as_f64().unwrap_or(f64::NAN),
        Value::Bool(flag) => f64::from(u8::from(*flag)),
        Value::String(text) => js_number(text).unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_row_of_the_programs_table() {
        for line in include_str!("../../../../tests/tables/qwen/timeout.jsonl").lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let (limit, source) = command(TimeoutUnit::SecondsOrLegacy, row.pointer("/in/value"));
            let ms = row.pointer("/out/timeoutMs").and_then(Value::as_f64).unwrap();
            assert!((limit.as_secs_f64() * 1000.0 - ms).abs() < 1e-3, "{line}");
            let want = match row.pointer("/out/source").and_then(Value::as_str).unwrap() {
                "configured" => TimeoutSource::Seconds,
                "legacy-milliseconds" => TimeoutSource::Milliseconds,
                _ if row["out"]["ignoredConfiguredValue"] == json!(true) => TimeoutSource::Unusable,
                _ => TimeoutSource::Default,
            };
            assert_eq!(source, want, "{line}");
        }
    }

    #[test]
    fn other_kinds_and_other_versions() {
        let ms = Duration::from_millis;
        assert_eq!(command(TimeoutUnit::Milliseconds, Some(&json!(1))), (ms(1), TimeoutSource::Milliseconds));
        assert_eq!(http(Some(&json!(0))), HTTP);
        assert_eq!(http(Some(&json!(2.5))), ms(2500));
        assert_eq!(prompt(Some(&json!(0))), ms(1));
        assert_eq!(prompt(Some(&json!(null))), PROMPT);
        assert_eq!(command(TimeoutUnit::SecondsOrLegacy, Some(&json!(3_000_000_000_i64))).0, ms(1));
    }
}
