//! The queue of the writer: limited in number and bytes. Adding to it never blocks.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::StorageState;
use super::spooled::RecordSpool;
use super::stored_event::{EventRecord, StoreRecord};
use hookbench_system::server::HookRequest;
use hookbench_system::spool::SegmentId;

/// From this many records or bytes of payloads on, payloads are dropped …
const FULL_RECORDS: usize = 4_096;
const FULL_BYTES: usize = 64 * 1024 * 1024;
/// … and from this many records on, everything is dropped.
const MOST_RECORDS: usize = 16 * FULL_RECORDS;
/// The limits of a batch that is written at once.
const BATCH_RECORDS: usize = 256;
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// A record in the queue, and the file of the spool in which it is until it is stored.
#[derive(Debug)]
pub struct QueuedRecord {
    pub record: StoreRecord,
    segment: Option<SegmentId>,
}

/// The queue between the hub and the writer thread.
#[derive(Debug)]
pub struct WriteQueue {
    spool: RecordSpool,
    inside: Mutex<QueueState>,
    arrived: Condvar,
    errors: AtomicU64,
    /// The number of events that were accepted with their payload and are not stored yet.
    unstored: AtomicU64,
    /// The number of those that are not in the spool either.
    unspooled: AtomicU64,
}

#[derive(Debug, Default)]
struct QueueState {
    records: VecDeque<QueuedRecord>,
    /// The bytes of queued payloads, and of those that are being written.
    bytes: usize,
    closed: bool,
}

/// The result of waiting for records.
#[derive(Debug)]
pub enum QueueBatch {
    Batch(Vec<QueuedRecord>),
    /// Nothing arrived before the timeout.
    Nothing,
    /// The queue is closed and empty.
    Closed,
}

impl WriteQueue {
    /// Creates a queue with the records that an ended server has left in the spool.
    pub fn new(spool: RecordSpool, left: Vec<(SegmentId, StoreRecord)>) -> WriteQueue {
        let unstored = left.iter().filter(|(_, record)| matches!(record, StoreRecord::Event(_))).count() as u64;
        let left = left.into_iter().map(|(segment, record)| QueuedRecord { record, segment: Some(segment) });
        let records: VecDeque<QueuedRecord> = left.collect();
        let bytes = records.iter().map(|queued| size(&queued.record)).sum();
        WriteQueue {
            spool,
            inside: Mutex::new(QueueState { records, bytes, closed: false }),
            arrived: Condvar::new(),
            errors: AtomicU64::new(0),
            unstored: AtomicU64::new(unstored),
            unspooled: AtomicU64::new(0),
        }
    }

    /// Adds a record. If the queue is full, the record is added without its payload, or dropped.
    pub fn push(&self, mut record: StoreRecord) {
        let mut inside = self.lock();
        let bytes = size(&record);
        let full = inside.records.len() >= FULL_RECORDS || inside.bytes + bytes > FULL_BYTES;
        if let StoreRecord::Event(event) = &mut record
            && full
        {
            event.payload_dropped = true;
            event.ticket.mark_dropped();
            self.errors.fetch_add(1, Ordering::Relaxed);
        }
        if inside.records.len() >= MOST_RECORDS {
            self.errors.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if let StoreRecord::Event(event) = &mut record
            && event.payload_dropped
        {
            // The payload is removed to save its memory.
            let mut hook = HookRequest::clone(&event.hook);
            hook.oversize = hook.oversize.or(Some(hook.payload.len() as u64));
            hook.payload = Arc::from("");
            event.hook = Arc::new(hook);
        }
        inside.bytes += size(&record);
        // What is answered as queued is in the spool before the answer is sent.
        let segment = self.spool.append(&record);
        if let StoreRecord::Event(event) = &record
            && !event.payload_dropped
        {
            self.unstored.fetch_add(1, Ordering::Relaxed);
            if segment.is_none() {
                event.ticket.mark_unspooled();
                self.unspooled.fetch_add(1, Ordering::Relaxed);
            }
        }
        inside.records.push_back(QueuedRecord { record, segment });
        drop(inside);
        self.arrived.notify_one();
    }

    /// Takes up to one batch of records, and waits up to `patience` for the first.
    pub fn take(&self, patience: Duration) -> QueueBatch {
        let until = Instant::now() + patience;
        let mut inside = self.lock();
        while inside.records.is_empty() {
            if inside.closed {
                return QueueBatch::Closed;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return QueueBatch::Nothing;
            }
            inside = self.arrived.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while let Some(queued) = inside.records.front() {
            bytes += size(&queued.record);
            if batch.len() == BATCH_RECORDS || (bytes > BATCH_BYTES && !batch.is_empty()) {
                break;
            }
            batch.extend(inside.records.pop_front());
        }
        QueueBatch::Batch(batch)
    }

    /// Releases the bytes of a finished batch, and its place in the spool if it is settled: stored, or never to be.
    pub fn release(&self, batch: &[QueuedRecord], settled: bool) {
        let bytes: usize = batch.iter().map(|queued| size(&queued.record)).sum();
        self.lock().bytes -= bytes;
        for segment in batch.iter().filter_map(|queued| queued.segment).filter(|_| settled) {
            self.spool.done(segment);
        }
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
            inside = self.arrived.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Closes the queue: no more records will be added.
    pub fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }

    /// Returns whether the queue is closed.
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Records that an event is stored, now or earlier.
    pub fn mark_stored(&self, event: &EventRecord) {
        if event.payload_dropped {
            return;
        }
        self.unstored.fetch_sub(1, Ordering::Relaxed);
        let outside = event.ticket.state() == StorageState::Memory;
        self.unspooled.fetch_sub(u64::from(outside), Ordering::Relaxed);
    }

    /// The number of events that were answered as waiting and are not stored; and of those that are lost, because they
    /// are not in the spool.
    pub fn unstored(&self) -> (u64, u64) {
        (self.unstored.load(Ordering::Relaxed), self.unspooled.load(Ordering::Relaxed))
    }

    /// The number of store errors, including delayed writes.
    pub fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// Counts one more store error.
    pub fn count_error(&self) {
        self.errors.fetch_add(1, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(record: &StoreRecord) -> usize {
    match record {
        StoreRecord::Event(event) => event.hook.payload.len(),
        _ => 0,
    }
}
