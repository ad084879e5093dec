//! Working out what a change comes to behind the session's back, one change of an agent at a time.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;

use crate::fact::Fact;
use crate::job::Job;
use crate::state_dir::StateDir;
use hookbench_core::config::{Loaded, Place};
use hookbench_core::dialects::Version;

/// What is being worked out, by agent: a change that was made, and one that is only shown. Dropping it ends all of it.
#[derive(Default)]
pub struct Impacts {
    stops: HashMap<(&'static str, bool), Arc<AtomicBool>>,
    between: HashMap<&'static str, Between>,
    /// What ends reading ahead.
    ahead: Vec<Arc<AtomicBool>>,
}

impl Impacts {
    /// Begins with a change, in place of the one before. Must be called inside a tokio runtime. Where nothing was ever
    /// recorded, or the store cannot be read, nothing comes of it: whoever asks for recorded events is told why.
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

    /// What reads for the first change of an agent, once it is told what is loaded; none: that has been done. The first change
    /// waits for it, since it needs the same.
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

/// The store, open, and what was read of it: the next change is found out sooner with them.
#[derive(Default)]
struct Kept {
    store: Option<hookbench_system::store::Store>,
    known: super::Known,
}

/// What is kept between two changes of an agent. One has it at a time; who is overtaken gives it back at once.
type Between = Arc<std::sync::Mutex<Kept>>;

impl Kept {
    /// The store, with what is known of it; none: there is none that can be read.
    fn open(&mut self, state: &StateDir) -> Option<(&hookbench_system::store::Store, &mut super::Known)> {
        use crate::recordings::{Mode, open_store};
        // Another file may lie there by now.
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
    // Nobody listens any more when the program is ending.
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
    // The first change finds the same trouble, and says it.
    let _ = super::read_ahead(&settings, store, known, stop);
}
