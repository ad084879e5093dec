//! Working out what a change comes to behind the session's back, one change of an agent at a time.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;

use crate::app::fact::Fact;
use crate::app::job::Job;
use crate::app::state_dir::StateDir;
use crate::core::config::Place;

/// What is being worked out, by agent. Dropping it ends all of it.
#[derive(Default)]
pub struct Impacts {
    stops: HashMap<&'static str, Arc<AtomicBool>>,
}

impl Impacts {
    /// Begins with a change, in place of the one before. Must be called inside a tokio runtime. Where nothing was ever
    /// recorded, or the store cannot be read, nothing comes of it: whoever asks for recorded events is told why.
    pub fn start(&mut self, job: Job, place: &Arc<Place>, state: &StateDir, facts: &mpsc::Sender<Fact>) {
        let Job::Impact { agent, .. } = job else { return };
        let stop = Arc::new(AtomicBool::new(false));
        if let Some(old) = self.stops.insert(agent, Arc::clone(&stop)) {
            old.store(true, Ordering::Relaxed);
        }
        let (place, state, facts) = (Arc::clone(place), state.clone(), facts.clone());
        tokio::task::spawn_blocking(move || work(job, place, &state, &facts, &stop));
    }
}

impl Drop for Impacts {
    fn drop(&mut self) {
        for stop in self.stops.values() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(feature = "store")]
fn work(job: Job, place: Arc<Place>, state: &StateDir, facts: &mpsc::Sender<Fact>, stop: &AtomicBool) {
    use super::{Change, Control, impact};
    use crate::app::recordings::{Mode, open_store};
    let Job::Impact { agent, version, headless, before, after, change: number } = job else { return };
    let Some(dialect) = crate::core::dialects::by_id(agent) else { return };
    let Ok(store) = open_store(state, Mode::Read) else { return };
    let change = Change { dialect, version, place, headless, before, after };
    // Nobody listens any more when the program is ending.
    let tell = |impact| drop(facts.blocking_send(Fact::Impact { change: number, impact: Box::new(impact) }));
    let control = Control { superseded: stop, so_far: &mut |impact| tell(impact) };
    if let Ok(Some(all)) = impact(&change, &store, control) {
        tell(all);
    }
}

#[cfg(not(feature = "store"))]
fn work(_job: Job, _place: Arc<Place>, _state: &StateDir, _facts: &mpsc::Sender<Fact>, _stop: &AtomicBool) {}
