//! The attempts of one call: when the model is asked again, how long to wait before that, and when to give up. The
//! caller has the clock and the random numbers.

use std::time::Duration;

use jiff::Timestamp;

/// The time that the hook keeps for everything but the model.
const HOOK_RESERVE: Duration = Duration::from_secs(2);
/// The minimum time for one attempt, if the budget has it.
const MIN_ATTEMPT: Duration = Duration::from_secs(1);
/// The upper bound of the first wait, and of every wait.
const FIRST_WAIT_MS: u64 = 250;
const MAX_WAIT_MS: u64 = 4_000;

/// The time for a call: the configured one, inside the time limit of the hook. `None` if no time is left.
pub fn call_budget(timeout: Duration, hook_limit: Option<Duration>, spent: Duration) -> Option<Duration> {
    let inside = match hook_limit {
        Some(limit) => limit.checked_sub(HOOK_RESERVE)?.checked_sub(spent)?,
        None => timeout,
    };
    Some(timeout.min(inside)).filter(|budget| !budget.is_zero())
}

/// Reads a `Retry-After` header: seconds, or a date.
pub fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let at = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

/// The result of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptResult {
    /// A text of the model that says what was asked.
    Answer(String),
    /// A text of the model that does not say what was asked.
    Unclear(String),
    Failed(AttemptFailure),
}

/// A failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptFailure {
    pub kind: FailureKind,
    pub message: String,
    /// The time that the server asked to wait.
    pub retry_after: Option<Duration>,
}

/// The consequence of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// Another attempt may succeed.
    Transient,
    /// Another attempt would fail in the same way.
    Permanent,
    /// The settings have to change. The breaker does not count it.
    Configuration,
    /// The server rejects a request for an answer that follows a schema.
    SchemaRefused,
}

impl AttemptFailure {
    /// A failure without a time to wait.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> AttemptFailure {
        AttemptFailure { kind, message: message.into(), retry_after: None }
    }

    /// The failure that a status of HTTP means. `None` for a status of success.
    pub fn of_status(status: u16, asked_for_schema: bool) -> Option<AttemptFailure> {
        let kind = match status {
            200..=299 => return None,
            408 | 425 | 429 | 500..=599 => FailureKind::Transient,
            400 | 422 if asked_for_schema => FailureKind::SchemaRefused,
            _ => FailureKind::Configuration,
        };
        let help = match status {
            300..=399 => " (a redirect, which is not followed; write the final URL in model.url)",
            401 | 403 => " (check model.key_variable or model.key_command)",
            404 => " (check model.url and model.name)",
            _ => "",
        };
        Some(AttemptFailure::new(kind, format!("HTTP {status}{help}")))
    }
}

/// The next step of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallStep {
    /// Wait, then ask. `limit` bounds the attempt.
    Ask {
        wait: Duration,
        limit: Duration,
        with_schema: bool,
    },
    End(CallEnd),
}

/// The end of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallEnd {
    Answer(String),
    Failed(AttemptFailure),
}

/// The attempts of one call.
#[derive(Debug, Clone)]
pub struct CallPlan {
    budget: Duration,
    attempts: u32,
    made: u32,
    /// Waits made so far, which lengthen the next one.
    waits: u32,
    is_unclear: bool,
    with_schema: bool,
    random: u64,
}

impl CallPlan {
    /// Plans a call. `seed` makes the waits of different processes differ.
    pub fn new(budget: Duration, attempts: u32, with_schema: bool, seed: u64) -> CallPlan {
        CallPlan { budget, attempts: attempts.max(1), made: 0, waits: 0, is_unclear: false, with_schema, random: seed }
    }

    /// The number of attempts so far.
    pub fn attempts_made(&self) -> u32 {
        self.made
    }

    /// The first step, after `elapsed` of the budget.
    pub fn begin(&mut self, elapsed: Duration) -> CallStep {
        self.ask_after(Duration::ZERO, elapsed, || AttemptFailure::new(FailureKind::Permanent, "no time is left"))
    }

    /// The step that follows the result of an attempt.
    pub fn after(&mut self, result: AttemptResult, elapsed: Duration) -> CallStep {
        let failure = match result {
            AttemptResult::Answer(text) => return CallStep::End(CallEnd::Answer(text)),
            AttemptResult::Unclear(text) => {
                let head: String = text.trim().chars().take(80).collect();
                let failure = AttemptFailure::new(FailureKind::Permanent, format!("its answer is unclear: {head}"));
                // Another answer of the same kind would not help either.
                if std::mem::replace(&mut self.is_unclear, true) {
                    return CallStep::End(CallEnd::Failed(failure));
                }
                failure
            }
            AttemptResult::Failed(failure) => match failure.kind {
                FailureKind::SchemaRefused if self.with_schema => {
                    self.with_schema = false;
                    // The request was not an attempt to judge anything.
                    self.made = self.made.saturating_sub(1);
                    return self.ask_after(Duration::ZERO, elapsed, || failure);
                }
                FailureKind::Transient => failure,
                FailureKind::Permanent | FailureKind::Configuration | FailureKind::SchemaRefused => {
                    return CallStep::End(CallEnd::Failed(failure));
                }
            },
        };
        if self.made >= self.attempts {
            return CallStep::End(CallEnd::Failed(failure));
        }
        let wait = self.jitter().max(failure.retry_after.unwrap_or_default());
        self.ask_after(wait, elapsed, || failure)
    }

    fn ask_after(&mut self, wait: Duration, elapsed: Duration, failure: impl FnOnce() -> AttemptFailure) -> CallStep {
        let left = self.budget.checked_sub(elapsed).and_then(|left| left.checked_sub(wait));
        let Some(left) = left.filter(|left| !left.is_zero()) else {
            return CallStep::End(CallEnd::Failed(failure()));
        };
        let share = left / self.attempts.saturating_sub(self.made).max(1);
        self.made += 1;
        CallStep::Ask { wait, limit: share.max(MIN_ATTEMPT).min(left), with_schema: self.with_schema }
    }

    /// A random wait from zero to a bound that doubles with each wait.
    fn jitter(&mut self) -> Duration {
        let bound = FIRST_WAIT_MS.saturating_mul(1 << self.waits.min(16)).min(MAX_WAIT_MS);
        self.waits += 1;
        // SplitMix64: small, and good enough to spread processes.
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Duration::from_millis((mixed ^ (mixed >> 31)) % (bound + 1))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BUDGET: Duration = Duration::from_secs(20);

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn failed(kind: FailureKind) -> AttemptResult {
        AttemptResult::Failed(AttemptFailure::new(kind, "broken"))
    }

    /// Plays results without a passing clock but for the waits, and returns the waits and the end.
    fn play(attempts: u32, results: &[AttemptResult]) -> (Vec<Duration>, u32, CallEnd) {
        let mut plan = CallPlan::new(BUDGET, attempts, true, 7);
        let (mut waits, mut elapsed) = (Vec::new(), Duration::ZERO);
        let mut step = plan.begin(elapsed);
        let mut results = results.iter().cloned();
        loop {
            match step {
                CallStep::End(end) => return (waits, plan.attempts_made(), end),
                CallStep::Ask { wait, .. } => {
                    waits.push(wait);
                    elapsed += wait;
                    step = plan.after(results.next().expect("a result for each attempt"), elapsed);
                }
            }
        }
    }

    #[test]
    fn failures_are_repeated_where_that_can_help() {
        let answer = || AttemptResult::Answer("ALLOW".to_owned());
        let unclear = || AttemptResult::Unclear("maybe".to_owned());
        let end = |result: &CallEnd| match result {
            CallEnd::Answer(text) => text.clone(),
            CallEnd::Failed(failure) => format!("{:?} {}", failure.kind, failure.message),
        };
        for (results, attempts, want) in [
            (vec![answer()], 1, "ALLOW"),
            (vec![failed(FailureKind::Transient), failed(FailureKind::Transient), answer()], 3, "ALLOW"),
            (vec![failed(FailureKind::Transient); 3], 3, "Transient broken"),
            (vec![failed(FailureKind::Configuration)], 1, "Configuration broken"),
            (vec![failed(FailureKind::Permanent)], 1, "Permanent broken"),
            (vec![unclear(), unclear()], 2, "Permanent its answer is unclear: maybe"),
            (vec![unclear(), answer()], 2, "ALLOW"),
            (vec![unclear(), failed(FailureKind::Transient), answer()], 3, "ALLOW"),
            (vec![failed(FailureKind::SchemaRefused), answer()], 1, "ALLOW"),
        ] {
            let (_, made, result) = play(3, &results);
            assert_eq!((made, end(&result).as_str()), (attempts, want), "{results:?}");
        }
        assert_eq!(end(&play(1, &[unclear()]).2), "Permanent its answer is unclear: maybe");
    }

    #[test]
    fn a_schema_that_is_refused_is_asked_for_once() {
        let mut plan = CallPlan::new(BUDGET, 3, true, 1);
        let schema = |step: &CallStep| match step {
            CallStep::Ask { wait, with_schema, .. } => Some((*wait, *with_schema)),
            CallStep::End(_) => None,
        };
        assert_eq!(schema(&plan.begin(Duration::ZERO)), Some((Duration::ZERO, true)));
        let next = plan.after(failed(FailureKind::SchemaRefused), seconds(1));
        assert_eq!(schema(&next), Some((Duration::ZERO, false)));
        let next = plan.after(failed(FailureKind::Transient), seconds(1));
        assert!(matches!(next, CallStep::Ask { with_schema: false, .. }), "{next:?}");
    }

    #[test]
    fn a_server_that_asks_to_wait_is_obeyed_or_given_up() {
        let wait = |after| {
            let failure =
                AttemptFailure { retry_after: Some(after), ..AttemptFailure::new(FailureKind::Transient, "429") };
            let mut plan = CallPlan::new(BUDGET, 3, false, 1);
            plan.begin(Duration::ZERO);
            plan.after(AttemptResult::Failed(failure), seconds(1))
        };
        assert!(matches!(wait(seconds(2)), CallStep::Ask { wait, .. } if wait == seconds(2)));
        for long in [seconds(19), seconds(60), Duration::MAX] {
            assert!(matches!(wait(long), CallStep::End(CallEnd::Failed(_))), "{long:?}");
        }
        let now: Timestamp = "2026-11-24T10:00:00Z".parse().unwrap();
        for (text, want) in [
            ("2", Some(seconds(2))),
            (" 60 ", Some(seconds(60))),
            ("Tue, 24 Nov 2026 10:00:30 GMT", Some(seconds(30))),
            ("Tue, 24 Nov 2026 09:00:00 GMT", Some(Duration::ZERO)),
            ("-1", None),
            ("soon", None),
        ] {
            assert_eq!(retry_after(text, now), want, "{text}");
        }
    }

    #[test]
    fn the_budget_is_inside_the_limit_of_the_hook() {
        for (limit, spent, want) in [
            (None, 0, Some(20)),
            (None, 30, Some(20)),
            (Some(60), 0, Some(20)),
            (Some(5), 0, Some(3)),
            (Some(5), 1, Some(2)),
            (Some(5), 3, None),
            (Some(5), 9, None),
            (Some(2), 0, None),
            (Some(1), 0, None),
        ] {
            let got = call_budget(BUDGET, limit.map(seconds), seconds(spent));
            assert_eq!(got, want.map(seconds), "{limit:?} {spent}");
        }
    }

    #[test]
    fn statuses_say_whether_to_ask_again() {
        let kind = |status| AttemptFailure::of_status(status, false).map(|failure| failure.kind);
        assert_eq!(kind(200), None);
        for status in [408, 425, 429, 500, 502, 503, 529] {
            assert_eq!(kind(status), Some(FailureKind::Transient), "{status}");
        }
        for status in [100, 301, 307, 400, 401, 403, 404, 413, 422] {
            assert_eq!(kind(status), Some(FailureKind::Configuration), "{status}");
        }
        assert_eq!(AttemptFailure::of_status(400, true).map(|f| f.kind), Some(FailureKind::SchemaRefused));
    }

    proptest! {
        /// Whatever happens, waits and attempts stay within the budget, and each attempt but the last of the budget has
        /// a second.
        #[test]
        fn a_call_ends_within_its_budget(
            budget_ms in 1_u64..60_000, attempts in 1_u32..11, seed in any::<u64>(), used in proptest::collection::vec(0_u8..=100, 40),
        ) {
            let budget = Duration::from_millis(budget_ms);
            let mut plan = CallPlan::new(budget, attempts, false, seed);
            let (mut elapsed, mut number) = (Duration::ZERO, 0);
            let mut step = plan.begin(elapsed);
            while let CallStep::Ask { wait, limit, .. } = step {
                let bound = Duration::from_millis((FIRST_WAIT_MS << number.min(16)) / 2).min(Duration::from_millis(MAX_WAIT_MS));
                prop_assert!(number == 0 || wait <= bound, "{wait:?} {bound:?}");
                prop_assert!(!limit.is_zero() && elapsed + wait + limit <= budget);
                prop_assert!(limit >= MIN_ATTEMPT.min(budget.saturating_sub(elapsed).saturating_sub(wait)));
                elapsed += wait + limit * u32::from(used[number as usize]) / 100;
                number += 1;
                step = plan.after(failed(FailureKind::Transient), elapsed);
            }
            prop_assert!(number >= 1 && number <= attempts);
        }
    }
}
