//! What stays and what goes: deleting, the limits for what is captured live, and the size of the file.

use rusqlite::{Connection, params};

use super::capture::{Forget, forget};
use super::error::{StoreFault, Trouble};
use super::open::Store;
use super::runs::{number, unsigned};
use super::write::NEVER;

/// So many events go in one transaction, so that others can write in between.
const PORTION: i64 = 2_000;

const DAY: i64 = 86_400_000;

/// What is to be deleted, whatever it is and whether it is marked or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purge {
    /// The sessions with this name, of whatever agent.
    Session(String),
    /// What happened before this instant, in milliseconds since 1970.
    Before(i64),
    All,
}

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Purged {
    pub events: u64,
    pub sessions: u64,
}

/// How much is kept of what is captured live. What was imported and what is marked stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    pub days: u32,
    /// Of payloads.
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { days: 30, bytes: 512 * 1024 * 1024 }
    }
}

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    pub events: u64,
    pub sessions: u64,
    /// Captured live, so that limits hold for them.
    pub live: u64,
    /// In milliseconds since 1970.
    pub oldest: Option<i64>,
    pub newest: Option<i64>,
    /// Bytes of the file, and of the log beside it.
    pub file: u64,
    pub log: u64,
    /// Bytes of the file that nothing uses: `vacuum` gives them back.
    pub free: u64,
}

impl Store {
    /// Deletes events with all that belongs to them, and sessions that are empty then. What was deleted is overwritten.
    ///
    /// # Errors
    /// When the store cannot be written; what was deleted until then stays deleted.
    pub fn purge(&mut self, what: &Purge) -> Result<Purged, StoreFault> {
        let (condition, value) = match what {
            Purge::Session(name) => ("session IN (SELECT id FROM sessions WHERE name = ?1)", name.clone().into()),
            Purge::Before(at) => ("at < ?1 AND at > -9223372036854775808", (*at).into()),
            Purge::All => ("?1", rusqlite::types::Value::Integer(1)),
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
                Purge::Session(name) => Forget::Session(name),
                Purge::Before(at) => Forget::Before(*at),
                Purge::All => Forget::Before(i64::MAX),
            };
            forget(transaction, forgotten)?;
            tidy(transaction)
        })?;
        Ok(Purged { events, sessions })
    }

    /// Deletes of what was captured live what the limits do not keep: the oldest sessions first, each as a whole but for
    /// marked events.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn prune(&mut self, limits: Retention, now: i64) -> Result<Purged, StoreFault> {
        let mut events = 0;
        loop {
            let gone = self.write(|transaction| prune_oldest(transaction, limits, now))?;
            match gone {
                Some(gone) => events += gone,
                None => break,
            }
        }
        let old = now - i64::from(limits.days) * DAY;
        self.write(|transaction| forget(transaction, Forget::Before(old)))?;
        let sessions = if events == 0 { 0 } else { self.write(|transaction| tidy(transaction))? };
        Ok(Purged { events, sessions })
    }

    /// Gives back what nothing uses. It takes as long as to write the file anew, and as much room.
    ///
    /// # Errors
    /// When there is no room, or another process uses the store.
    pub fn vacuum(&mut self) -> Result<(), StoreFault> {
        let done = self
            .connection
            .execute_batch("INSERT INTO search (search) VALUES ('optimize'); VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
        done.map_err(|error| self.fault(error.into()))
    }

    /// How much there is.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn stat(&self) -> Result<Stat, StoreFault> {
        let log = std::fs::metadata(format!("{}-wal", self.path.display())).map_or(0, |log| log.len());
        self.at_once(|| {
            let one = |text: &str| self.connection.query_row(text, [], |row| row.get::<_, Option<i64>>(0));
            let count = |text: &str| one(text).map(|n| unsigned(n.unwrap_or(0)));
            let page = count("PRAGMA page_size")?;
            Ok(Stat {
                events: self.known_kinds()?.iter().map(|kind| kind.events).sum(),
                sessions: count("SELECT count(*) FROM sessions")?,
                live: count("SELECT count(*) FROM live")?,
                oldest: one(&format!("SELECT min(at) FROM events WHERE at > {NEVER}"))?,
                newest: one("SELECT max(at) FROM events")?.filter(|at| *at != NEVER),
                file: count("PRAGMA page_count")? * page,
                log,
                free: count("PRAGMA freelist_count")? * page,
            })
        })
    }
}

/// What of the live events may go.
const PRUNABLE: &str = "live JOIN events ON events.seq = live.event
    LEFT JOIN notes ON notes.event = events.seq WHERE NOT ifnull(notes.marked, 0)";

/// Deletes the oldest session of which something may go, when the limits want it. Says how much; none when all is well.
fn prune_oldest(transaction: &Connection, limits: Retention, now: i64) -> Result<Option<u64>, Trouble> {
    let mut oldest = transaction.prepare(&format!(
        "SELECT events.session, max(events.at) AS last FROM {PRUNABLE} GROUP BY events.session ORDER BY last LIMIT 1"
    ))?;
    let mut rows = oldest.query([])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (session, last): (i64, i64) = (row.get(0)?, row.get(1)?);
    let kept: i64 = transaction.query_row(
        "SELECT ifnull(sum(events.size), 0) FROM live JOIN events ON events.seq = live.event",
        [],
        |row| row.get(0),
    )?;
    let too_old = last != NEVER && last < now - i64::from(limits.days) * DAY;
    if !too_old && kept <= number(limits.bytes) {
        return Ok(None);
    }
    let text = format!(
        "DELETE FROM events WHERE seq IN (SELECT events.seq FROM {PRUNABLE} AND events.session = ?1 LIMIT {PORTION})"
    );
    Ok(Some(transaction.execute(&text, params![session])? as u64))
}

/// Sessions, kinds and files without events go. Says how many sessions.
fn tidy(transaction: &Connection) -> Result<u64, Trouble> {
    let sessions = transaction.execute(
        "DELETE FROM sessions WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.session = sessions.id)",
        [],
    )?;
    transaction.execute("DELETE FROM kinds WHERE events = 0", [])?;
    transaction.execute("DELETE FROM files WHERE id NOT IN (SELECT file FROM events WHERE file IS NOT NULL)", [])?;
    Ok(sessions as u64)
}
