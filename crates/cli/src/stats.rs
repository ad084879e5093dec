//! `stats`: the times and failures of each hook over recorded runs.

use std::path::PathBuf;

use clap::Args;

use super::error::CliError;
use super::formats::{PageFormat, SharingArgs};
use super::print::{self, emit_page};
use hookbench_app::{
    Consent, DiskFiles, ExitStatus, OpenMode, Session, SessionOptions, StateDir, document, hook_stats, make_place,
    now_ms, open_store,
};
use hookbench_core::dialects;

/// The text below the options in the help of `stats`.
pub const STATS_HELP: &str = "\
Counts the runs of hooks that are in the store: those of agents' sessions, of replays with --run, and of `fire` if the log of \
runs is on. p50 and p95 are the times that 50 and 95 of 100 runs stay within. A failed run ended with another exit status \
than 0 or 2, by a signal, or at its time limit. `of limit` compares p95 with the time limit in the current settings. The \
course shows the medians of the runs in the order in which they were recorded, each hook by its own scale.

Exit status: 0; 2 wrong usage; 5 the store cannot be read.";

/// `stats`.
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// Only events that match, such as '~t Bash ~since 7d'; hookbench db filters explains it [default: all]
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    pub filter: String,
    /// Project whose settings name the time limits [default: the current directory]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Home directory for user-level settings [default: your own]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    #[command(flatten)]
    pub sharing: SharingArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = PageFormat::Text)]
    pub format: PageFormat,
}

/// Runs `stats`.
pub fn stats(args: &StatsArgs) -> Result<ExitStatus, CliError> {
    let filter = super::db::filter(&args.filter)?;
    let place = make_place(args.project.as_deref(), args.home.as_deref())?;
    let store = open_store(&StateDir::for_process(), OpenMode::Read)?;
    let mut stats = hook_stats(&store, &filter, now_ms())?;
    let mut options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
    options.watch.enabled = false;
    let agent = dialects::DEFAULT.id();
    let mut session = Session::new(options, place, Box::new(DiskFiles), agent, &[], Consent::default());
    session.load(None);
    session.add_configured(&mut stats);
    let doc = document::stats_doc(&args.filter, stats);
    emit_page(args.format, &args.sharing, &doc, |page| print::stats(page, &doc))
}
