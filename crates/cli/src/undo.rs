//! `undo`: reverts changes to the user's files, one step at a time.

use std::path::PathBuf;

use clap::Args;

use super::args::Format;
use super::convert::write_error;
use super::error::CliError;
use super::inspect::print_json;
use super::print;
use hookbench_app::{self, ExitStatus, StateDir, document, make_place};

/// `undo`.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// Project whose last change is taken back, in its own files or in those of the home folder [default: here]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// List what can be taken back, the newest first, and change nothing
    #[arg(long)]
    pub list: bool,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Runs `undo`.
pub fn undo(args: &UndoArgs) -> Result<ExitStatus, CliError> {
    let place = make_place(args.project.as_deref(), None)?;
    let state = StateDir::for_process();
    if args.list {
        let doc = document::undo_list_doc(&hookbench_app::steps(&state, &place.project));
        return match args.format {
            Format::Json => print_json(&doc),
            Format::Text => {
                print::undo_list(&doc);
                Ok(ExitStatus::Ok)
            }
        };
    }
    let undone = hookbench_app::undo(&state, &place.project).map_err(|why| write_error(&why))?;
    let doc = document::undo_doc(&undone);
    match args.format {
        Format::Json => print_json(&doc),
        Format::Text => {
            print::undo(&doc);
            Ok(ExitStatus::Ok)
        }
    }
}
