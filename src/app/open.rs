//! What the workbench is opened on.

use std::path::PathBuf;

use crate::core::dialects::Version;

/// A wish to open the workbench.
#[derive(Debug, Clone, Default)]
pub struct OpenRequest {
    /// The project; none: the current folder.
    pub dir: Option<PathBuf>,
    pub agent: Option<&'static str>,
    /// Where the user's layer is looked up; none: the real home.
    pub home: Option<PathBuf>,
    pub agent_version: Option<Version>,
    /// On the bundled sample project instead.
    pub demo: bool,
}
