//! The MCP servers that settings name. None of them is started or asked.

use std::collections::BTreeSet;

use super::agent::AgentState;
use super::state::Session;
use hookbench_core::catalogue::catalogue;
use hookbench_core::dialects::settings_format::FileLanguage;
use hookbench_core::matching::MatchColumn;
use hookbench_core::text::{JsonSyntax, Node, SourceId};

/// The keys of settings below which agents name their servers.
const KEYS: [&str; 2] = ["mcpServers", "mcp_servers"];
/// A tool with which a matcher for all tools of a server is tried.
const ANY_TOOL: &str = "x";

impl Session {
    /// For each MCP server of an agent, the matcher for all its tools. Empty for events that are not about tools.
    pub fn server_matchers(&self, agent: &AgentState, column: &MatchColumn) -> Vec<String> {
        let tools = catalogue().agent(agent.dialect.id().as_str()).filter(|_| column.about_tools());
        let Some(naming) = tools.map(|tools| &tools.mcp) else { return Vec::new() };
        let prefix = agent.dialect.settings_format().pattern_prefix.unwrap_or_default();
        let matcher = |server: String| {
            let pattern = format!("{prefix}{}.*", naming.name(&server, ""));
            (column.matches_name(&pattern, &naming.name(&server, ANY_TOOL)) == Some(true)).then_some(pattern)
        };
        self.mcp_servers(agent).into_iter().filter_map(matcher).collect()
    }

    /// The servers in an agent's settings and in its files for servers. How other characters of a name appear in a tool's
    /// name differs between agents, so such servers are left out, as are files that cannot be read.
    fn mcp_servers(&self, agent: &AgentState) -> BTreeSet<String> {
        let mut names: Vec<String> = Vec::new();
        let layers = agent.loaded.iter().flat_map(|loaded| loaded.existing_layers());
        for root in layers.filter_map(|layer| self.read_node(&layer.path)) {
            names.extend(KEYS.iter().filter_map(|key| root.get(key)).flat_map(server_names));
        }
        for (path, keys) in agent.dialect.server_files(&self.place) {
            let Some(root) = self.read_node(&path) else { continue };
            let servers = keys.iter().try_fold(&root, |node, key| node.get(key));
            names.extend(servers.into_iter().flat_map(server_names));
        }
        let is_plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        names.into_iter().filter(is_plain).collect()
    }

    fn read_node(&self, path: &str) -> Option<Node> {
        let text = String::from_utf8(self.files.read(path).ok()?).ok()?;
        let syntax = JsonSyntax { comments: true, trailing_commas: true, bom: true };
        FileLanguage::of_path(path).parse(SourceId(0), &text, syntax).ok()
    }
}

/// The names of an object of servers, or of a list in which each has a name.
fn server_names(servers: &Node) -> Vec<String> {
    let keys = servers.members().unwrap_or_default().iter().map(|server| server.key.clone());
    let listed = servers.items().unwrap_or_default().iter();
    keys.chain(listed.filter_map(|server| server.get("name")?.as_str().map(str::to_owned))).collect()
}
