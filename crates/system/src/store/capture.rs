//! The writes of the live path: events as they arrive, their answers, and state that must survive the process.

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::error::{StoreError, StoreErrorKind};
use super::open::Store;
use super::write::{AddResult, NewEvent, WriteBatch};
use hookbench_core::recorded::RecordedSession;

/// One record to store for the live path.
#[derive(Debug, Clone, Copy)]
pub enum CaptureRecord<'a> {
    /// An incoming event. The session's metadata is used if nothing else is known.
    Event(NewEvent<'a>, &'a RecordedSession),
    /// The answer to an event, or the fact that it gets none.
    Answer(&'a CaptureAnswer),
    Cooldown(&'a StoredCooldown),
    Handoff(&'a StoredHandoff),
    /// A handoff was delivered to its session.
    Delivered {
        provider: &'a str,
        provider_ref: &'a str,
        created_ms: i64,
        at_ms: i64,
    },
}

/// The answer to an event, by the event's id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureAnswer {
    pub id: String,
    /// `None` if the client was gone.
    pub decision: Option<String>,
    pub source: Option<String>,
    pub decision_json: Option<String>,
    pub answered_ms: i64,
    pub held_ms: Option<i64>,
    pub cooldown: bool,
    /// The answer that was suppressed, and the reason.
    pub suppressed: Option<String>,
    /// Words separated by blanks.
    pub flags: Option<String>,
}

/// The last event of a session after which its follow-up work was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCooldown {
    pub provider: String,
    pub provider_ref: String,
    pub event: String,
    pub last_received_ms: i64,
}

/// The summary of a session before it was compacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredHandoff {
    pub provider: String,
    pub provider_ref: String,
    pub project_key: String,
    pub created_ms: i64,
    pub trigger: String,
    pub json: String,
    pub yaml: String,
}

impl Store {
    /// Writes the whole batch or nothing, and returns the result for each event in order. A batch may contain
    /// events and their answers in any order. Secrets must be masked already.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written; then nothing of the batch is stored.
    pub fn capture(&mut self, batch: &[CaptureRecord<'_>]) -> Result<Vec<AddResult>, StoreError> {
        self.write(|transaction| {
            let mut events = Vec::new();
            let mut told: Option<&RecordedSession> = None;
            for capture in batch {
                let CaptureRecord::Event(incoming, session) = capture else { continue };
                events.push(*incoming);
                if told != Some(session) {
                    insert_session(transaction, session)?;
                    told = Some(session);
                }
            }
            let added = WriteBatch::new(transaction).add(&events, false)?;
            for capture in batch {
                match capture {
                    CaptureRecord::Event(..) => {}
                    CaptureRecord::Answer(answer) => update_answer(transaction, answer)?,
                    CaptureRecord::Cooldown(cooldown) => insert_cooldown(transaction, cooldown)?,
                    CaptureRecord::Handoff(handoff) => insert_handoff(transaction, handoff)?,
                    CaptureRecord::Delivered { provider, provider_ref, created_ms, at_ms } => {
                        transaction.execute(
                            "UPDATE handoffs SET delivered_at = ?4
                             WHERE provider = ?1 AND provider_ref = ?2 AND created_at = ?3",
                            params![provider, provider_ref, created_ms, at_ms],
                        )?;
                    }
                }
            }
            Ok(added)
        })
    }

    /// All cooldowns.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn cooldowns(&self) -> Result<Vec<StoredCooldown>, StoreError> {
        self.in_snapshot(|| {
            let text = "SELECT provider, provider_ref, event, last_received_at FROM cooldowns";
            let mut statement = self.connection.prepare(text)?;
            let rows = statement.query_map([], |row| {
                Ok(StoredCooldown {
                    provider: row.get(0)?,
                    provider_ref: row.get(1)?,
                    event: row.get(2)?,
                    last_received_ms: row.get(3)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Handoffs that were created after an instant and not delivered, oldest first.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn handoffs_since(&self, after_ms: i64) -> Result<Vec<StoredHandoff>, StoreError> {
        self.in_snapshot(|| {
            let text = "SELECT provider, provider_ref, project_key, created_at, trigger, json, yaml FROM handoffs
                 WHERE delivered_at IS NULL AND created_at > ?1 ORDER BY created_at, id";
            let mut statement = self.connection.prepare(text)?;
            let rows = statement.query_map([after_ms], |row| {
                Ok(StoredHandoff {
                    provider: row.get(0)?,
                    provider_ref: row.get(1)?,
                    project_key: row.get(2)?,
                    created_ms: row.get(3)?,
                    trigger: row.get(4)?,
                    json: row.get(5)?,
                    yaml: row.get(6)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

/// Adds metadata of a session. Existing values have precedence.
fn insert_session(transaction: &Connection, told: &RecordedSession) -> Result<(), StoreErrorKind> {
    let mut statement = transaction.prepare(
        "INSERT INTO sessions (agent, name, version, project, title, started, ended)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (agent, name) DO UPDATE SET
            version = ifnull(version, excluded.version), project = ifnull(project, excluded.project),
            title = ifnull(title, excluded.title), started = ifnull(started, excluded.started),
            ended = ifnull(excluded.ended, ended)",
    )?;
    statement.execute(params![
        told.agent,
        told.session,
        told.version,
        told.project,
        told.title,
        told.started,
        told.ended
    ])?;
    Ok(())
}

fn update_answer(transaction: &Connection, answer: &CaptureAnswer) -> Result<(), StoreErrorKind> {
    let mut statement = transaction.prepare(
        "UPDATE live SET decision = ?2, source = ?3, decision_json = ?4, answered_ms = ?5, held_ms = ?6, cooldown = ?7,
            suppressed = ?8 WHERE event = (SELECT seq FROM events WHERE id = ?1) AND answered_ms IS NULL",
    )?;
    let changed = statement.execute(params![
        answer.id,
        answer.decision,
        answer.source,
        answer.decision_json,
        answer.answered_ms,
        answer.held_ms,
        answer.cooldown,
        answer.suppressed,
    ])?;
    // The answer of a killed server may be stored already.
    if let Some(flags) = answer.flags.as_ref().filter(|_| changed > 0) {
        let mut statement =
            transaction.prepare("UPDATE events SET flags = trim(ifnull(flags, '') || ' ' || ?2) WHERE id = ?1")?;
        statement.execute([&answer.id, flags])?;
    }
    Ok(())
}

fn insert_cooldown(transaction: &Connection, cooldown: &StoredCooldown) -> Result<(), StoreErrorKind> {
    transaction.execute(
        "INSERT INTO cooldowns (provider, provider_ref, event, last_received_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET last_received_at = excluded.last_received_at",
        params![cooldown.provider, cooldown.provider_ref, cooldown.event, cooldown.last_received_ms],
    )?;
    Ok(())
}

fn insert_handoff(transaction: &Connection, handoff: &StoredHandoff) -> Result<(), StoreErrorKind> {
    transaction.execute(
        "INSERT INTO handoffs (provider, provider_ref, project_key, created_at, trigger, json, yaml)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            handoff.provider,
            handoff.provider_ref,
            handoff.project_key,
            handoff.created_ms,
            handoff.trigger,
            handoff.json,
            handoff.yaml,
        ],
    )?;
    Ok(())
}

/// Deletes the live path's records of the deleted sessions.
pub(super) fn forget(transaction: &Connection, condition: ForgetScope<'_>) -> Result<(), StoreErrorKind> {
    match condition {
        ForgetScope::Session(name) => {
            transaction.execute("DELETE FROM handoffs WHERE provider_ref = ?1", [name])?;
            transaction.execute("DELETE FROM cooldowns WHERE provider_ref = ?1", [name])?;
        }
        ForgetScope::Before(at) => {
            transaction.execute("DELETE FROM handoffs WHERE created_at < ?1", [at])?;
            transaction.execute("DELETE FROM cooldowns WHERE last_received_at < ?1", [at])?;
        }
    }
    Ok(())
}

/// The records to delete.
#[derive(Debug, Clone, Copy)]
pub(super) enum ForgetScope<'a> {
    Session(&'a str),
    Before(i64),
}
