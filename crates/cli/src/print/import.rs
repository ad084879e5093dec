//! The pages of `import`: the result for each file, and the sessions that can be imported.

use std::collections::BTreeMap;

use super::text_page::{TextPage, Tone, byte_size, column, wrap};
use super::write_stdout;
use hookbench_app::document::AgentSessionsDoc;
use hookbench_app::{ImportProgress, ImportReport, SourceReport, UNREADABLE};
use hookbench_core::config::Place;
use hookbench_core::text::pluralize;

/// Maximum number of files listed.
const FILES: usize = 20;
/// Maximum number of reasons listed for a file.
const REASONS: usize = 8;
/// Maximum number of sessions listed.
const SESSIONS: usize = 30;
/// Width of a list of counts, in columns.
const WIDTH: usize = 76;

/// Returns the result of an import as a page. `kept` is true if the events went to the store.
pub fn import(report: &ImportReport, place: &Place, kept: bool) -> String {
    let mut page = TextPage::new();
    for source in report.sources.iter().take(FILES) {
        one(&mut page, source, place);
    }
    let left = report.sources.len().saturating_sub(FILES);
    if left > 0 {
        page.put(Tone::Quiet, &format!(" … and {left} more files; --format json lists all")).end().end();
    }
    if report.sources.iter().all(|source| source.debug_log.is_some())
        && !report.sources.is_empty()
        && report.others == 0
    {
        return page.finish();
    }
    let sum = |count: fn(&SourceReport) -> u64| report.sources.iter().map(count).sum::<u64>();
    let read =
        report.sources.iter().filter(|source| source.kind != UNREADABLE && source.debug_log.is_none()).count() as u64;
    let events = sum(|source| source.events);
    let rebuilt = sum(|source| source.rebuilt);
    let recorded = sum(|source| source.recorded);
    let total = format!(
        " {}, {}: {rebuilt} reconstructed, {recorded} recorded",
        pluralize(events, "event"),
        pluralize(read, "file")
    );
    page.put(Tone::Strong, &total).end();
    if report.sources.is_empty() {
        let says = " no file is a session file of an agent, a file of payloads, or an export of hookbench";
        page.put(Tone::Warn, says).end();
    }
    let skipped = sum(|source| source.skipped_lines);
    if skipped > 0 {
        page.put(Tone::Warn, &format!(" {} skipped", pluralize(skipped, "line"))).end();
    }
    if report.others > 0 {
        let says = format!(" {} in an unknown format", pluralize(report.others, "other file"));
        page.put(Tone::Quiet, &says).end();
    }
    if kept && events > 0 {
        let (new, known) = (sum(|source| source.added.new), sum(|source| source.added.known));
        let known = if known > 0 { format!(", {known} were stored before") } else { String::new() };
        page.put(Tone::Plain, &format!(" {} stored{known}", pluralize(new, "event"))).end();
    }
    page.finish()
}

fn one(page: &mut TextPage, source: &SourceReport, place: &Place) {
    page.put(Tone::Plain, " ").put(Tone::Strong, &place.display_path(&source.file.to_string_lossy())).end();
    if source.kind == UNREADABLE {
        let why = source.skipped.first().map_or("", |skipped| skipped.why.as_str());
        page.put(Tone::Warn, &format!("   cannot be read: {why}")).end().end();
        return;
    }
    if let Some((_, log)) = &source.debug_log {
        let counts = format!("{}, {}", pluralize(log.firings.len(), "event"), pluralize(log.runs(), "run"));
        page.put(Tone::Plain, &format!("   {}: hooks of {counts}; it has no payloads", source.kind)).end();
        for ignored in log.ignored.iter().take(REASONS) {
            for (index, line) in wrap(ignored, WIDTH - 8).iter().enumerate() {
                page.put(Tone::Warn, if index == 0 { "   ignored " } else { "           " })
                    .put(Tone::Plain, line)
                    .end();
            }
        }
        page.put(Tone::Quiet, "   `hookbench why HOOK` shows what it says about a hook").end().end();
        return;
    }
    let made = match (source.rebuilt, source.recorded) {
        (0, 0) => String::new(),
        (_, 0) => ", reconstructed".to_owned(),
        (0, _) => ", recorded".to_owned(),
        (rebuilt, recorded) => format!(": {rebuilt} reconstructed, {recorded} recorded"),
    };
    let (sessions, events) = (pluralize(source.sessions, "session"), pluralize(source.events, "event"));
    page.put(Tone::Plain, &format!("   {}, {sessions}, {events}{made}", source.kind)).end();
    let counts: Vec<String> = source.by_event.iter().map(|(event, count)| format!("{event}\u{a0}{count}")).collect();
    for line in wrap(&counts.join(", "), WIDTH).iter().filter(|line| !line.is_empty()) {
        page.put(Tone::Quiet, &format!("   {}", line.replace('\u{a0}', " "))).end();
    }
    gaps(page, source);
    reasons(page, &source.reasons, source);
    page.end();
}

/// Prints what events from telemetry lack, the most frequent first.
fn gaps(page: &mut TextPage, source: &SourceReport) {
    if source.partial == 0 {
        return;
    }
    let mut sorted: Vec<(&String, &u64)> = source.gaps.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1));
    let listed: Vec<String> =
        sorted.iter().take(REASONS).map(|(what, count)| format!("{what} {count}").replace(' ', "\u{a0}")).collect();
    let left = sorted.len().saturating_sub(REASONS);
    let more = if left > 0 { format!(", and {left} more") } else { String::new() };
    let says = format!("{} partial: {}{more}", source.partial, listed.join(", "));
    for line in wrap(&says, WIDTH) {
        page.put(Tone::Warn, &format!("   {}", line.replace('\u{a0}', " "))).end();
    }
}

/// Prints why lines were skipped, the most frequent reason first.
fn reasons(page: &mut TextPage, reasons: &BTreeMap<String, u64>, source: &SourceReport) {
    let mut sorted: Vec<(&String, &u64)> = reasons.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1));
    for (why, count) in sorted.iter().take(REASONS) {
        let first = source.skipped.iter().find(|skipped| skipped.why == **why).map(|skipped| skipped.line);
        let place = match (first, **count) {
            (Some(line), 1) => format!("line {line}"),
            (Some(line), count) => format!("{count} lines, first line {line}"),
            (None, count) => pluralize(count, "line"),
        };
        for (index, line) in wrap(&format!("{place}: {why}"), WIDTH - 8).iter().enumerate() {
            page.put(Tone::Warn, if index == 0 { "   skipped " } else { "           " }).put(Tone::Plain, line).end();
        }
    }
    let left = sorted.len().saturating_sub(REASONS);
    if left > 0 {
        page.put(Tone::Quiet, &format!("   … and {} more", pluralize(left as u64, "reason"))).end();
    }
}

/// Prints the agents' sessions of a project.
pub fn sessions(doc: &AgentSessionsDoc, place: &Place) {
    let mut page = TextPage::new();
    if doc.sessions.is_empty() {
        page.put(Tone::Plain, " No agent sessions found for this project").end();
        page.put(
            Tone::Quiet,
            &format!(" searched for {} in the agents' directories below {}", doc.project, place.home),
        )
        .end();
        return write_stdout(&page.finish());
    }
    let agents = column(doc.sessions.iter().map(|session| session.agent.as_str()), 12);
    for session in doc.sessions.iter().take(SESSIONS) {
        let when = session.started.as_ref().or(session.written.as_ref()).map_or("", String::as_str);
        // Cut after the minutes.
        let when = when.get(..16).unwrap_or(when).replace('T', " ");
        page.put(Tone::Plain, " ").cell(Tone::Plain, &session.agent, agents + 2).cell(Tone::Quiet, &when, 18);
        page.cell(Tone::Quiet, &byte_size(session.bytes), 9);
        let title = session.title.as_deref().unwrap_or("(no prompt)");
        let short: String = title.chars().take(60).collect();
        page.put(Tone::Strong, &short).end();
        page.put(Tone::Plain, &" ".repeat(agents + 3)).put(Tone::Quiet, &place.display_path(&session.file)).end();
        if let Some(log) = &session.debug_log {
            let says = format!("debug log: {}", place.display_path(log));
            page.put(Tone::Plain, &" ".repeat(agents + 3)).put(Tone::Quiet, &says).end();
        }
    }
    let left = doc.sessions.len().saturating_sub(SESSIONS);
    if left > 0 {
        page.put(Tone::Quiet, &format!(" … and {left} older sessions; --format json lists all")).end();
    }
    page.end()
        .put(
            Tone::Quiet,
            " `hookbench import FILE` stores the events of one session, `hookbench import DIRECTORY` those of all sessions below it",
        )
        .end();
    write_stdout(&page.finish());
}

/// Returns the progress line of an import.
pub fn import_progress(progress: &ImportProgress) -> String {
    let part = progress.read.saturating_mul(100) / progress.size.max(1);
    format!("reading file {} of {}, {part} %: {} events", progress.number, progress.files, progress.events)
}
