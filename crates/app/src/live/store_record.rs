//! The records of the writer, and the storage state of an event.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::StorageState;
use hookbench_system::server::HookRequest;
use hookbench_system::store::{CaptureAnswer, StoredCooldown, StoredHandoff};

/// A record to store.
#[derive(Debug, Clone)]
pub enum StoreRecord {
    Event(Box<EventRecord>),
    Answer(CaptureAnswer),
    Cooldown(StoredCooldown),
    Handoff(StoredHandoff),
    Delivered { provider: String, provider_ref: String, created_ms: i64, at_ms: i64 },
}

/// An event to store.
#[derive(Debug, Clone)]
pub struct EventRecord {
    /// The id under which the event is stored.
    pub id: String,
    pub hook: Arc<HookRequest>,
    /// The answer, if the event was answered before it was stored.
    pub answer: Option<CaptureAnswer>,
    /// Whether the payload was dropped for lack of room.
    pub payload_dropped: bool,
    /// Whether it comes from the spool of an ended server, so that it may be stored already.
    pub recovered: bool,
    /// Whether secrets in it were masked before.
    pub masked: bool,
    pub ticket: Ticket,
}

/// The storage state of one event, shared between the hub and the writer.
#[derive(Debug, Clone, Default)]
pub struct Ticket(Arc<AtomicU8>);

impl Ticket {
    /// The current state.
    pub fn state(&self) -> StorageState {
        match self.0.load(Ordering::Acquire) {
            0 => StorageState::Queued,
            1 => StorageState::Yes,
            3 => StorageState::Memory,
            _ => StorageState::Dropped,
        }
    }

    /// Marks the event as committed. An event that was marked as dropped stays dropped.
    pub fn mark_committed(&self) {
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| (state != 2).then_some(1));
    }

    /// Marks the event as waiting outside the spool.
    pub(super) fn mark_unspooled(&self) {
        let _ = self.0.compare_exchange(0, 3, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Marks the event, or its payload, as dropped.
    pub fn mark_dropped(&self) {
        self.0.store(2, Ordering::Release);
    }
}
