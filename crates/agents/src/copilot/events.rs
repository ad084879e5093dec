//! The events in both spellings. Both have the keys that hookbench holds, which are those of PascalCase payloads;
//! `spelling` knows what a hook gets.

use super::spelling::{Spelling, camel_event, pascal_event};
use crate::kernel::events::event_table;

event_table!("copilot");

/// The event of exactly this name.
pub fn by_name(name: &str) -> Option<&'static EventSpec> {
    EVENTS.events.iter().chain(EVENTS.others).find(|event| event.name == name)
}

/// Whether only declarations of the program name this event: no session of 1.0.102 was seen to fire it.
pub fn is_only_declared(name: &str) -> bool {
    matches!(name, "preMcpToolCall" | "postResult" | "prePRDescription")
}

/// The event that a user probably meant, in the spelling of `name`.
pub fn suggest(name: &str) -> Option<&'static str> {
    EVENTS.suggest(name).map(|event| spelled_like(event, name))
}

/// The event in camelCase if the name begins with a small letter, otherwise in PascalCase. An event that has only one of the
/// two keeps it.
pub fn spelled_like(event: &'static str, name: &str) -> &'static str {
    let other = match Spelling::of(name) {
        Spelling::Camel => Some(camel_event(event)),
        Spelling::Pascal => pascal_event(&camel_event(event)),
    };
    other.and_then(|other| by_name(&other)).map_or(event, |other| other.name)
}

#[cfg(test)]
mod tests {
    use super::super::spelling::main_spelling;
    use super::*;

    #[test]
    fn every_event_but_one_has_two_spellings() {
        for event in EVENTS.events {
            let other = EVENTS.others.iter().find(|camel| camel.name == camel_event(event.name));
            assert_eq!(other.is_some(), event.name != "userPromptTransformed", "{}", event.name);
            assert_eq!(main_spelling(&camel_event(event.name)), event.name);
        }
    }

    #[test]
    fn other_names_are_understood() {
        for (name, want) in [
            ("pretooluse", Some("preToolUse")),
            ("preTooluse", Some("preToolUse")),
            ("Pretooluse", Some("PreToolUse")),
            ("pre_tool_use", Some("preToolUse")),
            ("AgentStop", Some("Stop")),
            ("stop", Some("agentStop")),
            ("UserPromptSubmitted", Some("UserPromptSubmit")),
            ("userPromptSubmit", Some("userPromptSubmitted")),
            ("beforeTool", Some("preToolUse")),
            ("UserPromptTransformed", Some("userPromptTransformed")),
            ("BeforeTool", Some("PreToolUse")),
            ("x", None),
        ] {
            assert_eq!(suggest(name), want, "{name}");
        }
    }
}
