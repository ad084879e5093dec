//! Names of events on the wire and in each agent (S-T23).

use std::collections::BTreeSet;

use hookbench::core::dialects::{self, Agent};
use hookbench::core::live::{is_event_name, native_event, wire_event};
use hookbench::core::port::mapping;

/// The agents' event names and their number, as listed in the specification.
const LISTED: &[(&str, usize, &[&str])] = &[
    (
        "claude",
        31,
        &[
            "session_start",
            "session_end",
            "setup",
            "user_prompt_submit",
            "user_prompt_expansion",
            "pre_tool_use",
            "permission_request",
            "permission_denied",
            "post_tool_use",
            "post_tool_use_failure",
            "post_tool_batch",
            "stop",
            "stop_failure",
            "subagent_start",
            "subagent_stop",
            "pre_compact",
            "post_compact",
            "notification",
            "message_display",
            "instructions_loaded",
            "task_created",
            "task_completed",
            "teammate_idle",
            "config_change",
            "cwd_changed",
            "directory_added",
            "file_changed",
            "worktree_create",
            "worktree_remove",
            "elicitation",
            "elicitation_result",
        ],
    ),
    (
        "codex",
        12,
        &[
            "session_start",
            "session_end",
            "user_prompt_submit",
            "pre_tool_use",
            "permission_request",
            "post_tool_use",
            "stop",
            "interrupt",
            "subagent_start",
            "subagent_stop",
            "pre_compact",
            "post_compact",
        ],
    ),
    (
        "gemini",
        11,
        &[
            "session_start",
            "session_end",
            "user_prompt_submit",
            "pre_tool_use",
            "post_tool_use",
            "stop",
            "pre_compact",
            "notification",
            "before_model",
            "after_model",
            "before_tool_selection",
        ],
    ),
    (
        "qwen",
        22,
        &[
            "session_start",
            "session_end",
            "session_delete",
            "user_prompt_submit",
            "user_prompt_expansion",
            "pre_tool_use",
            "permission_request",
            "permission_denied",
            "post_tool_use",
            "post_tool_use_failure",
            "post_tool_batch",
            "stop",
            "stop_failure",
            "subagent_start",
            "subagent_stop",
            "pre_compact",
            "post_compact",
            "notification",
            "message_display",
            "instructions_loaded",
            "todo_created",
            "todo_completed",
        ],
    ),
    (
        "droid",
        9,
        &[
            "session_start",
            "user_prompt_submit",
            "pre_tool_use",
            "post_tool_use",
            "notification",
            "pre_compact",
            "stop",
            "subagent_stop",
            "session_end",
        ],
    ),
];

fn natives(dialect: &Agent) -> Vec<&'static str> {
    dialect.events(&dialects::default_version(dialect)).into_iter().map(|event| event.name).collect()
}

#[test]
fn every_event_has_one_name_on_the_wire_and_one_in_its_agent() {
    for (id, count, listed) in LISTED {
        let dialect = dialects::by_id(id).unwrap();
        let form = dialect.live_format();
        let natives = natives(dialect);
        let wire: BTreeSet<String> = natives.iter().map(|native| wire_event(Some(form), native)).collect();
        assert_eq!(wire.len(), natives.len(), "{}: two events have one name", dialect.id());
        for native in &natives {
            let wire = wire_event(Some(form), native);
            assert!(is_event_name(&wire), "{wire}");
            assert_eq!(native_event(form, &wire), *native);
            assert_eq!(wire_event(Some(form), &wire), wire, "a name on the wire is its own");
        }
        let listed: BTreeSet<String> = listed.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(listed.len(), *count);
        let missing: Vec<&String> = listed.difference(&wire).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", dialect.id());
        // Events that are newer than the list, or undocumented.
        let more: Vec<&str> = wire.difference(&listed).map(String::as_str).collect();
        let known: &[&str] = match dialect.id().as_str() {
            "claude" => &["post_model_switch", "pre_model_switch", "pre_skill_shell_command"],
            "codex" => &["post_model_request", "pre_model_request"],
            _ => &[],
        };
        assert_eq!(more, known, "{}", dialect.id());
    }
}

/// The wire names agree with the table of corresponding events.
#[test]
fn one_name_is_one_thing_in_all_agents() {
    let mut compared = 0;
    for row in mapping().rows {
        for dialect in dialects::released() {
            if let Some(native) = row.events.get(dialect.id().as_str()) {
                compared += 1;
                assert_eq!(wire_event(Some(dialect.live_format()), native), row.canonical, "{}", dialect.id());
            }
        }
        for spelling in row.spellings {
            assert_eq!(wire_event(None, spelling), row.canonical);
        }
    }
    assert!(compared > 70, "{compared} names");
}

#[test]
fn names_that_nobody_knows_pass_through() {
    let gemini = dialects::by_id("gemini").map(|d| d.live_format());
    for (form, spelled, wire) in [
        (None, "SomethingNew", "something_new"),
        (None, "something_new", "something_new"),
        (None, "before.response", "before_response"),
        (None, "BeforeTool", "before_tool"),
        (gemini, "BeforeTool", "pre_tool_use"),
        (gemini, "before_tool", "pre_tool_use"),
        (gemini, "pre_tool_use", "pre_tool_use"),
        (gemini, "PreToolUse", "pre_tool_use"),
        (gemini, "SomethingNew", "something_new"),
        (None, "no name", "unknown"),
        (None, "", "unknown"),
        (None, "7up", "unknown"),
        (None, "é", "unknown"),
    ] {
        assert_eq!(wire_event(form, spelled), wire, "{spelled}");
    }
}
