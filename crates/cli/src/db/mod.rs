//! `db`: the store of recorded events.

mod args;

use std::time::Duration;

pub use args::{DbArgs, DbCommand};
use args::{DbExportArgs, DbListArgs, DbPurgeArgs};

use super::args::Format;
use super::error::CliError;
use super::inspect::print_json;
use super::print;
use hookbench_app::document::recorded_doc;
use hookbench_app::{
    ExitStatus, ExportError, ListDirection, OpenMode, PurgeScope, StateDir, Store, StoreStats, export, move_aside,
    now_ms, open_store,
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
        DbCommand::Mark(args) => open_existing()?.mark(args.event, !args.off)?,
        DbCommand::Comment(args) => open_existing()?.comment(args.event, args.text.as_deref())?,
        DbCommand::Export(args) => export_lines(&open(OpenMode::Read)?, args)?,
        DbCommand::Purge(args) => return purge(args),
        DbCommand::Vacuum => {
            let mut store = open_existing()?;
            let before = store.stat()?;
            store.vacuum()?;
            let after = store.stat()?;
            print::write_stdout(&format!(
                "{} before, {} now\n",
                bytes(before.file + before.log),
                bytes(after.file + after.log)
            ));
        }
        DbCommand::Reindex => reindex(&mut open_existing()?)?,
        DbCommand::SetAside => {
            let path = StateDir::for_process().file(hookbench_app::STORE_FILE);
            let aside = move_aside(&path)
                .map_err(|why| CliError::File { file: path.display().to_string(), why: why.to_string() })?;
            print::write_stdout(&format!("it lies in {} now\n", aside.display()));
        }
    }
    Ok(ExitStatus::Ok)
}

fn list(store: &Store, args: &DbListArgs) -> Result<ExitStatus, CliError> {
    let (filter, now) = (filter(&args.filter)?, now_ms());
    let rows = store.page(&filter, now, ListDirection::Backward, None, args.limit)?;
    let count = store.count(&filter, now)?;
    match args.format {
        Format::Json => print_json(&recorded_doc(&rows, count)),
        Format::Text => {
            print::write_stdout(&print::recorded(&rows, count));
            Ok(ExitStatus::Ok)
        }
    }
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

fn export_lines(store: &Store, args: &DbExportArgs) -> Result<(), CliError> {
    let count =
        export(store, &filter(&args.filter)?, args.output.as_deref()).map_err(|why| match (why, &args.output) {
            (ExportError::Store(fault), _) => CliError::Store(fault),
            (ExportError::File(why), Some(file)) => {
                CliError::File { file: file.display().to_string(), why: why.to_string() }
            }
            (ExportError::File(why), None) => CliError::Internal(why.to_string()),
        })?;
    if let Some(file) = &args.output {
        print::write_stdout(&format!("{} in {}\n", events(count), file.display()));
    }
    Ok(())
}

fn purge(args: &DbPurgeArgs) -> Result<ExitStatus, CliError> {
    let now = now_ms();
    let (what, passing) = match (&args.selection.session, &args.selection.before) {
        (Some(session), _) => (PurgeScope::Session(session.clone()), None),
        (None, Some(text)) => {
            let when = parse_when(text).ok_or_else(|| {
                CliError::Usage(format!("{text} is no time: a day (2026-11-20), an instant, or how long ago (30d)"))
            })?;
            (PurgeScope::Before(when.at(now)), Some(filter(&format!("~until {text}"))?))
        }
        (None, None) => (PurgeScope::All, Some(Filter::everything())),
    };
    let mut store = open_existing()?;
    if args.yes {
        let gone = store.purge(&what)?;
        print::write_stdout(&format!("{} deleted, and {}\n", events(gone.events), sessions(gone.sessions)));
        return Ok(ExitStatus::Ok);
    }
    let count = match &passing {
        Some(filter) => store.count(filter, now)?,
        None => {
            let all = store.sessions(&Filter::everything(), now)?;
            all.iter()
                .filter(|row| args.selection.session.as_ref() == Some(&row.session.session))
                .map(|row| row.events)
                .sum()
        }
    };
    Err(CliError::Consent(format!("{} would be deleted for good, marked or not; --yes does it", events(count))))
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
    let day = |at: Option<i64>| at.and_then(format_time).unwrap_or_else(|| "not known".to_owned());
    let rows = [
        ("file", store.path().display().to_string()),
        ("events", events(stat.events)),
        ("of them live", stat.live.to_string()),
        ("sessions", stat.sessions.to_string()),
        ("oldest", day(stat.oldest)),
        ("newest", day(stat.newest)),
        ("words", format!("indexed {indexed} %")),
        ("size", format!("{}, and a log of {}", bytes(stat.file), bytes(stat.log))),
        ("unused", bytes(stat.free)),
    ];
    let lines: Vec<String> = rows.iter().map(|(name, value)| format!("{name:<13}{value}")).collect();
    lines.join("\n") + "\n"
}

fn filters() -> String {
    let mut text =
        "A word is searched in the values of the payload; buil* goes on, \"rm -rf\" are words in this order.\n\
        One filter after another, or with &: both. |: either. !: not. ( ) go together.\n\n"
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

fn bytes(count: u64) -> String {
    match count {
        n if n >= 10 << 20 => format!("{} MB", n >> 20),
        n if n >= 10 << 10 => format!("{} kB", n >> 10),
        n => format!("{n} bytes"),
    }
}
