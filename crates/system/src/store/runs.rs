//! Conversion between runs of hooks and rows.

use std::time::Duration;

use rusqlite::{Connection, Row, Statement, params};

use super::error::{StoreError, StoreErrorKind};
use super::open::Store;
use hookbench_core::names::RunId;
use hookbench_core::recorded::RecordedRun;
use hookbench_core::run::{CapturedStream, Exit, RunReport, Timing};

pub(super) const INSERT: &str =
    "INSERT INTO runs (event, n, hook, command, definition, stdin, partial, exit, exit_value,
    exit_text, started, ended, stdin_read, content_type, stdout, stdout_total, stderr, stderr_total, layer)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";

const SELECT: &str = "SELECT hook, command, definition, stdin, partial, exit, exit_value, exit_text, started, ended,
    stdin_read, content_type, stdout, stdout_total, stderr, stderr_total, layer FROM runs WHERE event = ?1 ORDER BY n";

/// Inserts the runs of one event. Only the beginnings of streams are stored, as in event lines.
pub(super) fn insert(statement: &mut Statement<'_>, event: i64, runs: &[RecordedRun]) -> Result<(), StoreErrorKind> {
    for (n, run) in runs.iter().enumerate() {
        let report = &run.report;
        let (exit, value, text) = end_of(&report.exit);
        statement.execute(params![
            event,
            number(n as u64),
            run.hook,
            run.command,
            run.definition,
            run.stdin,
            run.partial,
            exit,
            value,
            text,
            micros(report.timing.started),
            micros(report.timing.ended),
            number(report.stdin_read),
            report.content_type,
            report.stdout.head,
            number(report.stdout.total),
            report.stderr.head,
            number(report.stderr.total),
            run.layer,
        ])?;
    }
    Ok(())
}

/// The runs of one event, in order.
pub(super) fn read(connection: &Connection, event: i64) -> Result<Vec<RecordedRun>, StoreErrorKind> {
    let mut statement = connection.prepare(SELECT)?;
    let mut rows = statement.query([event])?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        runs.push(run_of(row)?);
    }
    Ok(runs)
}

impl Store {
    /// The durations of the newest completed runs, each with the key of its definition.
    pub fn recent_times(&self, most: u32) -> Result<Vec<(String, Duration)>, StoreError> {
        let read = || -> Result<Vec<(String, Duration)>, StoreErrorKind> {
            let mut statement = self.connection.prepare(
                "SELECT definition, ended - started FROM runs
                WHERE definition IS NOT NULL AND partial = 0 AND exit IN ('code', 'http', 'timed_out')
                ORDER BY event DESC LIMIT ?1",
            )?;
            let mut rows = statement.query([most])?;
            let mut times = Vec::new();
            while let Some(row) = rows.next()? {
                times.push((row.get(0)?, duration(row.get(1)?)));
            }
            Ok(times)
        };
        read().map_err(|trouble| self.fault(trouble))
    }
}

fn run_of(row: &Row<'_>) -> Result<RecordedRun, StoreErrorKind> {
    let (exit, value, text): (String, Option<i64>, Option<String>) = (row.get(5)?, row.get(6)?, row.get(7)?);
    let exit = exit_of(&exit, value.unwrap_or(0), text)
        .ok_or_else(|| StoreErrorKind::Damaged(format!("a run that ended in {exit:?}")))?;
    let stream = |head: usize| -> rusqlite::Result<CapturedStream> {
        Ok(CapturedStream { head: row.get(head)?, tail: Vec::new(), total: unsigned(row.get(head + 1)?) })
    };
    let (stdout, stderr) = (stream(12)?, stream(14)?);
    Ok(RecordedRun {
        hook: row.get(0)?,
        command: row.get(1)?,
        definition: row.get(2)?,
        layer: row.get(16)?,
        stdin: row.get(3)?,
        partial: row.get(4)?,
        report: RunReport {
            timing: Timing { started: duration(row.get(8)?), ended: duration(row.get(9)?) },
            stdin_read: unsigned(row.get(10)?),
            content_type: row.get(11)?,
            stdout,
            stderr,
            ..RunReport::new(RunId(0), exit, Vec::new(), Vec::new())
        },
    })
}

fn end_of(exit: &Exit) -> (&'static str, Option<i64>, Option<&str>) {
    match exit {
        Exit::Code(code) => ("code", Some(i64::from(*code)), None),
        Exit::Signal(signal) => ("signal", Some(i64::from(*signal)), None),
        Exit::TimedOut { after } => ("timed_out", Some(micros(*after)), None),
        Exit::FailedToStart { error } => ("failed_to_start", None, Some(error)),
        Exit::Cancelled => ("cancelled", None, None),
        Exit::Http { status } => ("http", Some(i64::from(*status)), None),
        Exit::Answered { .. } => ("answered", None, None),
        Exit::Unanswered => ("unanswered", None, None),
    }
}

/// The end of a run, from the word and the value in the file. `None` for an unknown word.
pub(super) fn exit_of(kind: &str, value: i64, text: Option<String>) -> Option<Exit> {
    Some(match kind {
        "code" => Exit::Code(i32::try_from(value).ok()?),
        "signal" => Exit::Signal(i32::try_from(value).ok()?),
        "timed_out" => Exit::TimedOut { after: duration(value) },
        "failed_to_start" => Exit::FailedToStart { error: text.unwrap_or_default() },
        "cancelled" => Exit::Cancelled,
        "http" => Exit::Http { status: u16::try_from(value).ok()? },
        "answered" => Exit::Answered { by: None },
        "unanswered" => Exit::Unanswered,
        _ => return None,
    })
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// A time from the file.
pub(super) fn duration(micros: i64) -> Duration {
    Duration::from_micros(unsigned(micros))
}

/// A count as stored in the file.
pub(super) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A count from the file.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
