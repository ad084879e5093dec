//! The debug log: `GEMINI_DEBUG_LOG_FILE=FILE` (measured on 0.61.0). It names the command of each hook that starts, but not
//! the subject, and after the event those hooks that failed.

use crate::shared::debug_log::{leading_number, log_lines, registry_size};
use hookbench_base::debug_log::{DebugLogFormat, LogDuration, LogEnd, LogHook, LogRecord, LogStatement};

pub static DEBUG_LOG: DebugLogFormat = DebugLogFormat {
    kind: "gemini-debug-log",
    names_hooks: true,
    detect,
    parse,
    session_file: |_, _| None,
    shared_files: |place| {
        place.var("GEMINI_DEBUG_LOG_FILE").map(|file| place.absolute(&place.project, file)).into_iter().collect()
    },
};

/// Beginnings of messages that every session writes.
const OWN_MESSAGES: [&str; 5] = [
    "Hook registry initialized with ",
    "Created execution plan for ",
    "Ignore file not found: ",
    "Experiments loaded",
    "[STARTUP] ",
];

fn detect(head: &str) -> bool {
    let own = |line: &str| {
        line.starts_with('[')
            && log_lines(line).any(|line| OWN_MESSAGES.iter().any(|own| line.message.starts_with(own)))
    };
    head.lines().any(own)
}

fn parse(text: &str) -> Vec<LogRecord> {
    let mut records = Vec::new();
    let (mut event, mut commands) = (String::new(), Vec::<String>::new());
    for line in log_lines(text) {
        let message = line.message;
        if let Some(hooks) = registry_size(message) {
            records.push(line.record(LogStatement::Loaded { hooks }));
        } else if line.level == "WARN" && message.starts_with("Discarding invalid hook ") {
            records.push(line.record(LogStatement::Ignored { message: message.to_owned() }));
        } else if let Some((of, hooks)) = planned(message) {
            (event, commands) = (of.to_owned(), Vec::new());
            records.push(line.record(LogStatement::Searched { event: event.clone(), subject: None }));
            records.push(line.record(LogStatement::Matched { hooks }));
        } else if let Some(command) = started(message) {
            commands.push(command.to_owned());
            let hook = LogHook::Text(command.to_owned());
            records.push(line.record(LogStatement::Started { event: event.clone(), hook }));
        } else if let Some(failed) = message.strip_prefix("Hook execution for ").and_then(|rest| failed(rest, &event)) {
            for command in std::mem::take(&mut commands) {
                let end = match failed {
                    Failed::Each(names) if names.contains(&command) => LogEnd::Failed,
                    Failed::All => LogEnd::Failed,
                    Failed::Each(_) => LogEnd::Succeeded,
                };
                let hook = LogHook::Text(command);
                let ended =
                    LogStatement::Ended { event: event.clone(), subject: None, hook, end, took: LogDuration::Unknown };
                records.push(line.record(ended));
            }
        }
    }
    records
}

/// `Created execution plan for BeforeTool: 4 hook(s) to execute in parallel`.
fn planned(message: &str) -> Option<(&str, u64)> {
    let (event, rest) = message.strip_prefix("Created execution plan for ")?.split_once(": ")?;
    Some((event, leading_number(rest)?.0))
}

/// `Expanding hook command: COMMAND (cwd: DIRECTORY)`.
fn started(message: &str) -> Option<&str> {
    Some(message.strip_prefix("Expanding hook command: ")?.rsplit_once(" (cwd: ")?.0)
}

/// The hooks of an event that failed.
enum Failed<'a> {
    All,
    /// Those that the text names.
    Each(&'a str),
}

/// `BeforeTool: 2 succeeded, 2 failed (NAMES), total duration: 9ms`, or `BeforeTool: 1 hooks executed successfully, …`.
/// `None` for another event.
fn failed<'a>(text: &'a str, event: &str) -> Option<Failed<'a>> {
    let rest = text.strip_prefix(event)?.strip_prefix(": ")?;
    let (succeeded, rest) = leading_number(rest)?;
    match rest.strip_prefix(" succeeded, ") {
        // A hook with a name is named by it, and not by its command.
        Some(_) if succeeded == 0 => Some(Failed::All),
        Some(names) => Some(Failed::Each(names)),
        None => Some(Failed::Each("")),
    }
}
