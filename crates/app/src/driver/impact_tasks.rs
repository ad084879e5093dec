//! Computes the impact of changes in the background.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::disk::state_dir::StateDir;
use crate::recordings::impact::{self, Impact, ImpactCache, ImpactControl, SettingsChange};
use crate::recordings::store::{OpenMode, Store, open_store};
use hookbench_core::names::AgentId;

/// The open store and the data read from it, which speed up the next change. One for each agent; only one task locks it
/// at a time, and a cancelled task releases it at once.
#[derive(Clone, Default)]
pub struct ImpactCaches(Arc<Mutex<HashMap<AgentId, Arc<Mutex<StoreCache>>>>>);

impl ImpactCaches {
    /// Computes the impact of a change, and tells it: parts of it first, if it takes long. If nothing was ever recorded,
    /// or if the store cannot be read, nothing is told; commands for recorded events report the reason. Dropping the
    /// future ends the computation.
    pub async fn compute(self, change: SettingsChange, state: StateDir, mut tell: Box<dyn FnMut(Impact) + Send>) {
        self.with_store(change.dialect.id(), state, move |store, known, superseded| {
            let control = ImpactControl { superseded, on_partial_result: &mut tell };
            if let Ok(Some(impact)) = impact::impact(&change, store, known, control) {
                tell(impact);
            }
        })
        .await;
    }

    /// Reads what the first change of these settings needs. Dropping the future ends it.
    pub async fn read_ahead(self, settings: SettingsChange, state: StateDir) {
        self.with_store(settings.dialect.id(), state, move |store, known, superseded| {
            // The first change runs into the same error and reports it.
            let _ = impact::read_ahead(&settings, store, known, superseded);
        })
        .await;
    }

    /// Works with the store, if it is there and readable. The flag is set when the future is dropped.
    async fn with_store(
        self,
        agent: AgentId,
        state: StateDir,
        work: impl FnOnce(&Store, &mut ImpactCache, &AtomicBool) + Send + 'static,
    ) {
        let stop = DropFlag::default();
        let is_stopped = Arc::clone(&stop.0);
        let cache = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(agent).or_default());
        let working = tokio::task::spawn_blocking(move || {
            let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
            if !is_stopped.load(Ordering::Relaxed)
                && let Some((store, known)) = cache.open(&state)
            {
                work(store, known, &is_stopped);
            }
        });
        // A panic has been reported.
        let _ = working.await;
    }
}

/// A flag that is set when this is dropped.
#[derive(Default)]
struct DropFlag(Arc<AtomicBool>);

impl Drop for DropFlag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct StoreCache {
    store: Option<Store>,
    known: ImpactCache,
}

impl StoreCache {
    /// The store and the cached data; `None` if the store is missing or unreadable.
    fn open(&mut self, state: &StateDir) -> Option<(&Store, &mut ImpactCache)> {
        // The store's file may have been replaced.
        if !self.store.as_ref().is_some_and(Store::is_at_its_path) {
            *self = StoreCache { store: open_store(state, OpenMode::Read).ok(), known: ImpactCache::default() };
        }
        Some((self.store.as_ref()?, &mut self.known))
    }
}
