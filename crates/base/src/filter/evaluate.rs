//! Evaluates a filter on one event.

use super::ast::{Filter, FilterTest, RunEnding, WordPattern};
use super::words::search_text;
use crate::recorded::{PayloadSource, RecordedEvent};
use crate::run::Exit;

/// A hook that ran, and how the run ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HookResult {
    pub hook: String,
    /// A word of [`RunEnding::KINDS`].
    pub kind: String,
    /// The exit status or signal, if there is one.
    pub value: Option<i64>,
    /// The layer of the hook, as a word of the contract.
    pub layer: Option<String>,
}

/// Facts that many events share, and that most filters test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventFacts<'a> {
    pub agent: &'a str,
    pub event: &'a str,
    pub subject: Option<&'a str>,
    pub project: Option<&'a str>,
    pub verdict: Option<&'a str>,
    pub payload_source: PayloadSource,
    pub sub: bool,
    pub hook_results: &'a [HookResult],
    /// The codes of the findings while the event was fired.
    pub codes: &'a [String],
}

/// The hooks of an event and how they ended, without duplicates, sorted.
pub fn hook_results(event: &RecordedEvent) -> Vec<HookResult> {
    let mut all: Vec<HookResult> = event
        .runs
        .iter()
        .map(|run| {
            let (kind, value) = kind_of(&run.report.exit);
            HookResult { hook: run.hook.clone(), kind: kind.to_owned(), value, layer: run.layer.clone() }
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
        Exit::Answered { .. } => ("answered", None),
        Exit::Unanswered => ("unanswered", None),
    }
}

/// The duration of an event's hooks in microseconds, from the first start to the last end. `None` if no run has
/// times.
pub fn total_duration(event: &RecordedEvent) -> Option<u64> {
    let times = || event.runs.iter().map(|run| run.report.timing).filter(|timing| !timing.ended.is_zero());
    let last = times().map(|timing| timing.ended).max()?;
    let first = times().map(|timing| timing.started).min()?;
    Some(u64::try_from(last.saturating_sub(first).as_micros()).unwrap_or(u64::MAX))
}

impl FilterTest {
    /// The result of the test, if these facts determine it.
    pub fn evaluate(&self, facts: &EventFacts<'_>) -> Option<bool> {
        Some(match self {
            FilterTest::Event(pattern) => pattern.matches(facts.event),
            FilterTest::Subject(pattern) => facts.subject.is_some_and(|subject| pattern.matches(subject)),
            FilterTest::Agent(pattern) => pattern.matches(facts.agent),
            FilterTest::Verdict(pattern) => facts.verdict.is_some_and(|verdict| pattern.matches(verdict)),
            FilterTest::Hook(part) => facts.hook_results.iter().any(|ran| contains(&ran.hook, part)),
            FilterTest::Layer(pattern) => {
                facts.hook_results.iter().any(|ran| ran.layer.as_ref().is_some_and(|l| pattern.matches(l)))
            }
            FilterTest::Code(pattern) => facts.codes.iter().any(|code| pattern.matches(code)),
            FilterTest::Ended(ending) => facts.hook_results.iter().any(|ran| ended(ran, ending)),
            FilterTest::PayloadSource(made) => facts.payload_source == *made,
            FilterTest::Sub => facts.sub,
            FilterTest::Project(dir) => facts.project.is_some_and(|project| is_inside(project, dir)),
            // No hook ran, so there is no duration.
            FilterTest::Longer(_) | FilterTest::Shorter(_) if facts.hook_results.is_empty() => false,
            FilterTest::Longer(_)
            | FilterTest::Shorter(_)
            | FilterTest::Answer(_)
            | FilterTest::Marked
            | FilterTest::Replay
            | FilterTest::Session(_) => return None,
            FilterTest::Since(_)
            | FilterTest::Until(_)
            | FilterTest::Comment(_)
            | FilterTest::Words(_)
            | FilterTest::Bytes(_) => return None,
        })
    }
}

/// Whether a filter matches an event. `now` is in milliseconds since 1970, for filters with relative times.
pub fn matches(filter: &Filter, event: &RecordedEvent, now: i64) -> bool {
    let ran = hook_results(event);
    let facts = EventFacts {
        agent: &event.agent,
        event: &event.event,
        subject: event.subject.as_deref(),
        project: event.project.as_deref(),
        verdict: event.verdict.as_deref(),
        payload_source: event.payload_source,
        sub: event.agent_id.is_some(),
        hook_results: &ran,
        codes: &event.diagnostics,
    };
    let answer = |test: &FilterTest| Some(test.evaluate(&facts).unwrap_or_else(|| evaluate_on_event(test, event, now)));
    filter.simplify(&answer).as_constant().unwrap_or(false)
}

fn evaluate_on_event(test: &FilterTest, event: &RecordedEvent, now: i64) -> bool {
    match test {
        FilterTest::Longer(micros) => total_duration(event).is_some_and(|took| took > *micros),
        FilterTest::Shorter(micros) => total_duration(event).is_some_and(|took| took < *micros),
        FilterTest::Answer(pattern) => {
            event.answer.as_ref().is_some_and(|answer| is_answer(&answer.decision, &answer.by, pattern))
        }
        FilterTest::Marked => event.marked,
        FilterTest::Replay => event.origin.is_some(),
        FilterTest::Session(start) => event.session.starts_with(start.as_str()),
        FilterTest::Since(when) => event.at.is_some_and(|at| at >= when.at(now)),
        FilterTest::Until(when) => event.at.is_some_and(|at| at < when.at(now)),
        FilterTest::Comment(part) => event.comment.as_ref().is_some_and(|comment| contains(comment, part)),
        FilterTest::Words(phrase) => phrase.is_in(&search_text(&event.payload)),
        FilterTest::Bytes(text) => bytes_contain(&event.payload, text.as_bytes()),
        // The facts answer all other tests.
        _ => false,
    }
}

/// Whether a pattern matches the decision of an answer, or who gave it: `deny`, `user`, `rule`, `rule:pushes`.
pub fn is_answer(decision: &str, by: &str, pattern: &WordPattern) -> bool {
    let kind = by.split_once(':').map_or(by, |(kind, _)| kind);
    [decision, by, kind].into_iter().any(|word| pattern.matches(word))
}

/// Whether `text` contains `part`, ignoring case.
pub fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

fn ended(ran: &HookResult, ending: &RunEnding) -> bool {
    match ending {
        RunEnding::Status(status) => matches!(ran.kind.as_str(), "code" | "http") && ran.value == Some(*status),
        RunEnding::Kind(kind) => ran.kind == *kind,
    }
}

fn is_inside(project: &str, dir: &str) -> bool {
    if !dir.starts_with('/') {
        return contains(project, dir);
    }
    let dir = dir.trim_end_matches('/');
    project.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn bytes_contain(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
}
