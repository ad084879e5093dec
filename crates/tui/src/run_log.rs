//! The log of runs on the screen: its switch, and the hint that it exists.

use crate::model::Model;

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

impl Model {
    /// Turns the log of runs on or off.
    pub fn log_runs(&mut self, on: bool) {
        self.config.log_runs = on;
        self.configure_session();
    }
}
