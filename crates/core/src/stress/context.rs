//! The facts on which the variants of a deed depend.

use crate::catalogue::AgentTools;

/// The facts about the agent and the machine on which variants depend.
#[derive(Debug, Clone, Copy)]
pub struct DeedContext<'a> {
    /// The agent whose tool names and input keys the payloads use.
    pub tools: &'a AgentTools,
    /// The directory in which the tool would run: an absolute path.
    pub cwd: &'a str,
    /// The home directory of the user: an absolute path.
    pub home: &'a str,
    /// Whether the file system finds a file under its name in another case.
    pub ignores_case: bool,
}
