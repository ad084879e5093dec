//! The syntax tree of a filter, and its text form.

use std::fmt;

use super::words::Phrase;
use crate::recorded::{PayloadSource, format_time};

/// A filter. Its text form parses to the same filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// All of them must hold. Empty: matches every event.
    All(Vec<Filter>),
    /// One of them must hold. Empty: matches no event; this has no text form.
    Any(Vec<Filter>),
    Not(Box<Filter>),
    Test(FilterTest),
}

/// One condition on an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterTest {
    Event(WordPattern),
    Subject(WordPattern),
    Agent(WordPattern),
    Verdict(WordPattern),
    /// The answer that hookbench gave to the agent, by its decision or by who gave it.
    Answer(WordPattern),
    /// A hook that ran, by a part of its name.
    Hook(String),
    /// A hook that ran is defined in this layer.
    Layer(WordPattern),
    /// This code was reported while the event was fired.
    Code(WordPattern),
    /// The end of one of its runs.
    Ended(RunEnding),
    /// The hooks took longer than this many microseconds, from the first start to the last end.
    Longer(u64),
    Shorter(u64),
    PayloadSource(PayloadSource),
    Marked,
    /// The event was fired again.
    Replay,
    /// The event happened in a sub-agent.
    Sub,
    /// The beginning of the session's id.
    Session(String),
    /// A directory and everything below it; without a leading `/`, a part of the directory's path.
    Project(String),
    /// At this instant or later.
    Since(TimeBound),
    /// Before this instant.
    Until(TimeBound),
    /// A part of the event's comment.
    Comment(String),
    /// The payload's values contain the words, in this order.
    Words(Phrase),
    /// The payload as received contains these bytes.
    Bytes(String),
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnding {
    /// This exit status, or this status of an HTTP response.
    Status(i64),
    /// This kind of end, in a word of the contract: `timed_out`.
    Kind(&'static str),
}

impl RunEnding {
    /// The contract's words for the end of a run.
    pub const KINDS: [&'static str; 8] =
        ["code", "signal", "timed_out", "failed_to_start", "cancelled", "http", "answered", "unanswered"];
}

/// A point in time: fixed, or relative to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeBound {
    /// Milliseconds since 1970, UTC.
    At(i64),
    /// Milliseconds before now.
    Ago(i64),
}

impl TimeBound {
    /// The time in milliseconds since 1970.
    pub fn at(self, now: i64) -> i64 {
        match self {
            TimeBound::At(at) => at,
            TimeBound::Ago(ago) => now.saturating_sub(ago),
        }
    }
}

/// A pattern for a whole word that ignores case; `*` matches any text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPattern(pub String);

impl WordPattern {
    /// Whether the pattern matches a value.
    pub fn matches(&self, value: &str) -> bool {
        let (value, pattern) = (value.to_lowercase(), self.0.to_lowercase());
        let mut parts = pattern.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = value.strip_prefix(first) else { return false };
        let mut parts: Vec<&str> = parts.collect();
        let Some(last) = parts.pop() else { return rest.is_empty() };
        for part in parts {
            let Some(at) = rest.find(part) else { return false };
            rest = rest.get(at + part.len()..).unwrap_or_default();
        }
        rest.ends_with(last)
    }
}

impl Filter {
    /// The filter that matches every event.
    pub fn everything() -> Filter {
        Filter::All(Vec::new())
    }

    /// The tests that must all hold for the filter to match. The filter may have further conditions.
    pub fn required_tests(&self) -> Vec<&FilterTest> {
        match self {
            Filter::All(parts) => parts.iter().flat_map(Filter::required_tests).collect(),
            Filter::Test(test) => vec![test],
            Filter::Any(_) | Filter::Not(_) => Vec::new(),
        }
    }

    /// Returns a simplified filter, in which every test that `answer` knows is replaced by its result.
    #[must_use]
    pub fn simplify(&self, answer: &impl Fn(&FilterTest) -> Option<bool>) -> Filter {
        match self {
            Filter::Test(test) => match answer(test) {
                None => self.clone(),
                Some(holds) => constant(holds),
            },
            Filter::Not(inner) => match inner.simplify(answer) {
                Filter::All(parts) if parts.is_empty() => constant(false),
                Filter::Any(parts) if parts.is_empty() => constant(true),
                other => Filter::Not(Box::new(other)),
            },
            Filter::All(parts) => joined(parts.iter().map(|part| part.simplify(answer)), true),
            Filter::Any(parts) => joined(parts.iter().map(|part| part.simplify(answer)), false),
        }
    }

    /// The result if it is known without any test: `true` for every event, `false` for no event.
    pub fn as_constant(&self) -> Option<bool> {
        match self {
            Filter::All(parts) if parts.is_empty() => Some(true),
            Filter::Any(parts) if parts.is_empty() => Some(false),
            _ => None,
        }
    }
}

fn constant(holds: bool) -> Filter {
    if holds { Filter::All(Vec::new()) } else { Filter::Any(Vec::new()) }
}

/// Joins parts with "and" (`all`) or "or", and drops the parts that do not affect the result.
fn joined(parts: impl Iterator<Item = Filter>, all: bool) -> Filter {
    let mut kept = Vec::new();
    for part in parts {
        match part.as_constant() {
            Some(holds) if holds == all => {}
            Some(holds) => return constant(holds),
            None => kept.push(part),
        }
    }
    match (kept.len(), kept.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            kept.extend(last);
            if all { Filter::All(kept) } else { Filter::Any(kept) }
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = |f: &mut fmt::Formatter<'_>, part: &Filter| match part {
            Filter::All(_) | Filter::Any(_) => write!(f, "({part})"),
            Filter::Not(_) | Filter::Test(_) => write!(f, "{part}"),
        };
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Filter], between: &str| {
            for (index, part) in parts.iter().enumerate() {
                f.write_str(if index == 0 { "" } else { between })?;
                inner(f, part)?;
            }
            Ok(())
        };
        match self {
            Filter::All(parts) => list(f, parts, " & "),
            Filter::Any(parts) => list(f, parts, " | "),
            Filter::Not(part) => {
                f.write_str("!")?;
                inner(f, part)
            }
            Filter::Test(test) => write!(f, "{test}"),
        }
    }
}

impl fmt::Display for FilterTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilterTest::Event(p) => write!(f, "~e {}", quoted(&p.0)),
            FilterTest::Subject(p) => write!(f, "~t {}", quoted(&p.0)),
            FilterTest::Agent(p) => write!(f, "~a {}", quoted(&p.0)),
            FilterTest::Verdict(p) => write!(f, "~v {}", quoted(&p.0)),
            FilterTest::Answer(p) => write!(f, "~answer {}", quoted(&p.0)),
            FilterTest::Hook(part) => write!(f, "~h {}", quoted(part)),
            FilterTest::Layer(p) => write!(f, "~l {}", quoted(&p.0)),
            FilterTest::Code(p) => write!(f, "~d {}", quoted(&p.0)),
            FilterTest::Ended(RunEnding::Status(status)) => write!(f, "~x {status}"),
            FilterTest::Ended(RunEnding::Kind(kind)) => write!(f, "~x {kind}"),
            FilterTest::Longer(micros) => write!(f, "~s>{}", duration(*micros)),
            FilterTest::Shorter(micros) => write!(f, "~s<{}", duration(*micros)),
            FilterTest::PayloadSource(PayloadSource::Recorded) => f.write_str("~rec"),
            FilterTest::PayloadSource(PayloadSource::Rebuilt) => f.write_str("~reb"),
            FilterTest::PayloadSource(PayloadSource::Edited) => f.write_str("~edi"),
            FilterTest::PayloadSource(PayloadSource::Synthetic) => f.write_str("~syn"),
            FilterTest::PayloadSource(PayloadSource::Fired) => f.write_str("~fired"),
            FilterTest::Marked => f.write_str("~marked"),
            FilterTest::Replay => f.write_str("~replay"),
            FilterTest::Sub => f.write_str("~sub"),
            FilterTest::Session(start) => write!(f, "~session {}", quoted(start)),
            FilterTest::Project(dir) => write!(f, "~p {}", quoted(dir)),
            FilterTest::Since(when) => write!(f, "~since {when}"),
            FilterTest::Until(when) => write!(f, "~until {when}"),
            FilterTest::Comment(part) => write!(f, "~c {}", quoted(part)),
            FilterTest::Words(phrase) => f.write_str(&quoted(phrase.text())),
            FilterTest::Bytes(text) => write!(f, "~b {}", quoted(text)),
        }
    }
}

impl fmt::Display for TimeBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeBound::At(at) => f.write_str(&format_time(*at).unwrap_or_else(|| at.to_string())),
            TimeBound::Ago(ago) => {
                let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
                let (unit, size) = units.into_iter().find(|(_, size)| ago % size == 0).unwrap_or(("ms", 1));
                write!(f, "{}{unit}", ago / size)
            }
        }
    }
}

/// A duration in microseconds, written in the largest exact unit.
fn duration(micros: u64) -> String {
    match micros {
        m if m % 1_000_000 == 0 => format!("{}s", m / 1_000_000),
        m if m % 1_000 == 0 => format!("{}ms", m / 1_000),
        m => format!("{m}us"),
    }
}

/// An argument or a word, in quotes if it could be parsed as something else.
fn quoted(text: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !"()|&\"\\".contains(c);
    let begins = text.starts_with(['!', '~', '<', '>']);
    if !text.is_empty() && !begins && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::WordPattern;

    #[test]
    fn a_pattern_is_a_whole_word() {
        for (pattern, value, want) in [
            ("Stop", "Stop", true),
            ("stop", "Stop", true),
            ("Stop", "SubagentStop", false),
            ("*stop", "SubagentStop", true),
            ("sub*", "SubagentStop", true),
            ("s*a*p", "SubagentStop", true),
            ("s*x*p", "SubagentStop", false),
            ("a*a", "a", false),
            ("*", "", true),
            ("", "", true),
            ("", "x", false),
            ("mcp__*", "mcp__git__push", true),
            ("ä*", "Äh", true),
        ] {
            assert_eq!(WordPattern(pattern.to_owned()).matches(value), want, "{pattern} {value}");
        }
    }
}
