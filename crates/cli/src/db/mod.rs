//! `db`: the store of recorded events.

mod args;

use std::time::Duration;

pub use args::{DbArgs, DbCommand};
use args::{DbExportArgs, DbListArgs, DbPurgeArgs};

use super::args::Format;
use super::exit::Failure;
use super::look::print_json;
use super::print;
use hookbench_app::document::recorded_doc;
use hookbench_app::{
    Direction, ExportError, Mode, Purge, Stat, StateDir, Status, Store, export, move_aside, now_ms, open_store,
};
use hookbench_core::filter::{Filter, OPERATORS, parse, parse_when};
use hookbench_core::recorded::time_text;
use hookbench_core::text::counted;

/// Runs `db`.
pub fn db(command: &DbCommand) -> Result<Status, Failure> {
    let open = |mode: Mode| open_store(&StateDir::here(), mode);
    match command {
        DbCommand::Filters => print::out(&filters()),
        DbCommand::Stat => {
            let store = open(Mode::Read)?;
            print::out(&stat(&store, store.stat()?, store.indexed()?.percent()));
        }
        DbCommand::List(args) => return list(&open(Mode::Read)?, args),
        DbCommand::Mark(args) => existing()?.mark(args.event, !args.off)?,
        DbCommand::Comment(args) => existing()?.comment(args.event, args.text.as_deref())?,
        DbCommand::Export(args) => export_lines(&open(Mode::Read)?, args)?,
        DbCommand::Purge(args) => return purge(args),
        DbCommand::Vacuum => {
            let mut store = existing()?;
            let before = store.stat()?;
            store.vacuum()?;
            let after = store.stat()?;
            print::out(&format!("{} before, {} now\n", bytes(before.file + before.log), bytes(after.file + after.log)));
        }
        DbCommand::Reindex => reindex(&mut existing()?)?,
        DbCommand::SetAside => {
            let path = StateDir::here().file(hookbench_app::STORE_FILE);
            let aside = move_aside(&path)
                .map_err(|why| Failure::File { file: path.display().to_string(), why: why.to_string() })?;
            print::out(&format!("it lies in {} now\n", aside.display()));
        }
    }
    Ok(Status::Ok)
}

fn list(store: &Store, args: &DbListArgs) -> Result<Status, Failure> {
    let (filter, now) = (filter(&args.filter)?, now_ms());
    let rows = store.page(&filter, now, Direction::Backward, None, args.limit)?;
    let count = store.count(&filter, now)?;
    match args.format {
        Format::Json => print_json(&recorded_doc(&rows, count)),
        Format::Text => {
            print::out(&print::recorded(&rows, count));
            Ok(Status::Ok)
        }
    }
}

/// Opens an existing store for writing. Does not create a store.
fn existing() -> Result<Store, Failure> {
    let state = StateDir::here();
    drop(open_store(&state, Mode::Read)?);
    Ok(open_store(&state, Mode::Write)?)
}

/// Parses a filter argument. Returns an error that points at the invalid part.
pub(super) fn filter(text: &str) -> Result<Filter, Failure> {
    parse(text).map_err(|wrong| {
        Failure::Usage(format!("{wrong}\n  {}\n{}", wrong.pointed(text).replace('\n', "\n  "), wrong.help))
    })
}

fn export_lines(store: &Store, args: &DbExportArgs) -> Result<(), Failure> {
    let count =
        export(store, &filter(&args.filter)?, args.output.as_deref()).map_err(|why| match (why, &args.output) {
            (ExportError::Store(fault), _) => Failure::Store(fault),
            (ExportError::File(why), Some(file)) => {
                Failure::File { file: file.display().to_string(), why: why.to_string() }
            }
            (ExportError::File(why), None) => Failure::Internal(why.to_string()),
        })?;
    if let Some(file) = &args.output {
        print::out(&format!("{} in {}\n", events(count), file.display()));
    }
    Ok(())
}

fn purge(args: &DbPurgeArgs) -> Result<Status, Failure> {
    let now = now_ms();
    let (what, passing) = match (&args.what.session, &args.what.before) {
        (Some(session), _) => (Purge::Session(session.clone()), None),
        (None, Some(text)) => {
            let when = parse_when(text).ok_or_else(|| {
                Failure::Usage(format!("{text} is no time: a day (2026-11-20), an instant, or how long ago (30d)"))
            })?;
            (Purge::Before(when.at(now)), Some(filter(&format!("~until {text}"))?))
        }
        (None, None) => (Purge::All, Some(Filter::everything())),
    };
    let mut store = existing()?;
    if args.yes {
        let gone = store.purge(&what)?;
        print::out(&format!("{} deleted, and {}\n", events(gone.events), sessions(gone.sessions)));
        return Ok(Status::Ok);
    }
    let count = match &passing {
        Some(filter) => store.count(filter, now)?,
        None => {
            let all = store.sessions(&Filter::everything(), now)?;
            all.iter()
                .filter(|row| args.what.session.as_ref() == Some(&row.session.session))
                .map(|row| row.events)
                .sum()
        }
    };
    Err(Failure::Consent(format!("{} would be deleted for good, marked or not; --yes does it", events(count))))
}

fn reindex(store: &mut Store) -> Result<(), Failure> {
    store.forget_index()?;
    loop {
        let indexed = store.index_some(Duration::from_secs(1))?;
        if indexed.complete() {
            print::out(&format!("{} indexed\n", events(store.stat()?.events)));
            return Ok(());
        }
    }
}

fn stat(store: &Store, stat: Stat, indexed: u64) -> String {
    let day = |at: Option<i64>| at.and_then(time_text).unwrap_or_else(|| "not known".to_owned());
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
        text.push_str(&format!("  {:<14} {:<20} {}\n", written.trim_end(), operator.example, operator.finds));
    }
    text
}

fn events(count: u64) -> String {
    counted(count, "event")
}

fn sessions(count: u64) -> String {
    counted(count, "session")
}

fn bytes(count: u64) -> String {
    match count {
        n if n >= 10 << 20 => format!("{} MB", n >> 20),
        n if n >= 10 << 10 => format!("{} kB", n >> 10),
        n => format!("{n} bytes"),
    }
}
