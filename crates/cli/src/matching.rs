//! `match`: tests one matcher against every known name, in every agent.

use clap::Args;
use hookbench_core::names::AgentId;

use super::args::CommonArgs;
use super::error::CliError;
use super::formats::Format;
use super::print::{self, emit};
use super::setup::{self, event_of_neutral_name};
use super::why::find_hook_in_all_agents;
use hookbench_app::{
    AgentState, DiskFiles, ExitStatus, InputRequest, LinkPolicy, MatcherAssessment, MatcherChange, Session,
    SessionOptions, SubjectCounts, agents_of_project, document, write_matcher,
};
use hookbench_core::dialects::{self, find_event};
use hookbench_core::hook::HookDefinition;
use hookbench_core::matching::MatchTable;
use hookbench_core::port::nearest_event;

/// `match`.
#[derive(Debug, Args)]
pub struct MatchArgs {
    /// Matcher to try [default: the hook's own]
    #[arg(required_unless_present = "hook")]
    pub matcher: Option<String>,
    /// Hook that has the matcher: its id (h1), its name, or file:line
    #[arg(long)]
    pub hook: Option<String>,
    /// Event name [default: the hook's own, or the first tool event]
    #[arg(long, value_name = "EVENT", conflicts_with = "hook")]
    pub event: Option<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Also try the matcher on this name; repeatable
    #[arg(long, value_name = "NAME")]
    pub value: Vec<String>,
    /// Answer yes: write the matcher to the hook's file; hookbench undo restores it
    #[arg(long, alias = "write", overrides_with = "yes", requires = "hook", requires = "matcher")]
    pub yes: bool,
    /// Write even if the file is a link to a file outside the project
    #[arg(long, requires = "yes")]
    pub follow_links: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Runs `match`.
pub fn matching(args: &MatchArgs) -> Result<ExitStatus, CliError> {
    let request = InputRequest { agent: args.common.single_agent(), ..InputRequest::default() };
    let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
    let mut session = setup::open(&args.common, &request, options)?;
    session.load(args.common.single_agent());
    let hook = args.hook.as_deref().map(|hook| find_hook_in_all_agents(&session, hook)).transpose()?;
    let (agent, event) = match &hook {
        Some((agent, definition)) => (*agent, definition.event.clone()),
        None => tool_event(&session, args.event.as_deref(), args.common.single_agent())?,
    };
    let definition = hook.as_ref().map(|(_, definition)| definition);
    let board = board(&session, args, (agent.as_str(), &event), definition)?;
    let has = definition.map(HookDefinition::matcher_text);
    let matcher = args.matcher.clone().or_else(|| has.clone()).unwrap_or_default();
    let asked = MatcherAssessment::of(&board, &matcher, has.as_deref());
    let change = match &hook {
        Some((agent, definition)) if has.as_ref() != Some(&matcher) => {
            let change = session.change_matcher(agent.as_str(), &definition.id, &matcher);
            match change {
                Ok(change) => Some(change),
                Err(why) if args.yes => return Err(CliError::BadInput(why.to_string())),
                Err(_) => None,
            }
        }
        _ => None,
    };
    if args.yes
        && let Some(change) = &change
    {
        write_matcher(session.place(), change, LinkPolicy::from_flag(args.follow_links))?;
    }
    print_result(args, &board, &asked, definition, change.as_ref())
}

fn print_result(
    args: &MatchArgs,
    board: &MatchTable,
    asked: &MatcherAssessment,
    definition: Option<&HookDefinition>,
    change: Option<&MatcherChange>,
) -> Result<ExitStatus, CliError> {
    let doc = document::match_doc(board, asked, definition, change.map(|change| (change, args.yes)));
    emit(args.format, &doc, || print::matching(&doc, asked))
}

/// Returns the requested event, or the first one about tools, and the first agent that has it; agents with settings in the
/// project come first.
pub(super) fn tool_event(
    session: &Session,
    event: Option<&str>,
    agent: Option<AgentId>,
) -> Result<(AgentId, String), CliError> {
    let of_project = agents_of_project(session.place(), &DiskFiles);
    let is_of_project = |agent: &AgentState| of_project.iter().any(|one| one.id() == agent.dialect.id());
    let asked = |one: &AgentState| agent.is_none_or(|id| id == one.dialect.id());
    let mut agents: Vec<&AgentState> = session.agents().iter().filter(|agent| asked(agent)).collect();
    agents.sort_by_key(|agent| !is_of_project(agent));
    if let Some(own) = event.and_then(|name| event_of_neutral_name(name, agent)) {
        return Ok(own);
    }
    let found = match event {
        Some(name) => agents.iter().find_map(|a| Some((a.dialect.id(), find_event(a.dialect, &a.version, name)?))),
        None => agents.iter().find_map(|a| {
            let about_tools = a.dialect.events(&a.version).into_iter().find(|e| e.subject == Some("tool_name"));
            Some((a.dialect.id(), about_tools?))
        }),
    };
    let near = || agents.iter().find_map(|agent| nearest_event(agent.dialect, &agent.version, event?));
    let none = || {
        let advice =
            near().map_or("`hookbench events` lists all events".to_owned(), |near| format!("did you mean {near}?"));
        CliError::Usage(format!("no agent has an event {}; {advice}", event.unwrap_or("with tools")))
    };
    found.map(|(agent, event)| (agent, event.name.to_owned())).ok_or_else(none)
}

fn board(
    session: &Session,
    args: &MatchArgs,
    of: (&str, &str),
    definition: Option<&HookDefinition>,
) -> Result<MatchTable, CliError> {
    let shows = |agent: &str| args.common.single_agent().is_none_or(|one| one == agent);
    let kinds = SubjectCounts::of_place(session.place());
    let board = session.board(of, &shows, Some(&kinds), definition, &args.value);
    let name = dialects::by_id(of.0).map_or(of.0, |dialect| dialect.name());
    board.ok_or_else(|| CliError::Usage(format!("{name} has no event {}", of.1)))
}
