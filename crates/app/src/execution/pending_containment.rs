//! Runs that wait until the scratch copy for their contained firing is ready.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use crate::disk::file_copy::{CopyStop, StopOnDrop};
use crate::firing::containment::ContainedPlace;
use crate::firing::record::FiringId;
use crate::session::fact::Fact;
use hookbench_core::config::Place;
use hookbench_core::run::{Exit, RunId, RunReport, RunRequest};
use hookbench_system::runner::Runner;

type ContainmentResult = Option<Arc<Result<ContainedPlace, String>>>;

/// The scratch copy of one contained firing, from the moment its creation begins. Dropping it stops the copying, or
/// deletes the copy as soon as no run is about to start in it.
pub(super) struct PendingContainment {
    result: watch::Receiver<ContainmentResult>,
    /// Runs that were killed before they could be started.
    killed: watch::Sender<HashSet<RunId>>,
    _stop: StopOnDrop,
}

impl PendingContainment {
    /// Begins to create the copy in the background. Must be called inside a tokio runtime.
    pub(super) fn create(
        firing: FiringId,
        place: Arc<Place>,
        files: Vec<PathBuf>,
        facts: mpsc::Sender<Fact>,
    ) -> PendingContainment {
        let (tell, made) = watch::channel(None);
        let stop = CopyStop::new();
        let on_drop = stop.on_drop();
        tokio::task::spawn_blocking(move || {
            let made = ContainedPlace::create(&place, &files, None, &stop);
            if let Ok(contained) = &made {
                let how = Box::new(contained.containment.clone());
                // The receiver is gone only while the program is exiting.
                let _ = facts.blocking_send(Fact::Contained { firing, containment: how });
            }
            let _ = tell.send(Some(Arc::new(made)));
        });
        PendingContainment { result: made, killed: watch::Sender::default(), _stop: on_drop }
    }

    /// Starts a run as soon as the copy is ready.
    pub(super) fn start(&self, firing: FiringId, request: RunRequest, runner: Arc<Runner>, facts: mpsc::Sender<Fact>) {
        let (mut result, mut killed) = (self.result.clone(), self.killed.subscribe());
        tokio::spawn(async move {
            let run = request.run;
            let made = tokio::select! {
                biased;
                // The sender is gone if the firing is.
                _ = killed.wait_for(|killed| killed.contains(&run)) => None,
                made = result.wait_for(Option::is_some) => Some(made.ok().and_then(|made| made.clone())),
            };
            let Some(made) = made else {
                let report = RunReport::new(run, Exit::Cancelled, "", "");
                let _ = facts.send(Fact::Ended { firing, report: Box::new(report) }).await;
                return;
            };
            let place = match made.as_deref() {
                Some(Ok(place)) => Ok(place),
                Some(Err(why)) => Err(format!("contained: {why}")),
                None => Err("contained: the copy of the project was not created".to_owned()),
            };
            let report = match place.and_then(|place| place.rewrite(&request).map_err(str::to_owned)) {
                Ok(request) => return runner.start(request),
                Err(why) => RunReport::new(run, Exit::FailedToStart { error: why }, "", ""),
            };
            // The receiver is gone only while the program is exiting.
            let _ = facts.send(Fact::Ended { firing, report: Box::new(report) }).await;
        });
    }

    /// Keeps a run from being started.
    pub(super) fn kill(&self, run: RunId) {
        self.killed.send_modify(|killed| {
            killed.insert(run);
        });
    }
}
