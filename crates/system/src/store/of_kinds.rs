//! The events of some kinds, with what was received: for what a kind alone does not answer.

use std::ops::ControlFlow;

use super::error::{StoreFault, Trouble};
use super::open::Store;

/// Takes number, kind and payload of an event.
type Each<'a> = dyn FnMut(i64, i64, &[u8]) -> ControlFlow<()> + 'a;

impl Store {
    /// Hands out number and kind of every event of these kinds, one at a time, in no order that means anything; with
    /// `payloads` what was received, too.
    ///
    /// # Errors
    /// When the store cannot be read, or is stopped.
    pub fn of_kinds(&self, kinds: &[i64], payloads: bool, each: &mut Each<'_>) -> Result<(), StoreFault> {
        let list: Vec<String> = kinds.iter().map(i64::to_string).collect();
        let (bytes, join) =
            if payloads { ("p.bytes", "LEFT JOIN payloads AS p ON p.event = e.seq") } else { ("NULL", "") };
        let text = format!(
            "SELECT e.seq, e.kind, {bytes} FROM events AS e INDEXED BY events_by_kind {join} WHERE e.kind IN ({})",
            list.join(",")
        );
        self.hand_out(&text, each)
    }

    /// Hands out those of these kinds with a number above this one, in the order of their numbers.
    ///
    /// # Errors
    /// When the store cannot be read, or is stopped.
    pub fn of_kinds_after(&self, seq: i64, kinds: &[i64], each: &mut Each<'_>) -> Result<(), StoreFault> {
        let list: Vec<String> = kinds.iter().map(i64::to_string).collect();
        // Few are that new, so that their kinds are better looked at than looked up.
        let text = format!(
            "SELECT e.seq, e.kind, p.bytes FROM events AS e NOT INDEXED LEFT JOIN payloads AS p ON p.event = e.seq
            WHERE e.seq > {seq} AND e.kind IN ({}) ORDER BY e.seq",
            list.join(",")
        );
        self.hand_out(&text, each)
    }

    /// The highest number of an event.
    ///
    /// # Errors
    /// When the store cannot be read, or is stopped.
    pub fn last_seq(&self) -> Result<i64, StoreFault> {
        let read = || Ok(self.connection.query_row("SELECT ifnull(max(seq), 0) FROM events", [], |row| row.get(0))?);
        self.at_once(read)
    }

    fn hand_out(&self, text: &str, each: &mut Each<'_>) -> Result<(), StoreFault> {
        let read = || -> Result<(), Trouble> {
            let mut statement = self.connection.prepare(text)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let bytes = row.get_ref(2)?.as_blob_or_null().map_err(|why| Trouble::Damaged(why.to_string()))?;
                if each(row.get(0)?, row.get(1)?, bytes.unwrap_or_default()).is_break() {
                    break;
                }
            }
            Ok(())
        };
        self.at_once(read)
    }
}
