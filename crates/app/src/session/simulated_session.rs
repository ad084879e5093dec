//! The effects of earlier events on the next one in the simulated session: blocked stops and rewritten inputs.

use std::collections::BTreeMap;

use crate::firing::record::FiringId;
use hookbench_core::dialects::{SessionMemory, SessionState};

/// The state of each agent's simulated session.
#[derive(Debug, Clone, Default)]
pub struct SimulatedSession {
    pub(super) states: BTreeMap<&'static str, SessionState>,
    /// The running firing that belongs to the session. Firings that a saved file causes do not.
    pub(super) active_firing: Option<FiringId>,
    /// State that is assumed from events that were not fired here.
    pub(super) assumed: Option<SessionMemory>,
}

impl SimulatedSession {
    pub(super) fn set_active(&mut self, firing: FiringId) {
        self.active_firing = Some(firing);
    }
}
