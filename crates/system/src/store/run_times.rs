//! The times and ends of recorded runs, for statistics over many events.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::params_from_iter;

use super::error::{StoreError, StoreErrorKind};
use super::event_query::{EventQuery, SqlCondition};
use super::kinds::EventKind;
use super::open::Store;
use super::runs::{duration, exit_of};
use hookbench_core::filter::Filter;
use hookbench_core::run::Exit;

/// The columns of a run. The streams come after them in a row, so they are not read.
const COLUMNS: &str = "runs.event, events.kind, runs.hook, runs.definition, runs.partial, runs.exit, runs.exit_value,
    runs.started, runs.ended";

/// One recorded run without its output.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTime<'a> {
    /// The number of its event.
    pub event: i64,
    pub kind: &'a EventKind,
    pub hook: &'a str,
    /// The key of its definition, if known.
    pub definition: Option<&'a str>,
    pub exit: Exit,
    /// `None` if the source of the run does not tell its time.
    pub took: Option<Duration>,
}

impl Store {
    /// Calls `each` for the runs of all matching events, in the order in which they were recorded.
    pub fn for_each_run(
        &self,
        filter: &Filter,
        now: i64,
        each: &mut dyn FnMut(&RunTime<'_>),
    ) -> Result<(), StoreError> {
        self.in_snapshot(|| {
            let kinds = self.known_kinds()?;
            // Most events have no run, and their kinds say so.
            let with_runs: Vec<EventKind> =
                kinds.iter().filter(|kind| !kind.hook_results.is_empty()).cloned().collect();
            let selection = EventQuery::plan(filter, now, &Arc::new(with_runs), &self.connection)?;
            let (source, order, sql) = if selection.is_everything() {
                ("runs CROSS JOIN events ON events.seq = runs.event", "", SqlCondition::everything())
            } else {
                let source = "events INDEXED BY events_by_kind CROSS JOIN runs ON runs.event = events.seq";
                (source, "ORDER BY events.seq, runs.n", selection.condition_on_kinds())
            };
            let query = format!("SELECT {COLUMNS} FROM {source} WHERE {} {order}", sql.text);
            let mut statement = self.connection.prepare(&query)?;
            let mut rows = statement.query(params_from_iter(sql.values))?;
            while let Some(row) = rows.next()? {
                let text = |column: usize| {
                    let value = row.get_ref(column)?;
                    value.as_str_or_null().map_err(|why| StoreErrorKind::Damaged(why.to_string()))
                };
                let id: i64 = row.get(1)?;
                let Some(kind) = kinds.binary_search_by_key(&id, EventKind::id).ok().and_then(|at| kinds.get(at))
                else {
                    continue;
                };
                let word = text(5)?.unwrap_or_default();
                let exit = exit_of(word, row.get::<_, Option<i64>>(6)?.unwrap_or(0), None);
                let exit = exit.ok_or_else(|| StoreErrorKind::Damaged(format!("a run that ended in {word:?}")))?;
                let (started, ended): (i64, i64) = (row.get(7)?, row.get(8)?);
                // A transcript may tell only that a hook ran.
                let is_timed = !row.get::<_, bool>(4)? || ended > started;
                each(&RunTime {
                    event: row.get(0)?,
                    kind,
                    hook: text(2)?.unwrap_or_default(),
                    definition: text(3)?,
                    exit,
                    took: is_timed.then(|| duration(ended.saturating_sub(started))),
                });
            }
            Ok(())
        })
    }
}
