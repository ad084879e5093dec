//! The writes of the live path: events as they arrive, their answers, and state that must survive the process.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};

use super::error::{StoreError, StoreErrorKind};
use super::kinds::EventKind;
use super::open::Store;
use super::runs::unsigned;
use super::write::{AddResult, LiveData, NO_TIME, NewEvent, WriteBatch};
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

/// An event that was captured live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedEvent {
    /// The number for display: #127.
    pub seq: i64,
    pub id: String,
    pub agent: String,
    /// The event's name in the agent's spelling.
    pub event: String,
    pub session: String,
    pub project: Option<String>,
    pub subject: Option<String>,
    pub agent_id: Option<String>,
    pub what: Option<String>,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    /// The size of the payload as received.
    pub size: u64,
    pub live: LiveData,
    /// Present if it was requested and stored.
    pub payload: Option<Vec<u8>>,
}

const COLUMNS: &str =
    "e.seq, e.id, e.at, e.size, e.agent_id, e.what, e.flags, s.name AS session, k.id AS kind, k.facts,
    l.schema_version, l.name, l.tool, l.project_key, l.stored_ms, l.payload_sha256, l.decision, l.source,
    l.decision_json, l.answered_ms, l.held_ms, l.cooldown, l.suppressed
    FROM live AS l JOIN events AS e ON e.seq = l.event JOIN sessions AS s ON s.id = e.session
    JOIN kinds AS k ON k.id = e.kind";

impl Store {
    /// Captured events with a number above `since`, oldest first, at most `most`; optionally of one session, or
    /// with one wire name.
    pub fn captured_events(
        &self,
        since: i64,
        session: Option<&str>,
        event: Option<&str>,
        most: u32,
    ) -> Result<Vec<CapturedEvent>, StoreError> {
        self.in_snapshot(|| {
            let text = format!(
                "SELECT NULL AS bytes, {COLUMNS} WHERE l.event > ?1 AND l.schema_version > 0 AND (?2 IS NULL OR s.name = ?2)
                 AND (?3 IS NULL OR l.name = ?3) ORDER BY l.event LIMIT ?4"
            );
            let mut statement = self.connection.prepare(&text)?;
            let rows = statement.query_map(params![since, session, event, most], |row| Ok(of_row(row)))?;
            rows.map(|row| row?).collect()
        })
    }

    /// The captured event with this id, with its payload.
    pub fn captured_event(&self, id: &str) -> Result<Option<CapturedEvent>, StoreError> {
        self.in_snapshot(|| {
            let text = format!(
                "SELECT (SELECT bytes FROM payloads WHERE event = l.event) AS bytes, {COLUMNS} WHERE e.id = ?1"
            );
            self.connection.query_row(&text, [id], |row| Ok(of_row(row))).optional()?.transpose()
        })
    }
}

fn of_row(row: &Row<'_>) -> Result<CapturedEvent, super::error::StoreErrorKind> {
    let kind = EventKind::read(row.get("kind")?, 0, &row.get::<_, String>("facts")?)?;
    Ok(CapturedEvent {
        seq: row.get("seq")?,
        id: row.get("id")?,
        agent: kind.agent,
        event: kind.event,
        session: row.get("session")?,
        project: kind.project,
        subject: kind.subject,
        agent_id: row.get("agent_id")?,
        what: row.get("what")?,
        at: Some(row.get("at")?).filter(|at| *at != NO_TIME),
        size: unsigned(row.get("size")?),
        live: LiveData {
            schema_version: row.get("schema_version")?,
            name: row.get("name")?,
            tool: row.get("tool")?,
            project_key: row.get("project_key")?,
            stored_ms: row.get("stored_ms")?,
            payload_sha256: row.get("payload_sha256")?,
            decision: row.get("decision")?,
            source: row.get("source")?,
            decision_json: row.get("decision_json")?,
            answered_ms: row.get("answered_ms")?,
            held_ms: row.get("held_ms")?,
            cooldown: row.get("cooldown")?,
            suppressed: row.get("suppressed")?,
            flags: row.get("flags")?,
            lost_bytes: None,
        },
        payload: row.get("bytes")?,
    })
}
