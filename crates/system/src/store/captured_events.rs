//! Reads events that were captured live, with their answers: in pages by number, for clients that follow them.

use rusqlite::{OptionalExtension as _, Row, params};

use super::error::StoreError;
use super::kinds::EventKind;
use super::open::Store;
use super::runs::unsigned;
use super::write::{LiveData, NO_TIME};

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
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
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
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
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
