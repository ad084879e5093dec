//! The time limits of a client for each event, and the events that can be blocked.

use std::fmt;
use std::time::Duration;

/// The time limits of a client. `stdin` and `hold` count from its start, `ack` from the end of its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// Until the input has ended.
    pub stdin: Duration,
    /// Until the server has answered, or has announced that the answer takes longer.
    pub ack: Duration,
    /// Until the answer of a server that has announced this.
    pub hold: Duration,
    /// The overall limit: one second less than the agent's own timeout.
    pub limit: Duration,
}

/// The limits that a user may change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeadlineOverrides {
    pub stdin: Option<Duration>,
    pub ack: Option<Duration>,
    pub hold: Option<Duration>,
}

/// Milliseconds: stdin, ack, hold, and the timeout written into the agent's settings.
fn row(event: &str) -> [u64; 4] {
    match event {
        "pre_tool_use" | "permission_request" => [5_000, 1_500, 290_000, 300_000],
        "user_prompt_submit" => [5_000, 1_500, 25_000, 30_000],
        "stop" | "subagent_stop" | "post_tool_use" | "post_tool_batch" => [5_000, 1_500, 110_000, 120_000],
        "session_start" => [5_000, 2_000, 10_000, 20_000],
        "pre_compact" => [5_000, 1_500, 20_000, 30_000],
        "session_end" | "interrupt" => [500, 300, 0, 3_000],
        _ => [2_000, 500, 0, 10_000],
    }
}

/// Returns the timeout that is written into an agent's settings for a hook on this event. Every deadline is
/// shorter.
pub fn installed_timeout(event: &str) -> Duration {
    Duration::from_millis(row(event)[3])
}

/// Returns the deadlines of an event. An event that is never held stays so, whatever the changes.
pub fn deadlines_of(event: &str, changes: &DeadlineOverrides) -> Deadlines {
    let [stdin, ack, hold, timeout] = row(event).map(Duration::from_millis);
    let limit = timeout.saturating_sub(Duration::from_secs(1));
    let changed = |value: Duration, to: Option<Duration>| to.unwrap_or(value).min(limit);
    Deadlines {
        stdin: changed(stdin, changes.stdin),
        ack: changed(ack, changes.ack),
        hold: if hold.is_zero() { hold } else { changed(hold, changes.hold) },
        limit,
    }
}

/// Whether the answer may wait for a handler or the user. All other events are answered immediately with
/// `observe`.
pub fn is_blocking(event: &str) -> bool {
    matches!(
        event,
        "session_start"
            | "user_prompt_submit"
            | "pre_tool_use"
            | "permission_request"
            | "post_tool_use"
            | "pre_compact"
            | "stop"
            | "subagent_stop"
    )
}

/// The header `ack=1500, hold=290000`, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientBudget {
    pub ack: Duration,
    pub hold: Duration,
}

impl ClientBudget {
    /// Parses the header. `None` if a value is missing or not a number.
    pub fn parse(text: &str) -> Option<ClientBudget> {
        let of = |name: &str| {
            let mut pairs = text.split(',').filter_map(|pair| pair.trim().split_once('='));
            let (_, value) = pairs.find(|(key, _)| *key == name)?;
            value.parse().ok().map(Duration::from_millis)
        };
        Some(ClientBudget { ack: of("ack")?, hold: of("hold")? })
    }
}

impl fmt::Display for ClientBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ack={}, hold={}", self.ack.as_millis(), self.hold.as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_stay_below_the_timeout() {
        let ms = Duration::from_millis;
        let all = |value| DeadlineOverrides { stdin: Some(value), ack: Some(value), hold: Some(value) };
        let event =
            |stdin, ack, hold, limit| Deadlines { stdin: ms(stdin), ack: ms(ack), hold: ms(hold), limit: ms(limit) };
        for (name, changes, expected) in [
            ("pre_tool_use", DeadlineOverrides::default(), event(5_000, 1_500, 290_000, 299_000)),
            ("session_end", DeadlineOverrides::default(), event(500, 300, 0, 2_000)),
            ("never_heard_of", DeadlineOverrides::default(), event(2_000, 500, 0, 9_000)),
            ("pre_tool_use", all(ms(7)), event(7, 7, 7, 299_000)),
            ("user_prompt_submit", all(ms(1_000_000)), event(29_000, 29_000, 29_000, 29_000)),
            ("interrupt", all(ms(1_000_000)), event(2_000, 2_000, 0, 2_000)),
        ] {
            assert_eq!(deadlines_of(name, &changes), expected, "{name}");
        }
    }
}

#[cfg(test)]
mod client_budget_tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_is_written() {
        let budget = ClientBudget { ack: Duration::from_millis(1_500), hold: Duration::from_secs(290) };
        assert_eq!(ClientBudget::parse(&budget.to_string()), Some(budget));
        assert_eq!(
            ClientBudget::parse("hold=1,ack=2,later=3").map(|b| b.to_string()).as_deref(),
            Some("ack=2, hold=1")
        );
        for text in ["", "ack=1", "ack=x, hold=1", "ack=-1, hold=1"] {
            assert_eq!(ClientBudget::parse(text), None, "{text}");
        }
    }
}
