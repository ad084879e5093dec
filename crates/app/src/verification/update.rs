//! The steps of a verification.

use hookbench_core::verification::VerifiedSession;

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
