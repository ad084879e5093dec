//! The debug log: `QWEN_DEBUG_LOG_FILE=1` makes every session write `~/.qwen/debug/<session>.txt` (measured on 0.24.4). It
//! names each hook that starts and ends by its command, but not the subject. An HTTP hook is called `unknown-hook`.

use crate::shared::debug_log::{leading_number, log_lines, registry_size};
use hookbench_base::config::Place;
use hookbench_base::debug_log::{DebugLogFormat, LogDuration, LogEnd, LogHook, LogRecord, LogStatement};

pub static DEBUG_LOG: DebugLogFormat = DebugLogFormat {
    kind: "qwen-debug-log",
    names_hooks: true,
    detect,
    parse,
    session_file: |place, session| Some(format!("{}/debug/{session}.txt", super::layers::user_dir(place))),
    shared_files: |_: &Place| Vec::new(),
};

/// Tags of messages that every session writes.
const OWN_TAGS: [&str; 4] =
    ["[HOOK_REGISTRY] ", "[TRUSTED_HOOKS] ", "[MCP_HOT_RELOAD] ", "[MODEL_PROVIDERS_HOT_RELOAD] "];

fn detect(head: &str) -> bool {
    log_lines(head).any(|line| OWN_TAGS.iter().any(|tag| line.message.starts_with(tag)))
}

fn parse(text: &str) -> Vec<LogRecord> {
    let mut records = Vec::new();
    for line in log_lines(text) {
        let Some((tag, message)) = line.message.strip_prefix('[').and_then(|rest| rest.split_once("] ")) else {
            continue;
        };
        if let Some(hooks) = registry_size(message) {
            records.push(line.record(LogStatement::Loaded { hooks }));
        } else if line.level == "WARN" && matches!(tag, "HOOK_REGISTRY" | "HOOK_MATCHER") {
            records.push(line.record(LogStatement::Ignored { message: message.to_owned() }));
        } else if let Some(statements) = run(message) {
            records.extend(statements.into_iter().map(|statement| line.record(statement)));
        }
    }
    records
}

/// `Hook COMMAND started for event PreToolUse (1/4)` or `Hook COMMAND ended for event PreToolUse: success`. The first
/// hook of an event also says how many match.
fn run(message: &str) -> Option<Vec<LogStatement>> {
    let rest = message.strip_prefix("Hook ")?;
    if let Some((command, rest)) = rest.rsplit_once(" started for event ") {
        let (event, place) = rest.split_once(" (")?;
        let (number, all) = leading_number(place)?;
        let event = event.to_owned();
        let mut statements = Vec::new();
        if number == 1 {
            statements.push(LogStatement::Searched { event: event.clone(), subject: None });
            statements.push(LogStatement::Matched { hooks: leading_number(all.strip_prefix('/')?)?.0 });
        }
        statements.push(LogStatement::Started { event, hook: LogHook::Text(command.to_owned()) });
        return Some(statements);
    }
    let (command, rest) = rest.rsplit_once(" ended for event ")?;
    let (event, end) = rest.split_once(": ")?;
    let end = if end == "success" { LogEnd::Succeeded } else { LogEnd::Failed };
    let hook = LogHook::Text(command.to_owned());
    Some(vec![LogStatement::Ended {
        event: event.to_owned(),
        subject: None,
        hook,
        end,
        took: LogDuration::BetweenLines,
    }])
}
