//! The thread that stores captured data. Records wait in a queue, so the hub never blocks on it. Failed writes are
//! retried as long as the queue has room.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::mask;
use super::queue::{EventRecord, Queue, Record, Taken};
use super::record::{Kept, Projects, keep};
use crate::recordings::now_ms;
use hookbench_system::store::{
    Capture, Incoming, KeptCooldown, KeptHandoff, Mode, Retention, Store, StoreFault, Trouble,
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
pub enum Health {
    Trouble(String),
    Well,
}

/// Data that an earlier server stored for its successors.
#[derive(Debug, Default)]
pub struct Recalled {
    pub cooldowns: Vec<KeptCooldown>,
    pub handoffs: Vec<KeptHandoff>,
}

/// The writer thread, and the queue to it.
#[derive(Debug)]
pub struct Writer {
    pub queue: Arc<Queue>,
    ended: oneshot::Receiver<()>,
    /// Set when `finish` stops waiting.
    hurry: Arc<AtomicBool>,
}

/// Settings of the store.
#[derive(Debug, Clone, Copy, Default)]
pub struct Keeping {
    /// Whether apparent secrets are masked before anything is written.
    pub masked: bool,
    pub limits: Retention,
}

impl Writer {
    /// Opens the store, waiting up to two seconds for other writers, and starts a thread that writes. Opening a
    /// store that is not usable is retried.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start(
        file: PathBuf,
        keeping: Keeping,
        health: mpsc::UnboundedSender<Health>,
    ) -> std::io::Result<(Writer, Recalled)> {
        let queue = Arc::new(Queue::default());
        let hurry = Arc::new(AtomicBool::new(false));
        let mut work = Work {
            queue: Arc::clone(&queue),
            hurry: Arc::clone(&hurry),
            file,
            keeping,
            health,
            store: None,
            troubled: false,
            pause: FIRST_PAUSE,
            projects: Projects::default(),
        };
        let recalled = work.open().map(|store| recall(store)).unwrap_or_default();
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
    /// queued and are not stored.
    pub async fn finish(self, patience: Duration) -> u64 {
        self.queue.close();
        let _ = tokio::time::timeout(patience, self.ended).await;
        self.hurry.store(true, Ordering::Relaxed);
        self.queue.owed()
    }
}

fn recall(store: &Store) -> Recalled {
    Recalled {
        cooldowns: store.cooldowns().unwrap_or_default(),
        handoffs: store.handoffs_since(now_ms() - HANDOFF_AGE_MS).unwrap_or_default(),
    }
}

struct Work {
    queue: Arc<Queue>,
    hurry: Arc<AtomicBool>,
    file: PathBuf,
    keeping: Keeping,
    health: mpsc::UnboundedSender<Health>,
    store: Option<Store>,
    troubled: bool,
    pause: Duration,
    projects: Projects,
}

impl Work {
    fn run(&mut self) {
        self.prune();
        let mut pruned = Instant::now();
        loop {
            match self.queue.take(PRUNE_EVERY.saturating_sub(pruned.elapsed())) {
                Taken::Batch(batch) => {
                    self.write(&batch);
                    self.queue.done(&batch);
                }
                Taken::Nothing => {}
                Taken::Closed => return,
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
            match Store::open(&self.file, Mode::Write) {
                Ok(store) => self.store = Some(store),
                Err(fault) => self.trouble(&fault),
            }
        }
        self.store.as_mut()
    }

    /// Writes a batch, and retries until it succeeds or the queue is closed.
    fn write(&mut self, batch: &[Record]) {
        let (now, masked) = (now_ms(), self.keeping.masked);
        let ready: Vec<Ready<'_>> = batch
            .iter()
            .map(|record| match record {
                Record::Event(event) => {
                    let mut kept = keep(event, &mut self.projects, now);
                    if masked {
                        kept.mask();
                    }
                    Ready::Event(event, Box::new(kept))
                }
                other => {
                    let clean = if masked { mask::masked(other) } else { None };
                    Ready::Other(clean.map_or(Cow::Borrowed(other), Cow::Owned))
                }
            })
            .collect();
        loop {
            match self.attempt(&ready) {
                Ok(()) => return self.well(),
                // One of the records cannot be written at all, so each is tried on its own.
                Err(Some(Trouble::Other(_))) => {
                    for one in ready.chunks(1) {
                        if self.attempt(one).is_err() {
                            self.give_up(one);
                        }
                    }
                    return;
                }
                // That was the last attempt: the remaining records are lost when the process ends.
                Err(_) if self.queue.is_closed() => return self.give_up(&ready),
                Err(_) => self.wait(),
            }
        }
    }

    fn attempt(&mut self, ready: &[Ready<'_>]) -> Result<(), Option<Trouble>> {
        let Some(store) = self.open() else { return Err(None) };
        let captures: Vec<Capture<'_>> = ready.iter().filter_map(Ready::capture).collect();
        match store.capture(&captures) {
            Ok(added) => {
                let events = ready.iter().filter_map(Ready::event);
                for (event, added) in events.zip(added) {
                    self.queue.paid(event);
                    if added.new {
                        event.ticket.commit();
                    } else {
                        // Another event has the same id.
                        event.ticket.drop_it();
                        self.queue.count_error();
                    }
                }
                Ok(())
            }
            Err(fault) => {
                self.trouble(&fault);
                self.store = None;
                Err(Some(fault.trouble))
            }
        }
    }

    fn give_up(&self, ready: &[Ready<'_>]) {
        for one in ready {
            if let Some(event) = one.event() {
                event.ticket.drop_it();
            }
            self.queue.count_error();
        }
    }

    fn wait(&mut self) {
        if self.hurry.load(Ordering::Relaxed) {
            return;
        }
        self.queue.pause(self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }

    fn trouble(&mut self, fault: &StoreFault) {
        self.queue.count_error();
        if !self.troubled {
            self.troubled = true;
            let cure = fault.trouble.cure().map(|cure| format!(". {cure}")).unwrap_or_default();
            let _ = self.health.send(Health::Trouble(format!("{fault}{cure}")));
        }
    }

    fn well(&mut self) {
        self.pause = FIRST_PAUSE;
        if self.troubled {
            self.troubled = false;
            let _ = self.health.send(Health::Well);
        }
    }

    /// Deletes data beyond the limits. After a failure, it is tried again at the next interval.
    fn prune(&mut self) {
        let limits = self.keeping.limits;
        if let Some(store) = self.open()
            && let Err(fault) = store.prune(limits, now_ms())
        {
            self.trouble(&fault);
        }
    }
}

/// A record in its stored form, prepared once for all attempts.
enum Ready<'a> {
    Event(&'a EventRecord, Box<Kept>),
    Other(Cow<'a, Record>),
}

impl Ready<'_> {
    fn event(&self) -> Option<&EventRecord> {
        match self {
            Ready::Event(event, _) => Some(event),
            Ready::Other(_) => None,
        }
    }

    fn capture(&self) -> Option<Capture<'_>> {
        let other = match self {
            Ready::Event(_, kept) => {
                let incoming = Incoming { event: &kept.event, what: kept.what.as_deref(), live: Some(&kept.live) };
                return Some(Capture::Event(incoming, &kept.session));
            }
            Ready::Other(other) => other.as_ref(),
        };
        Some(match other {
            Record::Answer(answer) => Capture::Answer(answer),
            Record::Cooldown(cooldown) => Capture::Cooldown(cooldown),
            Record::Handoff(handoff) => Capture::Handoff(handoff),
            Record::Delivered { provider, provider_ref, created_ms, at_ms } => {
                Capture::Delivered { provider, provider_ref, created_ms: *created_ms, at_ms: *at_ms }
            }
            Record::Event(_) => return None,
        })
    }
}
