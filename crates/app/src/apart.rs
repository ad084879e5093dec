//! Runs that wait until the scratch copy for their contained firing is ready.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{mpsc, watch};

use crate::contain::Contained;
use crate::fact::Fact;
use crate::firing_record::FiringId;
use hookbench_core::config::Place;
use hookbench_core::run::{Exit, RunId, RunReport, RunRequest};
use hookbench_system::runner::Runner;

type Made = Option<Arc<Result<Contained, String>>>;

/// The scratch copy of one contained firing, from the moment its creation begins. Dropping it deletes the copy as
/// soon as no run is about to start in it.
pub(super) struct Apart {
    made: watch::Receiver<Made>,
    /// Runs that were killed before they could be started.
    killed: Arc<Mutex<HashSet<RunId>>>,
}

impl Apart {
    /// Begins to create the copy in the background. Must be called inside a tokio runtime.
    pub(super) fn make(firing: FiringId, place: Arc<Place>, files: Vec<PathBuf>, facts: mpsc::Sender<Fact>) -> Apart {
        let (tell, made) = watch::channel(None);
        tokio::task::spawn_blocking(move || {
            let made = Contained::make(&place, &files);
            if let Ok(contained) = &made {
                let how = Box::new(contained.how.clone());
                // The receiver is gone only while the program is exiting.
                let _ = facts.blocking_send(Fact::Contained { firing, how });
            }
            let _ = tell.send(Some(Arc::new(made)));
        });
        Apart { made, killed: Arc::default() }
    }

    /// Starts a run as soon as the copy is ready.
    pub(super) fn start(&self, firing: FiringId, request: RunRequest, runner: Arc<Runner>, facts: mpsc::Sender<Fact>) {
        let (mut made, killed) = (self.made.clone(), Arc::clone(&self.killed));
        tokio::spawn(async move {
            let made = made.wait_for(Option::is_some).await.ok().and_then(|made| made.clone());
            let place = match made.as_deref() {
                Some(Ok(place)) => Ok(place),
                Some(Err(why)) => Err(format!("contained: {why}")),
                None => Err("contained: its place was not made".to_owned()),
            };
            let inside = place.and_then(|place| place.request(&request).map_err(str::to_owned));
            let report = match inside {
                _ if killed.lock().unwrap_or_else(PoisonError::into_inner).contains(&request.run) => {
                    RunReport::of(request.run, Exit::Cancelled, "", "")
                }
                Ok(request) => return runner.start(request),
                Err(why) => RunReport::of(request.run, Exit::FailedToStart { error: why }, "", ""),
            };
            // The receiver is gone only while the program is exiting.
            let _ = facts.send(Fact::Ended { firing, report: Box::new(report) }).await;
        });
    }

    /// Keeps a run from being started.
    pub(super) fn kill(&self, run: RunId) {
        self.killed.lock().unwrap_or_else(PoisonError::into_inner).insert(run);
    }
}
