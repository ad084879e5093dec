//! Deletion, retention limits for captured events, and the size of the file.

use rusqlite::{Connection, params};

use super::capture::{ForgetScope, forget};
use super::error::{StoreError, StoreErrorKind};
use super::open::Store;
use super::runs::{number, unsigned};
use super::write::NO_TIME;
use hookbench_core::recorded::PayloadSource;

/// The number of events that are deleted in one transaction, so that other processes can write in between.
const PORTION: i64 = 2_000;

const DAY: i64 = 86_400_000;

/// The events to delete, marked or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PurgeScope {
    /// All sessions with this name, of any agent.
    Session(String),
    /// Events before this instant, in milliseconds since 1970.
    Before(i64),
    All,
}

/// The number of deleted rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PurgeResult {
    pub events: u64,
    pub sessions: u64,
}

/// The limits for events that were captured live, and for the runs of the log. Imported and marked events are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    pub days: u32,
    /// The total size of payloads and of the output of logged runs.
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { days: 30, bytes: 512 * 1024 * 1024 }
    }
}

/// Statistics of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreStats {
    pub events: u64,
    pub sessions: u64,
    /// The number of events that were captured live.
    pub live: u64,
    /// The number of runs of the log.
    pub logged: u64,
    /// The times of the oldest and newest event, in milliseconds since 1970.
    pub oldest: Option<i64>,
    pub newest: Option<i64>,
    /// The sizes in bytes of the file, and of the log next to it.
    pub file: u64,
    pub log: u64,
    /// Unused bytes of the file, which `vacuum` releases.
    pub free: u64,
}

impl Store {
    /// Deletes events with all their data, and then empty sessions. Deleted data is overwritten.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written; completed portions stay deleted.
    pub fn purge(&mut self, what: &PurgeScope) -> Result<PurgeResult, StoreError> {
        let (condition, value) = match what {
            PurgeScope::Session(name) => ("session IN (SELECT id FROM sessions WHERE name = ?1)", name.clone().into()),
            PurgeScope::Before(at) => ("at < ?1 AND at > -9223372036854775808", (*at).into()),
            PurgeScope::All => ("?1", rusqlite::types::Value::Integer(1)),
        };
        let mut events = 0;
        loop {
            let gone = self.write(|transaction| {
                transaction.execute_batch("PRAGMA secure_delete = ON")?;
                let text = format!(
                    "DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE {condition} LIMIT {PORTION})"
                );
                Ok(transaction.execute(&text, [&value])?)
            })?;
            events += gone as u64;
            if gone == 0 {
                break;
            }
        }
        let sessions = self.write(|transaction| {
            let forgotten = match what {
                PurgeScope::Session(name) => ForgetScope::Session(name),
                PurgeScope::Before(at) => ForgetScope::Before(*at),
                PurgeScope::All => ForgetScope::Before(i64::MAX),
            };
            forget(transaction, forgotten)?;
            tidy(transaction)
        })?;
        Ok(PurgeResult { events, sessions })
    }

    /// Deletes captured events and logged runs beyond the limits: the oldest sessions first, each completely except for marked
    /// events.
    pub fn prune(&mut self, limits: Retention, now: i64) -> Result<PurgeResult, StoreError> {
        let mut events = 0;
        loop {
            let gone = self.write(|transaction| prune_oldest(transaction, limits, now))?;
            match gone {
                Some(gone) => events += gone,
                None => break,
            }
        }
        let old = now - i64::from(limits.days) * DAY;
        self.write(|transaction| forget(transaction, ForgetScope::Before(old)))?;
        let sessions = if events == 0 { 0 } else { self.write(|transaction| tidy(transaction))? };
        Ok(PurgeResult { events, sessions })
    }

    /// Releases unused space. Needs the time and the space to rewrite the file.
    ///
    /// # Errors
    /// Returns an error if there is not enough space, or if another process uses the store.
    pub fn vacuum(&mut self) -> Result<(), StoreError> {
        let done = self
            .connection
            .execute_batch("INSERT INTO search (search) VALUES ('optimize'); VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
        done.map_err(|error| self.fault(error.into()))
    }

    /// The first damage of the file's structure. Reading does not always meet it: a list may just end. Reads the whole file.
    pub fn find_damage(&self) -> Result<Option<String>, StoreError> {
        let found = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        let found = found.map_err(|error| self.fault(error.into()))?;
        Ok(Some(found).filter(|found| found != "ok"))
    }

    /// Statistics of the store.
    pub fn stat(&self) -> Result<StoreStats, StoreError> {
        let log = std::fs::metadata(format!("{}-wal", self.path.display())).map_or(0, |log| log.len());
        self.in_snapshot(|| {
            let one = |text: &str| self.connection.query_row(text, [], |row| row.get::<_, Option<i64>>(0));
            let count = |text: &str| one(text).map(|n| unsigned(n.unwrap_or(0)));
            let page = count("PRAGMA page_size")?;
            let kinds = self.known_kinds()?;
            let logged = kinds.iter().filter(|kind| kind.payload_source == PayloadSource::Fired);
            Ok(StoreStats {
                events: kinds.iter().map(|kind| kind.events).sum(),
                logged: logged.map(|kind| kind.events).sum(),
                sessions: count("SELECT count(*) FROM sessions")?,
                live: count("SELECT count(*) FROM live")?,
                oldest: one(&format!("SELECT min(at) FROM events WHERE at > {NO_TIME}"))?,
                newest: one("SELECT max(at) FROM events")?.filter(|at| *at != NO_TIME),
                file: count("PRAGMA page_count")? * page,
                log,
                free: count("PRAGMA freelist_count")? * page,
            })
        })
    }
}

/// The events to which the limits apply: those that were captured live, and the runs of the log.
const LIMITED: &str = "SELECT event AS seq FROM live UNION SELECT seq FROM events WHERE kind IN
    (SELECT id FROM kinds WHERE json_extract(facts, '$[6]') = 'fired')";

/// Those that may be deleted.
fn prunable() -> String {
    format!(
        "({LIMITED}) AS limited JOIN events ON events.seq = limited.seq
        LEFT JOIN notes ON notes.event = events.seq WHERE NOT ifnull(notes.marked, 0)"
    )
}

/// Deletes the oldest session with deletable events if the limits require it. Returns the number of deleted events.
/// `None` if the limits are met.
fn prune_oldest(transaction: &Connection, limits: Retention, now: i64) -> Result<Option<u64>, StoreErrorKind> {
    let prunable = prunable();
    let mut oldest = transaction.prepare(&format!(
        "SELECT events.session, max(events.at) AS last FROM {prunable} GROUP BY events.session ORDER BY last LIMIT 1"
    ))?;
    let mut rows = oldest.query([])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (session, last): (i64, i64) = (row.get(0)?, row.get(1)?);
    let kept: i64 = transaction.query_row(
        &format!(
            "SELECT ifnull(sum(events.size + ifnull(
                (SELECT sum(length(stdout) + length(stderr)) FROM runs WHERE runs.event = events.seq), 0)), 0)
            FROM ({LIMITED}) AS limited JOIN events ON events.seq = limited.seq"
        ),
        [],
        |row| row.get(0),
    )?;
    let too_old = last != NO_TIME && last < now - i64::from(limits.days) * DAY;
    if !too_old && kept <= number(limits.bytes) {
        return Ok(None);
    }
    let text = format!(
        "DELETE FROM events WHERE seq IN (SELECT events.seq FROM {prunable} AND events.session = ?1 LIMIT {PORTION})"
    );
    Ok(Some(transaction.execute(&text, params![session])? as u64))
}

/// Deletes sessions, kinds and files without events. Returns the number of sessions.
fn tidy(transaction: &Connection) -> Result<u64, StoreErrorKind> {
    let sessions = transaction.execute(
        "DELETE FROM sessions WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.session = sessions.id)",
        [],
    )?;
    transaction.execute("DELETE FROM kinds WHERE events = 0", [])?;
    transaction.execute("DELETE FROM files WHERE id NOT IN (SELECT file FROM events WHERE file IS NOT NULL)", [])?;
    Ok(sessions as u64)
}
