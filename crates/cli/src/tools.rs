//! `tools`: the names of the tools in every agent.

use super::args::ToolsArgs;
use super::error::CliError;
use super::print::{self, emit};
use super::setup::warn_if_unreleased;
use super::suggestion::suggest;
use hookbench_app::{ExitStatus, document};
use hookbench_core::catalogue::catalogue;
use hookbench_core::dialects;

/// `tools`.
pub fn tools(args: &ToolsArgs) -> Result<ExitStatus, CliError> {
    let all = catalogue();
    if let Some(name) = &args.name
        && !is_known(name)
    {
        let known = all.every_agent().flat_map(|agent| agent.tools).flat_map(|tool| tool.names());
        let advice = suggest(name, known, "`hookbench tools` lists all tools");
        return Err(CliError::Usage(format!("no agent has a tool \"{name}\"; {advice}")));
    }
    warn_if_unreleased(args.agent.as_deref().and_then(dialects::by_id));
    let doc = document::tools_doc(all, args.name.as_deref(), args.agent.as_deref());
    emit(args.format, &doc, || print::tools(&doc))
}

/// Returns true if an agent has this tool, or had it in an older version.
fn is_known(name: &str) -> bool {
    let agents = || catalogue().every_agent();
    let others = |name: &str| agents().any(|agent| agent.others.iter().any(|other| other.name == name));
    agents().any(|agent| catalogue().resolve(name, agent).exactness.word() != "unknown") || others(name)
}
