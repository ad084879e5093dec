//! `undo`: reverts changes to the user's files, one step at a time.

use std::path::PathBuf;

use clap::Args;

use super::args::Format;
use super::convert::not_written;
use super::exit::Failure;
use super::look::print_json;
use super::print;
use hookbench_app::{self, StateDir, Status, document, make_place};

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
pub fn undo(args: &UndoArgs) -> Result<Status, Failure> {
    let place = make_place(args.project.as_deref(), None)?;
    let state = StateDir::here();
    if args.list {
        let doc = document::undo_list_doc(&hookbench_app::steps(&state, &place.project));
        return match args.format {
            Format::Json => print_json(&doc),
            Format::Text => {
                print::undo_list(&doc);
                Ok(Status::Ok)
            }
        };
    }
    let undone = hookbench_app::undo(&state, &place.project).map_err(|why| not_written(&why))?;
    let doc = document::undo_doc(&undone);
    match args.format {
        Format::Json => print_json(&doc),
        Format::Text => {
            print::undo(&doc);
            Ok(Status::Ok)
        }
    }
}
