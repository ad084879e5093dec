//! The events of 0.225.2.

use crate::kernel::events::event_table;

event_table!("droid");

/// Whether what the agent does with the output of this event is known only from its documentation.
pub fn is_unobserved(name: &str) -> bool {
    matches!(name, "UserPromptSubmit" | "Notification" | "PreCompact" | "SubagentStop")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_names_are_understood() {
        for (name, want) in [
            ("preToolUse", Some("PreToolUse")),
            ("pre_tool_use", Some("PreToolUse")),
            ("BeforeTool", Some("PreToolUse")),
            ("agentStop", Some("Stop")),
            ("x", None),
        ] {
            assert_eq!(EVENTS.suggest(name), want, "{name}");
        }
    }
}
