//! `convert`: converts one agent's hooks into another's.

use clap::Args;

use super::args::{Format, PlaceArgs, agent, agent_ids};
use super::error::CliError;
use super::inspect::print_json;
use super::print;
use hookbench_app::{self, ConvertError, ConvertRequest, ExitStatus, LinkPolicy, WriteError, document, make_place};
use hookbench_core::dialects;
use hookbench_core::hook::Layer;

/// The text below the options in the help of `convert`.
pub const CONVERT_HELP: &str = "\
Without --write nothing is written: what would change is shown as a patch. Hooks that stand in the other agent's file stay, \
with its comments and its order, and one that is there already is not added again. A hook that cannot be converted is left \
out and named; none is made wider than it was without saying so. Then every event that both agents have is planned under \
both, and each hook that does not run alike is listed. What the hooks print is not translated.

Exit status: 0 nothing is lost and both run the same, 1 something is lost or differs, 2 wrong usage, 5 the other agent's \
file cannot be added to.

Example: hookbench convert --from AGENT --to OTHER --write, and hookbench undo takes it back.";

/// `convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Agent whose hooks they are
    #[arg(long, value_parser = agent, value_name = "AGENT", help = from_help())]
    pub from: &'static str,
    /// Agent that is to have them
    #[arg(long, value_parser = agent, value_name = "AGENT")]
    pub to: &'static str,
    /// Write the other agent's settings file; hookbench undo takes it back
    #[arg(long)]
    pub write: bool,
    /// Write also where the file is a link that leads out of the project
    #[arg(long, requires = "write")]
    pub follow_links: bool,
    /// The project's hooks (the local ones too), the local ones alone, or those in the home folder
    #[arg(long, value_parser = layer, value_name = "project|local|user", default_value = "project")]
    pub layer: Layer,
    #[command(flatten)]
    pub place_args: PlaceArgs,
}

fn from_help() -> String {
    format!("Agent whose hooks they are: {}", agent_ids(", "))
}

fn layer(text: &str) -> Result<Layer, String> {
    let known = [Layer::Project, Layer::Local, Layer::User];
    known.into_iter().find(|layer| layer.word() == text).ok_or_else(|| "layers are project, local and user".to_owned())
}

/// Runs `convert`.
pub fn convert(args: &ConvertArgs) -> Result<ExitStatus, CliError> {
    let place = make_place(args.place_args.project.as_deref(), args.place_args.home.as_deref())?;
    let known = |id| dialects::by_id(id).ok_or_else(|| CliError::Usage(format!("no agent is called {id}")));
    let links = LinkPolicy::from_flag(args.follow_links);
    let (from, to) = (known(args.from)?, known(args.to)?);
    let request = ConvertRequest { from, to, layer: args.layer, write: args.write, links };
    let converted = hookbench_app::convert(&place, &request).map_err(failure)?;
    let doc = document::convert_doc(&converted);
    match args.place_args.format {
        Format::Json => print_json(&doc)?,
        Format::Text => {
            let names = [request.from.name(), request.to.name()];
            print::convert(&doc, names);
            ExitStatus::Ok
        }
    };
    Ok(if converted.is_lossless() { ExitStatus::Ok } else { ExitStatus::NotAsExpected })
}

fn failure(why: ConvertError) -> CliError {
    let says = why.to_string();
    match why {
        ConvertError::Same(_) => CliError::Usage(says),
        ConvertError::Refused(_) => CliError::BadInput(says),
        ConvertError::Write(why) => write_error(&why),
    }
}

/// Converts a failed write to a user's file into a command failure.
pub(super) fn write_error(why: &WriteError) -> CliError {
    match why {
        WriteError::Nothing | WriteError::Elsewhere(_) => CliError::Usage(why.to_string()),
        _ => CliError::BadInput(why.to_string()),
    }
}
