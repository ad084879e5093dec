//! Working out what a change comes to behind the session's back, one change of an agent at a time.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;

use crate::app::fact::Fact;
use crate::app::job::Job;
use crate::app::state_dir::StateDir;
use crate::core::config::Place;

/// What is being worked out, by agent: a change that was made, and one that is only shown. Dropping it ends all of it.
#[derive(Default)]
pub struct Impacts {
    stops: HashMap<(&'static str, bool), Arc<AtomicBool>>,
    between: Between,
}

impl Impacts {
    /// Begins with a change, in place of the one before. Must be called inside a tokio runtime. Where nothing was ever
    /// recorded, or the store cannot be read, nothing comes of it: whoever asks for recorded events is told why.
    pub fn start(&mut self, job: Job, place: &Arc<Place>, state: &StateDir, facts: &mpsc::Sender<Fact>) {
        let Job::Impact { agent, change, .. } = job else { return };
        let shown = change & crate::app::session::SHOWN != 0;
        let stop = Arc::new(AtomicBool::new(false));
        if let Some(old) = self.stops.insert((agent, shown), Arc::clone(&stop)) {
            old.store(true, Ordering::Relaxed);
        }
        let (place, state, facts, between) = (Arc::clone(place), state.clone(), facts.clone(), self.between.clone());
        tokio::task::spawn_blocking(move || work(job, place, &state, &facts, &stop, &between));
    }
}

impl Drop for Impacts {
    fn drop(&mut self) {
        for stop in self.stops.values() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// The store, open, and what was read of it: the next change is found out sooner with them.
#[cfg(feature = "store")]
struct Kept {
    store: crate::store::Store,
    known: super::Known,
}

/// What is kept between two changes. Nobody has it while something is worked out with it.
#[cfg(feature = "store")]
type Between = Arc<std::sync::Mutex<Option<Kept>>>;
#[cfg(not(feature = "store"))]
type Between = ();

#[cfg(feature = "store")]
fn work(job: Job, place: Arc<Place>, state: &StateDir, facts: &mpsc::Sender<Fact>, stop: &AtomicBool, kept: &Between) {
    use super::{Change, Control, Known, impact};
    use crate::app::recordings::{Mode, open_store};
    let Job::Impact { agent, version, headless, before, after, change: number } = job else { return };
    let Some(dialect) = crate::core::dialects::by_id(agent) else { return };
    let between = || kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // Another file may lie there by now.
    let open = between().take().filter(|kept| kept.store.is_at_its_path());
    let open = open.or_else(|| {
        let store = open_store(state, Mode::Read).ok()?;
        Some(Kept { store, known: Known::default() })
    });
    let Some(mut open) = open else { return };
    let change = Change { dialect, version, place, headless, before, after };
    // Nobody listens any more when the program is ending.
    let tell = |impact| drop(facts.blocking_send(Fact::Impact { change: number, impact: Box::new(impact) }));
    let control = Control { superseded: stop, so_far: &mut |impact| tell(impact) };
    if let Ok(done) = impact(&change, &open.store, &mut open.known, control) {
        *between() = Some(open);
        done.map(tell);
    }
}

#[cfg(not(feature = "store"))]
fn work(_: Job, _: Arc<Place>, _: &StateDir, _: &mpsc::Sender<Fact>, _: &AtomicBool, (): &Between) {}
