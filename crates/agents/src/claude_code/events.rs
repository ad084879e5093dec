//! The 34 events, their subjects, and the payloads that are recognised as Claude Code's.

use serde_json::Value;

use super::version_behaviour::VersionBehaviour;
use crate::kernel::events::event_table;
use hookbench_base::catalogue::catalogue;
use hookbench_base::dialects::Confidence;
use hookbench_base::hook::Subject;

event_table!("claude_code");

/// Returns the events of a version (spec §3.1, §14).
pub fn for_version(rules: VersionBehaviour) -> Vec<&'static EventSpec> {
    let there = |e: &&EventSpec| match e.name {
        "PreModelSwitch" | "PostModelSwitch" => rules.has_model_switch,
        "PreSkillShellCommand" => rules.has_skill_commands,
        _ => true,
    };
    let as_then = |e: &'static EventSpec| {
        let then = EVENTS.others.iter().find(|then| then.name == e.name && !rules.has_forks);
        then.unwrap_or(e)
    };
    EVENTS.events.iter().filter(there).map(as_then).collect()
}

/// Finds an event by name in a version.
pub fn find_in(name: &str, rules: VersionBehaviour) -> Option<&'static EventSpec> {
    for_version(rules).into_iter().find(|e| e.name == name)
}

/// Finds an event by name in any version. Names are case-sensitive.
pub fn find(name: &str) -> Option<&'static EventSpec> {
    EVENTS.by_name(name)
}

/// Whether the event is about one tool call. Only on these events does the agent evaluate `if` (spec §4).
pub fn has_tool_subject(event: &str) -> bool {
    matches!(
        event,
        "PreToolUse"
            | "PreSkillShellCommand"
            | "PostToolUse"
            | "PostToolUseFailure"
            | "PermissionRequest"
            | "PermissionDenied"
    )
}

/// The common keys in the payload of an event (spec §6, all 30 recorded events).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommonKeys {
    pub permission_mode: bool,
    pub effort: bool,
    pub prompt_id: bool,
}

/// Returns the common keys of an event.
pub fn common_keys(event: &str) -> CommonKeys {
    let decides = has_tool_subject(event) || matches!(event, "PostToolBatch" | "Stop" | "SubagentStop");
    CommonKeys {
        permission_mode: decides || matches!(event, "UserPromptSubmit" | "UserPromptExpansion"),
        effort: decides || event == "StopFailure",
        prompt_id: !matches!(event, "SessionStart" | "Setup" | "InstructionsLoaded" | "WorktreeCreate"),
    }
}

/// Returns the subject that matchers are compared with: one key of the payload; for FileChanged, the last part of
/// the path. A tool may have aliases (spec §3.1, §3.2).
pub fn subject(event: &EventSpec, body: &Value) -> Subject {
    let Some(key) = event.subject else { return Subject::default() };
    let text = body.get(key).and_then(Value::as_str).unwrap_or("");
    let value = if event.name == "FileChanged" { text.rsplit('/').next().unwrap_or(text) } else { text };
    let tool = catalogue().agent("claude").and_then(|own| own.by_id(value)).filter(|_| has_tool_subject(event.name));
    let mut aliases: Vec<String> =
        tool.map_or_else(Vec::new, |tool| tool.aliases.iter().map(|alias| (*alias).to_owned()).collect());
    aliases.extend(monitored_command(event.name, body).map(|_| "Bash".to_owned()));
    Subject { value: Some(value.to_owned()), aliases }
}

/// The command of a Monitor call, which hooks for Bash see as a call of Bash. Measured on 2.1.332.
pub fn monitored_command<'a>(event: &str, body: &'a Value) -> Option<&'a str> {
    let is_guarded = matches!(event, "PreToolUse" | "PermissionRequest");
    let is_monitor = body.get("tool_name").and_then(Value::as_str) == Some("Monitor");
    body.get("tool_input")?.get("command")?.as_str().filter(|_| is_guarded && is_monitor)
}

/// Returns how likely a payload is from Claude Code, from its event name and from keys that only Claude Code sends
/// (spec §6).
pub fn recognise(body: &Value) -> Confidence {
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    if text("hook_event_name").and_then(find).is_none() {
        return Confidence::No;
    }
    let transcript = text("transcript_path").is_some_and(|path| path.contains("/.claude/"));
    let effort = body.get("effort").is_some_and(|effort| effort.get("level").is_some());
    let call = text("tool_use_id").is_some_and(|id| id.starts_with("toolu_"));
    let foreign = body.get("timestamp").is_some() || body.get("turn_id").is_some_and(|_| text("delta").is_none());
    match (transcript || effort || call, foreign) {
        (true, false) => Confidence::Certain,
        (true, true) | (false, _) => Confidence::Possible,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::dialects::Version;
    use hookbench_base::hook::PayloadField;
    use serde_json::json;

    #[test]
    fn there_are_34_and_no_two_alike() {
        let mut names: Vec<&str> = EVENTS.events.iter().map(|e| e.name).collect();
        assert_eq!(names.len(), 34);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 34);
    }

    #[test]
    fn older_versions_have_fewer() {
        for (patch, count, forks) in
            [(332, 34, true), (331, 33, true), (241, 33, true), (240, 31, true), (213, 31, false)]
        {
            let events = for_version(VersionBehaviour::for_version(&Version::new(2, 1, patch)));
            let start = events.iter().find(|e| e.name == "SessionStart").unwrap();
            let named = |field: &PayloadField| field.name == "source" && field.values.contains(&"fork");
            let known = (start.subjects.contains(&"fork"), start.fields.iter().any(named));
            assert_eq!((events.len(), known), (count, (forks, forks)), "2.1.{patch}");
        }
    }

    #[test]
    fn subjects() {
        for (event, body, value, aliases) in [
            ("PreToolUse", json!({"tool_name": "Bash"}), Some("Bash"), vec![]),
            ("PreToolUse", json!({"tool_name": "Agent"}), Some("Agent"), vec!["Task"]),
            ("SubagentStart", json!({"agent_type": "Agent"}), Some("Agent"), vec![]),
            (
                "PreToolUse",
                json!({"tool_name": "Monitor", "tool_input": {"command": "tail -f x"}}),
                Some("Monitor"),
                vec!["Bash"],
            ),
            ("PreToolUse", json!({"tool_name": "Monitor", "tool_input": {"ws": {}}}), Some("Monitor"), vec![]),
            (
                "PostToolUse",
                json!({"tool_name": "Monitor", "tool_input": {"command": "tail -f x"}}),
                Some("Monitor"),
                vec![],
            ),
            ("FileChanged", json!({"file_path": "/a/b.txt"}), Some("b.txt"), vec![]),
            ("PreModelSwitch", json!({"from_model": "a", "to_model": "b"}), Some("b"), vec![]),
            ("SessionStart", json!({"source": 5}), Some(""), vec![]),
            ("Stop", json!({}), None, vec![]),
        ] {
            let got = subject(find(event).unwrap(), &body);
            let want =
                Subject { value: value.map(str::to_owned), aliases: aliases.into_iter().map(str::to_owned).collect() };
            assert_eq!(got, want, "{event}");
        }
    }
}
