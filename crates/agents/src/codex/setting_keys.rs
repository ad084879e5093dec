//! The keys of `LoadedConfig::agent_settings` that loading writes and the plan, launches and decisions read.

/// Each hook's number among all hooks, and its file.
pub const HOOK_RUNS: &str = "hook_runs";
/// The names of the configured MCP servers.
pub const MCP_SERVERS: &str = "mcp_servers";
/// The shell that runs commands.
pub const SHELL: &str = "shell";
