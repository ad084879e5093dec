//! The events that a replay gets: from files, by numbers, ids and sessions, or by a filter.

use std::ops::ControlFlow;
use std::path::Path;

use super::super::db::filter;
use super::super::error::CliError;
use super::super::import::{ImportProgressLine, failure, say_skipped_lines};
use super::ReplayArgs;
use hookbench_app::{
    ImportCounts, ListDirection, OpenMode, Sink, SinkError, StateDir, Store, StoreErrorKind, import, make_place,
    now_ms, open_store, write_stderr,
};
use hookbench_core::filter::{Filter, parse};
use hookbench_core::recorded::{RecordedEvent, RecordedSession};

/// Number of events read from the store at a time.
const PAGE: usize = 256;

/// A callback that receives an event, with its number if it comes from the store.
pub(super) type EventCallback<'a> = dyn FnMut(Option<i64>, RecordedEvent) -> Result<(), CliError> + 'a;

/// Passes each selected event to `take`, in the order of the arguments. Events of a session or filter are in the
/// order in which they happened.
pub(super) fn for_each_event(args: &ReplayArgs, take: &mut EventCallback<'_>) -> Result<(), CliError> {
    let mut part = |seq: Option<i64>, event: RecordedEvent| {
        // A hook may depend on the earlier events of its session.
        if args.shard.is_none_or(|shard| shard.has(&format!("{}\n{}", event.agent, event.session))) {
            take(seq, event)?;
        }
        Ok(())
    };
    let store = || open_store(&StateDir::for_process(), OpenMode::Read);
    if let Some(text) = &args.filter {
        let filter = filter(text)?;
        if !for_each_match(&store()?, &filter, &mut part)? {
            let help = "`hookbench db list --filter` shows what a filter matches";
            return Err(CliError::Usage(format!("no recorded event matches the filter {text}\n  help: {help}")));
        }
    }
    for name in &args.events {
        if Path::new(name).exists() {
            from_file(Path::new(name), args, &mut part)?;
            continue;
        }
        let path = Path::new(name);
        let is_path = path.components().count() > 1 || path.extension().is_some();
        let missing = || CliError::of_file(path, &std::io::Error::from(std::io::ErrorKind::NotFound));
        let store = store().map_err(|why| if is_path { missing() } else { why.into() })?;
        let number = name.trim_start_matches('#').parse::<i64>().ok();
        let seq = match number {
            Some(seq) => Some(seq),
            None => store.find(name)?,
        };
        if let Some(event) = seq.map(|seq| store.event(seq)).transpose()?.flatten() {
            part(seq, event)?;
            continue;
        }
        let session = parse(&format!("~session {name}")).ok();
        let any = match &session {
            Some(filter) => for_each_match(&store, filter, &mut part)?,
            None => false,
        };
        if !any && is_path {
            return Err(missing());
        }
        if !any {
            let help = "`hookbench db list` lists the recorded events; `hookbench import` reads more from the agents' sessions";
            return Err(CliError::Usage(format!(
                "{name} is neither a file nor the number, id or session of a recorded event\n  help: {help}"
            )));
        }
    }
    Ok(())
}

/// Passes each event that matches the filter to `take`, oldest first. Returns true if there was at least one.
/// Events that hookbench fired are skipped unless the filter asks for them: replays, because their originals are fired,
/// and logged runs, because no agent sent them.
fn for_each_match(store: &Store, filter: &Filter, take: &mut EventCallback<'_>) -> Result<bool, CliError> {
    let text = filter.to_string();
    let own = text.contains("~replay") || text.contains("~fired");
    let (now, mut place, mut all, mut left_out) = (now_ms(), None, 0, 0);
    loop {
        let rows = store.page(filter, now, ListDirection::Forward, place, PAGE)?;
        let Some(last) = rows.last() else {
            if left_out > 0 && left_out == all {
                write_stderr(format!(
                    "{left_out} events are replays or logged runs; add ~replay or ~fired to the filter"
                ));
            }
            return Ok(all > 0);
        };
        place = Some(last.position());
        for row in &rows {
            all += 1;
            if row.is_fired_by_hookbench() && !own {
                left_out += 1;
                continue;
            }
            match store.event(row.seq) {
                Ok(Some(event)) => take(Some(row.seq), event)?,
                Ok(None) => {}
                Err(why) if matches!(why.kind, StoreErrorKind::DamagedEvent { .. }) => {
                    write_stderr(format!("{} and left out", why.kind));
                }
                Err(why) => return Err(why.into()),
            }
        }
    }
}

/// A sink that passes events on instead of keeping them.
struct CallbackSink<'a> {
    take: &'a mut EventCallback<'a>,
    failure: Option<CliError>,
}

impl Sink for CallbackSink<'_> {
    fn needs_report(&self) -> bool {
        false
    }

    fn receive(&mut self, _session: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        let new = events.len() as u64;
        for event in events {
            if let Err(why) = (self.take)(None, event) {
                self.failure = Some(why);
                return Err(SinkError(String::new()));
            }
        }
        Ok(ImportCounts { new, known: 0 })
    }
}

fn from_file<'a>(path: &Path, args: &ReplayArgs, take: &'a mut EventCallback<'a>) -> Result<(), CliError> {
    let place = make_place(args.common.project.as_deref(), args.common.home.as_deref())?;
    let mut line = ImportProgressLine::new();
    let mut sink = CallbackSink { take, failure: None };
    let done = import(path, &place, &mut sink, &mut |progress| {
        line.show(progress);
        ControlFlow::Continue(())
    });
    line.clear();
    if let Some(why) = sink.failure {
        return Err(why);
    }
    let report = done.map_err(failure)?;
    let skipped: u64 = report.sources.iter().map(|source| source.skipped_lines).sum();
    say_skipped_lines(path, skipped);
    Ok(())
}
