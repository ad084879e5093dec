//! Reads from the store: pages of lists, exact counts, whole events, sessions, export.

use std::ops::ControlFlow;
use std::time::Duration;

use rusqlite::types::Value;
use rusqlite::{OptionalExtension as _, Statement, params_from_iter};

use super::error::{StoreError, StoreErrorKind};
use super::event_query::{EventQuery, SqlCondition};
use super::kinds::EventKind;
use super::open::Store;
use super::runs::{self, unsigned};
use super::write::NO_TIME;
use hookbench_core::filter::{Filter, matches};
use hookbench_core::recorded::{
    PayloadSource, RecordedAnswer, RecordedEvent, RecordedSession, SourceLine, format_event_line,
};

/// The position of an event in the order of lists: by time, then by the order of insertion. Events without a time
/// come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventPosition {
    at: i64,
    seq: i64,
}

impl EventPosition {
    /// The position just before an event: reading `Forward` from it starts with that event.
    pub fn before(at: Option<i64>, seq: i64) -> EventPosition {
        EventPosition { at: at.unwrap_or(NO_TIME), seq: seq - 1 }
    }
}

/// The direction in which a list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListDirection {
    /// Oldest first.
    Forward,
    /// Newest first.
    Backward,
}

/// An event in a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventListRow {
    /// The number for display: #127.
    pub seq: i64,
    pub id: String,
    pub at: Option<i64>,
    pub agent: String,
    pub session: String,
    pub project: Option<String>,
    pub event: String,
    pub subject: Option<String>,
    /// The value of the payload that describes the event best, such as the command.
    pub highlight: Option<String>,
    /// The number of known runs.
    pub hooks: u64,
    pub took: Option<Duration>,
    pub verdict: Option<String>,
    /// The answer that hookbench gave to the agent, if it did not let the event pass at once.
    pub answer: Option<RecordedAnswer>,
    pub payload_source: PayloadSource,
    /// Whether it happened in a sub-agent.
    pub sub: bool,
    pub origin: Option<String>,
    /// The number of the event that this one was made from, if it is still stored.
    pub origin_seq: Option<i64>,
    pub marked: bool,
    pub comment: Option<String>,
    /// The size in bytes of the payload as received.
    pub size: u64,
    /// Whether secrets in it were masked.
    pub redacted: bool,
}

impl EventListRow {
    /// Whether hookbench fired it: a replay, or a run that the log keeps. Such a row repeats what an agent did or could
    /// do, so a replay of many events skips it.
    pub fn is_fired_by_hookbench(&self) -> bool {
        self.origin.is_some() || self.payload_source == PayloadSource::Fired
    }

    /// The row of an event that cannot be read, so that a list says so and goes on.
    fn damaged(seq: i64, at: i64, why: String) -> EventListRow {
        EventListRow {
            seq,
            at: Some(at).filter(|at| *at != NO_TIME),
            agent: "unknown".to_owned(),
            event: "damaged".to_owned(),
            highlight: Some(why),
            payload_source: PayloadSource::Recorded,
            ..EventListRow::default()
        }
    }

    /// The position in the order of lists.
    pub fn position(&self) -> EventPosition {
        EventPosition { at: self.at.unwrap_or(NO_TIME), seq: self.seq }
    }
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    pub session: RecordedSession,
    /// The number of its events that match the filter.
    pub events: u64,
    /// The time of the newest of them.
    pub last: Option<i64>,
}

impl Store {
    /// Up to `limit` matching events after `from` in the given direction. `None` starts at the oldest or newest
    /// event.
    pub fn page(
        &self,
        filter: &Filter,
        now: i64,
        direction: ListDirection,
        from: Option<EventPosition>,
        limit: usize,
    ) -> Result<Vec<EventListRow>, StoreError> {
        let mut rows = Vec::new();
        if limit > 0 {
            self.walk(filter, now, direction, from, &mut |row| {
                rows.push(row);
                if rows.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
        }
        Ok(rows)
    }

    /// Calls `each` for all matching events as they are found, for slow searches.
    pub fn walk(
        &self,
        filter: &Filter,
        now: i64,
        direction: ListDirection,
        from: Option<EventPosition>,
        each: &mut dyn FnMut(EventListRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.in_snapshot(|| {
            let mut row = self.connection.prepare(ROW)?;
            self.numbers(filter, now, direction, from, &mut |at, seq| {
                let found = match row_of(&mut row, seq).map_err(|why| why.of_event(seq)) {
                    Err(StoreErrorKind::DamagedEvent { why, .. }) => EventListRow::damaged(seq, at, why),
                    found => found?,
                };
                Ok(each(found))
            })
        })
    }

    /// The exact number of matching events.
    pub fn count(&self, filter: &Filter, now: i64) -> Result<u64, StoreError> {
        self.in_snapshot(|| {
            let selection = self.selection(filter, now)?;
            if !selection.has_uncertain() {
                return Ok(selection.certain);
            }
            let source = selection.source_to_count(false);
            Ok(selection.certain + self.counted(source, selection.condition(false, false))?)
        })
    }

    /// The number of matching events before a position, counted from the oldest.
    pub fn position(&self, filter: &Filter, now: i64, place: EventPosition) -> Result<u64, StoreError> {
        self.in_snapshot(|| {
            let selection = self.selection(filter, now)?;
            let mut sql = selection.condition(true, false);
            restrict_beyond(place, ListDirection::Backward, &mut sql);
            self.counted(selection.source_to_count(true), sql)
        })
    }

    /// The complete event with the given number.
    pub fn event(&self, seq: i64) -> Result<Option<RecordedEvent>, StoreError> {
        self.in_snapshot(|| self.read_event(seq).map_err(|why| why.of_event(seq)))
    }

    /// The number of the event with the given id.
    pub fn find(&self, id: &str) -> Result<Option<i64>, StoreError> {
        self.in_snapshot(|| {
            let found = self.connection.query_row("SELECT seq FROM events WHERE id = ?1", [id], |row| row.get(0));
            Ok(found.optional()?)
        })
    }

    /// A counter that changes when another process or thread has written to the file.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        self.in_snapshot(|| Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?))
    }

    /// The sessions with matching events, ordered by their newest matching event, newest first.
    pub fn sessions(&self, filter: &Filter, now: i64) -> Result<Vec<SessionRow>, StoreError> {
        self.in_snapshot(|| {
            let selection = self.selection(filter, now)?;
            let sql = selection.condition(true, false);
            let mut statement = self.connection.prepare(&format!(
                "SELECT s.agent, s.name, s.version, s.project, s.title, s.started, s.ended, found.events, found.last
                 FROM (SELECT session, count(*) AS events, max(at) AS last FROM {} WHERE {} GROUP BY session) AS found
                 JOIN sessions AS s ON s.id = found.session ORDER BY found.last DESC, s.id DESC",
                selection.source_by_session(),
                sql.text
            ))?;
            let mut rows = statement.query(params_from_iter(sql.values))?;
            let mut sessions = Vec::new();
            while let Some(row) = rows.next()? {
                let session = RecordedSession {
                    agent: row.get(0)?,
                    session: row.get(1)?,
                    version: row.get(2)?,
                    project: row.get(3)?,
                    title: row.get(4)?,
                    started: row.get(5)?,
                    ended: row.get(6)?,
                };
                let last = Some(row.get(8)?).filter(|at| *at != NO_TIME);
                sessions.push(SessionRow { session, events: unsigned(row.get(7)?), last });
            }
            Ok(sessions)
        })
    }

    /// Calls `each` with the line of every matching event, oldest first, with one event in memory at a time, or with the
    /// number of an event that is damaged and the reason. If the lists of the store are damaged too, events come in the
    /// order of their numbers. Returns the number of lines.
    #[allow(clippy::type_complexity, reason = "a line, or the number and the fault of an event")]
    pub fn export(
        &self,
        filter: &Filter,
        now: i64,
        each: &mut dyn FnMut(Result<&str, (i64, &str)>) -> ControlFlow<()>,
    ) -> Result<u64, StoreError> {
        let mut count = 0;
        self.in_snapshot(|| {
            let mut numbers = Vec::new();
            let listed = self.numbers(filter, now, ListDirection::Forward, None, &mut |_, seq| {
                numbers.push(seq);
                Ok(ControlFlow::Continue(()))
            });
            let is_listed = match listed {
                Err(StoreErrorKind::Damaged(_)) => {
                    let last = self.connection.query_row("SELECT max(seq) FROM events", [], |row| row.get(0));
                    numbers = (1..=last.or(Err(StoreErrorKind::Damaged("its table of events".to_owned())))?).collect();
                    false
                }
                listed => listed.map(|()| true)?,
            };
            for seq in numbers {
                let step = match self.read_event(seq) {
                    Ok(Some(event)) if is_listed || matches(filter, &event, now) => {
                        count += 1;
                        each(Ok(&format_event_line(&event)))
                    }
                    Ok(_) => ControlFlow::Continue(()),
                    Err(StoreErrorKind::Damaged(why)) => each(Err((seq, &why))),
                    Err(other) => return Err(other),
                };
                if step.is_break() {
                    break;
                }
            }
            Ok(())
        })?;
        Ok(count)
    }

    /// Reads everything from a single snapshot, independent of concurrent writes.
    pub(super) fn in_snapshot<T>(&self, work: impl FnOnce() -> Result<T, StoreErrorKind>) -> Result<T, StoreError> {
        let read = || -> Result<T, StoreErrorKind> {
            // Called from a row callback: the outer transaction is used.
            if !self.connection.is_autocommit() {
                return work();
            }
            let transaction = self.connection.unchecked_transaction()?;
            let result = work()?;
            transaction.commit()?;
            Ok(result)
        };
        read().map_err(|trouble| self.fault(trouble))
    }

    pub(super) fn selection(&self, filter: &Filter, now: i64) -> Result<EventQuery, StoreErrorKind> {
        EventQuery::plan(filter, now, &self.known_kinds()?, &self.connection)
    }

    fn counted(&self, source: &str, sql: SqlCondition) -> Result<u64, StoreErrorKind> {
        let text = format!("SELECT count(*) FROM {source} WHERE {}", sql.text);
        Ok(unsigned(self.connection.query_row(&text, params_from_iter(sql.values), |row| row.get(0))?))
    }

    fn numbers(
        &self,
        filter: &Filter,
        now: i64,
        direction: ListDirection,
        from: Option<EventPosition>,
        each: &mut dyn FnMut(i64, i64) -> Result<ControlFlow<()>, StoreErrorKind>,
    ) -> Result<(), StoreErrorKind> {
        let selection = self.selection(filter, now)?;
        let mut sql = selection.condition(true, true);
        if let Some(place) = from {
            restrict_beyond(place, direction, &mut sql);
        }
        let order = match direction {
            ListDirection::Forward => "at, seq",
            ListDirection::Backward => "at DESC, seq DESC",
        };
        let text = format!("SELECT at, seq FROM {} WHERE {} ORDER BY {order}", selection.source(), sql.text);
        let mut statement = self.connection.prepare(&text)?;
        let mut rows = statement.query(params_from_iter(sql.values))?;
        while let Some(row) = rows.next()? {
            if each(row.get(0)?, row.get(1)?)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn read_event(&self, seq: i64) -> Result<Option<RecordedEvent>, StoreErrorKind> {
        let mut statement = self.connection.prepare(FULL_ROW)?;
        let Some(row) = row_in(&mut statement, seq)? else { return Ok(None) };
        let mut rows = statement.query([seq])?;
        let Some(found) = rows.next()? else { return Ok(None) };
        let (kind, file): (EventKind, Option<String>) = (kind_of(found)?, found.get("path")?);
        let source = match file {
            Some(file) => Some(SourceLine { file, line: unsigned(found.get("line")?) }),
            None => None,
        };
        Ok(Some(RecordedEvent {
            id: row.id,
            agent: row.agent,
            version: kind.version,
            session: row.session,
            agent_id: found.get("agent_id")?,
            project: row.project,
            repository: None,
            person: None,
            event: row.event,
            subject: row.subject,
            at: row.at,
            payload_source: row.payload_source,
            origin: row.origin,
            source,
            payload: found.get::<_, Option<Vec<u8>>>("bytes")?.unwrap_or_default(),
            runs: runs::read(&self.connection, seq)?,
            verdict: row.verdict,
            answer: row.answer,
            // An outcome that cannot be parsed is treated as unknown; the rest of the event is still returned.
            outcome: found.get::<_, Option<String>>("body")?.and_then(|body| serde_json::from_str(&body).ok()),
            diagnostics: kind.codes,
            marked: row.marked,
            comment: row.comment,
        }))
    }
}

/// The condition of events with an answer: those that passed at once have none.
pub(super) const IS_ANSWERED: &str = "decision IS NOT NULL AND source NOT IN ('default', 'cooldown')";

const ROW: &str =
    "SELECT e.seq, e.id, e.at, e.took, e.hooks, e.size, e.agent_id, e.origin, e.what, e.flags, s.name AS session,
    k.facts, k.id AS kind, n.marked, n.comment, l.decision, l.source, l.decision_json, l.answered_ms, l.held_ms,
    (SELECT o.seq FROM events AS o WHERE o.id = e.origin) AS origin_seq
    FROM events AS e LEFT JOIN sessions AS s ON s.id = e.session LEFT JOIN kinds AS k ON k.id = e.kind
    LEFT JOIN notes AS n ON n.event = e.seq
    LEFT JOIN (SELECT * FROM live WHERE decision IS NOT NULL AND source NOT IN ('default', 'cooldown')) AS l
    ON l.event = e.seq WHERE e.seq = ?1";

const FULL_ROW: &str = "SELECT e.seq, e.id, e.at, e.took, e.hooks, e.size, e.agent_id, e.origin, e.what, e.flags, s.name AS session,
    k.facts, k.id AS kind, n.marked, n.comment, e.line, f.path, p.bytes, o.body,
    l.decision, l.source, l.decision_json, l.answered_ms, l.held_ms,
    (SELECT again.seq FROM events AS again WHERE again.id = e.origin) AS origin_seq
    FROM events AS e LEFT JOIN sessions AS s ON s.id = e.session LEFT JOIN kinds AS k ON k.id = e.kind
    LEFT JOIN notes AS n ON n.event = e.seq LEFT JOIN files AS f ON f.id = e.file LEFT JOIN payloads AS p ON p.event = e.seq
    LEFT JOIN outcomes AS o ON o.event = e.seq
    LEFT JOIN (SELECT * FROM live WHERE decision IS NOT NULL AND source NOT IN ('default', 'cooldown')) AS l
    ON l.event = e.seq WHERE e.seq = ?1";

/// Restricts a query to events beyond a position, in the given direction.
fn restrict_beyond(place: EventPosition, direction: ListDirection, sql: &mut SqlCondition) {
    let sign = match direction {
        ListDirection::Forward => '>',
        ListDirection::Backward => '<',
    };
    let [at, again, seq] = [place.at, place.at, place.seq].map(Value::Integer);
    sql.push(&format!(" AND at {sign}= ? AND (at, seq) {sign} (?, ?)"), [at, again, seq]);
}

fn row_of(statement: &mut Statement<'_>, seq: i64) -> Result<EventListRow, StoreErrorKind> {
    row_in(statement, seq)?.ok_or_else(|| StoreErrorKind::Damaged(format!("event #{seq} has no row")))
}

fn row_in(statement: &mut Statement<'_>, seq: i64) -> Result<Option<EventListRow>, StoreErrorKind> {
    let mut rows = statement.query([seq])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let kind = kind_of(row)?;
    let took: Option<i64> = row.get("took")?;
    Ok(Some(EventListRow {
        seq: row.get("seq")?,
        id: row.get("id")?,
        at: Some(row.get("at")?).filter(|at| *at != NO_TIME),
        agent: kind.agent,
        session: row.get("session")?,
        project: kind.project,
        event: kind.event,
        subject: kind.subject,
        highlight: row.get("what")?,
        hooks: unsigned(row.get("hooks")?),
        took: took.map(|micros| Duration::from_micros(unsigned(micros))),
        verdict: kind.verdict,
        answer: answer_in(row)?,
        payload_source: kind.payload_source,
        sub: kind.sub,
        origin: row.get("origin")?,
        origin_seq: row.get("origin_seq")?,
        marked: row.get::<_, Option<bool>>("marked")?.unwrap_or(false),
        comment: row.get("comment")?,
        size: unsigned(row.get("size")?),
        redacted: row.get::<_, Option<String>>("flags")?.is_some_and(|flags| flags.split(' ').any(|f| f == "redacted")),
    }))
}

fn answer_in(row: &rusqlite::Row<'_>) -> Result<Option<RecordedAnswer>, StoreErrorKind> {
    let (Some(decision), Some(by)) = (row.get("decision")?, row.get("source")?) else { return Ok(None) };
    let json: Option<String> = row.get("decision_json")?;
    Ok(Some(RecordedAnswer {
        decision,
        by,
        reason: json.as_deref().and_then(RecordedAnswer::reason_in),
        at: row.get("answered_ms")?,
        held_ms: row.get::<_, Option<i64>>("held_ms")?.map(unsigned),
    }))
}

fn kind_of(row: &rusqlite::Row<'_>) -> Result<EventKind, StoreErrorKind> {
    EventKind::read(row.get("kind")?, 0, &row.get::<_, String>("facts")?)
}
