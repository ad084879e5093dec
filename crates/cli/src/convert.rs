//! `convert`: converts one agent's hooks into another's.

use clap::Args;
use hookbench_core::names::AgentId;

use super::args::{PlaceArgs, any_agent_parser, default_layer, layer_parser};
use super::error::CliError;
use super::print::{self, emit};
use hookbench_app::{self, ConvertError, ConvertRequest, ExitStatus, LinkPolicy, document, make_place};
use hookbench_core::dialects;
use hookbench_core::hook::Layer;

/// The text below the options in the help of `convert`.
pub const CONVERT_HELP: &str = "\
Shows the change as a patch, and writes it only with --yes. The file keeps its hooks, its comments and their order, and a \
hook that is already there is not added again. A hook that cannot be converted is left out and listed; a hook that would \
run more often is marked. Then hookbench plans every event that both agents have, and lists each hook that runs in one \
agent only. The output of hooks is not converted, unless --adapt lets hookbench adapt run them.

Exit status: 0 nothing is lost and both agents run the same hooks; 1 something is lost or differs; 2 wrong usage; 5 the \
other agent's file cannot be changed.";

/// `convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Agent whose hooks are converted
    #[arg(long, value_parser = any_agent_parser(), value_name = "AGENT")]
    pub from: AgentId,
    /// Agent that gets the hooks
    #[arg(long, value_parser = any_agent_parser(), value_name = "AGENT")]
    pub to: AgentId,
    /// Run each script through hookbench adapt, which translates its payload and its answer
    #[arg(long)]
    pub adapt: bool,
    /// Answer yes: write the settings file; hookbench undo restores it
    #[arg(long, alias = "write", overrides_with = "yes")]
    pub yes: bool,
    /// Write even if the file is a link to a file outside the project
    #[arg(long, requires = "yes")]
    pub follow_links: bool,
    /// Convert the hooks of the project with the local ones, only the local ones, or those in your home directory [default: project, if the agent has hooks of one]
    #[arg(long, value_parser = layer_parser(&[Layer::Project, Layer::Local, Layer::User]), value_name = "LAYER")]
    pub layer: Option<Layer>,
    #[command(flatten)]
    pub place_args: PlaceArgs,
}

/// Runs `convert`.
pub fn convert(args: &ConvertArgs) -> Result<ExitStatus, CliError> {
    let place = make_place(args.place_args.project.as_deref(), args.place_args.home.as_deref())?;
    let known = |id| dialects::by_id(id).ok_or_else(|| CliError::Usage(format!("unknown agent {id}")));
    let links = LinkPolicy::from_flag(args.follow_links);
    let (from, to) = (known(args.from.as_str())?, known(args.to.as_str())?);
    let layer = args.layer.unwrap_or_else(|| default_layer([from], &place));
    let request = ConvertRequest { from, to, layer, adapt: args.adapt, write: args.yes, links };
    let converted = hookbench_app::convert(&place, &request).map_err(failure)?;
    let doc = document::convert_doc(&converted);
    emit(args.place_args.format, &doc, || print::convert(&doc, [from.name(), to.name()]))?;
    Ok(if converted.is_lossless() { ExitStatus::Ok } else { ExitStatus::NotAsExpected })
}

fn failure(why: ConvertError) -> CliError {
    let says = why.to_string();
    match why {
        ConvertError::Same(_) => CliError::Usage(says),
        ConvertError::Refused(_) => CliError::BadInput(says),
        ConvertError::Write(why) => why.into(),
    }
}
