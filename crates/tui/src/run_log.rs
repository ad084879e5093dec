//! The hint that runs can be logged.

/// The hint that runs can be logged, which is shown once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogHint {
    /// It was shown on another day, or is not needed.
    #[default]
    Off,
    /// It is shown after the first run.
    Due,
    Shown,
}
