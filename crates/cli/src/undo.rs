//! `undo`: reverts changes to the user's files, one step at a time.

use std::path::PathBuf;

use clap::Args;

use super::consent::confirm_write;
use super::error::CliError;
use super::formats::Format;
use super::print::{self, emit};
use hookbench_app::{self, ExitStatus, StateDir, document, make_place};

/// `undo`.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// Project whose last change is undone, in its files or in your home directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// List the changes that can be undone, newest first, and undo nothing
    #[arg(long)]
    pub list: bool,
    /// Answer yes: undo the change without asking
    #[arg(long, conflicts_with = "list")]
    pub yes: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Runs `undo`.
pub fn undo(args: &UndoArgs) -> Result<ExitStatus, CliError> {
    let place = make_place(args.project.as_deref(), None)?;
    let state = StateDir::for_process();
    if args.list {
        let doc = document::undo_list_doc(&hookbench_app::steps(&state, &place.project));
        return emit(args.format, &doc, || print::undo_list(&doc));
    }
    if !args.yes {
        let next = document::undo_doc(&hookbench_app::next_undo(&state, &place.project)?);
        if args.format == Format::Text {
            print::undo(&next, false);
        }
        confirm_write("Undo this change?", args.format != Format::Json)?;
    }
    let undone = hookbench_app::undo(&state, &place.project)?;
    if args.yes || args.format == Format::Json {
        let doc = document::undo_doc(&undone);
        return emit(args.format, &doc, || print::undo(&doc, true));
    }
    print::write_stdout("undone\n");
    Ok(ExitStatus::Ok)
}
