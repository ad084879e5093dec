//! The thread that stores captured data. Records wait in a queue, so the hub never blocks on it. Failed writes are
//! retried as long as the queue has room.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::spooled;
use super::spooled::RecordSpool;
use super::stored_event::{EventRecord, ProjectPaths, StoreRecord, StoredEvent, stored_event};
use super::write_queue::{QueueBatch, QueuedRecord, WriteQueue};
use crate::recordings::store::now_ms;
use hookbench_system::store::{
    CaptureRecord, NewEvent, OpenMode, Retention, Store, StoreError, StoreErrorKind, StoredCooldown, StoredHandoff,
};

/// The interval between two deletions of data beyond the limits.
const PRUNE_EVERY: Duration = Duration::from_secs(3_600);
/// The pause after an error: the first, and the maximum.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The age beyond which a handoff is useless.
const HANDOFF_AGE_MS: i64 = 600_000;

/// The state of the store, sent when it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreHealth {
    Trouble(String),
    Well,
    /// Something to tell once, such as damage of the spool.
    Note(String),
}

/// Data that an earlier server stored for its successors.
#[derive(Debug, Default)]
pub struct RestoredState {
    pub cooldowns: Vec<StoredCooldown>,
    pub handoffs: Vec<StoredHandoff>,
}

/// The writer thread, and the queue to it.
#[derive(Debug)]
pub struct Writer {
    pub queue: Arc<WriteQueue>,
    ended: oneshot::Receiver<()>,
    /// Set when `finish` stops waiting.
    hurry: Arc<AtomicBool>,
}

/// Settings of the store.
#[derive(Debug, Clone, Copy, Default)]
pub struct StorageSettings {
    /// Whether apparent secrets are masked before anything is written.
    pub mask_secrets: bool,
    pub limits: Retention,
}

impl Writer {
    /// Opens the store, waiting up to two seconds for other writers, and starts a thread that writes. Opening a
    /// store that is not usable is retried. The thread first writes what a killed server has left in the spool.
    pub fn start(
        file: PathBuf,
        keeping: StorageSettings,
        health: mpsc::UnboundedSender<StoreHealth>,
    ) -> std::io::Result<(Writer, RestoredState)> {
        let (spool, left, damage) = RecordSpool::open(&file, keeping.mask_secrets);
        for says in damage {
            let _ = health.send(StoreHealth::Note(says));
        }
        let queue = Arc::new(WriteQueue::new(spool, left));
        let hurry = Arc::new(AtomicBool::new(false));
        let mut work = WriterWork {
            queue: Arc::clone(&queue),
            hurry: Arc::clone(&hurry),
            file,
            keeping,
            health,
            store: None,
            troubled: false,
            pause: FIRST_PAUSE,
            projects: ProjectPaths::default(),
        };
        let recalled = work.open().map(|store| restore(store)).unwrap_or_default();
        let (end, ended) = oneshot::channel();
        std::thread::Builder::new().name("live store".to_owned()).spawn(move || {
            work.run();
            // The file and its log are closed before the end is signalled.
            drop(work);
            let _ = end.send(());
        })?;
        Ok((Writer { queue, ended, hurry }, recalled))
    }

    /// Writes the remaining records, waiting up to `patience`. Returns the number of events that were answered as
    /// waiting and are not stored, and of those that are not in the spool either.
    pub async fn finish(self, patience: Duration) -> (u64, u64) {
        self.queue.close();
        let _ = tokio::time::timeout(patience, self.ended).await;
        self.hurry.store(true, Ordering::Relaxed);
        self.queue.unstored()
    }
}

fn restore(store: &Store) -> RestoredState {
    RestoredState {
        cooldowns: store.cooldowns().unwrap_or_default(),
        handoffs: store.handoffs_since(now_ms() - HANDOFF_AGE_MS).unwrap_or_default(),
    }
}

struct WriterWork {
    queue: Arc<WriteQueue>,
    hurry: Arc<AtomicBool>,
    file: PathBuf,
    keeping: StorageSettings,
    health: mpsc::UnboundedSender<StoreHealth>,
    store: Option<Store>,
    troubled: bool,
    pause: Duration,
    projects: ProjectPaths,
}

impl WriterWork {
    fn run(&mut self) {
        self.prune();
        let mut pruned = Instant::now();
        loop {
            match self.queue.take(PRUNE_EVERY.saturating_sub(pruned.elapsed())) {
                QueueBatch::Batch(batch) => {
                    let settled = self.write(&batch);
                    self.queue.release(&batch, settled);
                }
                QueueBatch::Nothing => {}
                QueueBatch::Closed => return,
            }
            if pruned.elapsed() >= PRUNE_EVERY {
                self.prune();
                pruned = Instant::now();
            }
        }
    }

    /// The store; it is reopened if it is closed or its file was moved away.
    fn open(&mut self) -> Option<&mut Store> {
        if self.store.as_ref().is_some_and(|store| !store.is_at_its_path()) {
            self.store = None;
        }
        if self.store.is_none() {
            match Store::open(&self.file, OpenMode::Write) {
                Ok(store) => self.store = Some(store),
                Err(fault) => self.report_trouble(&fault),
            }
        }
        self.store.as_mut()
    }

    /// Writes a batch, and retries until it succeeds or the queue is closed. Returns whether each record is stored or
    /// can never be.
    fn write(&mut self, batch: &[QueuedRecord]) -> bool {
        let (now, masked) = (now_ms(), self.keeping.mask_secrets);
        let ready: Vec<PreparedRecord<'_>> = batch
            .iter()
            .map(|queued| match &queued.record {
                StoreRecord::Event(event) => {
                    let mut kept = stored_event(event, &mut self.projects, now);
                    if masked {
                        kept.mask();
                    }
                    PreparedRecord::Event(event, Box::new(kept))
                }
                other => {
                    let clean = if masked { spooled::masked(other) } else { None };
                    PreparedRecord::Other(clean.map_or(Cow::Borrowed(other), Cow::Owned))
                }
            })
            .collect();
        loop {
            match self.attempt(&ready) {
                Ok(()) => {
                    self.report_recovery();
                    return true;
                }
                // One of the records cannot be written at all, so each is tried on its own.
                Err(Some(StoreErrorKind::Other(_))) => {
                    let mut settled = true;
                    for one in ready.chunks(1) {
                        if let Err(why) = self.attempt(one) {
                            self.give_up(one);
                            settled &= matches!(why, Some(StoreErrorKind::Other(_)));
                        }
                    }
                    return settled;
                }
                // That was the last attempt: the remaining records stay in the spool, for the next server.
                Err(_) if self.queue.is_closed() => {
                    self.give_up(&ready);
                    return false;
                }
                Err(_) => self.back_off(),
            }
        }
    }

    fn attempt(&mut self, ready: &[PreparedRecord<'_>]) -> Result<(), Option<StoreErrorKind>> {
        let Some(store) = self.open() else { return Err(None) };
        let captures: Vec<CaptureRecord<'_>> = ready.iter().filter_map(PreparedRecord::capture).collect();
        match store.capture(&captures) {
            Ok(added) => {
                let events = ready.iter().filter_map(PreparedRecord::event);
                for (event, added) in events.zip(added) {
                    self.queue.mark_stored(event);
                    if added.new {
                        event.ticket.mark_committed();
                    } else if !event.recovered {
                        // Another event has the same id.
                        event.ticket.mark_dropped();
                        self.queue.count_error();
                    }
                }
                Ok(())
            }
            Err(fault) => {
                self.report_trouble(&fault);
                self.store = None;
                Err(Some(fault.kind))
            }
        }
    }

    fn give_up(&self, ready: &[PreparedRecord<'_>]) {
        for one in ready {
            if let Some(event) = one.event() {
                event.ticket.mark_dropped();
            }
            self.queue.count_error();
        }
    }

    fn back_off(&mut self) {
        if self.hurry.load(Ordering::Relaxed) {
            return;
        }
        self.queue.pause(self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }

    fn report_trouble(&mut self, fault: &StoreError) {
        self.queue.count_error();
        if !self.troubled {
            self.troubled = true;
            let cure = fault.kind.help().map(|cure| format!(". {cure}")).unwrap_or_default();
            let _ = self.health.send(StoreHealth::Trouble(format!("{fault}{cure}")));
        }
    }

    fn report_recovery(&mut self) {
        self.pause = FIRST_PAUSE;
        if self.troubled {
            self.troubled = false;
            let _ = self.health.send(StoreHealth::Well);
        }
    }

    /// Deletes data beyond the limits. After a failure, it is tried again at the next interval.
    fn prune(&mut self) {
        let limits = self.keeping.limits;
        if let Some(store) = self.open()
            && let Err(fault) = store.prune(limits, now_ms())
        {
            self.report_trouble(&fault);
        }
    }
}

/// A record in its stored form, prepared once for all attempts.
enum PreparedRecord<'a> {
    Event(&'a EventRecord, Box<StoredEvent>),
    Other(Cow<'a, StoreRecord>),
}

impl PreparedRecord<'_> {
    fn event(&self) -> Option<&EventRecord> {
        match self {
            PreparedRecord::Event(event, _) => Some(event),
            PreparedRecord::Other(_) => None,
        }
    }

    fn capture(&self) -> Option<CaptureRecord<'_>> {
        let other = match self {
            PreparedRecord::Event(_, kept) => {
                let incoming = NewEvent { event: &kept.event, highlight: kept.what.as_deref(), live: Some(&kept.live) };
                return Some(CaptureRecord::Event(incoming, &kept.session));
            }
            PreparedRecord::Other(other) => other.as_ref(),
        };
        Some(match other {
            StoreRecord::Answer(answer) => CaptureRecord::Answer(answer),
            StoreRecord::Cooldown(cooldown) => CaptureRecord::Cooldown(cooldown),
            StoreRecord::Handoff(handoff) => CaptureRecord::Handoff(handoff),
            StoreRecord::Delivered { provider, provider_ref, created_ms, at_ms } => {
                CaptureRecord::Delivered { provider, provider_ref, created_ms: *created_ms, at_ms: *at_ms }
            }
            StoreRecord::Event(_) => return None,
        })
    }
}
