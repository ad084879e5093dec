//! Writes to the store: batches of events, marks and comments.

use std::collections::HashMap;

use rusqlite::{OptionalExtension as _, Transaction, TransactionBehavior, params};
use serde::de::IgnoredAny;

use super::error::{StoreError, StoreErrorKind};
use super::kinds;
use super::open::Store;
use super::runs::{self, number};
use hookbench_core::filter::total_duration;
use hookbench_core::recorded::{RecordedAnswer, RecordedEvent, RecordedSession, redact};

/// The time of events whose time is unknown.
pub(super) const NO_TIME: i64 = i64::MIN;

/// An event to store.
#[derive(Debug, Clone, Copy)]
pub struct NewEvent<'a> {
    pub event: &'a RecordedEvent,
    /// Its most informative value, for lists.
    pub highlight: Option<&'a str>,
    /// Data of the live path, if it captured the event.
    pub live: Option<&'a LiveData>,
}

impl<'a> NewEvent<'a> {
    /// An event that was read from a file.
    pub fn imported(event: &'a RecordedEvent, what: Option<&'a str>) -> NewEvent<'a> {
        NewEvent { event, highlight: what, live: None }
    }
}

/// Data of an event that only the live path has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LiveData {
    /// The version of the envelope in which it arrived.
    pub schema_version: i64,
    /// The agent-independent names of the event and the tool.
    pub name: Option<String>,
    pub tool: Option<String>,
    pub project_key: Option<String>,
    /// The time of storage, in milliseconds since 1970.
    pub stored_ms: Option<i64>,
    pub payload_sha256: Option<String>,
    /// The decision and its source.
    pub decision: Option<String>,
    pub source: Option<String>,
    pub decision_json: Option<String>,
    pub answered_ms: Option<i64>,
    pub held_ms: Option<i64>,
    pub cooldown: Option<bool>,
    /// The answer that was suppressed, and the reason.
    pub suppressed: Option<String>,
    /// Words separated by blanks, for example that the payload was not JSON.
    pub flags: Option<String>,
    /// The size in bytes of a payload that was not stored for lack of space.
    pub lost_bytes: Option<u64>,
}

impl LiveData {
    /// An answer that was read from a file. Its event was not captured by this store, so it has no version.
    fn imported(answer: &RecordedAnswer) -> LiveData {
        let decision = serde_json::json!({"decision": answer.decision, "reason": answer.reason});
        LiveData {
            decision: Some(answer.decision.clone()),
            source: Some(answer.by.clone()),
            decision_json: Some(decision.to_string()),
            answered_ms: answer.at,
            held_ms: answer.held_ms.map(number),
            ..LiveData::default()
        }
    }
}

/// The result of storing an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddResult {
    pub seq: i64,
    /// Whether it is new. If not, the stored event was left unchanged.
    pub new: bool,
}

impl Store {
    /// Stores all events or none, with the metadata of their sessions. An event whose id exists is left unchanged,
    /// so importing twice has no effect. With `masked`, values that look like secrets are masked first.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written; then nothing of the batch is stored.
    pub fn add(
        &mut self,
        sessions: &[RecordedSession],
        events: &[NewEvent<'_>],
        masked: bool,
    ) -> Result<Vec<AddResult>, StoreError> {
        self.write(|transaction| {
            let mut batch = WriteBatch::new(transaction);
            for session in sessions {
                batch.upsert_session(session)?;
            }
            batch.add(events, masked)
        })
    }

    /// Sets or removes the mark of an event.
    pub fn mark(&mut self, seq: i64, marked: bool) -> Result<(), StoreError> {
        self.note(
            seq,
            "INSERT INTO notes (event, marked) VALUES (?1, ?2)
            ON CONFLICT (event) DO UPDATE SET marked = excluded.marked",
            &marked,
        )
    }

    /// Sets or removes the comment of an event.
    pub fn comment(&mut self, seq: i64, comment: Option<&str>) -> Result<(), StoreError> {
        self.note(
            seq,
            "INSERT INTO notes (event, marked, comment) VALUES (?1, 0, ?2)
            ON CONFLICT (event) DO UPDATE SET comment = excluded.comment",
            &comment,
        )
    }

    fn note(&mut self, seq: i64, sql: &str, value: &dyn rusqlite::ToSql) -> Result<(), StoreError> {
        self.write(|transaction| {
            let known = transaction.query_row("SELECT 1 FROM events WHERE seq = ?1", [seq], |_| Ok(())).optional()?;
            if known.is_none() {
                return Err(StoreErrorKind::NoEvent(seq));
            }
            transaction.execute(sql, params![seq, value])?;
            transaction.execute("DELETE FROM notes WHERE event = ?1 AND NOT marked AND comment IS NULL", [seq])?;
            Ok(())
        })
    }

    /// Runs `work` in an immediate transaction, so that it cannot fail to upgrade to a write lock later.
    pub(super) fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreErrorKind>,
    ) -> Result<T, StoreError> {
        self.kinds.take();
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let done = transaction.map_err(StoreErrorKind::from).and_then(|transaction| {
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        });
        done.map_err(|trouble| trouble.at(&self.path))
    }
}

pub(super) struct WriteBatch<'a> {
    transaction: &'a Transaction<'a>,
    sessions: HashMap<(String, String), i64>,
    kinds: HashMap<String, i64>,
    files: HashMap<String, i64>,
}

impl<'a> WriteBatch<'a> {
    pub(super) fn new(transaction: &'a Transaction<'a>) -> WriteBatch<'a> {
        WriteBatch { transaction, sessions: HashMap::new(), kinds: HashMap::new(), files: HashMap::new() }
    }

    pub(super) fn add(&mut self, events: &[NewEvent<'_>], masked: bool) -> Result<Vec<AddResult>, StoreErrorKind> {
        let transaction = self.transaction;
        let mut insert = transaction.prepare(
            "INSERT INTO events (id, session, kind, at, took, hooks, size, agent_id, origin, file, line, what, flags)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?;
        let mut known = transaction.prepare("SELECT seq FROM events WHERE id = ?1")?;
        let mut payload = transaction.prepare("INSERT INTO payloads (event, form, bytes) VALUES (?1, ?2, ?3)")?;
        let mut note = transaction.prepare("INSERT INTO notes (event, marked, comment) VALUES (?1, ?2, ?3)")?;
        let mut run = transaction.prepare(runs::INSERT)?;
        let mut outcome = transaction.prepare("INSERT INTO outcomes (event, body) VALUES (?1, ?2)")?;
        let mut grown: HashMap<i64, i64> = HashMap::new();
        let mut added = Vec::with_capacity(events.len());
        for NewEvent { event, highlight: what, live } in events {
            if let Some(seq) = known.query_row([&event.id], |row| row.get(0)).optional()? {
                added.push(AddResult { seq, new: false });
                continue;
            }
            let clean = masked.then(|| redact(event)).flatten();
            let lost = live.and_then(|live| live.lost_bytes);
            let size = lost.unwrap_or(event.payload.len() as u64);
            let (event, masked) = clean.as_ref().map_or((*event, None), |clean| (clean, Some("redacted")));
            let flags = [masked, live.and_then(|live| live.flags.as_deref())];
            let flags = flags.into_iter().flatten().collect::<Vec<_>>().join(" ");
            // The list value comes from the payload, so it may contain what was masked there.
            let what = what.filter(|_| clean.is_none());
            let session = self.session(&event.agent, &event.session)?;
            let kind = self.kind(kinds::stored_kind(event))?;
            let file = event.source.as_ref().map(|source| self.file(&source.file)).transpose()?;
            insert.execute(params![
                event.id,
                session,
                kind,
                event.at.unwrap_or(NO_TIME),
                total_duration(event).map(number),
                number(event.runs.len() as u64),
                number(size),
                event.agent_id,
                event.origin,
                file,
                event.source.as_ref().map(|source| number(source.line)),
                what,
                Some(flags).filter(|flags| !flags.is_empty()),
            ])?;
            let seq = transaction.last_insert_rowid();
            *grown.entry(kind).or_default() += 1;
            let form = if serde_json::from_slice::<IgnoredAny>(&event.payload).is_ok() { "json" } else { "text" };
            payload.execute(params![seq, form, lost.is_none().then_some(&event.payload)])?;
            runs::insert(&mut run, seq, &event.runs)?;
            if let Some(told) = &event.outcome {
                outcome.execute(params![seq, serde_json::to_string(told).unwrap_or_default()])?;
            }
            if event.marked || event.comment.is_some() {
                note.execute(params![seq, event.marked, event.comment])?;
            }
            match (live, &event.answer) {
                (Some(live), _) => self.live(seq, live)?,
                (None, Some(answer)) => self.live(seq, &LiveData::imported(answer))?,
                (None, None) => {}
            }
            added.push(AddResult { seq, new: true });
        }
        let mut count = transaction.prepare("UPDATE kinds SET events = events + ?2 WHERE id = ?1")?;
        for (kind, events) in grown {
            count.execute([kind, events])?;
        }
        Ok(added)
    }

    /// Updates the metadata of a session. New values replace old ones; missing values do not.
    fn upsert_session(&mut self, told: &RecordedSession) -> Result<(), StoreErrorKind> {
        self.transaction.execute(
            "INSERT INTO sessions (agent, name, version, project, title, started, ended)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (agent, name) DO UPDATE SET
                version = ifnull(excluded.version, version), project = ifnull(excluded.project, project),
                title = ifnull(excluded.title, title), started = ifnull(excluded.started, started),
                ended = ifnull(excluded.ended, ended)",
            params![told.agent, told.session, told.version, told.project, told.title, told.started, told.ended],
        )?;
        Ok(())
    }

    fn session(&mut self, agent: &str, name: &str) -> Result<i64, StoreErrorKind> {
        let key = (agent.to_owned(), name.to_owned());
        if let Some(id) = self.sessions.get(&key) {
            return Ok(*id);
        }
        let transaction = self.transaction;
        transaction.execute("INSERT OR IGNORE INTO sessions (agent, name) VALUES (?1, ?2)", [agent, name])?;
        let id =
            transaction
                .query_row("SELECT id FROM sessions WHERE agent = ?1 AND name = ?2", [agent, name], |row| row.get(0))?;
        self.sessions.insert(key, id);
        Ok(id)
    }

    fn kind(&mut self, facts: String) -> Result<i64, StoreErrorKind> {
        if let Some(id) = self.kinds.get(&facts) {
            return Ok(*id);
        }
        let transaction = self.transaction;
        transaction.execute("INSERT OR IGNORE INTO kinds (facts) VALUES (?1)", [&facts])?;
        let id = transaction.query_row("SELECT id FROM kinds WHERE facts = ?1", [&facts], |row| row.get(0))?;
        self.kinds.insert(facts, id);
        Ok(id)
    }

    fn file(&mut self, path: &str) -> Result<i64, StoreErrorKind> {
        if let Some(id) = self.files.get(path) {
            return Ok(*id);
        }
        let transaction = self.transaction;
        transaction.execute("INSERT OR IGNORE INTO files (path) VALUES (?1)", [path])?;
        let id = transaction.query_row("SELECT id FROM files WHERE path = ?1", [path], |row| row.get(0))?;
        self.files.insert(path.to_owned(), id);
        Ok(id)
    }

    fn live(&self, seq: i64, live: &LiveData) -> Result<(), StoreErrorKind> {
        self.transaction.execute(
            "INSERT INTO live (event, schema_version, name, tool, project_key, stored_ms, payload_sha256, decision, source,
                decision_json, answered_ms, held_ms, cooldown, suppressed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            params![
                seq,
                live.schema_version,
                live.name,
                live.tool,
                live.project_key,
                live.stored_ms,
                live.payload_sha256,
                live.decision,
                live.source,
                live.decision_json,
                live.answered_ms,
                live.held_ms,
                live.cooldown,
                live.suppressed,
            ],
        )?;
        Ok(())
    }
}
