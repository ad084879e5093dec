//! Names of tools that only other agents know.

use hookbench_base::catalogue;

/// Translates another agent's tool name: returns the id of the equivalent tool, and that agent.
pub fn foreign(name: &str) -> Option<(&'static str, &'static str)> {
    let (ours, whose) = catalogue::find_foreign_tool(name, "droid")?;
    Some((ours, whose?))
}
