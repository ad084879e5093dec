//! HW208: an event that was recorded more than once for the same cause.

use std::collections::HashMap;

use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic};
use crate::hook::HookDefinition;

/// Payload keys with the id of a tool call.
const CALLS: [&str; 2] = ["tool_use_id", "tool_call_id"];
/// The event that fires once per session.
const ENDS: &str = "SessionEnd";

/// The identity of a recorded event.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EventOccurrence {
    pub session: String,
    pub event: String,
    /// The id of the tool call, or the reason for which the session ended.
    pub cause: String,
}

impl EventOccurrence {
    /// Returns the identity of a payload. `None` if the event may fire several times.
    pub fn of(session: &str, event: &str, body: &Value) -> Option<EventOccurrence> {
        let text = |key: &str| body.get(key).and_then(Value::as_str);
        let action = CALLS.iter().find_map(|key| text(key)).or_else(|| text("reason").filter(|_| event == ENDS))?;
        Some(EventOccurrence { session: session.to_owned(), event: event.to_owned(), cause: action.to_owned() })
    }
}

/// Returns a finding for each event that was recorded repeatedly for one cause and that has hooks, at the first of
/// its hooks.
pub fn repeated_events(
    seen: impl IntoIterator<Item = EventOccurrence>,
    definitions: &[HookDefinition],
) -> Vec<Diagnostic> {
    let mut worst = highest_counts(seen);
    let mut found: Vec<Diagnostic> = Vec::new();
    for definition in definitions.iter().filter(|definition| definition.is_valid()) {
        let Some(count) = worst.remove(&definition.event) else { continue };
        let says = format!("{} was recorded {count} times for the same occasion", definition.event);
        let help = "make the hook safe to run twice: check whether its work is already done";
        found.push(Diagnostic::new(Code::HW208, says).at(definition.provenance.span).with_help(help));
    }
    found
}

/// Returns the highest count per event for one cause, for events with a count above one.
fn highest_counts(seen: impl IntoIterator<Item = EventOccurrence>) -> HashMap<String, u32> {
    let mut counts: HashMap<EventOccurrence, u32> = HashMap::new();
    for one in seen {
        *counts.entry(one).or_default() += 1;
    }
    let mut worst: HashMap<String, u32> = HashMap::new();
    for (one, count) in counts.into_iter().filter(|(_, count)| *count > 1) {
        let most = worst.entry(one.event).or_default();
        *most = (*most).max(count);
    }
    worst
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{EventOccurrence, highest_counts};

    fn seen(rows: &[(&str, &str, &str)]) -> Vec<EventOccurrence> {
        let of = |(session, event, action): &(&str, &str, &str)| EventOccurrence {
            session: (*session).to_owned(),
            event: (*event).to_owned(),
            cause: (*action).to_owned(),
        };
        rows.iter().map(of).collect()
    }

    #[test]
    fn the_same_occasion_twice() {
        for rows in [
            vec![("s", "End", "")],
            vec![("s", "End", ""), ("t", "End", "")],
            vec![("s", "Tool", "1"), ("s", "Tool", "2")],
            vec![("s", "Tool", "1"), ("s", "Done", "1")],
        ] {
            assert_eq!(highest_counts(seen(&rows)).len(), 0, "{rows:?}");
        }
        let rows = [("s", "End", ""), ("s", "End", ""), ("s", "Tool", "1"), ("s", "Tool", "1"), ("s", "Tool", "1")];
        let found = highest_counts(seen(&rows));
        assert_eq!((found.get("End"), found.get("Tool")), (Some(&2), Some(&3)));
    }

    #[test]
    fn occasions() {
        for (event, body, action) in [
            ("PreToolUse", json!({"tool_use_id": "t1"}), Some("t1")),
            ("SessionEnd", json!({"reason": "exit"}), Some("exit")),
            ("Stop", json!({"reason": "exit"}), None),
            ("PreToolUse", json!({"tool_name": "x"}), None),
        ] {
            assert_eq!(
                EventOccurrence::of("s", event, &body).map(|seen| seen.cause).as_deref(),
                action,
                "{event} {body}"
            );
        }
    }
}
