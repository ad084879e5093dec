//! Reads the events of some kinds, with payloads, for filters that kinds alone cannot answer.

use std::ops::ControlFlow;

use super::error::{StoreError, StoreErrorKind};
use super::open::Store;

/// A callback that receives the number, kind and payload of an event.
type KindScanCallback<'a> = dyn FnMut(i64, i64, &[u8]) -> ControlFlow<()> + 'a;

impl Store {
    /// Calls `each` with the number and kind of every event of these kinds, in no particular order; with
    /// `payloads`, also with the payload.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read, or if it is interrupted.
    pub fn for_each_of_kinds(
        &self,
        kinds: &[i64],
        payloads: bool,
        each: &mut KindScanCallback<'_>,
    ) -> Result<(), StoreError> {
        let list: Vec<String> = kinds.iter().map(i64::to_string).collect();
        let (bytes, join) =
            if payloads { ("p.bytes", "LEFT JOIN payloads AS p ON p.event = e.seq") } else { ("NULL", "") };
        let text = format!(
            "SELECT e.seq, e.kind, {bytes} FROM events AS e INDEXED BY events_by_kind {join} WHERE e.kind IN ({})",
            list.join(",")
        );
        self.for_each_row(&text, each)
    }

    /// Calls `each` for the events of these kinds with a number above `seq`, in order.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read, or if it is interrupted.
    pub fn for_each_of_kinds_after(
        &self,
        seq: i64,
        kinds: &[i64],
        each: &mut KindScanCallback<'_>,
    ) -> Result<(), StoreError> {
        let list: Vec<String> = kinds.iter().map(i64::to_string).collect();
        // Only a few events are that new, so scanning them is faster than the index on kinds.
        let text = format!(
            "SELECT e.seq, e.kind, p.bytes FROM events AS e NOT INDEXED LEFT JOIN payloads AS p ON p.event = e.seq
            WHERE e.seq > {seq} AND e.kind IN ({}) ORDER BY e.seq",
            list.join(",")
        );
        self.for_each_row(&text, each)
    }

    /// The highest number of an event.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read, or if it is interrupted.
    pub fn last_seq(&self) -> Result<i64, StoreError> {
        let read = || Ok(self.connection.query_row("SELECT ifnull(max(seq), 0) FROM events", [], |row| row.get(0))?);
        self.in_snapshot(read)
    }

    fn for_each_row(&self, text: &str, each: &mut KindScanCallback<'_>) -> Result<(), StoreError> {
        let read = || -> Result<(), StoreErrorKind> {
            let mut statement = self.connection.prepare(text)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let bytes =
                    row.get_ref(2)?.as_blob_or_null().map_err(|why| StoreErrorKind::Damaged(why.to_string()))?;
                if each(row.get(0)?, row.get(1)?, bytes.unwrap_or_default()).is_break() {
                    break;
                }
            }
            Ok(())
        };
        self.in_snapshot(read)
    }
}
