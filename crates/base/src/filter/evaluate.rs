//! Evaluates a filter on one event.

use super::ast::{Filter, FilterTest, RunEnding, WordPattern};
use super::words::search_text;
use crate::recorded::{PayloadSource, RecordedEvent};
use crate::run::Exit;
use crate::text::is_absolute_path;

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
    if !is_absolute_path(dir) {
        return contains(project, dir);
    }
    let dir = dir.trim_end_matches('/');
    project.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn bytes_contain(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
}

/// One operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterOperator {
    /// The name with its tilde: `~e`.
    pub name: &'static str,
    /// The placeholder for the argument. `None` if the operator takes none.
    pub argument: Option<&'static str>,
    /// A description of the events that it finds.
    pub description: &'static str,
    pub example: &'static str,
    /// Other names that users may try; the parser then suggests this operator.
    pub(super) synonyms: &'static [&'static str],
}

const fn with_argument(
    name: &'static str,
    argument: &'static str,
    finds: &'static str,
    example: &'static str,
    called: &'static [&'static str],
) -> FilterOperator {
    FilterOperator { name, argument: Some(argument), description: finds, example, synonyms: called }
}

const fn without_argument(name: &'static str, finds: &'static str, called: &'static [&'static str]) -> FilterOperator {
    FilterOperator { name, argument: None, description: finds, example: name, synonyms: called }
}

/// All operators, in the order of the help.
pub const OPERATORS: &[FilterOperator] = &[
    with_argument("~e", "EVENT", "event name; * matches anything", "~e *Stop", &["event", "name"]),
    with_argument("~t", "TOOL", "tool, or other value of matchers", "~t Bash", &["tool", "subject", "target"]),
    with_argument("~a", "AGENT", "agent", "~a c*", &["agent"]),
    with_argument("~v", "VERDICT", "verdict: deny, ask, failed_open, ...", "~v deny", &["verdict", "decision"]),
    with_argument(
        "~answer",
        "ANSWER",
        "answer given, or: user, timeout, rule",
        "~answer deny",
        &["answered", "breakpoint", "held", "decided", "by"],
    ),
    with_argument("~h", "HOOK", "part of the name of a hook that ran", "~h guard", &["hook"]),
    with_argument("~l", "LAYER", "layer of a hook that ran", "~l project", &["layer", "level", "scope"]),
    with_argument(
        "~d",
        "CODE",
        "code of a finding about the run",
        "~d HW616",
        &["diagnostic", "code", "lint", "finding"],
    ),
    with_argument("~x", "STATUS", "exit status, or signal, timed_out, ...", "~x 2", &["exit", "status"]),
    with_argument(
        "~s",
        ">TIME",
        "total time of the hooks: us, ms or s",
        "~s>500ms",
        &["time", "duration", "took", "slow"],
    ),
    with_argument("~p", "DIR", "project directory, or part of its path", "~p shop", &["project", "dir", "cwd"]),
    with_argument("~session", "ID", "start of the session's name", "~session 5f2", &["sess", "id"]),
    with_argument("~since", "TIME", "since a date, a time (UTC), or 30m, 2h, 7d", "~since 2h", &["after", "from"]),
    with_argument("~until", "TIME", "before a date, a time, or 30m, 2h, 7d ago", "~until 1d", &["before", "to"]),
    with_argument("~c", "TEXT", "text in the comment", "~c \"ask Ann\"", &["comment", "note"]),
    with_argument("~b", "TEXT", "exact bytes in the payload", "~b \"rm -rf\"", &["body", "bytes", "payload"]),
    without_argument("~rec", "recorded: exactly what the agent sent", &["recorded"]),
    without_argument("~reb", "reconstructed from a transcript", &["rebuilt"]),
    without_argument("~edi", "edited by hand", &["edited"]),
    without_argument("~syn", "created from a template or by hand", &["synthetic"]),
    without_argument("~fired", "fired by you, kept by the log of runs", &["bench", "log", "fire"]),
    without_argument("~marked", "marked", &["mark", "m"]),
    without_argument("~replay", "replay that is stored as a new event", &["replayed", "origin"]),
    without_argument("~sub", "happened in a sub-agent", &["subagent", "sidechain"]),
];

/// The operator with the given name.
pub(super) fn operator(name: &str) -> Option<&'static FilterOperator> {
    OPERATORS.iter().find(|o| o.name == name)
}

/// The operator that the user probably meant, found by its other names or by similar spelling.
pub(super) fn suggest_operator(name: &str) -> Option<&'static FilterOperator> {
    let plain = name.trim_start_matches('~').to_lowercase();
    if plain.is_empty() {
        return None;
    }
    let exact = |o: &&FilterOperator| o.name.get(1..) == Some(plain.as_str()) || o.synonyms.contains(&plain.as_str());
    let begins = |o: &&FilterOperator| {
        o.synonyms.iter().copied().chain(o.name.get(1..)).any(|c| c.starts_with(&plain) || plain.starts_with(c))
    };
    let near = |o: &&FilterOperator| o.synonyms.iter().copied().chain(o.name.get(1..)).any(|c| one_off(c, &plain));
    let all = || OPERATORS.iter();
    all().find(exact).or_else(|| all().find(|o| plain.len() > 2 && near(o))).or_else(|| all().find(begins))
}

/// Whether two words differ by one letter: inserted, deleted, replaced, or swapped with its neighbour.
fn one_off(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(start..).unwrap_or_default(), b.get(start..).unwrap_or_default());
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let swapped = a.len() == 2 && b.len() == 2 && a.first() == b.last() && a.last() == b.first();
    a.len().max(b.len()) <= 1 || swapped
}
