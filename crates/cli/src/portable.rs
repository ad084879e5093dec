//! `portable`: in which agents the refusals of hooks, or answers from the command line, refuse.

use clap::{ArgGroup, Args};
use hookbench_core::dialects::{self, find_event};
use hookbench_core::hook::HookDefinition;
use hookbench_core::run::{Exit, RunId, RunReport};

use super::args::CommonArgs;
use super::error::CliError;
use super::formats::Format;
use super::matching::tool_event;
use super::print::{self, emit};
use super::setup;
use super::why::find_hook_in_all_agents;
use hookbench_app::document::{self, PortableAnswerDoc};
use hookbench_app::{AgentState, ExitStatus, InputRequest, Session, SessionOptions};
use hookbench_core::convert::{PortedEffect, USUAL_ANSWERS};

/// The text below the options in the help of `portable`.
pub const PORTABLE_HELP: &str = "\
Reads the script of each hook, converts its settings to every other agent as `hookbench convert` would, leaves the script \
unchanged, and asks the rules of each agent what its refusals do there. A hook whose refusals cannot be read counts as one that \
runs. Nothing is run or written.

With --stdout, --stderr or --status, an answer from the command line is judged in place of hooks.

Exit status: 0 the hook, or the answer, refuses in every agent; 1 it does not; 2 wrong usage. Without a hook or an answer: 0.";

/// `portable`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("judged").args(["stdout", "stderr", "status", "answers"]).multiple(true)))]
pub struct PortableArgs {
    /// Hook: its id (h1), its name, or file:line [default: all hooks]
    pub hook: Option<String>,
    /// Judge an answer that prints this to stdout
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["hook", "answers"])]
    pub stdout: Option<String>,
    /// Judge an answer that prints this to stderr
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["hook", "answers"])]
    pub stderr: Option<String>,
    /// Judge an answer with this exit status
    #[arg(long, value_name = "STATUS", conflicts_with_all = ["hook", "answers"])]
    pub status: Option<i32>,
    /// Print a table of the usual answers
    #[arg(long, conflicts_with = "hook")]
    pub answers: bool,
    /// Event of the answers [default: the first tool event]
    #[arg(long, value_name = "EVENT", requires = "judged")]
    pub event: Option<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Runs `portable`.
pub fn portable(args: &PortableArgs) -> Result<ExitStatus, CliError> {
    let request = InputRequest { agent: args.common.single_agent(), ..InputRequest::default() };
    let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
    let mut session = setup::open(&args.common, &request, options)?;
    session.load(args.common.single_agent());
    let is_answer = args.stdout.is_some() || args.stderr.is_some() || args.status.is_some();
    let doc = if is_answer || args.answers {
        document::portable_doc(&[], answers(&session, args)?)
    } else {
        let wanted = args.hook.as_deref().map(|hook| find_hook_in_all_agents(&session, hook)).transpose()?;
        let is_wanted = |agent: &AgentState, definition: &HookDefinition| {
            wanted.as_ref().is_none_or(|(id, one)| *id == agent.dialect.id() && one.id == definition.id)
        };
        let hooks = session.portable_hooks(&is_wanted, dialects::released());
        document::portable_doc(&hooks, Vec::new())
    };
    emit(args.format, &doc, || print::portable(&doc))?;
    let one = if is_answer { doc.answers.first().map(|answer| &answer.agents) } else { None };
    let one = one.or_else(|| doc.hooks.first().filter(|_| args.hook.is_some()).map(|hook| &hook.agents));
    let refuses = one.is_none_or(|agents| agents.iter().all(|there| there.effect == PortedEffect::Refuses));
    Ok(if refuses { ExitStatus::Ok } else { ExitStatus::NotAsExpected })
}

/// Judges the answer of the command line, or the usual ones.
fn answers(session: &Session, args: &PortableArgs) -> Result<Vec<PortableAnswerDoc>, CliError> {
    let (agent, event) = tool_event(session, args.event.as_deref(), args.common.single_agent())?;
    let none = || CliError::Usage(format!("no agent has an event {event}; `hookbench events` lists all events"));
    let dialect = dialects::by_id(agent.as_str()).ok_or_else(none)?;
    let version = session.agent(agent.as_str()).map(|state| state.version.clone());
    let version = version.unwrap_or_else(|| dialects::default_version(dialect));
    let spec = find_event(dialect, &version, &event).ok_or_else(none)?;
    let judged = |answer: String, report: &dyn Fn(&str) -> RunReport| PortableAnswerDoc {
        answer,
        agents: session.port_answer(dialect, spec, report),
    };
    if args.answers {
        return Ok(USUAL_ANSWERS.iter().map(|one| judged(one.title.to_owned(), &|event| one.report(event))).collect());
    }
    let (stdout, stderr) = (args.stdout.as_deref().unwrap_or(""), args.stderr.as_deref().unwrap_or(""));
    let status = args.status.unwrap_or(0);
    let mut answer = vec![format!("exit {status}")];
    answer.extend((!stdout.is_empty()).then(|| format!("stdout {stdout}")));
    answer.extend((!stderr.is_empty()).then(|| format!("stderr {stderr}")));
    let report = |_: &str| RunReport::new(RunId(0), Exit::Code(status), stdout, stderr);
    Ok(vec![judged(answer.join(", "), &report)])
}
