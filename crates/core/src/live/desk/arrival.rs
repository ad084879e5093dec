//! One event, as the desk is given it.

use std::sync::Arc;

use crate::live::normal::Normal;
use crate::live::{Accept, Budget};

/// An event of an agent that waits for its answer. Everything is owned: it may lie on the desk for minutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// Under which it is stored; grows by one with each.
    pub seq: u64,
    /// The request's id; of the caller's making where the client gave none.
    pub id: String,
    pub provider: String,
    /// Its name on the wire.
    pub event: String,
    pub provider_ref: String,
    pub project_path: String,
    /// When the client had it, as it was written, …
    pub received_at: String,
    /// … and in milliseconds since 1970.
    pub received_ms: i64,
    /// Byte for byte.
    pub payload: Arc<str>,
    pub normal: Normal,
    pub accept: Accept,
    /// How long the client waits, where it says so.
    pub budget: Option<Budget>,
}
