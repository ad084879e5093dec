//! Evaluates a filter on one event.

use super::ast::{Ending, Filter, Test};
use super::words::search_text;
use crate::recorded::{Made, RecordedEvent};
use crate::run::Exit;

/// A hook that ran, and how the run ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ran {
    pub hook: String,
    /// A word of [`Ending::KINDS`].
    pub kind: String,
    /// The exit status or signal, if there is one.
    pub value: Option<i64>,
    /// The layer of the hook, as a word of the contract.
    pub layer: Option<String>,
}

/// Facts that many events share, and that most filters test.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    pub agent: &'a str,
    pub event: &'a str,
    pub subject: Option<&'a str>,
    pub project: Option<&'a str>,
    pub verdict: Option<&'a str>,
    pub made: Made,
    pub sub: bool,
    pub ran: &'a [Ran],
    /// The codes of the findings while the event was fired.
    pub codes: &'a [String],
}

/// The hooks of an event and how they ended, without duplicates, sorted.
pub fn ran(event: &RecordedEvent) -> Vec<Ran> {
    let mut all: Vec<Ran> = event
        .runs
        .iter()
        .map(|run| {
            let (kind, value) = kind_of(&run.report.exit);
            Ran { hook: run.hook.clone(), kind: kind.to_owned(), value, layer: run.layer.clone() }
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

fn kind_of(exit: &Exit) -> (&'static str, Option<i64>) {
    match exit {
        Exit::Code(code) => ("code", Some(i64::from(*code))),
        Exit::Signal(signal) => ("signal", Some(i64::from(*signal))),
        Exit::TimedOut { .. } => ("timed_out", None),
        Exit::FailedToStart { .. } => ("failed_to_start", None),
        Exit::Cancelled => ("cancelled", None),
        Exit::Http { status } => ("http", Some(i64::from(*status))),
        Exit::Answered => ("answered", None),
        Exit::Unanswered => ("unanswered", None),
    }
}

/// The duration of an event's hooks in microseconds, from the first start to the last end. `None` if no run has
/// times.
pub fn took(event: &RecordedEvent) -> Option<u64> {
    let times = || event.runs.iter().map(|run| run.report.timing).filter(|timing| !timing.ended.is_zero());
    let last = times().map(|timing| timing.ended).max()?;
    let first = times().map(|timing| timing.started).min()?;
    Some(u64::try_from(last.saturating_sub(first).as_micros()).unwrap_or(u64::MAX))
}

impl Test {
    /// The result of the test, if these facts determine it.
    pub fn of(&self, facts: &Facts<'_>) -> Option<bool> {
        Some(match self {
            Test::Event(pattern) => pattern.matches(facts.event),
            Test::Subject(pattern) => facts.subject.is_some_and(|subject| pattern.matches(subject)),
            Test::Agent(pattern) => pattern.matches(facts.agent),
            Test::Verdict(pattern) => facts.verdict.is_some_and(|verdict| pattern.matches(verdict)),
            Test::Hook(part) => facts.ran.iter().any(|ran| contains(&ran.hook, part)),
            Test::Layer(pattern) => facts.ran.iter().any(|ran| ran.layer.as_ref().is_some_and(|l| pattern.matches(l))),
            Test::Code(pattern) => facts.codes.iter().any(|code| pattern.matches(code)),
            Test::Ended(ending) => facts.ran.iter().any(|ran| ended(ran, ending)),
            Test::Made(made) => facts.made == *made,
            Test::Sub => facts.sub,
            Test::Project(dir) => facts.project.is_some_and(|project| lies_in(project, dir)),
            // No hook ran, so there is no duration.
            Test::Longer(_) | Test::Shorter(_) if facts.ran.is_empty() => false,
            Test::Longer(_) | Test::Shorter(_) | Test::Marked | Test::Replay | Test::Session(_) => return None,
            Test::Since(_) | Test::Until(_) | Test::Comment(_) | Test::Words(_) | Test::Bytes(_) => return None,
        })
    }
}

/// Whether a filter matches an event. `now` is in milliseconds since 1970, for filters with relative times.
pub fn matches(filter: &Filter, event: &RecordedEvent, now: i64) -> bool {
    let ran = ran(event);
    let facts = Facts {
        agent: &event.agent,
        event: &event.event,
        subject: event.subject.as_deref(),
        project: event.project.as_deref(),
        verdict: event.verdict.as_deref(),
        made: event.made,
        sub: event.agent_id.is_some(),
        ran: &ran,
        codes: &event.diagnostics,
    };
    let answer = |test: &Test| Some(test.of(&facts).unwrap_or_else(|| of_event(test, event, now)));
    filter.given(&answer).known().unwrap_or(false)
}

fn of_event(test: &Test, event: &RecordedEvent, now: i64) -> bool {
    match test {
        Test::Longer(micros) => took(event).is_some_and(|took| took > *micros),
        Test::Shorter(micros) => took(event).is_some_and(|took| took < *micros),
        Test::Marked => event.marked,
        Test::Replay => event.origin.is_some(),
        Test::Session(start) => event.session.starts_with(start.as_str()),
        Test::Since(when) => event.at.is_some_and(|at| at >= when.at(now)),
        Test::Until(when) => event.at.is_some_and(|at| at < when.at(now)),
        Test::Comment(part) => event.comment.as_ref().is_some_and(|comment| contains(comment, part)),
        Test::Words(phrase) => phrase.stands_in(&search_text(&event.payload)),
        Test::Bytes(text) => bytes_contain(&event.payload, text.as_bytes()),
        // The facts answer all other tests.
        _ => false,
    }
}

/// Whether `text` contains `part`, ignoring case.
pub fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

fn ended(ran: &Ran, ending: &Ending) -> bool {
    match ending {
        Ending::Status(status) => matches!(ran.kind.as_str(), "code" | "http") && ran.value == Some(*status),
        Ending::Kind(kind) => ran.kind == *kind,
    }
}

fn lies_in(project: &str, dir: &str) -> bool {
    if !dir.starts_with('/') {
        return contains(project, dir);
    }
    let dir = dir.trim_end_matches('/');
    project.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn bytes_contain(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
}
