//! The guards as the screen shows them: read and changed in the background.

use hookbench_core::config::Place;

use super::hits::{JudgedHit, Judgement, judge};
use super::overview::{GuardOverview, guard_overview};

/// The guards and their recorded findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardsState {
    pub guards: Vec<GuardOverview>,
    pub hits: Vec<JudgedHit>,
}

/// What the screen asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardsRequest {
    /// Read everything again.
    Read,
    /// Keep a judgement, or forget it, and read everything again.
    Judge { id: String, judged: Option<Judgement> },
}

impl GuardsRequest {
    /// Does the work. Returns the new state, and a problem if there was one.
    pub fn perform(&self, place: &Place) -> (GuardsState, Option<String>) {
        let problem = match self {
            GuardsRequest::Read => None,
            GuardsRequest::Judge { id, judged } => judge(place, id, *judged).err().map(|why| why.to_string()),
        };
        let (guards, hits) = guard_overview(place);
        (GuardsState { guards, hits }, problem)
    }
}
