//! The differences between two recorded events: decision, hooks, payload, output and times.

use serde::Serialize;
use serde_json::Value;

use super::event_list::OutputChange;
use super::replay::{ReplayChange, assess_recorded, compare};
use hookbench_core::recorded::{RecordedEvent, RecordedRun};
use hookbench_core::run::milliseconds;
use hookbench_core::text::stringify;

/// The number of bytes of each stream that are compared on a page.
const PRINTED: usize = 2_000;
/// The maximum length of a payload value in characters, and the maximum number of keys.
const VALUE: usize = 60;
const KEYS: usize = 8;
/// The value of a key that one payload lacks.
const ABSENT: &str = "(not there)";

/// The differences of two recorded events.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunDiff {
    /// The decision and the hooks; null if a record does not tell them.
    pub changes: Option<Vec<ReplayChange>>,
    pub payload: Vec<PayloadKeyChange>,
    pub outputs: Vec<OutputChange>,
    /// The hooks that ran in both events.
    pub times: Vec<TimeChange>,
}

/// A key of the payload with another value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PayloadChangeDoc"))]
pub struct PayloadKeyChange {
    /// `tool_input.command`.
    pub path: String,
    pub before: String,
    pub after: String,
}

/// The times of a hook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TimeChangeDoc"))]
pub struct TimeChange {
    pub hook: String,
    pub before_ms: f64,
    pub after_ms: f64,
}

impl RunDiff {
    /// Compares two events.
    pub fn of(before: &RecordedEvent, after: &RecordedEvent) -> RunDiff {
        let [old, new] = [before, after].map(|event| assess_recorded(event, &|_| 0));
        let payload = |event: &RecordedEvent| serde_json::from_slice::<Value>(&event.payload).ok();
        let pairs = after.runs.iter().filter_map(|new| Some((earlier(&before.runs, new)?, new)));
        let times = pairs.filter(|(old, new)| !old.partial && !new.partial).map(|(old, new)| TimeChange {
            hook: new.hook.clone(),
            before_ms: milliseconds(old.report.timing.duration()),
            after_ms: milliseconds(new.report.timing.duration()),
        });
        RunDiff {
            changes: old.zip(new).map(|(old, new)| compare(&old, &new)),
            payload: payload(before)
                .zip(payload(after))
                .map(|(old, new)| payload_changes(&old, &new))
                .unwrap_or_default(),
            outputs: output_changes(&before.runs, &after.runs),
            times: times.collect(),
        }
    }

    /// Returns whether both decisions are known and nothing but times differs.
    pub fn is_same(&self) -> bool {
        self.changes.as_ref().is_some_and(Vec::is_empty) && self.payload.is_empty() && self.outputs.is_empty()
    }
}

/// The run of the same hook then, if it is completely known.
fn earlier<'a>(then: &'a [RecordedRun], new: &RecordedRun) -> Option<&'a RecordedRun> {
    then.iter().find(|old| old.command == new.command && !old.partial)
}

/// The outputs of hooks then and now, if both are completely known and differ.
pub(crate) fn output_changes(then: &[RecordedRun], now: &[RecordedRun]) -> Vec<OutputChange> {
    let mut all = Vec::new();
    for new in now {
        let Some(old) = earlier(then, new) else { continue };
        let streams =
            [("stdout", &old.report.stdout, &new.report.stdout), ("stderr", &old.report.stderr, &new.report.stderr)];
        for (stream, before, after) in streams {
            if before.head != after.head {
                let text =
                    |bytes: &[u8]| String::from_utf8_lossy(bytes.get(..PRINTED).unwrap_or(bytes)).trim_end().to_owned();
                let (before, after) = (text(&before.head), text(&after.head));
                all.push(OutputChange { hook: new.hook.clone(), stream, before, after });
            }
        }
    }
    all
}

/// The payload keys that differ, at most eight. Keys that end in `_id` differ between most events, so they are listed only if
/// nothing else differs.
pub fn payload_changes(old: &Value, new: &Value) -> Vec<PayloadKeyChange> {
    let mut found = Vec::new();
    differences(old, new, "", &mut found);
    let counts = |change: &PayloadKeyChange| change.path.ends_with("_id");
    if found.iter().any(|change| !counts(change)) {
        found.retain(|change| !counts(change));
    }
    found.truncate(KEYS);
    found
}

fn differences(old: &Value, new: &Value, path: &str, found: &mut Vec<PayloadKeyChange>) {
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        if old != new {
            let show = |value: &Value| {
                let text = stringify(value);
                let cut: String = text.chars().take(VALUE).collect();
                if cut.len() < text.len() { format!("{cut}...") } else { text }
            };
            found.push(PayloadKeyChange { path: path.to_owned(), before: show(old), after: show(new) });
        }
        return;
    };
    let added = after.keys().filter(|key| !before.contains_key(*key));
    for key in before.keys().chain(added) {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match (before.get(key), after.get(key)) {
            (Some(old), Some(new)) => differences(old, new, &path, found),
            (Some(old), None) => {
                found.push(PayloadKeyChange { path, before: stringify(old), after: ABSENT.to_owned() });
            }
            (None, Some(new)) => {
                found.push(PayloadKeyChange { path, before: ABSENT.to_owned(), after: stringify(new) });
            }
            (None, None) => {}
        }
    }
}
