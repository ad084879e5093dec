//! The events of 0.61.0.

use crate::kernel::events::event_table;

event_table!("gemini_cli");

/// Returns whether the subject of this event is a tool name.
pub fn has_tool_subject(event: &EventSpec) -> bool {
    event.subject == Some("tool_name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_names_are_understood() {
        for (name, want) in [
            ("before_tool", Some("BeforeTool")),
            ("BEFORETOOL", Some("BeforeTool")),
            ("PreToolUse", Some("BeforeTool")),
            ("preToolUse", Some("BeforeTool")),
            ("Stop", Some("AfterAgent")),
            ("x", None),
        ] {
            assert_eq!(EVENTS.suggest(name), want, "{name}");
        }
    }
}
