//! The log that Droid always writes (measured on 0.225.2). It has the event, the subject and the number of matching hooks,
//! but not which hook ends. An event without a matching hook leaves no line.

use serde_json::Value;

use crate::shared::debug_log::log_lines;
use hookbench_base::debug_log::{DebugLogFormat, LogRecord, LogStatement};

pub static DEBUG_LOG: DebugLogFormat = DebugLogFormat {
    kind: "droid-log",
    names_hooks: true,
    detect,
    parse,
    session_file: |_, _| None,
    shared_files: |place| vec![format!("{}/logs/droid-log-single.log", super::layers::user_dir(place))],
};

/// The end of a message, before an object with its facts.
const CONTEXT: &str = " | Context: ";

fn detect(head: &str) -> bool {
    log_lines(head).any(|line| {
        let facts = line.message.split_once(CONTEXT).map_or("", |(_, facts)| facts);
        facts.contains("\"droidInstallationId\":") || facts.contains("\"isDroidExec\":")
    })
}

fn parse(text: &str) -> Vec<LogRecord> {
    let mut records = Vec::new();
    for line in log_lines(text) {
        let (message, facts) = line.message.split_once(CONTEXT).unwrap_or((line.message, ""));
        let facts: Value = serde_json::from_str(facts).unwrap_or_default();
        let statements = match message {
            "[Hooks] Matched commands" => matched(&facts).unwrap_or_default(),
            "Ignoring unknown hook event keys" | "Invalid hooks file, ignoring" => vec![ignored(message, &facts)],
            "[Hooks] Invalid matcher regex" => vec![ignored(message, &facts)],
            _ => Vec::new(),
        };
        records.extend(statements.into_iter().map(|statement| line.record(statement)));
    }
    records
}

fn matched(facts: &Value) -> Option<Vec<LogStatement>> {
    let event = facts.get("name")?.as_str()?.to_owned();
    let subject = facts.get("matcher").and_then(Value::as_str).map(str::to_owned);
    let hooks = facts.get("count")?.as_u64()?;
    Some(vec![LogStatement::Searched { event, subject }, LogStatement::Matched { hooks }])
}

/// `Invalid hooks file, ignoring: /home/user/.factory/hooks.json`.
fn ignored(message: &str, facts: &Value) -> LogStatement {
    let text = |key: &str| facts.get(key).and_then(Value::as_str).map(str::to_owned);
    let keys = facts.get("keys").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let keys = keys.collect::<Vec<_>>().join(", ");
    let details = [keys, text("path").unwrap_or_default()];
    let details: Vec<String> = details.into_iter().filter(|part| !part.is_empty()).collect();
    let mut message = message.to_owned();
    if !details.is_empty() {
        message = format!("{message}: {}", details.join(" in "));
    }
    LogStatement::Ignored { message }
}
