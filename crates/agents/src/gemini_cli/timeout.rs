//! What a `timeout` value means (spec §1.2, §5): milliseconds, as a timer of Node.js takes them.

use std::time::Duration;

use serde_json::Value;

use crate::shared::numbers::js_number;
use hookbench_base::text::to_js_string;

/// Without a value.
pub const DEFAULT: Duration = Duration::from_secs(60);
/// Above this a timer is over at once.
const LONGEST: f64 = 2_147_483_647.0;

/// How a configured value was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Absent, or null.
    Default,
    Milliseconds,
    /// No number, below one or above what a timer holds: the hook is given no time.
    AtOnce,
}

/// The time limit of a hook.
pub fn limit(value: Option<&Value>) -> (Duration, Source) {
    let Some(value) = value.filter(|v| !v.is_null()) else { return (DEFAULT, Source::Default) };
    let number = match value {
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => js_number(text),
        Value::Array(_) => js_number(&to_js_string(value)),
        Value::Null | Value::Object(_) => None,
    };
    match number.filter(|n| (1.0..=LONGEST).contains(n)) {
        Some(number) => (Duration::try_from_secs_f64(number.trunc() / 1000.0).unwrap_or(DEFAULT), Source::Milliseconds),
        None => (Duration::from_millis(1), Source::AtOnce),
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
            (json!(null), (DEFAULT, Source::Default)),
            (json!(30), (ms(30), Source::Milliseconds)),
            (json!("5000"), (ms(5000), Source::Milliseconds)),
            (json!(1.5), (ms(1), Source::Milliseconds)),
            (json!(0), (ms(1), Source::AtOnce)),
            (json!(-5), (ms(1), Source::AtOnce)),
            (json!("soon"), (ms(1), Source::AtOnce)),
            (json!({}), (ms(1), Source::AtOnce)),
            (json!(3_000_000_000_i64), (ms(1), Source::AtOnce)),
            (json!(2_147_483_647), (ms(2_147_483_647), Source::Milliseconds)),
        ] {
            assert_eq!(limit(Some(&value)), want, "{value}");
        }
        assert_eq!(limit(None), (DEFAULT, Source::Default));
    }
}
