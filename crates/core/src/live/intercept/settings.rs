//! The settings of an interceptor.

use super::Breakpoint;

/// The settings of an interceptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterceptSettings {
    pub breakpoints: Vec<Breakpoint>,
    pub handlers: EnabledHandlers,
    /// The minimum time between two times that the work after a stop is done for a session, in milliseconds.
    pub cooldown_stop_ms: i64,
    /// Whether raw answers may be sent (`--allow-raw`).
    pub allow_raw: bool,
    /// Whether secrets are masked in everything that is stored. The interceptor itself has the original text.
    pub redact: bool,
}

impl Default for InterceptSettings {
    fn default() -> InterceptSettings {
        InterceptSettings {
            breakpoints: Vec::new(),
            handlers: EnabledHandlers::default(),
            cooldown_stop_ms: 180_000,
            allow_raw: false,
            redact: false,
        }
    }
}

/// The enabled handlers. All are off by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EnabledHandlers {
    /// An overview of the project for new sessions.
    pub overview: bool,
    /// A summary of a session, returned to it after its compaction.
    pub handoff: bool,
    /// An explanation of a failed model request.
    pub stop_failure: bool,
}
