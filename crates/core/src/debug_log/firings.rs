//! The firings of a debug log: the records of each event together.

use crate::dialects::Agent;
use hookbench_base::debug_log::{LogDuration, LogEnd, LogHook, LogRecord, LogStatement};

/// The content of a debug log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DebugLog {
    /// The time of its first record about hooks, in milliseconds since 1970.
    pub at: Option<i64>,
    /// The number of hooks that the agent loaded, if the log states it.
    pub loaded: Option<u64>,
    /// The parts of the settings that the agent ignored, in its own words.
    pub ignored: Vec<String>,
    pub firings: Vec<LogFiring>,
}

/// One event and the hooks that the agent ran for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFiring {
    /// Counted from 1.
    pub line: u64,
    pub at: Option<i64>,
    pub event: String,
    /// The value that matchers are compared with. `None` if the log does not state it.
    pub subject: Option<String>,
    /// The number of groups of the event in the settings, as the agent counts them.
    pub found: Option<u64>,
    /// The number of matching hooks.
    pub matched: Option<u64>,
    pub runs: Vec<LogRun>,
}

/// One run of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRun {
    pub hook: LogHook,
    /// The time of its start, in milliseconds since 1970.
    pub started: Option<i64>,
    /// `None` if the log does not state the end.
    pub end: Option<LogEnd>,
    pub took_ms: Option<u64>,
}

impl LogFiring {
    fn new(line: u64, at: Option<i64>, event: String, subject: Option<String>) -> LogFiring {
        LogFiring { line, at, event, subject, found: None, matched: None, runs: Vec::new() }
    }

    /// Whether the log has every hook that matched.
    pub fn is_complete(&self) -> bool {
        self.matched.is_some_and(|matched| self.runs.len() as u64 >= matched)
    }
}

impl DebugLog {
    /// Reads the log of an agent.
    pub fn read(dialect: &Agent, text: &str) -> DebugLog {
        let mut log = DebugLog::default();
        for record in (dialect.debug_log().parse)(text) {
            log.at = log.at.or(record.at);
            log.add(record);
        }
        log
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.firings.iter().map(|firing| firing.runs.len()).sum()
    }

    fn add(&mut self, LogRecord { line, at, statement }: LogRecord) {
        match statement {
            LogStatement::Loaded { hooks } => self.loaded = Some(hooks),
            LogStatement::Ignored { message } if self.ignored.contains(&message) => {}
            LogStatement::Ignored { message } => self.ignored.push(message),
            LogStatement::Searched { event, subject } => {
                // An agent may search twice for one event, first among its built-in hooks.
                let empty = |firing: &LogFiring| firing.found == Some(0) && firing.runs.is_empty();
                let again = |firing: &LogFiring| firing.event == event && firing.subject == subject;
                if self.firings.last().is_some_and(|last| empty(last) && again(last)) {
                    self.firings.pop();
                }
                self.firings.push(LogFiring::new(line, at, event, subject));
            }
            LogStatement::Found { groups } => {
                if let Some(firing) = self.firings.last_mut() {
                    firing.found = Some(groups);
                }
            }
            LogStatement::Matched { hooks } => {
                if let Some(firing) = self.firings.last_mut() {
                    firing.matched = Some(hooks);
                }
            }
            LogStatement::Started { event, hook } => self.start(line, at, event, hook),
            LogStatement::Ended { event, subject, hook, end, took } => {
                self.end(line, at, (event, subject), hook, (end, took));
            }
        }
    }

    fn start(&mut self, line: u64, at: Option<i64>, event: String, hook: LogHook) {
        let open = |firing: &LogFiring| match firing.matched {
            Some(matched) => (firing.runs.len() as u64) < matched,
            // Without a number, a firing goes on until all of its runs have ended.
            None if firing.runs.is_empty() => firing.found.is_none(),
            None => firing.runs.iter().all(|run| run.hook != hook) && firing.runs.iter().any(|run| run.end.is_none()),
        };
        let run = |hook| LogRun { hook, started: at, end: None, took_ms: None };
        match self.firings.iter_mut().rfind(|firing| firing.event == event) {
            Some(firing) if open(firing) => firing.runs.push(run(hook)),
            _ => {
                let begun = LogFiring::new(line, at, event, None);
                self.firings.push(LogFiring { runs: vec![run(hook)], ..begun });
            }
        }
    }

    fn end(
        &mut self,
        line: u64,
        at: Option<i64>,
        (event, subject): (String, Option<String>),
        hook: LogHook,
        (end, took): (LogEnd, LogDuration),
    ) {
        let same = |firing: &LogFiring| {
            firing.event == event && (subject.is_none() || firing.subject.is_none() || firing.subject == subject)
        };
        let waits = |run: &LogRun| run.hook == hook && run.end.is_none();
        let started = self.firings.iter_mut().rev().filter(|firing| same(firing));
        if let Some(run) = started.flat_map(|firing| &mut firing.runs).find(|run| waits(run)) {
            let between = || run.started.zip(at).and_then(|(from, to)| u64::try_from(to - from).ok());
            run.took_ms = match took {
                LogDuration::Milliseconds(ms) => Some(ms),
                LogDuration::BetweenLines => between(),
                LogDuration::Unknown => None,
            };
            run.end = Some(end);
            return;
        }
        let took_ms = match took {
            LogDuration::Milliseconds(ms) => Some(ms),
            LogDuration::BetweenLines | LogDuration::Unknown => None,
        };
        let run = LogRun { hook, started: None, end: Some(end), took_ms };
        let room = |firing: &LogFiring| match firing.matched {
            Some(matched) => (firing.runs.len() as u64) < matched,
            None => firing.found.is_none() && firing.runs.iter().all(|known| known.hook != run.hook),
        };
        let last = self.firings.len();
        match self.firings.iter_mut().enumerate().rfind(|(_, firing)| same(firing) && room(firing)) {
            // Without a number of hooks, only the last firing can go on.
            Some((index, firing)) if firing.matched.is_some() || index + 1 == last => firing.runs.push(run),
            _ => {
                let begun = LogFiring::new(line, at, event, subject);
                self.firings.push(LogFiring { runs: vec![run], ..begun });
            }
        }
    }
}
