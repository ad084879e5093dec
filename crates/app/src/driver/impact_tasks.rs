//! Computes the impact of a change in the background, one change per agent at a time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use crate::disk::state_dir::StateDir;
use crate::recordings::impact::{self, ImpactCache, ImpactControl, SettingsChange};
use crate::recordings::store::{OpenMode, open_store};
use crate::session::fact::Fact;
use crate::session::job::Job;
use hookbench_core::config::{LoadedConfig, Place};
use hookbench_core::dialects::Version;
use hookbench_core::names::AgentId;

/// The running computations by agent: one for a change that was made, and one for a previewed change. Dropping it
/// cancels all of them.
#[derive(Default)]
pub struct ImpactTasks {
    cancel_flags: HashMap<(&'static str, bool), Arc<AtomicBool>>,
    caches: HashMap<&'static str, SharedCache>,
    /// The cancellation flags of read-ahead tasks.
    read_ahead_flags: Vec<Arc<AtomicBool>>,
}

impl ImpactTasks {
    /// Starts computing the impact of a change and cancels the previous one. Must be called inside a tokio runtime.
    /// If nothing was ever recorded, or if the store cannot be read, no result is sent; commands for recorded
    /// events report the reason.
    pub fn start(&mut self, job: Job, place: &Arc<Place>, state: &StateDir, facts: &mpsc::Sender<Fact>) {
        let Job::Impact { agent, previewed, .. } = job else { return };
        let stop = Arc::new(AtomicBool::new(false));
        if let Some(old) = self.cancel_flags.insert((agent.as_str(), previewed), Arc::clone(&stop)) {
            old.store(true, Ordering::Relaxed);
        }
        let between = Arc::clone(self.caches.entry(agent.as_str()).or_default());
        let (place, state, facts) = (Arc::clone(place), state.clone(), facts.clone());
        tokio::task::spawn_blocking(move || compute(job, place, &state, &facts, &stop, &between));
    }

    /// Returns a task that reads ahead for the first change of an agent, given the loaded configuration; `None` if
    /// that was done before. The first change waits for it, since it needs the same data.
    pub fn read_ahead_task(
        &mut self,
        agent: AgentId,
        version: Version,
        place: &Arc<Place>,
        state: &StateDir,
    ) -> Option<impl FnOnce(Arc<LoadedConfig>) + Send + use<>> {
        if self.caches.contains_key(agent.as_str()) {
            return None;
        }
        let between = Arc::clone(self.caches.entry(agent.as_str()).or_default());
        let stop = Arc::new(AtomicBool::new(false));
        self.read_ahead_flags.push(Arc::clone(&stop));
        let (place, state) = (Arc::clone(place), state.clone());
        Some(move |loaded| read_ahead(agent, version, place, &state, loaded, &stop, &between))
    }
}

impl Drop for ImpactTasks {
    fn drop(&mut self) {
        for stop in self.cancel_flags.values().chain(&self.read_ahead_flags) {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// The open store and the data read from it, which speed up the next change.
#[derive(Default)]
struct StoreCache {
    store: Option<hookbench_system::store::Store>,
    known: ImpactCache,
}

/// The state kept between two changes of an agent. Only one task locks it at a time, and a cancelled task releases
/// it at once.
type SharedCache = Arc<std::sync::Mutex<StoreCache>>;

impl StoreCache {
    /// The store and the cached data; `None` if the store is missing or unreadable.
    fn open(&mut self, state: &StateDir) -> Option<(&hookbench_system::store::Store, &mut ImpactCache)> {
        // The store's file may have been replaced.
        if !self.store.as_ref().is_some_and(hookbench_system::store::Store::is_at_its_path) {
            *self = StoreCache { store: open_store(state, OpenMode::Read).ok(), known: ImpactCache::default() };
        }
        Some((self.store.as_ref()?, &mut self.known))
    }
}

fn compute(
    job: Job,
    place: Arc<Place>,
    state: &StateDir,
    facts: &mpsc::Sender<Fact>,
    stop: &AtomicBool,
    kept: &SharedCache,
) {
    let Job::Impact { agent, version, headless, before, after, change: number, previewed } = job else { return };
    let Some(dialect) = hookbench_core::dialects::by_id(agent.as_str()) else { return };
    let mut kept = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if stop.load(Ordering::Relaxed) {
        return;
    }
    let Some((store, known)) = kept.open(state) else { return };
    let change = SettingsChange { dialect, version, place, headless, before, after };
    // The receiver is gone only while the program is exiting.
    let tell = |impact| drop(facts.blocking_send(Fact::Impact { change: number, previewed, impact: Box::new(impact) }));
    let control = ImpactControl { superseded: stop, on_partial_result: &mut |impact| tell(impact) };
    if let Ok(done) = impact::impact(&change, store, known, control) {
        drop(kept);
        done.map(tell);
    }
}

fn read_ahead(
    agent: AgentId,
    version: Version,
    place: Arc<Place>,
    state: &StateDir,
    loaded: Arc<LoadedConfig>,
    stop: &AtomicBool,
    kept: &SharedCache,
) {
    let Some(dialect) = hookbench_core::dialects::by_id(agent.as_str()) else { return };
    let mut kept = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some((store, known)) = kept.open(state) else { return };
    let settings =
        SettingsChange { dialect, version, place, headless: false, before: Arc::clone(&loaded), after: loaded };
    // The first change runs into the same error and reports it.
    let _ = impact::read_ahead(&settings, store, known, stop);
}

/// The loads of one agent. They run one after another, and one that is no longer the newest is skipped.
#[derive(Debug, Default)]
pub struct AgentLoads {
    newest: AtomicU64,
    running: Mutex<()>,
}

impl AgentLoads {
    /// Orders a load, and returns its number.
    pub fn order(&self) -> u64 {
        self.newest.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Runs the load with this number and returns its result. Waits for a load that is running; `None` if a newer one was
    /// ordered.
    pub fn run<T>(&self, number: u64, load: impl FnOnce() -> T) -> Option<T> {
        let _running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        (self.newest.load(Ordering::SeqCst) == number).then(load)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_load_runs() {
        let loads = AgentLoads::default();
        let (first, second) = (loads.order(), loads.order());
        assert_eq!(loads.run(second, || "second"), Some("second"));
        assert_eq!(loads.run(first, || "first"), None, "an older load does not replace a newer one");
        let third = loads.order();
        assert_eq!(loads.run(third, || "third"), Some("third"));
    }
}
