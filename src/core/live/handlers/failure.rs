//! Why an agent's request to its model failed.

use serde::Serialize;

/// What is shown of a failure; the agent is told nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    pub class: FailureClass,
    /// For people: what it is, what to do.
    pub says: String,
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// Too many requests (429).
    RateLimit,
    /// The model's servers have too much to do, or are down (503, 529).
    Overloaded,
    Auth,
    Billing,
    Other,
}

impl Failure {
    /// What a payload says.
    pub fn of(payload: &str) -> Failure {
        let _ = payload;
        Failure { class: FailureClass::Other, says: String::new() }
    }
}
