//! `diff`: the differences between two recorded events.

use clap::Args;

use super::error::CliError;
use super::formats::{PageFormat, SharingArgs};
use super::print::{self, emit_page};
use hookbench_app::{ExitStatus, OpenMode, StateDir, Store, document, open_store};
use hookbench_core::recorded::RecordedEvent;

/// The text below the options in the help of `diff`.
pub const DIFF_HELP: &str = "\
Compares the decision, the hooks that ran and how they ended, the payload, the output and the times. `hookbench db list` lists \
the recorded events; those that you fire are among them if the log of runs is on.

Exit status: 0, with differences too; 2 no such event; 5 the store cannot be read.";

/// `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Number or id of the earlier event
    #[arg(value_name = "RUN")]
    pub before: String,
    /// Number or id of the later event
    #[arg(value_name = "OTHER")]
    pub after: String,
    #[command(flatten)]
    pub sharing: SharingArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = PageFormat::Text)]
    pub format: PageFormat,
}

/// Runs `diff`.
pub fn diff(args: &DiffArgs) -> Result<ExitStatus, CliError> {
    let store = open_store(&StateDir::for_process(), OpenMode::Read)?;
    let (before, after) = (find_event(&store, &args.before)?, find_event(&store, &args.after)?);
    let doc = document::diff_doc((before.0, &before.1), (after.0, &after.1));
    emit_page(args.format, &args.sharing, &doc, |page| print::diff(page, &doc))
}

/// Finds an event by its number or its id.
fn find_event(store: &Store, name: &str) -> Result<(i64, RecordedEvent), CliError> {
    let seq = match name.trim_start_matches('#').parse::<i64>() {
        Ok(seq) => Some(seq),
        Err(_) => store.find(name)?,
    };
    let event = seq.map(|seq| store.event(seq)).transpose()?.flatten();
    seq.zip(event).ok_or_else(|| {
        let help = "`hookbench db list` lists recorded events";
        CliError::Usage(format!("{name} is neither the number nor the id of a recorded event\n  help: {help}"))
    })
}
