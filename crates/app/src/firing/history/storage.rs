//! Storage of a session's runs: lookup by number, with the oldest records shrunk and the oldest rows dropped first.

use hookbench_core::names::AgentId;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::past_run::{FiredEvent, PastDecision, PastRun};
use crate::firing::record::{FiringId, FiringRecord};
use hookbench_core::dialects::Version;
use hookbench_core::hook::HookInput;

/// The maximum number of rows.
pub(super) const MAX_ROWS: usize = 100_000;
/// The maximum size of rows, events and decisions together. A session of ordinary events reaches the row limit
/// first.
const MAX_ROW_BYTES: usize = 128 << 20;
/// The maximum size of inputs and output in full records.
const MAX_RECORD_BYTES: usize = 32 << 20;

/// The limits of a history.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HistoryLimits {
    /// The number of full records.
    pub full_records: usize,
    pub record_bytes: usize,
    pub rows: usize,
    pub row_bytes: usize,
}

/// Every run of a session that is still stored. Run numbers have no gaps, so the number gives the position.
#[derive(Debug, Default)]
pub struct History {
    limits: HistoryLimits,
    /// Oldest first.
    rows: VecDeque<PastRun>,
    /// Rows over the limit that are still displayed or running, oldest first.
    detached: Vec<PastRun>,
    /// The events of the rows, with the last run of each.
    events: HashMap<Arc<FiredEvent>, FiringId>,
    decisions: HashSet<Arc<PastDecision>>,
    /// Runs with a full record, oldest first.
    full_records: VecDeque<FiringId>,
    record_bytes: usize,
    row_bytes: usize,
    /// Runs that are displayed and must be kept.
    displayed: Vec<FiringId>,
    /// The width of the longest event name, in columns.
    longest_event: usize,
}

impl History {
    /// Creates a history that keeps `whole` full records.
    pub(crate) fn new(whole: usize) -> History {
        History::within(HistoryLimits {
            full_records: whole.max(1),
            record_bytes: MAX_RECORD_BYTES,
            rows: MAX_ROWS,
            row_bytes: MAX_ROW_BYTES,
        })
    }

    pub(super) fn within(limits: HistoryLimits) -> History {
        History { limits, ..History::default() }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether the history is empty.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All rows, oldest first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &PastRun> {
        self.rows.iter()
    }

    /// The rows from a run number on, oldest first.
    pub fn since(&self, id: FiringId) -> impl Iterator<Item = &PastRun> {
        let first = self.rows.front().map_or(0, |row| row.id.0);
        let from = usize::try_from(id.0.saturating_sub(first)).unwrap_or(usize::MAX);
        self.rows.range(from.min(self.rows.len())..)
    }

    /// The row at a position, where 0 is the newest.
    pub fn recent(&self, place: usize) -> Option<&PastRun> {
        self.rows.get(self.rows.len().checked_sub(place + 1)?)
    }

    /// The position of a run, where 0 is the newest.
    pub fn place(&self, id: FiringId) -> Option<usize> {
        self.rows.len().checked_sub(self.index(id)? + 1)
    }

    /// The newest run.
    pub fn newest(&self) -> Option<&PastRun> {
        self.rows.back()
    }

    /// The newest run's record, which is always kept.
    pub fn newest_record(&self) -> Option<&FiringRecord> {
        self.newest()?.record()
    }

    /// Looks up a run.
    pub fn get(&self, id: FiringId) -> Option<&PastRun> {
        match self.index(id) {
            Some(index) => self.rows.get(index),
            None => self.detached.iter().find(|row| row.id == id),
        }
    }

    /// The full record of a run, if it is still kept.
    pub fn record(&self, id: FiringId) -> Option<&FiringRecord> {
        self.get(id)?.record()
    }

    /// The last run of an event that was not cancelled.
    pub fn last_of(&self, agent: AgentId, version: &Version, input: &HookInput) -> Option<&PastRun> {
        let last = self.get(*self.events.get(&FiredEvent::of(agent, version, input))?)?;
        if last.cancel_reason.is_none() { Some(last) } else { self.decided_before(last.id) }
    }

    /// The nearest earlier run of the same event that was decided.
    pub fn decided_before(&self, id: FiringId) -> Option<&PastRun> {
        let mut row = self.get(self.get(id)?.previous?)?;
        while !row.decided() {
            row = self.get(row.previous?)?;
        }
        Some(row)
    }

    /// The run to compare a run with: the nearest earlier decided run of the same event, or else the last earlier
    /// decided run of an event with the same name and another payload.
    pub fn comparison_run(&self, id: FiringId) -> Option<&PastRun> {
        self.decided_before(id).or_else(|| {
            let event = &self.get(id)?.event;
            let like = |run: &&PastRun| run.event.agent == event.agent && run.event.event == event.event;
            self.rows().rev().filter(|run| run.id < id && run.decided()).find(like)
        })
    }

    /// The width of the longest event name so far, in columns.
    pub fn longest_event(&self) -> usize {
        self.longest_event
    }

    /// Runs that have not ended, newest first.
    pub fn running(&self) -> impl Iterator<Item = &FiringRecord> {
        // A run that has not ended always has a full record.
        self.full_records.iter().rev().filter_map(|id| self.record(*id)).filter(|record| !record.settled)
    }

    /// Keeps the records and rows of these runs until other runs are displayed.
    pub(crate) fn keep_displayed(&mut self, ids: Vec<FiringId>) {
        if self.displayed != ids {
            self.displayed = ids;
            self.enforce_limits();
        }
    }

    /// Adds a row. Record numbers must be ascending.
    pub(crate) fn push(&mut self, record: FiringRecord) {
        let event = FiredEvent::of(record.agent, &record.version, &record.input);
        self.longest_event = self.longest_event.max(event.event.len());
        let (event, before) = match self.events.get_key_value(&event) {
            Some((known, last)) => (Arc::clone(known), Some(*last)),
            None => {
                self.row_bytes += event.bytes();
                (Arc::new(event), None)
            }
        };
        self.events.insert(Arc::clone(&event), record.id);
        let known = before.and_then(|id| self.get(id)?.filled.clone()).filter(|known| **known == *record.filled);
        let row = PastRun {
            id: record.id,
            event,
            previous: before,
            decision: None,
            duration: record.duration(),
            assumed: record.assumed_run.is_some(),
            auto_fired: record.auto_fired,
            cancel_reason: None,
            env_source: record.env_source,
            filled: known.or_else(|| (!record.filled.is_empty()).then(|| record.filled.clone().into())),
            settled: false,
            weight: 0,
            record: Some(Box::new(record)),
        };
        self.row_bytes += row.bytes();
        self.full_records.push_back(row.id);
        self.rows.push_back(row);
        self.enforce_limits();
    }

    /// Returns a record mutably. After a change of its outcome, [`History::outcome_changed`] must be called.
    pub(crate) fn record_mut(&mut self, id: FiringId) -> Option<&mut FiringRecord> {
        self.row_mut(id)?.record.as_deref_mut()
    }

    /// Updates a row after the outcome of its record has changed.
    pub(crate) fn outcome_changed(&mut self, id: FiringId) {
        let Some(decision) = self.record(id).map(PastDecision::of) else { return };
        let decision = decision.map(|d| match self.decisions.get(&d) {
            Some(known) => Arc::clone(known),
            None => {
                self.row_bytes += d.bytes();
                let new = Arc::new(d);
                self.decisions.insert(Arc::clone(&new));
                new
            }
        });
        let Some(row) = self.row_mut(id) else { return };
        let old = std::mem::replace(&mut row.decision, decision);
        let before = row.weight;
        if let Some(record) = &row.record {
            row.duration = record.duration();
            row.settled = record.settled;
            row.cancel_reason = record.cancel_reason();
            row.weight = if record.settled { record.bytes() } else { 0 };
        }
        let now = row.weight;
        self.record_bytes = self.record_bytes - before + now;
        self.release_decision(old);
        self.enforce_limits();
    }

    /// The sizes in bytes of the records, and of the rows with their shared data.
    #[cfg(test)]
    pub(super) fn counted(&self) -> (usize, usize) {
        (self.record_bytes, self.row_bytes)
    }

    fn index(&self, id: FiringId) -> Option<usize> {
        let index = id.0.checked_sub(self.rows.front()?.id.0)?;
        usize::try_from(index).ok().filter(|index| *index < self.rows.len())
    }

    fn row_mut(&mut self, id: FiringId) -> Option<&mut PastRun> {
        match self.index(id) {
            Some(index) => self.rows.get_mut(index),
            None => self.detached.iter_mut().find(|row| row.id == id),
        }
    }

    /// Returns whether a row must be kept: it is displayed, still running, or the newest.
    fn must_keep(&self, row: &PastRun) -> bool {
        !row.settled || self.displayed.contains(&row.id) || self.newest().is_some_and(|newest| newest.id == row.id)
    }

    fn enforce_limits(&mut self) {
        self.drop_records();
        while self.rows.len() > 1 && (self.rows.len() > self.limits.rows || self.row_bytes > self.limits.row_bytes) {
            let Some(row) = self.rows.pop_front() else { break };
            self.detached.push(row);
            self.drop_detached();
        }
        self.drop_detached();
    }

    /// Drops full records, oldest first, until the rest is within the limits.
    fn drop_records(&mut self) {
        let mut at = 0;
        while self.full_records.len() > self.limits.full_records || self.record_bytes > self.limits.record_bytes {
            let Some(id) = self.full_records.get(at).copied() else { break };
            if self.get(id).is_some_and(|row| self.must_keep(row)) {
                at += 1;
                continue;
            }
            self.full_records.remove(at);
            let Some(row) = self.row_mut(id) else { continue };
            let weight = std::mem::take(&mut row.weight);
            row.record = None;
            self.record_bytes -= weight;
        }
    }

    fn drop_detached(&mut self) {
        let (stay, go) = std::mem::take(&mut self.detached).into_iter().partition(|row| self.must_keep(row));
        self.detached = stay;
        for row in go {
            self.drop_row(row);
        }
    }

    fn drop_row(&mut self, row: PastRun) {
        self.row_bytes -= row.bytes();
        if row.record.is_some() {
            self.full_records.retain(|id| *id != row.id);
            self.record_bytes -= row.weight;
        }
        let PastRun { event, decision, .. } = row;
        self.release_decision(decision);
        // One reference here and one in the table: no other row uses this event.
        if Arc::strong_count(&event) == 2 {
            self.events.remove(&event);
            self.row_bytes -= event.bytes();
        }
    }

    fn release_decision(&mut self, decision: Option<Arc<PastDecision>>) {
        let Some(decision) = decision.filter(|d| Arc::strong_count(d) == 2) else { return };
        self.decisions.remove(&decision);
        self.row_bytes -= decision.bytes();
    }
}
