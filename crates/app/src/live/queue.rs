//! What waits for the writer: bounded by number and by bytes, and never waited for by those who bring something.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Stored;
use hookbench_system::server::Hook;
use hookbench_system::store::{CaptureAnswer, KeptCooldown, KeptHandoff};

/// With so many records or bytes of payloads waiting, payloads are no longer kept …
const FULL_RECORDS: usize = 4_096;
const FULL_BYTES: usize = 64 * 1024 * 1024;
/// … and with so many, nothing.
const MOST_RECORDS: usize = 16 * FULL_RECORDS;
/// What is written at once.
const BATCH_RECORDS: usize = 256;
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Something to be kept.
#[derive(Debug, Clone)]
pub enum Record {
    Event(Box<EventRecord>),
    Answer(CaptureAnswer),
    Cooldown(KeptCooldown),
    Handoff(KeptHandoff),
    Delivered { provider: String, provider_ref: String, created_ms: i64, at_ms: i64 },
}

/// An event to be kept.
#[derive(Debug, Clone)]
pub struct EventRecord {
    /// Under which it is stored.
    pub id: String,
    pub hook: Arc<Hook>,
    /// When it was answered before it was kept.
    pub answer: Option<CaptureAnswer>,
    /// There was no room for its payload.
    pub lost: bool,
    pub ticket: Ticket,
}

/// What becomes of one event in the store.
#[derive(Debug, Clone, Default)]
pub struct Ticket(Arc<AtomicU8>);

impl Ticket {
    /// Until now.
    pub fn stored(&self) -> Stored {
        match self.0.load(Ordering::Acquire) {
            0 => Stored::Queued,
            1 => Stored::Yes,
            _ => Stored::Dropped,
        }
    }

    /// It is committed. What was dropped of it stays dropped.
    pub fn commit(&self) {
        let _ = self.0.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// It, or its payload, will not be kept.
    pub fn drop_it(&self) {
        self.0.store(2, Ordering::Release);
    }
}

/// See the head of the module.
#[derive(Debug, Default)]
pub struct Queue {
    inside: Mutex<Inside>,
    came: Condvar,
    errors: AtomicU64,
    /// Events that were taken in whole and are not stored yet.
    owed: AtomicU64,
}

#[derive(Debug, Default)]
struct Inside {
    records: VecDeque<Record>,
    /// Of payloads: those that wait, and those that are being written.
    bytes: usize,
    closed: bool,
}

/// What the writer finds.
#[derive(Debug)]
pub enum Taken {
    Batch(Vec<Record>),
    /// Nothing has come for so long.
    Nothing,
    /// And nothing will come.
    Closed,
}

impl Queue {
    /// Takes something in; where there is no room, without its payload, or not at all.
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
            // The bytes themselves are what there is no room for.
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

    /// What has come, at most a batch of it; waits so long for something.
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

    /// A batch is done with: its bytes no longer count.
    pub fn done(&self, batch: &[Record]) {
        let bytes: usize = batch.iter().map(size).sum();
        self.lock().bytes -= bytes;
    }

    /// Waits before the next attempt; not at all once it is closed.
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

    /// Nothing more will come.
    pub fn close(&self) {
        self.lock().closed = true;
        self.came.notify_all();
    }

    /// Whether anything may still come.
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// An event is stored, or was before.
    pub fn paid(&self, event: &EventRecord) {
        self.owed.fetch_sub(u64::from(!event.lost), Ordering::Relaxed);
    }

    /// How many events were answered as queued and are not stored.
    pub fn owed(&self) -> u64 {
        self.owed.load(Ordering::Relaxed)
    }

    /// How often something could not be kept, or not at once.
    pub fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// Once more.
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
