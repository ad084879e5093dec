//! What the workbench is opened on.

use std::path::PathBuf;

use hookbench_core::dialects::Version;

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
    /// As sentences, line by line, instead of a screen.
    pub plain: bool,
    /// Run without asking for consent.
    pub yes: bool,
    /// Open as this project was left, and remember how it is left.
    pub remember: bool,
    /// Forget how it was left.
    pub reset_layout: bool,
}

/// A wish to drive the workbench by a script, without a terminal.
#[derive(Debug, Clone)]
pub struct ScriptRequest {
    pub open: OpenRequest,
    /// The script; `-` is stdin.
    pub script: PathBuf,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Print the last frame when the script has ended.
    pub dump: bool,
    /// Seconds that one `until` waits.
    pub limit: f64,
}

/// Most columns or rows of a screen that a script may ask for; each cell of it is held in memory.
pub const LARGEST_SCREEN: u16 = 1000;

/// `80x24` as columns and rows.
pub fn screen_size(text: &str) -> Option<(u16, u16)> {
    let (columns, rows) = text.split_once('x')?;
    let number = |text: &str| text.parse().ok().filter(|n| *n <= LARGEST_SCREEN);
    Some((number(columns)?, number(rows)?))
}
