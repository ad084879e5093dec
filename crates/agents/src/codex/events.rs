//! The 14 events, and what their names become.

use crate::kernel::events::event_table;

event_table!("codex");

/// The key of an answer that adds context for the model, on the events that support it.
pub const CONTEXT: &str = "/hookSpecificOutput/additionalContext";

/// Returns the event name as trust keys and hashes spell it: `pre_tool_use`.
pub fn label(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Returns whether the event's hooks have one second by default and three at most.
pub fn is_short(name: &str) -> bool {
    matches!(name, "SessionEnd" | "Interrupt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_labels() {
        for (name, want) in [
            ("pre_tool_use", Some("PreToolUse")),
            ("preToolUse", Some("PreToolUse")),
            ("BeforeTool", Some("PreToolUse")),
            ("Notification", None),
        ] {
            assert_eq!(EVENTS.suggest(name), want, "{name}");
        }
        assert_eq!(label("PreToolUse"), "pre_tool_use");
        assert_eq!(label("Stop"), "stop");
        assert!(EVENTS.events.iter().all(|e| !e.about.is_empty()));
    }
}
