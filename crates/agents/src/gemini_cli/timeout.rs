//! Interprets a `timeout` value (spec §1.2, §5): milliseconds, as a Node.js timer reads them.

use std::time::Duration;

use serde_json::Value;

use crate::shared::javascript::js_number;
use hookbench_base::text::to_js_string;

/// The timeout without a value.
pub const DEFAULT: Duration = Duration::from_secs(60);
/// Above this, a timer fires immediately.
const LONGEST: f64 = 2_147_483_647.0;

/// How a configured timeout was interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutSource {
    /// Missing or null.
    Default,
    Milliseconds,
    /// Not a number, below one, or beyond a timer's range: the timer fires immediately.
    Immediate,
}

/// Returns the time limit of a hook.
pub fn limit(value: Option<&Value>) -> (Duration, TimeoutSource) {
    let Some(value) = value.filter(|v| !v.is_null()) else { return (DEFAULT, TimeoutSource::Default) };
    let number = match value {
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => js_number(text),
        Value::Array(_) => js_number(&to_js_string(value)),
        Value::Null | Value::Object(_) => None,
    };
    match number.filter(|n| (1.0..=LONGEST).contains(n)) {
        Some(number) => {
            (Duration::try_from_secs_f64(number.trunc() / 1000.0).unwrap_or(DEFAULT), TimeoutSource::Milliseconds)
        }
        None => (Duration::from_millis(1), TimeoutSource::Immediate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values() {
        let ms = Duration::from_millis;
        for (value, want) in [
            (json!(null), (DEFAULT, TimeoutSource::Default)),
            (json!(30), (ms(30), TimeoutSource::Milliseconds)),
            (json!("5000"), (ms(5000), TimeoutSource::Milliseconds)),
            (json!(1.5), (ms(1), TimeoutSource::Milliseconds)),
            (json!(0), (ms(1), TimeoutSource::Immediate)),
            (json!(-5), (ms(1), TimeoutSource::Immediate)),
            (json!("soon"), (ms(1), TimeoutSource::Immediate)),
            (json!({}), (ms(1), TimeoutSource::Immediate)),
            (json!(3_000_000_000_i64), (ms(1), TimeoutSource::Immediate)),
            (json!(2_147_483_647), (ms(2_147_483_647), TimeoutSource::Milliseconds)),
        ] {
            assert_eq!(limit(Some(&value)), want, "{value}");
        }
        assert_eq!(limit(None), (DEFAULT, TimeoutSource::Default));
    }
}
