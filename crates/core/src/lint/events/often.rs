//! HW208: an event that was recorded more than once for the same cause.

use std::collections::HashMap;

use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::hook::HookDefinition;

/// Payload keys with the id of a tool call.
const CALLS: [&str; 2] = ["tool_use_id", "tool_call_id"];
/// The event that fires once per session.
const ENDS: &str = "SessionEnd";

/// The identity of a recorded event.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Seen {
    pub session: String,
    pub event: String,
    /// The id of the tool call, or the reason for which the session ended.
    pub action: String,
}

impl Seen {
    /// Returns the identity of a payload. `None` if the event may fire several times.
    pub fn of(session: &str, event: &str, body: &Value) -> Option<Seen> {
        let text = |key: &str| body.get(key).and_then(Value::as_str);
        let action = CALLS.iter().find_map(|key| text(key)).or_else(|| text("reason").filter(|_| event == ENDS))?;
        Some(Seen { session: session.to_owned(), event: event.to_owned(), action: action.to_owned() })
    }
}

/// Returns a finding for each event that was recorded repeatedly for one cause and that has hooks, at the first of
/// its hooks.
pub fn often(seen: impl IntoIterator<Item = Seen>, definitions: &[HookDefinition]) -> Vec<Diagnostic> {
    let mut worst = worst(seen);
    let mut found: Vec<Diagnostic> = Vec::new();
    for definition in definitions.iter().filter(|definition| definition.sound()) {
        let Some(count) = worst.remove(&definition.event) else { continue };
        let says = format!("{} was recorded {count} times for one and the same occasion", definition.event);
        let help = "let the hook do no harm when it runs again: look for what it has done already";
        found.push(Diagnostic::warning("HW208", says).at(definition.from.span).help(help));
    }
    found
}

/// Returns the highest count per event for one cause, for events with a count above one.
fn worst(seen: impl IntoIterator<Item = Seen>) -> HashMap<String, u32> {
    let mut counts: HashMap<Seen, u32> = HashMap::new();
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

    use super::{Seen, worst};

    fn seen(rows: &[(&str, &str, &str)]) -> Vec<Seen> {
        let of = |(session, event, action): &(&str, &str, &str)| Seen {
            session: (*session).to_owned(),
            event: (*event).to_owned(),
            action: (*action).to_owned(),
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
            assert_eq!(worst(seen(&rows)).len(), 0, "{rows:?}");
        }
        let rows = [("s", "End", ""), ("s", "End", ""), ("s", "Tool", "1"), ("s", "Tool", "1"), ("s", "Tool", "1")];
        let found = worst(seen(&rows));
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
            assert_eq!(Seen::of("s", event, &body).map(|seen| seen.action).as_deref(), action, "{event} {body}");
        }
    }
}
