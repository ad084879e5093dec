//! Kinds of events. A kind is the set of facts that many events share: even a million events have at most a few
//! thousand kinds. A filter is evaluated on kinds first, with exact counts; single events are read only for the
//! rest.

use std::ops::ControlFlow;
use std::sync::Arc;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::error::{StoreError, StoreErrorKind};
use super::open::Store;
use hookbench_core::filter::{EventFacts, HookResult, hook_results};
use hookbench_core::recorded::{PayloadSource, RecordedEvent};

/// The facts that the events of one kind share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventKind {
    pub agent: String,
    pub version: Option<String>,
    pub project: Option<String>,
    pub event: String,
    pub subject: Option<String>,
    pub verdict: Option<String>,
    pub payload_source: PayloadSource,
    /// Whether they happened in a sub-agent.
    pub sub: bool,
    /// The hooks that ran, and how they ended.
    pub hook_results: Vec<HookResult>,
    /// The codes of the findings while they were fired.
    pub codes: Vec<String>,
    /// The number of events.
    pub events: u64,
    pub(super) id: i64,
}

/// The stored form of a kind.
#[derive(Serialize, Deserialize)]
struct StoredKind(
    String,
    Option<String>,
    Option<String>,
    String,
    Option<String>,
    Option<String>,
    PayloadSource,
    bool,
    Vec<StoredHookResult>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")] Vec<String>,
);

/// Hook, end, value, and the layer if it is known. Version 1 had no layer.
#[derive(Serialize, Deserialize)]
struct StoredHookResult(
    String,
    String,
    Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<String>,
);

impl EventKind {
    /// The id in this store, for [`Store::for_each_of_kinds`].
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Whether it is the same kind as another one that was read at a different time, regardless of the number of
    /// events.
    pub fn is_same_kind(&self, other: &EventKind) -> bool {
        (self.id, &self.version, self.facts()) == (other.id, &other.version, other.facts())
    }

    pub(super) fn facts(&self) -> EventFacts<'_> {
        EventFacts {
            agent: &self.agent,
            event: &self.event,
            subject: self.subject.as_deref(),
            project: self.project.as_deref(),
            verdict: self.verdict.as_deref(),
            payload_source: self.payload_source,
            sub: self.sub,
            hook_results: &self.hook_results,
            codes: &self.codes,
        }
    }

    /// The kind of events whose facts cannot be read. Filters that ask for no fact select them, so that they are
    /// reported.
    fn damaged(id: i64, events: u64) -> EventKind {
        EventKind {
            agent: "unknown".to_owned(),
            event: "damaged".to_owned(),
            payload_source: PayloadSource::Recorded,
            events,
            id,
            ..EventKind::default()
        }
    }

    pub(super) fn read(id: i64, events: u64, facts: &str) -> Result<EventKind, StoreErrorKind> {
        let StoredKind(agent, version, project, event, subject, verdict, made, sub, ran, codes) =
            serde_json::from_str(facts).map_err(|_| StoreErrorKind::Damaged("its facts cannot be read".to_owned()))?;
        let ran = ran
            .into_iter()
            .map(|StoredHookResult(hook, kind, value, layer)| HookResult { hook, kind, value, layer })
            .collect();
        Ok(EventKind {
            agent,
            version,
            project,
            event,
            subject,
            verdict,
            payload_source: made,
            sub,
            hook_results: ran,
            codes,
            events,
            id,
        })
    }
}

/// The stored form of an event's kind.
pub(super) fn stored_kind(event: &RecordedEvent) -> String {
    let ran =
        hook_results(event).into_iter().map(|ran| StoredHookResult(ran.hook, ran.kind, ran.value, ran.layer)).collect();
    let kept = StoredKind(
        event.agent.clone(),
        event.version.clone(),
        event.project.clone(),
        event.event.clone(),
        event.subject.clone(),
        event.verdict.clone(),
        event.payload_source,
        event.agent_id.is_some(),
        ran,
        event.diagnostics.clone(),
    );
    // Serialization cannot fail: there are only strings and numbers.
    serde_json::to_string(&kept).unwrap_or_default()
}

impl Store {
    /// All kinds of events, with their counts.
    pub fn kinds(&self) -> Result<Arc<Vec<EventKind>>, super::StoreError> {
        self.known_kinds().map_err(|trouble| self.fault(trouble))
    }

    /// The kinds from the cache, which is refreshed after any write, by this process or another.
    pub(super) fn known_kinds(&self) -> Result<Arc<Vec<EventKind>>, StoreErrorKind> {
        let written = self.connection.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0))?;
        if let Some((version, kinds)) = self.kinds.borrow().as_ref()
            && *version == written
        {
            return Ok(Arc::clone(kinds));
        }
        let kinds = Arc::new(load(&self.connection)?);
        *self.kinds.borrow_mut() = Some((written, Arc::clone(&kinds)));
        Ok(kinds)
    }
}

fn load(connection: &Connection) -> Result<Vec<EventKind>, StoreErrorKind> {
    let mut statement = connection.prepare("SELECT id, events, facts FROM kinds WHERE events > 0 ORDER BY id")?;
    let mut rows = statement.query([])?;
    let mut kinds = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, events, facts) = (row.get(0)?, row.get::<_, i64>(1)?, row.get_ref(2)?);
        let facts = facts.as_str().map_err(|why| StoreErrorKind::Damaged(why.to_string()))?;
        let events = u64::try_from(events).unwrap_or(0);
        kinds.push(EventKind::read(id, events, facts).unwrap_or_else(|_| EventKind::damaged(id, events)));
    }
    Ok(kinds)
}

/// A callback that receives the number, kind and payload of an event.
type KindScanCallback<'a> = dyn FnMut(i64, i64, &[u8]) -> ControlFlow<()> + 'a;

impl Store {
    /// Calls `each` with the number and kind of every event of these kinds, in no particular order; with
    /// `payloads`, also with the payload.
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
