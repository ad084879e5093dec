//! A request that is held for the user.

use super::{Arrival, OnTimeout};
use crate::core::live::DecisionKind;

/// What a screen shows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub arrival: Arrival,
    /// The instant at which it arrived.
    pub since: u64,
    /// The instant at which it is answered with [`Held::on_timeout`].
    pub until: u64,
    /// What can be decided, to observe first.
    pub choices: Vec<DecisionKind>,
    /// The name of the breakpoint.
    pub breakpoint: String,
    pub on_timeout: OnTimeout,
}
