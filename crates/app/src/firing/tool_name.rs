//! Translates a tool name given by the user into the name that the agent's payloads use.

use hookbench_core::catalogue::{MatchExactness, catalogue};
use hookbench_core::diagnostic::{Code, Diagnostic, Severity};
use hookbench_core::dialects::Agent;

/// The maximum edit distance of a suggested name.
const MAX_DISTANCE: usize = 2;

/// The tool name to fire, and a note about the given name. A name that the agent does not know is fired unchanged:
/// it may belong to an MCP server or be newer than the catalogue.
pub(crate) fn resolve_tool_name(dialect: &Agent, given: &str) -> (String, Option<Diagnostic>) {
    let all = catalogue();
    let Some(agent) = all.agent(dialect.id().as_str()) else { return (given.to_owned(), None) };
    let found = all.resolve(given, agent);
    let words = || all.describe(given, agent, &found);
    match &found.id {
        Some(id) if id == given => (id.clone(), None),
        Some(id) => {
            let says = format!("the tool is {}", words());
            let exact = found.exactness != MatchExactness::Loose;
            let severity = if exact { Severity::Info } else { Severity::Warning };
            let note = Diagnostic::lowered(Code::ToolAlias, severity, says);
            (id.clone(), Some(note.with_help(format!("use --set tool_name={given} to send the name unchanged"))))
        }
        None => {
            let names = || agent.tools.iter().flat_map(|tool| tool.names());
            let far = |known: &str| strsim::damerau_levenshtein(&known.to_lowercase(), &given.to_lowercase());
            let near = names().map(|known| (far(known), known)).filter(|(far, _)| *far <= MAX_DISTANCE).min();
            let says = match (found.exactness, near) {
                (MatchExactness::Unknown, Some((_, near))) => {
                    format!("{} has no tool \"{given}\"; did you mean {near}?", agent.name)
                }
                (MatchExactness::Unknown, None) => format!("{} has no known tool \"{given}\"", agent.name),
                _ => format!("\"{given}\": {}", words()),
            };
            let note = Diagnostic::new(Code::ToolUnknown, says);
            (
                given.to_owned(),
                Some(note.with_help("the name is sent unchanged; hookbench tools lists the known names")),
            )
        }
    }
}
