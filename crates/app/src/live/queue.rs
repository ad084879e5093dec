//! The queue of the writer: limited in number and bytes. Adding to it never blocks.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Stored;
use hookbench_system::server::Hook;
use hookbench_system::store::{CaptureAnswer, KeptCooldown, KeptHandoff};

/// From this many records or bytes of payloads on, payloads are dropped …
const FULL_RECORDS: usize = 4_096;
const FULL_BYTES: usize = 64 * 1024 * 1024;
/// … and from this many records on, everything is dropped.
const MOST_RECORDS: usize = 16 * FULL_RECORDS;
/// The limits of a batch that is written at once.
const BATCH_RECORDS: usize = 256;
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// A record to store.
#[derive(Debug, Clone)]
pub enum Record {
    Event(Box<EventRecord>),
    Answer(CaptureAnswer),
    Cooldown(KeptCooldown),
    Handoff(KeptHandoff),
    Delivered { provider: String, provider_ref: String, created_ms: i64, at_ms: i64 },
}

/// An event to store.
#[derive(Debug, Clone)]
pub struct EventRecord {
    /// The id under which the event is stored.
    pub id: String,
    pub hook: Arc<Hook>,
    /// The answer, if the event was answered before it was stored.
    pub answer: Option<CaptureAnswer>,
    /// Whether the payload was dropped for lack of room.
    pub lost: bool,
    pub ticket: Ticket,
}

/// The storage state of one event, shared between the hub and the writer.
#[derive(Debug, Clone, Default)]
pub struct Ticket(Arc<AtomicU8>);

impl Ticket {
    /// The current state.
    pub fn stored(&self) -> Stored {
        match self.0.load(Ordering::Acquire) {
            0 => Stored::Queued,
            1 => Stored::Yes,
            _ => Stored::Dropped,
        }
    }

    /// Marks the event as committed. An event that was marked as dropped stays dropped.
    pub fn commit(&self) {
        let _ = self.0.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Marks the event, or its payload, as dropped.
    pub fn drop_it(&self) {
        self.0.store(2, Ordering::Release);
    }
}

/// The queue between the hub and the writer thread.
#[derive(Debug, Default)]
pub struct Queue {
    inside: Mutex<Inside>,
    came: Condvar,
    errors: AtomicU64,
    /// The number of events that were accepted with their payload and are not stored yet.
    owed: AtomicU64,
}

#[derive(Debug, Default)]
struct Inside {
    records: VecDeque<Record>,
    /// The bytes of queued payloads, and of those that are being written.
    bytes: usize,
    closed: bool,
}

/// The result of waiting for records.
#[derive(Debug)]
pub enum Taken {
    Batch(Vec<Record>),
    /// Nothing arrived before the timeout.
    Nothing,
    /// The queue is closed and empty.
    Closed,
}

impl Queue {
    /// Adds a record. If the queue is full, the record is added without its payload, or dropped.
    pub fn push(&self, mut record: Record) {
        let mut inside = self.lock();
        let bytes = size(&record);
        let full = inside.records.len() >= FULL_RECORDS || inside.bytes + bytes > FULL_BYTES;
        if let Record::Event(event) = &mut record
            && full
        {
            event.lost = true;
            event.ticket.drop_it();
            self.errors.fetch_add(1, Ordering::Relaxed);
        }
        if inside.records.len() >= MOST_RECORDS {
            self.errors.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if let Record::Event(event) = &mut record
            && event.lost
        {
            // The payload is removed to save its memory.
            let mut hook = Hook::clone(&event.hook);
            hook.oversize = hook.oversize.or(Some(hook.payload.len() as u64));
            hook.payload = Arc::from("");
            event.hook = Arc::new(hook);
        }
        inside.bytes += size(&record);
        let owed = matches!(&record, Record::Event(event) if !event.lost);
        self.owed.fetch_add(u64::from(owed), Ordering::Relaxed);
        inside.records.push_back(record);
        drop(inside);
        self.came.notify_one();
    }

    /// Takes up to one batch of records, and waits up to `patience` for the first.
    pub fn take(&self, patience: Duration) -> Taken {
        let until = Instant::now() + patience;
        let mut inside = self.lock();
        while inside.records.is_empty() {
            if inside.closed {
                return Taken::Closed;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Taken::Nothing;
            }
            inside = self.came.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while let Some(record) = inside.records.front() {
            bytes += size(record);
            if batch.len() == BATCH_RECORDS || (bytes > BATCH_BYTES && !batch.is_empty()) {
                break;
            }
            batch.extend(inside.records.pop_front());
        }
        Taken::Batch(batch)
    }

    /// Releases the bytes of a finished batch.
    pub fn done(&self, batch: &[Record]) {
        let bytes: usize = batch.iter().map(size).sum();
        self.lock().bytes -= bytes;
    }

    /// Waits before the next attempt; returns at once when the queue is closed.
    pub fn pause(&self, length: Duration) {
        let until = Instant::now() + length;
        let mut inside = self.lock();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if inside.closed || left.is_zero() {
                return;
            }
            inside = self.came.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Closes the queue: no more records will be added.
    pub fn close(&self) {
        self.lock().closed = true;
        self.came.notify_all();
    }

    /// Returns whether the queue is closed.
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Records that an event is stored, now or earlier.
    pub fn paid(&self, event: &EventRecord) {
        self.owed.fetch_sub(u64::from(!event.lost), Ordering::Relaxed);
    }

    /// The number of events that were answered as queued and are not stored.
    pub fn owed(&self) -> u64 {
        self.owed.load(Ordering::Relaxed)
    }

    /// The number of store errors, including delayed writes.
    pub fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// Counts one more store error.
    pub fn count_error(&self) {
        self.errors.fetch_add(1, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(record: &Record) -> usize {
    match record {
        Record::Event(event) => event.hook.payload.len(),
        _ => 0,
    }
}
