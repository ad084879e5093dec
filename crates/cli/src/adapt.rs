//! The arguments of `adapt` for its help, its manual page and completions. The program itself reads them before all
//! other commands, in a way that never ends with the status of a refusal.

use std::ffi::OsString;

use clap::Args;
use hookbench_app::ExitStatus;
use hookbench_core::names::AgentId;

use super::args::agent_parser;
use super::error::CliError;

/// The text below the options in the help of `adapt`.
pub const ADAPT_HELP: &str = "\
Agents run this command as a hook. The script receives the payload that its own agent would have sent for this event, \
with its names of the event, the tool and the keys. hookbench translates the answer for the agent that runs the hook, and checks \
the translation: it compares the decisions of both agents, and writes each difference to stderr and to \
~/.local/state/hookbench/adapt.log. If the agent can block the event, a refusal stays a refusal. If the agent cannot ask its user \
or change the input of a tool, it refuses.

Exit status: that of the script, if the agent understands it; 1 if the script did not run.";

/// `adapt`.
#[derive(Debug, Args)]
pub struct AdaptArgs {
    /// Agent that the script was written for
    #[arg(long, value_parser = agent_parser(), value_name = "AGENT")]
    pub from: AgentId,
    /// Agent that runs the hook [default: found from the payload]
    #[arg(long, value_parser = agent_parser(), value_name = "AGENT")]
    pub agent: Option<AgentId>,
    /// Event as the script expects it, for an agent with two spellings [default: the PascalCase one]
    #[arg(long, value_name = "EVENT")]
    pub event: Option<String>,
    /// The script with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Runs `adapt` with the arguments of the process.
pub fn adapt() -> Result<ExitStatus, CliError> {
    match hookbench_system::adapt::run(std::env::args_os().skip(2)) {
        0 => Ok(ExitStatus::Ok),
        status => std::process::exit(status.into()),
    }
}
