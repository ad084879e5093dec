//! The 22 events and the versions that have them.

use super::version_behaviour::{self, VersionBehaviour};
use crate::kernel::events::event_table;
use hookbench_base::dialects::Version;

event_table!("qwen_code");

/// Returns whether the subject of this event is a tool name.
pub fn has_tool_subject(event: &str) -> bool {
    EVENTS.by_name(event).is_some_and(|e| e.subject == Some("tool_name"))
}

/// Returns whether the agent discards the output of the event's hooks. They run under a supervisor that outlives it
/// (spec §6.7).
pub fn discards_output(event: &str) -> bool {
    matches!(event, "MessageDisplay" | "StopFailure" | "SessionDelete")
}

/// Returns whether an event exists in a version.
pub fn is_known(behaviour: &VersionBehaviour, name: &str) -> bool {
    EVENTS.by_name(name).is_some() && behaviour.events.is_none_or(|events| events.contains(&name))
}

/// Returns the events of a version.
pub fn for_version(version: &Version) -> Vec<&'static EventSpec> {
    let behaviour = version_behaviour::for_version(version);
    EVENTS.events.iter().filter(|e| is_known(behaviour, e.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_their_events() {
        for (version, count) in [("0.24.4", 22), ("0.15.6", 14), ("0.14.0", 12)] {
            assert_eq!(for_version(&Version::parse(version).unwrap()).len(), count, "{version}");
        }
        for (name, want) in [
            ("preToolUse", Some("PreToolUse")),
            ("session_start", Some("SessionStart")),
            ("BeforeTool", Some("PreToolUse")),
            ("x", None),
        ] {
            assert_eq!(EVENTS.suggest(name), want, "{name}");
        }
    }
}
