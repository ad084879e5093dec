//! Verifications: the request for a session of the installed agent in which an event is fired, and its steps.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use hookbench_core::config::{LoadedConfig, Place};
use hookbench_core::dialects::Agent;
use hookbench_core::hook::HookInput;
use hookbench_core::verification::{VerificationScript, VerifiedSession};

/// A step of a verification.
#[derive(Debug, Clone, PartialEq)]
pub enum VerificationUpdate {
    /// The project is copied, so the event can be fired here.
    Prepared,
    /// The session of the agent has ended.
    Ended(Box<VerifiedSession>),
    /// The session did not start, or it showed nothing, for this reason.
    Failed(String),
}

/// The request for a session in which an event is fired with the user's own hooks.
#[derive(Debug, Clone, PartialEq)]
pub struct VerificationRequest {
    pub dialect: &'static Agent,
    pub place: Arc<Place>,
    pub loaded: Arc<LoadedConfig>,
    pub input: HookInput,
    pub script: VerificationScript,
    /// Settings files and scripts, of which those outside the project are copied as well.
    pub files: BTreeSet<PathBuf>,
    /// Whether a tool that can do harm runs even where the agent cannot be isolated.
    pub insists: bool,
}
