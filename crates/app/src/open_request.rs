//! The options for opening the workbench.

use crate::shared_page::MarkdownWriter;
use hookbench_core::names::AgentId;
use std::path::PathBuf;

use hookbench_core::dialects::Version;

/// A request to open the workbench.
#[derive(Debug, Clone, Default)]
pub struct OpenRequest {
    /// The project; `None` for the current directory.
    pub dir: Option<PathBuf>,
    pub agent: Option<AgentId>,
    /// The home directory for user-level settings; `None` for the real one.
    pub home: Option<PathBuf>,
    pub agent_version: Option<Version>,
    /// The arguments with which the user starts the agent.
    pub agent_words: Option<Vec<String>>,
    /// Open the bundled sample project instead.
    pub demo: bool,
    /// Plain text, line by line, instead of a screen.
    pub plain: bool,
    /// Run without asking for consent.
    pub yes: bool,
    /// Restore the saved layout of this project, and save it on exit.
    pub remember: bool,
    /// Delete the saved layout.
    pub reset_layout: bool,
    /// Renders what the screen copies for others; `None` to offer no Markdown.
    pub markdown: Option<MarkdownWriter>,
}

/// A request to drive the workbench by a script, without a terminal.
#[derive(Debug, Clone)]
pub struct ScriptRequest {
    pub open: OpenRequest,
    /// The script file; `-` reads stdin.
    pub script: PathBuf,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Print the last frame when the script has ended.
    pub dump: bool,
    /// The time limit of one `until` step, in seconds.
    pub limit: f64,
}

/// The maximum number of columns or rows that a script may request, since each cell is held in memory.
pub const LARGEST_SCREEN: u16 = 1000;

/// Parses `80x24` as columns and rows.
pub fn screen_size(text: &str) -> Option<(u16, u16)> {
    let (columns, rows) = text.split_once('x')?;
    let number = |text: &str| text.parse().ok().filter(|n| *n <= LARGEST_SCREEN);
    Some((number(columns)?, number(rows)?))
}
