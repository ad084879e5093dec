//! The verification that runs.

use super::firing_start::FiringStart;
use crate::firing::record::FiringId;
use hookbench_core::names::AgentId;
use hookbench_core::verification::{VerificationScript, VerifiedSession};

/// The verification that runs.
pub(super) struct RunningVerification {
    pub(super) agent: AgentId,
    pub(super) script: VerificationScript,
    /// The firing here, until the copy of the project is ready.
    pub(super) start: Option<FiringStart>,
    pub(super) firing: Option<FiringId>,
    pub(super) session: Option<Result<Box<VerifiedSession>, String>>,
}
