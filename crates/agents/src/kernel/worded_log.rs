//! Logs whose lines say in fixed words what happened to a hook. The words are data.

use std::collections::BTreeMap;

use hookbench_base::debug_log::{LogDuration, LogEnd, LogHook, LogRecord, LogStatement};
use serde_json::Value;

/// The words of an agent's log.
#[derive(Debug, Clone, Copy)]
pub struct LogWords {
    /// The name of the format, such as in reports of an import.
    pub kind: &'static str,
    /// The text before the words in a line about hooks.
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
            // Some agents write a JSON object in each line.
            let object: Option<Value> = serde_json::from_str(written).ok();
            let message = object.as_ref().and_then(|object| object.get("msg")?.as_str()).unwrap_or(written);
            let Some((_, said)) = message.split_once(self.before) else { continue };
            let said = said.trim_end();
            let meaning = self.lines.iter().find_map(|(meaning, words)| Some((*meaning, values(words, said)?)));
            let statement = meaning.and_then(|(meaning, values)| statement(meaning, &values, said, &records));
            records.extend(statement.map(|statement| LogRecord { line, at: None, statement }));
        }
        records
    }
}

/// The statement of a line. If the line names no event, it is looked up in `before`, the earlier records.
fn statement(meaning: LineMeaning, values: &Values<'_>, said: &str, before: &[LogRecord]) -> Option<LogStatement> {
    let text = |name| values.get(name).map(|value| (*value).to_owned());
    let hook = text("hook").map(LogHook::Text);
    let event = text("event").or_else(|| {
        before.iter().rev().find_map(|record| match &record.statement {
            LogStatement::Started { event, hook: started } if Some(started) == hook.as_ref() => Some(event.clone()),
            LogStatement::Searched { event, .. } if meaning == LineMeaning::Started => Some(event.clone()),
            _ => None,
        })
    });
    let end = match meaning {
        LineMeaning::Ignored => return Some(LogStatement::Ignored { message: said.to_owned() }),
        LineMeaning::Searched => return Some(LogStatement::Searched { event: event?, subject: text("subject") }),
        LineMeaning::Matched => return Some(LogStatement::Matched { hooks: values.get("count")?.parse().ok()? }),
        LineMeaning::Started => return Some(LogStatement::Started { event: event?, hook: hook? }),
        LineMeaning::Exited => LogEnd::Exit(values.get("status")?.parse().ok()?),
        LineMeaning::TimedOut => LogEnd::TimedOut,
        LineMeaning::Failed => LogEnd::Failed,
    };
    Some(LogStatement::Ended { event: event?, subject: None, hook: hook?, end, took: LogDuration::Unknown })
}

/// The values of a line, by name.
type Values<'a> = BTreeMap<&'static str, &'a str>;

/// The values in a text that consists of these words. A value ends where the words after it begin.
fn values<'a>(words: &'static str, text: &'a str) -> Option<Values<'a>> {
    let mut parts = words.split('{');
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut values = Values::new();
    while let Some(part) = parts.next() {
        let (name, after) = part.split_once('}')?;
        let is_last = parts.clone().next().is_none();
        let value = match (is_last, after) {
            (true, after) => rest.strip_suffix(after)?,
            (false, after) => rest.split_once(after)?.0,
        };
        rest = rest.get(value.len() + after.len()..)?;
        values.insert(name, value);
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
            assert_eq!(values(words, text), want.map(Values::from_iter), "{text}");
        }
    }
}
