//! The word index, filled in small portions after an import. Events that are not in the index yet are searched by
//! reading them.

use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::error::{StoreError, StoreErrorKind};
use super::open::Store;
use super::runs::unsigned;
use hookbench_core::filter::search_text;

/// The number of events that are indexed in one transaction, so that other processes can write in between.
const PORTION: i64 = 500;

/// The progress of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexProgress {
    pub done: u64,
    pub all: u64,
}

impl IndexProgress {
    /// Whether the index contains all events.
    pub fn complete(self) -> bool {
        self.done >= self.all
    }

    /// The progress in percent; 100 only if the index is complete.
    pub fn percent(self) -> u64 {
        if self.complete() { 100 } else { (self.done * 100 / self.all.max(1)).min(99) }
    }
}

impl Store {
    /// The progress of the index.
    pub fn index_progress(&self) -> Result<IndexProgress, StoreError> {
        self.in_snapshot(|| {
            let count = |text: &str| self.connection.query_row(text, [], |row| row.get::<_, i64>(0));
            // Numbers are assigned in order and rarely deleted, so their range approximates the count.
            let first = count("SELECT ifnull(min(seq), 1) FROM events")?;
            let last = count("SELECT ifnull(max(seq), 0) FROM events")?;
            let done = last_indexed(&self.connection)?.min(last);
            Ok(IndexProgress { done: unsigned(done - first + 1), all: unsigned(last - first + 1) })
        })
    }

    /// Continues the index for about the given time, with at least one portion, and returns the progress.
    pub fn continue_index(&mut self, budget: Duration) -> Result<IndexProgress, StoreError> {
        let end = Instant::now() + budget;
        loop {
            let more = self.write(|transaction| index_portion(transaction))?;
            if !more || Instant::now() >= end {
                return self.index_progress();
            }
        }
    }

    /// Empties the index. It is then filled again from the beginning.
    pub fn clear_index(&mut self) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute_batch(
                "INSERT INTO search (search) VALUES ('delete-all'); UPDATE progress SET value = 0 WHERE name = 'indexed';",
            )?;
            Ok(())
        })
    }
}

/// The number of the last indexed event.
fn last_indexed(connection: &Connection) -> Result<i64, StoreErrorKind> {
    Ok(connection.query_row("SELECT value FROM progress WHERE name = 'indexed'", [], |row| row.get(0))?)
}

/// Indexes the next events. Returns whether there may be more.
fn index_portion(transaction: &Connection) -> Result<bool, StoreErrorKind> {
    let from = last_indexed(transaction)?;
    let mut next = transaction
        .prepare("SELECT event, ifnull(bytes, x'') FROM payloads WHERE event > ?1 ORDER BY event LIMIT ?2")?;
    let mut insert = transaction.prepare("INSERT INTO search (rowid, words) VALUES (?1, ?2)")?;
    let mut rows = next.query([from, PORTION])?;
    let (mut last, mut count) = (from, 0);
    while let Some(row) = rows.next()? {
        last = row.get(0)?;
        let words = search_text(row.get_ref(1)?.as_blob().unwrap_or_default());
        insert.execute((last, words))?;
        count += 1;
    }
    if count > 0 {
        transaction.execute("UPDATE progress SET value = ?1 WHERE name = 'indexed'", [last])?;
    }
    Ok(count == PORTION)
}
