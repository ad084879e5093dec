//! A finished firing as an event of the store.

use std::sync::OnceLock;
use std::time::Duration;

use crate::firing::history::recorded_gist;
use crate::firing::record::FiringRecord;
use crate::recordings::replay::{assess_firing, codes, recorded_outcome, recorded_runs};
use crate::recordings::store::{NewEvent, Store, StoreError, now_ms};
use hookbench_core::dialects;
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
            id: String::new(),
            agent: record.agent.to_string(),
            version: Some(record.basis.requested.to_string()),
            session: String::new(),
            agent_id: record.input.body.get("agent_id").and_then(|id| id.as_str()).map(str::to_owned),
            project: Some(project.to_owned()),
            event: record.input.event.clone(),
            subject: record.input.subject.value.clone(),
            at: None,
            payload_source: PayloadSource::Fired,
            origin: None,
            source: None,
            payload: stringify(&record.input.body).into_bytes(),
            runs: recorded_runs(record),
            verdict: Some(outcome.verdict.word().to_owned()),
            answer: None,
            outcome: Some(RecordedOutcome { environment: Some(record.environment()), ..recorded_outcome(outcome) }),
            diagnostics: codes(record),
            marked: false,
            comment: comment(record),
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
///
/// # Errors
/// Returns an error if the store cannot be written.
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
