//! Findings about the loaded configuration, updated in the background.

use std::sync::Arc;

use crate::analysis::lint::{FindingsReport, LintLevels};

/// The latest report, and the state of linting.
#[derive(Debug, Default)]
pub struct Problems {
    /// `None` before the first run.
    pub report: Option<Arc<FindingsReport>>,
    /// The severities that the user assigns to codes.
    pub(super) levels: LintLevels,
    /// Whether a lint run is active.
    pub(super) running: bool,
    /// Whether something has changed since linting began.
    pub(super) outdated: bool,
}

impl Problems {
    /// Whether a newer report is on its way.
    pub fn is_checking(&self) -> bool {
        self.running
    }
}
