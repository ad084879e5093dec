//! What a desk is given once.

use super::Breakpoint;

/// How a desk works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskSettings {
    pub breakpoints: Vec<Breakpoint>,
    pub handlers: Handlers,
    /// Between two times that the work after a stop is done for one session, in milliseconds.
    pub cooldown_stop_ms: i64,
    /// Whether raw answers may be sent (`--allow-raw`).
    pub allow_raw: bool,
    /// What looks like a secret is masked in all that is stored. The desk itself has everything as it came.
    pub redact: bool,
}

impl Default for DeskSettings {
    fn default() -> DeskSettings {
        DeskSettings {
            breakpoints: Vec::new(),
            handlers: Handlers::default(),
            cooldown_stop_ms: 180_000,
            allow_raw: false,
            redact: false,
        }
    }
}

/// Which handlers are on; none, unless the user says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Handlers {
    /// An overview of the project for sessions that begin.
    pub overview: bool,
    /// What a session has come to, for itself after its compaction.
    pub handoff: bool,
    /// What a failure was about.
    pub stop_failure: bool,
}
