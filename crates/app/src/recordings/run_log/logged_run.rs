//! A finished firing as an event of the store.

use std::sync::OnceLock;
use std::time::Duration;

use toml_edit::Document;

use crate::disk::state_dir::{StateDir, StateError, config_file};
use crate::firing::history::recorded_gist;
use crate::firing::record::FiringRecord;
use crate::recordings::replay::{assess_firing, codes, recorded_outcome, recorded_runs};
use crate::recordings::store::{NewEvent, Store, StoreError, now_ms};
use hookbench_core::decide::Verdict;
use hookbench_core::dialects;
use hookbench_core::live::intercept::read_intercept_tables;
use hookbench_core::recorded::{PayloadSource, RecordedEvent, RecordedOutcome, RecordedSession, event_id, format_time};
use hookbench_core::text::stringify;
use hookbench_system::store::Retention;

/// A finished firing on its way to the store, which adds the session, the time and the id.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedRun {
    event: RecordedEvent,
    number: u64,
    duration: Duration,
}

impl LoggedRun {
    /// Builds the logged run of a firing. `None` if the firing was cancelled, was decided from an assumed result, or has
    /// no outcome yet.
    pub(crate) fn of(record: &FiringRecord, project: &str) -> Option<LoggedRun> {
        if !record.settled || record.cancelled || record.assumed_run.is_some() {
            return None;
        }
        let outcome = assess_firing(record).outcome.ok()?;
        let event = RecordedEvent {
            agent: record.agent.to_string(),
            version: Some(record.basis.requested.to_string()),
            agent_id: record.input.body.get("agent_id").and_then(|id| id.as_str()).map(str::to_owned),
            project: Some(project.to_owned()),
            event: record.input.event.clone(),
            subject: record.input.subject.value.clone(),
            payload_source: PayloadSource::Fired,
            payload: stringify(&record.input.body).into_bytes(),
            runs: recorded_runs(record),
            verdict: Some(outcome.verdict.word().to_owned()),
            outcome: Some(RecordedOutcome { environment: Some(record.environment()), ..recorded_outcome(outcome) }),
            diagnostics: codes(record),
            comment: comment(record),
            ..RecordedEvent::default()
        };
        Some(LoggedRun { event, number: record.id.0, duration: record.duration() })
    }

    /// The complete event of a run that has ended now.
    fn into_event(self, session: &str, now: i64) -> RecordedEvent {
        let started = now.saturating_sub(i64::try_from(self.duration.as_millis()).unwrap_or(i64::MAX));
        let id = event_id(&self.event.agent, session, &format!("{} {started}", self.number));
        RecordedEvent { id, session: session.to_owned(), at: Some(started), ..self.event }
    }
}

/// The session to which this process logs its runs: its start and its process id.
pub(crate) fn log_session() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let now = now_ms();
        let start = format_time(now).unwrap_or_else(|| now.to_string());
        let start: String = start.chars().filter(|c| *c != ':').take_while(|c| *c != '.').collect();
        format!("hookbench-{start}-{}", std::process::id())
    })
}

/// Stores a run that has just ended. The limits of captured events apply to all logged runs; `prune` enforces them. With
/// `masked`, values that look like secrets are masked first.
pub fn store_run(store: &mut Store, run: LoggedRun, masked: bool, prune: bool) -> Result<(), StoreError> {
    let event = run.into_event(log_session(), now_ms());
    let session = RecordedSession {
        agent: event.agent.clone(),
        session: event.session.clone(),
        version: event.version.clone(),
        project: event.project.clone(),
        title: Some("fired by you".to_owned()),
        ..RecordedSession::default()
    };
    let gist = recorded_gist(&event);
    store.add(&[session], &[NewEvent::imported(&event, gist.as_deref())], masked)?;
    if prune {
        store.prune(Retention::default(), now_ms())?;
    }
    Ok(())
}

/// The facts of a run in the log: its containment, and its comparison with the installed agent.
fn comment(record: &FiringRecord) -> Option<String> {
    let contained = record.containment.as_ref().map(|how| how.summary());
    let name = dialects::by_id(record.agent.as_str()).map_or("the agent", |dialect| dialect.name());
    let verified = record.verification.as_deref().map(|verification| match verification {
        Ok(verification) => format!("{}: {}", verification.word(), verification.headline(name)),
        Err(why) => format!("not verified: {why}"),
    });
    let all: Vec<String> = contained.into_iter().chain(verified).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// The outcome of a logged run. Its output is shown on the page of recorded events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedRun {
    /// The number of the recorded event.
    pub seq: i64,
    /// Milliseconds since 1970, UTC.
    pub at: Option<i64>,
    pub verdict: Verdict,
    /// The agent's action, in one sentence.
    pub action: String,
    /// The names of the hooks that decided.
    pub decided_by: Vec<String>,
}

impl OpenedRun {
    /// The outcome of a recorded event. `None` if it has none.
    pub(crate) fn of(seq: i64, event: &RecordedEvent) -> Option<OpenedRun> {
        let outcome = event.outcome.as_ref()?;
        Some(OpenedRun {
            seq,
            at: event.at,
            verdict: Verdict::from_word(event.verdict.as_deref()?)?,
            action: outcome.agent_does.clone(),
            decided_by: outcome.decided_by.clone(),
        })
    }
}

/// The settings of the log of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunLogSettings {
    /// Whether runs are kept.
    pub runs: bool,
    /// Whether values that look like secrets are masked in them.
    pub masked: bool,
}

impl RunLogSettings {
    /// Reads the settings from the text of a configuration file, and the mistake that turns the log off.
    fn read(name: &str, text: &str) -> (RunLogSettings, Option<String>) {
        let Ok(document) = Document::parse(text) else {
            return (RunLogSettings::default(), Some(format!("{name} is not TOML, so it is ignored")));
        };
        let runs = document.get("log").and_then(|table| table.as_table_like()?.get("runs"));
        let wrong = runs.is_some_and(|value| value.as_bool().is_none());
        let settings = RunLogSettings {
            runs: runs.and_then(|value| value.as_bool()).unwrap_or(false),
            masked: read_intercept_tables(document.as_table()).0.redact,
        };
        (settings, wrong.then(|| format!("{name}: log.runs must be true or false, so runs are not logged")))
    }
}

/// The settings in the configuration of the current environment, and the mistake in them. Without a configuration file,
/// runs are not logged.
pub fn configured_run_log() -> (RunLogSettings, Option<String>) {
    let var = |name: &str| std::env::var(name).ok();
    let Some(path) = config_file(&var) else { return (RunLogSettings::default(), None) };
    let name = path.display().to_string();
    match hookbench_system::disk::read_text(&path) {
        Ok(text) => RunLogSettings::read(&name, &text),
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => (RunLogSettings::default(), None),
        Err(why) => (RunLogSettings::default(), Some(format!("{name} cannot be read: {why}"))),
    }
}

/// The file of the state directory that exists once the user was told about the log.
const HINT_FILE: &str = "log-hint";

/// Whether the user was told that runs can be logged.
pub fn log_hint_is_over() -> bool {
    StateDir::for_process().file(HINT_FILE).exists()
}

/// Remembers that the user was told that runs can be logged.
pub fn remember_log_hint() -> Result<(), StateError> {
    StateDir::for_process().write(HINT_FILE, "shown\n")
}

#[cfg(test)]
mod tests {
    use super::RunLogSettings;

    #[test]
    fn runs_are_logged_only_if_the_file_says_so() {
        for (text, runs, masked, mistake) in [
            ("", false, false, None),
            ("log.runs = true", true, false, None),
            ("[log]\nruns = true\n[store]\nredact = true", true, true, None),
            ("[log]\nruns = 1", false, false, Some("c: log.runs must be true or false, so runs are not logged")),
            ("[log", false, false, Some("c is not TOML, so it is ignored")),
        ] {
            let (settings, found) = RunLogSettings::read("c", text);
            assert_eq!((settings, found.as_deref()), (RunLogSettings { runs, masked }, mistake), "{text}");
        }
    }
}
