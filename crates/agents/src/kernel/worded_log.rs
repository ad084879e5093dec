//! Logs whose lines say in fixed words what happened to a hook. The words are data.

use hookbench_base::debug_log::{LogDuration, LogEnd, LogHook, LogRecord, LogStatement};
use serde_json::Value;

/// The words of an agent's log.
#[derive(Debug, Clone, Copy)]
pub struct LogWords {
    /// The name of the format, such as in reports of an import.
    pub kind: &'static str,
    /// What is before the words in a line about hooks.
    pub before: &'static str,
    /// The words, with the names of values in braces: `event`, `subject`, `hook`, `count`, `status`. The first that fit count.
    pub lines: &'static [(LineMeaning, &'static str)],
    /// The log of a session, below the directory of the user's settings. Empty if a log has another name.
    pub session_file: &'static str,
    /// Logs of several sessions, in the same directory.
    pub shared_files: &'static [&'static str],
}

/// The meaning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineMeaning {
    Searched,
    Matched,
    Started,
    Exited,
    TimedOut,
    Failed,
    /// The agent does not use a part of the settings or of an answer: the line says why.
    Ignored,
}

impl LogWords {
    /// The records of a log.
    pub fn read(&self, text: &str) -> Vec<LogRecord> {
        let mut records: Vec<LogRecord> = Vec::new();
        for (line, written) in (1..).zip(text.lines()) {
            let message = message_of(written);
            let Some((_, said)) = message.as_deref().unwrap_or(written).split_once(self.before) else { continue };
            let meaning =
                self.lines.iter().find_map(|(meaning, words)| Some((*meaning, values(words, said.trim_end())?)));
            let Some((meaning, values)) = meaning else { continue };
            let record = |statement| LogRecord { line, at: None, statement };
            match statement(meaning, &values, said, &records) {
                // The number of hooks may follow their starts, but belongs to the search.
                Some(LogStatement::Matched { hooks }) => {
                    let event = value(&values, "event");
                    let is_search = |known: &LogRecord| matches!(&known.statement, LogStatement::Searched { event: of, .. } if Some(of.as_str()) == event);
                    let search = records.iter().rposition(is_search);
                    records.extend(search.is_none().then(|| {
                        let event = event.unwrap_or_default().to_owned();
                        record(LogStatement::Searched { event, subject: None })
                    }));
                    let place = search.map_or(records.len(), |search| search + 1);
                    records.insert(place, record(LogStatement::Matched { hooks }));
                }
                Some(statement) => records.push(record(statement)),
                None => {}
            }
        }
        records
    }
}

/// The message of a line that is a JSON object.
fn message_of(line: &str) -> Option<String> {
    let object: Value = line.starts_with('{').then(|| serde_json::from_str(line).ok())??;
    object.get("msg")?.as_str().map(str::to_owned)
}

/// What a line says. `before` are the earlier records, in which the event of a hook is looked up that the line does not name.
fn statement(meaning: LineMeaning, values: &[(&str, &str)], line: &str, before: &[LogRecord]) -> Option<LogStatement> {
    let text = |name| value(values, name).map(str::to_owned);
    let hook = || text("hook").map(LogHook::Text);
    let event = || {
        let hook = hook();
        let known = before.iter().rev().find_map(|record| match &record.statement {
            LogStatement::Started { event, hook: started } if Some(started) == hook.as_ref() => Some(event.clone()),
            LogStatement::Searched { event, .. } if hook.is_none() || meaning == LineMeaning::Started => {
                Some(event.clone())
            }
            _ => None,
        });
        text("event").or(known)
    };
    let ended = |end| {
        Some(LogStatement::Ended { event: event()?, subject: None, hook: hook()?, end, took: LogDuration::Unknown })
    };
    match meaning {
        LineMeaning::Searched => Some(LogStatement::Searched { event: event()?, subject: text("subject") }),
        LineMeaning::Matched => Some(LogStatement::Matched { hooks: value(values, "count")?.parse().ok()? }),
        LineMeaning::Started => Some(LogStatement::Started { event: event()?, hook: hook()? }),
        LineMeaning::Exited => ended(LogEnd::Exit(value(values, "status")?.parse().ok()?)),
        LineMeaning::TimedOut => ended(LogEnd::TimedOut),
        LineMeaning::Failed => ended(LogEnd::Failed),
        LineMeaning::Ignored => Some(LogStatement::Ignored { message: line.trim_end().to_owned() }),
    }
}

fn value<'a>(values: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// The values in a text that consists of these words. A value ends where the words after it begin.
fn values<'a>(words: &'static str, text: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
    let mut parts = words.split('{');
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut values = Vec::new();
    while let Some(part) = parts.next() {
        let (name, after) = part.split_once('}')?;
        let is_last = parts.clone().next().is_none();
        let value = match (is_last, after) {
            (true, after) => rest.strip_suffix(after)?,
            (false, after) => rest.split_once(after)?.0,
        };
        rest = rest.get(value.len() + after.len()..)?;
        values.push((name, value));
    }
    rest.is_empty().then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_a_line() {
        for (words, text, want) in [
            ("ran {hook}", "ran a b", Some(vec![("hook", "a b")])),
            ("exit {status} (of {hook})", "exit 2 (of (a))", Some(vec![("status", "2"), ("hook", "(a)")])),
            (
                "exit {status} (of {hook}); {rest}",
                "exit 2 (of a); b); c",
                Some(vec![("status", "2"), ("hook", "a"), ("rest", "b); c")]),
            ),
            ("none", "none", Some(Vec::new())),
            ("none", "none of them", None),
            ("exit {status} (of {hook})", "exit 2", None),
        ] {
            assert_eq!(values(words, text), want, "{text}");
        }
    }
}
