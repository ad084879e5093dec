//! The guards as the screen shows them: read, tried and judged in the background.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use hookbench_core::config::Place;
use hookbench_core::filter;
use hookbench_core::guard::GuardName;

use super::hits::{JudgedHit, Judgement, judge, judgements};
use super::overview::{GuardOverview, guard_overview};
use super::trial::{TrialRequest, TrialSource, run_trial};
use crate::disk::state_dir::StateDir;

/// The recorded events of a trial, as on the command line.
pub const DEFAULT_TRIAL: &str = "~since 30d";

/// The guards and their findings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GuardsState {
    pub guards: Vec<GuardOverview>,
    /// The recorded findings, the newest first; then those that only a trial found.
    pub hits: Vec<JudgedHit>,
    /// The number of events that a trial checked. `None` before a trial.
    pub tried: Option<u64>,
    /// All judgements, by the id of the finding.
    pub judgements: BTreeMap<String, Judgement>,
}

/// A request of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardsRequest {
    /// Read everything again.
    Read,
    /// Run the rules over recorded events.
    Try,
    /// Keep a judgement, or forget it, and read everything again.
    Judge { id: String, judged: Option<Judgement> },
}

impl GuardsRequest {
    /// Does the work. Returns the new state, and a problem if there was one.
    pub fn perform(&self, place: &Place) -> (GuardsState, Option<String>) {
        let mut tried = None;
        let problem = match self {
            GuardsRequest::Read => None,
            GuardsRequest::Judge { id, judged } => judge(place, id, *judged).err().map(|why| why.to_string()),
            GuardsRequest::Try => {
                let trial = filter::parse(DEFAULT_TRIAL).map_err(|why| why.to_string()).and_then(|filter| {
                    let source = TrialSource::Store(&filter);
                    let request = TrialRequest { source, guards: &GuardName::ALL, all_rules: false };
                    run_trial(place, &request, &mut |_| ControlFlow::Continue(())).map_err(|why| why.to_string())
                });
                trial.map(|trial| tried = Some(trial)).err()
            }
        };
        let (guards, hits) = guard_overview(place);
        let mut state = GuardsState { guards, hits, tried: None, judgements: judgements(&StateDir::of(place)) };
        if let Some(trial) = tried {
            state.tried = Some(trial.events);
            state.add_tried(trial.hits.into_iter().rev().map(|found| found.hit));
        }
        (state, problem)
    }
}

impl GuardsState {
    /// Adds findings of a trial that are not recorded.
    fn add_tried(&mut self, hits: impl Iterator<Item = JudgedHit>) {
        for one in hits {
            if !self.hits.iter().any(|known| known.hit.id == one.hit.id) {
                let judged = self.judgements.get(&one.hit.id).copied();
                self.hits.push(JudgedHit { judged, times: 0, ..one });
            }
        }
    }

    /// Keeps the findings of an earlier trial, unless this state has its own.
    #[must_use]
    pub fn after(mut self, before: &GuardsState) -> GuardsState {
        if self.tried.is_none() && before.tried.is_some() {
            self.tried = before.tried;
            self.add_tried(before.hits.iter().filter(|one| one.times == 0).cloned());
        }
        self
    }
}
