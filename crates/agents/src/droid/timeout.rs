//! The meaning of `timeout` (spec §2.1).

use std::time::Duration;

use serde_json::Value;

/// The limit of a hook that does not set one.
pub const DEFAULT: Duration = Duration::from_secs(60);

/// The largest limit, in seconds: the longest timer of Node.js. A longer one ends at once (0.225.2).
pub const LONGEST: f64 = 2_147_483.647;

/// The time that a hook gets if its limit is too large for a timer: the agent is busy starting it. Hooks of 10 ms answered,
/// hooks of 40 ms did not (0.225.2).
const AT_ONCE: Duration = Duration::from_millis(20);

/// Returns the limit in the value of `timeout`: seconds, with fractions. Zero means no limit, and a negative number
/// kills the hook at once, as does one that is too large for a timer.
pub fn limit(value: Option<&Value>) -> Option<Duration> {
    let Some(seconds) = value.and_then(Value::as_f64) else { return Some(DEFAULT) };
    if seconds == 0.0 {
        return None;
    }
    if seconds > LONGEST {
        return Some(AT_ONCE);
    }
    Some(Duration::from_secs_f64(seconds.max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn seconds_with_fractions() {
        for (value, want) in [
            (None, Some(DEFAULT)),
            (Some(json!(0.5)), Some(Duration::from_millis(500))),
            (Some(json!(30)), Some(Duration::from_secs(30))),
            (Some(json!(0)), None),
            (Some(json!(-1)), Some(Duration::ZERO)),
            (Some(json!(2_147_483)), Some(Duration::from_secs(2_147_483))),
            (Some(json!(2_147_483.648)), Some(AT_ONCE)),
            (Some(json!(2_147_484)), Some(AT_ONCE)),
            (Some(json!(1e300)), Some(AT_ONCE)),
        ] {
            assert_eq!(limit(value.as_ref()), want, "{value:?}");
        }
    }
}
