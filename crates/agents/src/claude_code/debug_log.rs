//! The debug log: `claude --debug-file FILE`, or `claude --debug`, which writes `<config>/debug/<session>.txt`
//! (measured on 2.1.331). At the level `verbose` it also says which hooks match. Searches and matches have no own
//! name for the hook; the end of a run has the command as written in the settings.

use super::layer_reader::config_dir;
use crate::shared::debug_log::{LogLine, leading_number, log_lines};
use hookbench_base::config::Place;
use hookbench_base::debug_log::{DebugLogFormat, LogDuration, LogEnd, LogHook, LogRecord, LogStatement};

pub static DEBUG_LOG: DebugLogFormat = DebugLogFormat {
    kind: "claude-debug-log",
    names_hooks: true,
    detect,
    parse,
    session_file: |place, session| Some(format!("{}/debug/{session}.txt", config_dir(place))),
    shared_files: |_: &Place| Vec::new(),
};

/// Beginnings of messages that no other agent writes.
const OWN_MESSAGES: [&str; 5] = [
    "Hooks: ",
    "Getting matching hook commands for ",
    "MDM settings load",
    "Broken symlink or missing file encountered for settings",
    "Hook output does not start with",
];

fn detect(head: &str) -> bool {
    log_lines(head).any(|line| OWN_MESSAGES.iter().any(|own| line.message.starts_with(own)))
}

fn parse(text: &str) -> Vec<LogRecord> {
    let mut records: Vec<LogRecord> = Vec::new();
    // An HTTP hook is logged without its event.
    let mut searched: Option<String> = None;
    for line in log_lines(text) {
        let Some(statement) = statement(&line, searched.as_deref()) else { continue };
        if let LogStatement::Searched { event, .. } = &statement {
            searched = Some(event.clone());
        }
        records.push(line.record(statement));
    }
    records
}

fn statement(line: &LogLine<'_>, searched: Option<&str>) -> Option<LogStatement> {
    let message = line.message;
    if let Some(rest) = message.strip_prefix("Getting matching hook commands for ") {
        let (event, subject) = rest.split_once(" with query: ")?;
        let subject = Some(subject.to_owned()).filter(|subject| subject != "undefined");
        return Some(LogStatement::Searched { event: event.to_owned(), subject });
    }
    if let Some(rest) = message.strip_prefix("Found ") {
        let (groups, rest) = leading_number(rest)?;
        return (rest == " hook matchers in settings").then_some(LogStatement::Found { groups });
    }
    if let Some(rest) = message.strip_prefix("Matched ") {
        let (hooks, rest) = leading_number(rest)?;
        return rest.starts_with(" unique hooks for query ").then_some(LogStatement::Matched { hooks });
    }
    if let Some(url) = message.strip_prefix("Hooks: HTTP hook POST to ") {
        return Some(LogStatement::Started { event: searched?.to_owned(), hook: LogHook::Text(url.to_owned()) });
    }
    if let Some(rest) = message.strip_prefix("Hooks: ") {
        return ended(rest);
    }
    // `Invalid setting skipped without dialog (automated session): FILE: hooks.PreToolUse.0: why`
    let (_, rest) = message.strip_prefix("Invalid setting skipped")?.split_once(": ")?;
    rest.contains(": hooks").then(|| LogStatement::Ignored { message: rest.to_owned() })
}

/// `PreToolUse:Bash [COMMAND] finished with status 2 (63ms)`. The command may contain brackets.
fn ended(text: &str) -> Option<LogStatement> {
    let (moment, rest) = text.split_once(" [")?;
    let at = ["] finished with status ", "] timed out after ", "] moved to the background "]
        .into_iter()
        .find_map(|mark| Some((rest.rfind(mark)?, mark)))?;
    let (command, end) = (rest.get(..at.0)?, rest.get(at.0 + at.1.len()..)?);
    let took = end.rsplit_once('(').and_then(|(_, took)| leading_number(took));
    let took = took.map_or(LogDuration::Unknown, |(ms, _)| LogDuration::Milliseconds(ms));
    let end = match at.1 {
        "] finished with status " => LogEnd::Exit(end.split(' ').next()?.parse().ok()?),
        "] timed out after " => LogEnd::TimedOut,
        _ => LogEnd::Background,
    };
    let (event, subject) = match moment.split_once(':') {
        Some((event, subject)) => (event, Some(subject.to_owned())),
        None => (moment, None),
    };
    let hook = LogHook::Text(command.to_owned());
    Some(LogStatement::Ended { event: event.to_owned(), subject, hook, end, took })
}
