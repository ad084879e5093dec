//! Computes the impact of a change in the background, one change per agent at a time.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;

use crate::fact::Fact;
use crate::job::Job;
use crate::state_dir::StateDir;
use hookbench_core::config::{Loaded, Place};
use hookbench_core::dialects::Version;

/// The running computations by agent: one for a change that was made, and one for a previewed change. Dropping it
/// cancels all of them.
#[derive(Default)]
pub struct Impacts {
    stops: HashMap<(&'static str, bool), Arc<AtomicBool>>,
    between: HashMap<&'static str, Between>,
    /// The cancellation flags of read-ahead tasks.
    ahead: Vec<Arc<AtomicBool>>,
}

impl Impacts {
    /// Starts computing the impact of a change and cancels the previous one. Must be called inside a tokio runtime.
    /// If nothing was ever recorded, or if the store cannot be read, no result is sent; commands for recorded
    /// events report the reason.
    pub fn start(&mut self, job: Job, place: &Arc<Place>, state: &StateDir, facts: &mpsc::Sender<Fact>) {
        let Job::Impact { agent, change, .. } = job else { return };
        let shown = change & crate::session::SHOWN != 0;
        let stop = Arc::new(AtomicBool::new(false));
        if let Some(old) = self.stops.insert((agent, shown), Arc::clone(&stop)) {
            old.store(true, Ordering::Relaxed);
        }
        let between = Arc::clone(self.between.entry(agent).or_default());
        let (place, state, facts) = (Arc::clone(place), state.clone(), facts.clone());
        tokio::task::spawn_blocking(move || work(job, place, &state, &facts, &stop, &between));
    }

    /// Returns a task that reads ahead for the first change of an agent, given the loaded configuration; `None` if
    /// that was done before. The first change waits for it, since it needs the same data.
    pub fn ahead(
        &mut self,
        agent: &'static str,
        version: Version,
        place: &Arc<Place>,
        state: &StateDir,
    ) -> Option<impl FnOnce(Arc<Loaded>) + Send + use<>> {
        if self.between.contains_key(agent) {
            return None;
        }
        let between = Arc::clone(self.between.entry(agent).or_default());
        let stop = Arc::new(AtomicBool::new(false));
        self.ahead.push(Arc::clone(&stop));
        let (place, state) = (Arc::clone(place), state.clone());
        Some(move |loaded| read_ahead(agent, version, place, &state, loaded, &stop, &between))
    }
}

impl Drop for Impacts {
    fn drop(&mut self) {
        for stop in self.stops.values().chain(&self.ahead) {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// The open store and the data read from it, which speed up the next change.
#[derive(Default)]
struct Kept {
    store: Option<hookbench_system::store::Store>,
    known: super::Known,
}

/// The state kept between two changes of an agent. Only one task locks it at a time, and a cancelled task releases
/// it at once.
type Between = Arc<std::sync::Mutex<Kept>>;

impl Kept {
    /// The store and the cached data; `None` if the store is missing or unreadable.
    fn open(&mut self, state: &StateDir) -> Option<(&hookbench_system::store::Store, &mut super::Known)> {
        use crate::recordings::{Mode, open_store};
        // The store's file may have been replaced.
        if !self.store.as_ref().is_some_and(hookbench_system::store::Store::is_at_its_path) {
            *self = Kept { store: open_store(state, Mode::Read).ok(), known: super::Known::default() };
        }
        Some((self.store.as_ref()?, &mut self.known))
    }
}

fn work(job: Job, place: Arc<Place>, state: &StateDir, facts: &mpsc::Sender<Fact>, stop: &AtomicBool, kept: &Between) {
    use super::{Change, Control, impact};
    let Job::Impact { agent, version, headless, before, after, change: number } = job else { return };
    let Some(dialect) = hookbench_core::dialects::by_id(agent) else { return };
    let mut kept = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if stop.load(Ordering::Relaxed) {
        return;
    }
    let Some((store, known)) = kept.open(state) else { return };
    let change = Change { dialect, version, place, headless, before, after };
    // The receiver is gone only while the program is exiting.
    let tell = |impact| drop(facts.blocking_send(Fact::Impact { change: number, impact: Box::new(impact) }));
    let control = Control { superseded: stop, so_far: &mut |impact| tell(impact) };
    if let Ok(done) = impact(&change, store, known, control) {
        drop(kept);
        done.map(tell);
    }
}

fn read_ahead(
    agent: &'static str,
    version: Version,
    place: Arc<Place>,
    state: &StateDir,
    loaded: Arc<Loaded>,
    stop: &AtomicBool,
    kept: &Between,
) {
    let Some(dialect) = hookbench_core::dialects::by_id(agent) else { return };
    let mut kept = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some((store, known)) = kept.open(state) else { return };
    let settings =
        super::Change { dialect, version, place, headless: false, before: Arc::clone(&loaded), after: loaded };
    // The first change runs into the same error and reports it.
    let _ = super::read_ahead(&settings, store, known, stop);
}
