//! `db`: the store of recorded events.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::consent::{can_ask, confirm};
use crate::error::CliError;
use crate::formats::Format;
use crate::print::text_page::byte_size;
use crate::print::{self, emit};
use hookbench_app::document::{recorded_doc, recorded_event_doc};
use hookbench_app::{
    ExitStatus, ExportError, ListDirection, OpenMode, PurgeScope, StateDir, Store, StoreStats, export, make_place,
    moment_of, move_aside, now_ms, open_store, write_stderr,
};
use hookbench_core::filter::{Filter, OPERATORS, parse, parse_when};
use hookbench_core::recorded::format_time;
use hookbench_core::text::pluralize;

/// Runs `db`.
pub fn db(command: &DbCommand) -> Result<ExitStatus, CliError> {
    let open = |mode: OpenMode| open_store(&StateDir::for_process(), mode);
    match command {
        DbCommand::Filters => print::write_stdout(&filters()),
        DbCommand::Stat => {
            let store = open(OpenMode::Read)?;
            print::write_stdout(&stat(&store, store.stat()?, store.index_progress()?.percent()));
        }
        DbCommand::List(args) => return list(&open(OpenMode::Read)?, args),
        DbCommand::Show(args) => return show(&open(OpenMode::Read)?, args),
        DbCommand::Mark(args) => open_existing()?.mark(args.event, !args.off)?,
        DbCommand::Comment(args) => open_existing()?.comment(args.event, args.text.as_deref())?,
        DbCommand::Export(args) => return export_lines(&open(OpenMode::Read)?, args),
        DbCommand::Purge(args) => return purge(args),
        DbCommand::Vacuum => {
            let mut store = open_existing()?;
            let before = store.stat()?;
            store.vacuum()?;
            let after = store.stat()?;
            print::write_stdout(&format!(
                "{} before, {} now\n",
                byte_size(before.file + before.log),
                byte_size(after.file + after.log)
            ));
        }
        DbCommand::Reindex => reindex(&mut open_existing()?)?,
        DbCommand::SetAside => {
            let path = StateDir::for_process().file(hookbench_app::STORE_FILE);
            let aside = move_aside(&path).map_err(|why| CliError::of_file(&path, &why))?;
            print::write_stdout(&format!("moved to {}\n", aside.display()));
        }
    }
    Ok(ExitStatus::Ok)
}

fn list(store: &Store, args: &DbListArgs) -> Result<ExitStatus, CliError> {
    let (filter, now) = (filter(&args.filter)?, now_ms());
    let rows = store.page(&filter, now, ListDirection::Backward, None, args.limit)?;
    let count = store.count(&filter, now)?;
    emit(args.format, &recorded_doc(&rows, count), || print::write_stdout(&print::recorded(&rows, count)))
}

fn show(store: &Store, args: &DbShowArgs) -> Result<ExitStatus, CliError> {
    let number = args.event;
    let event = store.event(number)?.ok_or_else(|| {
        CliError::Usage(format!(
            "event {number} is not in the store\n  help: `hookbench db list` lists recorded events"
        ))
    })?;
    let place = make_place(None, None)?;
    let moment = moment_of(&event, &place, u64::MAX);
    let doc = recorded_event_doc(number, &event, &moment);
    emit(args.format, &doc, || print::write_stdout(&print::recorded_event(&doc)))
}

/// Opens an existing store for writing. Does not create a store.
fn open_existing() -> Result<Store, CliError> {
    let state = StateDir::for_process();
    drop(open_store(&state, OpenMode::Read)?);
    Ok(open_store(&state, OpenMode::Write)?)
}

/// Parses a filter argument. Returns an error that points at the invalid part.
pub(super) fn filter(text: &str) -> Result<Filter, CliError> {
    parse(text).map_err(|wrong| {
        CliError::Usage(format!("{wrong}\n  {}\n{}", wrong.with_carets(text).replace('\n', "\n  "), wrong.help))
    })
}

fn export_lines(store: &Store, args: &DbExportArgs) -> Result<ExitStatus, CliError> {
    let report =
        export(store, &filter(&args.filter)?, args.output.as_deref()).map_err(|why| match (why, &args.output) {
            (ExportError::Store(fault), _) => CliError::Store(fault),
            (ExportError::File(why), Some(file)) => CliError::of_file(file, &why),
            (ExportError::File(why), None) => CliError::Internal(why.to_string()),
        })?;
    if let Some(file) = &args.output {
        print::write_stdout(&format!("{} written to {}\n", events(report.events), file.display()));
    }
    for (seq, why) in &report.damaged {
        write_stderr(format!("event #{seq} is damaged and left out: {why}"));
    }
    if let Some(why) = &report.doubt {
        let why = why.replace('\n', " ");
        write_stderr(format!(
            "the store is damaged, so other events may be missing here, or changed: {why}\n  help: \
             restore the file from a backup, or import the sessions again into a new store (`hookbench db set-aside`)"
        ));
    } else if report.damaged.is_empty() {
        return Ok(ExitStatus::Ok);
    }
    if !report.damaged.is_empty() {
        write_stderr(damaged_events(report.damaged.len() as u64));
    }
    Ok(ExitStatus::BadFile)
}

/// Says how many events of the store could not be read, and what to do.
pub(super) fn damaged_events(count: u64) -> String {
    let are = if count == 1 { "is" } else { "are" };
    format!(
        "{} {are} damaged and left out; the others are complete\n  help: `hookbench db export -o FILE`, `hookbench db \
         set-aside` and `hookbench import FILE` make a new store of the others",
        events(count)
    )
}

fn purge(args: &DbPurgeArgs) -> Result<ExitStatus, CliError> {
    let now = now_ms();
    let (what, passing) = match (&args.selection.session, &args.selection.before) {
        (Some(session), _) => (PurgeScope::Session(session.clone()), None),
        (None, Some(text)) => {
            let when = parse_when(text).ok_or_else(|| {
                CliError::Usage(format!("{text} is not a time; write a day (2026-11-20), a time, or an age (30d)"))
            })?;
            (PurgeScope::Before(when.at(now)), Some(filter(&format!("~until {text}"))?))
        }
        (None, None) => (PurgeScope::All, Some(Filter::everything())),
    };
    let mut store = open_existing()?;
    if !args.yes {
        let count = count_purged(&store, args, passing.as_ref(), now)?;
        confirm_purge(count)?;
    }
    let gone = store.purge(&what)?;
    print::write_stdout(&format!("{} and {} deleted\n", events(gone.events), sessions(gone.sessions)));
    Ok(ExitStatus::Ok)
}

/// Counts the events that a purge would delete. `None` as the filter selects the session of the arguments.
fn count_purged(store: &Store, args: &DbPurgeArgs, passing: Option<&Filter>, now: i64) -> Result<u64, CliError> {
    Ok(match passing {
        Some(filter) => store.count(filter, now)?,
        None => {
            let all = store.sessions(&Filter::everything(), now)?;
            all.iter()
                .filter(|row| args.selection.session.as_ref() == Some(&row.session.session))
                .map(|row| row.events)
                .sum()
        }
    })
}

/// Asks on the terminal whether the events may be deleted.
fn confirm_purge(count: u64) -> Result<(), CliError> {
    let what = format!("{} would be deleted permanently, marked ones too", events(count));
    if !can_ask() {
        return Err(CliError::Consent(format!("{what}\n  help: add --yes to delete them")));
    }
    if confirm(&format!("{what}. Delete them?")) {
        Ok(())
    } else {
        Err(CliError::Consent("nothing was deleted".to_owned()))
    }
}

fn reindex(store: &mut Store) -> Result<(), CliError> {
    store.clear_index()?;
    loop {
        let indexed = store.continue_index(Duration::from_secs(1))?;
        if indexed.complete() {
            print::write_stdout(&format!("{} indexed\n", events(store.stat()?.events)));
            return Ok(());
        }
    }
}

fn stat(store: &Store, stat: StoreStats, indexed: u64) -> String {
    let day = |at: Option<i64>| at.and_then(format_time).unwrap_or_else(|| "unknown".to_owned());
    let rows = [
        ("file", store.path().display().to_string()),
        ("events", events(stat.events)),
        ("captured", format!("{} from running agents", stat.live)),
        ("logged", format!("{} fired by you", stat.logged)),
        ("sessions", stat.sessions.to_string()),
        ("oldest", day(stat.oldest)),
        ("newest", day(stat.newest)),
        ("search", format!("{indexed} % indexed")),
        ("size", format!("{}, and {} of log", byte_size(stat.file), byte_size(stat.log))),
        ("unused", byte_size(stat.free)),
    ];
    let lines: Vec<String> = rows.iter().map(|(name, value)| format!("{name:<13}{value}")).collect();
    lines.join("\n") + "\n"
}

fn filters() -> String {
    let mut text =
        "A word searches the values of payloads. buil* finds words that begin with buil, and \"rm -rf\" finds these words in\n\
        this order. Filters in a row, or with & between them, must all match; | means or, ! means not, and ( ) make groups.\n\n"
            .to_owned();
    for operator in OPERATORS {
        let written = format!("{} {}", operator.name, operator.argument.unwrap_or_default());
        text.push_str(&format!("  {:<14} {:<20} {}\n", written.trim_end(), operator.example, operator.description));
    }
    text
}

fn events(count: u64) -> String {
    pluralize(count, "event")
}

fn sessions(count: u64) -> String {
    pluralize(count, "session")
}

/// `db`.
#[derive(Debug, Args)]
pub struct DbArgs {
    #[command(subcommand)]
    pub command: DbCommand,
}

/// The commands of `db`.
#[derive(Debug, clap::Subcommand)]
pub enum DbCommand {
    /// Show the number of events, their dates and their size
    Stat,
    /// List recorded events, newest first
    List(DbListArgs),
    /// Show an event, with the transcript and the todos that its hooks could have read
    Show(DbShowArgs),
    /// Mark an event, so that automatic cleanup keeps it
    Mark(DbMarkArgs),
    /// Add a comment to an event, or remove it
    Comment(DbCommentArgs),
    /// Explain the filter language, with an example of each operator
    Filters,
    /// Export events as JSON lines, oldest first
    Export(DbExportArgs),
    /// Delete events permanently (asks first)
    Purge(DbPurgeArgs),
    /// Free the disk space of deleted events
    Vacuum,
    /// Rebuild the search index
    Reindex,
    /// Move a damaged store to another name; deletes nothing
    SetAside,
}

/// `db list`.
#[derive(Debug, Args)]
pub struct DbListArgs {
    /// Only events that match, such as '~t Bash ~v deny'; hookbench db filters explains it [default: all]
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    pub filter: String,
    /// Maximum number of events
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub limit: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `db show`.
#[derive(Debug, Args)]
pub struct DbShowArgs {
    /// Number of the event
    pub event: i64,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `db mark`.
#[derive(Debug, Args)]
pub struct DbMarkArgs {
    /// Number of the event
    pub event: i64,
    /// Remove the mark
    #[arg(long)]
    pub off: bool,
}

/// `db comment`.
#[derive(Debug, Args)]
pub struct DbCommentArgs {
    /// Number of the event
    pub event: i64,
    /// Comment [default: remove the comment]
    pub text: Option<String>,
}

/// `db export`.
#[derive(Debug, Args)]
pub struct DbExportArgs {
    /// Only events that match, such as '~t Bash ~v deny'; hookbench db filters explains it [default: all]
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    pub filter: String,
    /// File to write, readable by its owner only [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `db purge`.
#[derive(Debug, Args)]
pub struct DbPurgeArgs {
    #[command(flatten)]
    pub selection: DbPurgeSelection,
    /// Answer yes: delete the events without asking
    #[arg(long)]
    pub yes: bool,
}

/// The events to delete: one of these arguments.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct DbPurgeSelection {
    /// Delete this session
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Delete events before a day, a time, or an age: 2026-11-20, 30d
    #[arg(long, value_name = "TIME")]
    pub before: Option<String>,
    /// Delete all events
    #[arg(long)]
    pub all: bool,
}
