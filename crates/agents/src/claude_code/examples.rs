//! Sample payloads of every event, with the agent's keys and their order (recorded on 2.1.329), and the values
//! that complete a payload with missing keys.

use serde_json::{Map, Value, json};

use super::events;
use super::layer_reader::config_dir;
use hookbench_base::config::Place;
use hookbench_base::hook::{EventSpec, ExamplePayload};

const SESSION: &str = "00000000-0000-4000-8000-000000000001";
const PROMPT: &str = "00000000-0000-4000-8000-000000000002";
const AGENT: &str = "a0123456789abcdef";
const CALL: &str = "toolu_01";

/// Returns all sample payloads of an event, the most useful first.
pub fn samples(event: &EventSpec, place: &Place) -> impl Iterator<Item = ExamplePayload> {
    // Omits session starts that this version does not have.
    let known = move |fields: &Map<String, Value>| {
        let source = fields.get("source").and_then(Value::as_str).unwrap_or_default();
        event.name != "SessionStart" || event.subjects.contains(&source)
    };
    example_fields(event.name, place).filter(move |(_, fields)| known(fields)).map(move |(label, fields)| {
        ExamplePayload { label: label.to_owned(), body: complete_payload(event.name, &fields, place) }
    })
}

/// Returns the keys that the agent would have sent and that `body` lacks: the common keys of the event, and its
/// own required keys.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value, place: &Place) -> Vec<(String, Value)> {
    let session = body.get("session_id").and_then(Value::as_str).unwrap_or(SESSION);
    let mut out: Vec<(String, Value)> = Vec::new();
    for (key, value) in common_fields(event.name, session, place) {
        if body.get(&key).is_none() {
            out.push((key, value));
        }
    }
    let tool = body.get("tool_name");
    let fitting = examples.iter().find(|example| tool.is_none() || example.body.get("tool_name") == tool);
    for field in event.fields.iter().filter(|f| !f.optional && body.get(f.name).is_none()) {
        if out.iter().any(|(key, _)| key == field.name) {
            continue;
        }
        let value = match (fitting, field.name) {
            (Some(example), name) => example.body.get(name).cloned(),
            // Without a sample for this tool, its input and response are unknown.
            (None, "tool_input" | "tool_response") => Some(json!({})),
            (None, name) => examples.first().and_then(|example| example.body.get(name).cloned()),
        };
        if let Some(value) = value {
            out.push((field.name.to_owned(), value));
        }
    }
    out
}

/// The keys that come before the event's own keys, in the agent's order.
fn common_fields(event: &str, session: &str, place: &Place) -> Vec<(String, Value)> {
    let carries = events::common_keys(event);
    // The name of a project's transcript directory: its path, with all characters except letters and digits replaced.
    let slug: String = place.project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let transcript = format!("{}/projects/{slug}/{session}.jsonl", config_dir(place));
    let mut keys =
        vec![("session_id", json!(session)), ("transcript_path", json!(transcript)), ("cwd", json!(place.project))];
    if carries.prompt_id {
        keys.push(("prompt_id", json!(PROMPT)));
    }
    if carries.permission_mode {
        keys.push(("permission_mode", json!("default")));
    }
    if carries.effort {
        keys.push(("effort", json!({"level": "medium"})));
    }
    keys.push(("hook_event_name", json!(event)));
    keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Returns a complete payload. `agent_id` and `agent_type` come before `effort`, at whatever position the sample
/// has them.
fn complete_payload(event: &str, fields: &Map<String, Value>, place: &Place) -> Value {
    let mut body = Map::new();
    let early = ["agent_id", "agent_type"];
    for (key, value) in common_fields(event, SESSION, place) {
        if key == "effort" || key == "hook_event_name" {
            for name in early {
                if let Some(value) = fields.get(name).filter(|_| !body.contains_key(name)) {
                    body.insert(name.to_owned(), value.clone());
                }
            }
        }
        body.insert(key, value);
    }
    for (key, value) in fields.iter().filter(|(key, _)| !early.contains(&key.as_str())) {
        body.insert(key.clone(), value.clone());
    }
    Value::Object(body)
}

type ExampleFields = (&'static str, Map<String, Value>);

fn to_map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// A tool call with its response.
struct ExampleCall {
    label: &'static str,
    tool: &'static str,
    input: Value,
    response: Value,
    server: Option<&'static str>,
}

fn call(label: &'static str, tool: &'static str, input: Value, response: Value) -> ExampleCall {
    ExampleCall { label, tool, input, response, server: None }
}

/// The sample calls in a project directory, each built when it is asked for.
const CALLS: [fn(p: &str) -> ExampleCall; 14] = [
    |_| {
        call(
            "Bash: rm -rf build",
            "Bash",
            json!({"command": "rm -rf build", "description": "Remove build output"}),
            json!({"stdout": "", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": true}),
        )
    },
    |_| {
        call(
            "Bash: git push",
            "Bash",
            json!({"command": "git push origin main", "description": "Push to the remote"}),
            json!({"stdout": "", "stderr": "Everything up-to-date", "interrupted": false, "isImage": false, "noOutputExpected": false}),
        )
    },
    |p| {
        call(
            "Write: notes.md",
            "Write",
            json!({"file_path": format!("{p}/notes.md"), "content": "# notes\n"}),
            json!({"type": "create", "filePath": format!("{p}/notes.md"), "content": "# notes\n", "structuredPatch": [], "originalFile": null, "userModified": false}),
        )
    },
    |p| {
        call(
            "Edit: src/app.py",
            "Edit",
            json!({"file_path": format!("{p}/src/app.py"), "old_string": "hello", "new_string": "bonjour", "replace_all": false}),
            json!({
                "filePath": format!("{p}/src/app.py"), "oldString": "hello", "newString": "bonjour",
                "originalFile": "print('hello')\n",
                "structuredPatch": [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-print('hello')", "+print('bonjour')"]}],
                "userModified": false, "replaceAll": false,
            }),
        )
    },
    |p| {
        call(
            "Read: README.md",
            "Read",
            json!({"file_path": format!("{p}/README.md")}),
            json!({"type": "text", "file": {"filePath": format!("{p}/README.md"), "content": "# project\n", "numLines": 1, "startLine": 1, "totalLines": 1}}),
        )
    },
    |_| ExampleCall {
        label: "MCP: mcp__mem__get",
        tool: "mcp__mem__get",
        input: json!({"q": "1"}),
        response: json!([{"type": "text", "text": "get:{\"q\": \"1\"}"}]),
        server: Some("mem"),
    },
    |_| {
        call(
            "Agent: general-purpose",
            "Agent",
            json!({"description": "Find callers", "prompt": "Find all callers of parse().", "subagent_type": "general-purpose", "run_in_background": false}),
            json!({"status": "completed", "prompt": "Find all callers of parse().", "agentId": AGENT, "agentType": "general-purpose", "content": [{"type": "text", "text": "Three callers."}]}),
        )
    },
    |_| {
        call(
            "WebFetch",
            "WebFetch",
            json!({"url": "https://example.com/", "prompt": "Summarise the page."}),
            json!({"bytes": 1256, "code": 200, "codeText": "OK", "result": "An example page.", "durationMs": 310, "url": "https://example.com/"}),
        )
    },
    |p| {
        call(
            "NotebookEdit: n.ipynb",
            "NotebookEdit",
            json!({"notebook_path": format!("{p}/n.ipynb"), "cell_id": "c1", "new_source": "x=2", "cell_type": "code", "edit_mode": "replace"}),
            json!({"new_source": "x=2", "cell_type": "code", "language": "python", "edit_mode": "replace", "cell_id": "c1", "error": ""}),
        )
    },
    // The rest was measured on 2.1.332.
    |_| {
        call(
            "ToolSearch: select:Read",
            "ToolSearch",
            json!({"query": "select:Read", "max_results": 3}),
            json!({"matches": ["Read"], "query": "select:Read", "total_deferred_tools": 11}),
        )
    },
    |_| call("ListAgents", "ListAgents", json!({}), json!({"listing": "No reachable agents"})),
    |_| {
        let findings =
            json!([{"file": "a.py", "line": 3, "summary": "A wrong sign.", "failure_scenario": "f(1) is -1."}]);
        call(
            "ReportFindings: one",
            "ReportFindings",
            json!({"findings": findings}),
            json!({"count": 1, "findings": findings}),
        )
    },
    |_| {
        call(
            "ScheduleWakeup: 60 s",
            "ScheduleWakeup",
            json!({"delaySeconds": 60, "reason": "The build runs.", "prompt": "/loop", "noop": true}),
            json!({"scheduledFor": 1_795_911_120_000_u64, "clampedDelaySeconds": 60, "wasClamped": false}),
        )
    },
    |_| {
        call(
            "Workflow: a script",
            "Workflow",
            json!({"script": "export const meta = { name: \"w\", description: \"d\", phases: [] };\nreturn 1;\n"}),
            json!({"status": "async_launched", "taskId": "w1", "taskType": "local_workflow", "workflowName": "w", "runId": "wf_1", "summary": "d"}),
        )
    },
];

/// Returns the keys of a tool event for every sample call.
fn tool_events<'a>(event: &'a str, place: &'a Place) -> impl Iterator<Item = ExampleFields> + 'a {
    let one = move |call: ExampleCall| {
        let mut map = to_map(json!({"tool_name": call.tool, "tool_input": call.input}));
        let mut put = |key: &str, value: Value| {
            map.insert(key.to_owned(), value);
        };
        match event {
            "PermissionRequest" => put(
                "permission_suggestions",
                json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]),
            ),
            "PermissionDenied" => {
                put("tool_use_id", json!(CALL));
                put("reason", json!("Classifier unavailable"));
            }
            "PostToolUse" => {
                put("tool_response", call.response);
                put("tool_use_id", json!(CALL));
                put("duration_ms", json!(45));
            }
            "PostToolUseFailure" => {
                put("tool_use_id", json!(CALL));
                put("error", json!(if call.tool == "Bash" { "Exit code 3\nout\nerr" } else { "the tool said no" }));
                put("is_interrupt", json!(false));
                put("duration_ms", json!(24));
            }
            _ => put("tool_use_id", json!(CALL)),
        }
        if let Some(server) = call.server {
            put("mcp_server", json!({"name": server, "source": "dynamic"}));
        }
        (call.label, map)
    };
    CALLS.iter().map(|build| build(&place.project)).map(one)
}

/// Returns the event's own keys for every sample.
fn example_fields<'a>(event: &'a str, place: &'a Place) -> Box<dyn Iterator<Item = ExampleFields> + 'a> {
    // A command of a skill is always one of the shell.
    if events::has_tool_subject(event) && event != "PreSkillShellCommand" {
        return Box::new(tool_events(event, place));
    }
    let p = &place.project;
    let agent_transcript = {
        let slug: String = p.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        format!("{}/projects/{slug}/{SESSION}/subagents/agent-{AGENT}.jsonl", config_dir(place))
    };
    let task = json!({"task_id": "1", "task_subject": "Write the parser", "task_description": "With tests."});
    let model = json!({
        "from_model": "claude-opus-5-5", "to_model": "claude-sonnet-5", "requested_model": "claude-sonnet-5",
        "source": "command", "context_tokens": 15, "prompt_cache_warm": true, "cache_ttl": "5m",
        "estimated_cache_write_usd": 0, "pricing": "catalog",
    });
    let list: Vec<(&'static str, Value)> = match event {
        "SessionStart" => vec![
            ("startup", json!({"source": "startup"})),
            (
                "resume",
                json!({"source": "resume", "seconds_since_last_response": 3600, "context_tokens": 15000, "prompt_cache_likely_expired": true, "estimated_cache_write_usd": 0.09}),
            ),
            ("compact", json!({"source": "compact"})),
            ("clear", json!({"source": "clear"})),
            (
                "fork",
                json!({"source": "fork", "seconds_since_last_response": 0, "context_tokens": 15, "prompt_cache_likely_expired": false, "estimated_cache_write_usd": 0.0001}),
            ),
        ],
        "Setup" => vec![("init", json!({"trigger": "init"})), ("maintenance", json!({"trigger": "maintenance"}))],
        "InstructionsLoaded" => vec![(
            "CLAUDE.md",
            json!({"file_path": format!("{p}/CLAUDE.md"), "memory_type": "Project", "load_reason": "session_start"}),
        )],
        "UserPromptSubmit" => vec![("a prompt", json!({"prompt": "Fix the failing test."}))],
        "PreSkillShellCommand" => vec![(
            "a command of /mycmd",
            json!({"tool_name": "Bash", "tool_input": {"command": "git status --short"}, "tool_use_id": "00000000-0000-4000-8000-000000000003:inner:preamble-0", "command_name": "mycmd", "command_source": "projectSettings", "invoked_by": "user"}),
        )],
        "UserPromptExpansion" => vec![(
            "/mycmd",
            json!({"expansion_type": "slash_command", "command_name": "mycmd", "command_args": "a b", "command_source": "projectSettings", "prompt": "/mycmd a b"}),
        )],
        "MessageDisplay" => vec![(
            "a message",
            json!({"turn_id": "00000000-0000-4000-8000-000000000003", "message_id": "00000000-0000-4000-8000-000000000004", "index": 0, "final": true, "delta": "Done."}),
        )],
        "PostToolBatch" => vec![(
            "one Bash call",
            json!({"tool_calls": [{"tool_name": "Bash", "tool_input": {"command": "rm -rf build", "description": "Remove build output"}, "tool_use_id": CALL, "tool_response": "(Bash completed with no output)"}]}),
        )],
        "Notification" => vec![
            (
                "permission_prompt",
                json!({"message": "Claude needs your permission to use Bash", "notification_type": "permission_prompt"}),
            ),
            ("idle_prompt", json!({"message": "Claude is waiting for your input", "notification_type": "idle_prompt"})),
        ],
        "SubagentStart" => vec![("general-purpose", json!({"agent_id": AGENT, "agent_type": "general-purpose"}))],
        "SubagentStop" => vec![(
            "general-purpose",
            json!({"agent_id": AGENT, "agent_type": "general-purpose", "stop_hook_active": false, "agent_transcript_path": agent_transcript, "last_assistant_message": "Done.", "background_tasks": [], "session_crons": []}),
        )],
        "TaskCreated" | "TaskCompleted" => vec![("a task", task)],
        "Stop" => vec![
            (
                "first stop",
                json!({"stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": [], "session_crons": []}),
            ),
            (
                "after a blocked stop",
                json!({"stop_hook_active": true, "last_assistant_message": "Done.", "background_tasks": [], "session_crons": []}),
            ),
        ],
        "StopFailure" => vec![(
            "server_error",
            json!({"error": "server_error", "last_assistant_message": "API Error: 529 Overloaded."}),
        )],
        "TeammateIdle" => vec![("a teammate", json!({"teammate_name": "tester", "team_name": "team"}))],
        "ConfigChange" => vec![(
            "project settings",
            json!({"source": "project_settings", "file_path": format!("{p}/.claude/settings.json")}),
        )],
        "CwdChanged" => vec![("cd src", json!({"old_cwd": p, "new_cwd": format!("{p}/src")}))],
        "DirectoryAdded" => vec![("/add-dir", json!({"directory": "/tmp/other", "source": "slash_command"}))],
        "FileChanged" => vec![(".env", json!({"file_path": format!("{p}/.env"), "event": "change"}))],
        "WorktreeCreate" => vec![("a worktree", json!({"name": "feat"}))],
        "WorktreeRemove" => vec![("a worktree", json!({"worktree_path": format!("{p}/.claude/worktrees/feat")}))],
        "PreCompact" => vec![
            ("manual", json!({"trigger": "manual", "custom_instructions": "keep it short"})),
            ("auto", json!({"trigger": "auto", "custom_instructions": null})),
        ],
        "PostCompact" => {
            vec![("manual", json!({"trigger": "manual", "compact_summary": "<summary>SUMMARY</summary>"}))]
        }
        "PreModelSwitch" | "PostModelSwitch" => vec![("to claude-sonnet-5", model)],
        "Elicitation" => vec![(
            "a form",
            json!({"mcp_server_name": "mem", "message": "Which key?", "mode": "form", "requested_schema": {"type": "object", "properties": {"v": {"type": "string"}}, "required": ["v"]}}),
        )],
        "ElicitationResult" => {
            vec![(
                "accepted",
                json!({"mcp_server_name": "mem", "mode": "form", "action": "accept", "content": {"v": "a"}}),
            )]
        }
        "SessionEnd" => vec![
            ("other", json!({"reason": "other"})),
            ("prompt_input_exit", json!({"reason": "prompt_input_exit"})),
            ("clear", json!({"reason": "clear"})),
        ],
        _ => Vec::new(),
    };
    Box::new(list.into_iter().map(|(label, value)| (label, to_map(value))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn place() -> Place {
        Place { project: "/home/user/project".to_owned(), home: "/home/user".to_owned(), ..Place::default() }
    }

    #[test]
    fn every_event_has_one_and_each_is_complete() {
        for event in events::EVENTS.events {
            let examples: Vec<ExamplePayload> = samples(event, &place()).collect();
            assert!(!examples.is_empty(), "{}", event.name);
            for example in &examples {
                assert_eq!(
                    fill(&examples, event, &example.body, &place()),
                    vec![],
                    "{}: {}",
                    event.name,
                    example.label
                );
                for field in event.fields.iter().filter(|f| !f.values.is_empty()) {
                    if let Some(text) = example.body.get(field.name).and_then(Value::as_str) {
                        assert!(field.values.contains(&text), "{} {}", event.name, field.name);
                    }
                }
            }
        }
    }

    #[test]
    fn as_recorded() {
        let first = |name: &str| {
            hookbench_base::text::stringify(&samples(events::find(name).unwrap(), &place()).next().unwrap().body)
        };
        assert_eq!(
            first("PreToolUse"),
            r#"{"session_id":"00000000-0000-4000-8000-000000000001","transcript_path":"/home/user/.claude/projects/-home-user-project/00000000-0000-4000-8000-000000000001.jsonl","cwd":"/home/user/project","prompt_id":"00000000-0000-4000-8000-000000000002","permission_mode":"default","effort":{"level":"medium"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf build","description":"Remove build output"},"tool_use_id":"toolu_01"}"#
        );
        assert_eq!(
            first("SubagentStop"),
            r#"{"session_id":"00000000-0000-4000-8000-000000000001","transcript_path":"/home/user/.claude/projects/-home-user-project/00000000-0000-4000-8000-000000000001.jsonl","cwd":"/home/user/project","prompt_id":"00000000-0000-4000-8000-000000000002","permission_mode":"default","agent_id":"a0123456789abcdef","agent_type":"general-purpose","effort":{"level":"medium"},"hook_event_name":"SubagentStop","stop_hook_active":false,"agent_transcript_path":"/home/user/.claude/projects/-home-user-project/00000000-0000-4000-8000-000000000001/subagents/agent-a0123456789abcdef.jsonl","last_assistant_message":"Done.","background_tasks":[],"session_crons":[]}"#
        );
        assert_eq!(
            first("SessionStart"),
            r#"{"session_id":"00000000-0000-4000-8000-000000000001","transcript_path":"/home/user/.claude/projects/-home-user-project/00000000-0000-4000-8000-000000000001.jsonl","cwd":"/home/user/project","hook_event_name":"SessionStart","source":"startup"}"#
        );
    }

    #[test]
    fn fills_what_the_agent_would_have_sent() {
        for (event, body, want) in [
            (
                "Stop",
                json!({"hook_event_name": "Stop"}),
                vec![
                    "session_id",
                    "transcript_path",
                    "cwd",
                    "prompt_id",
                    "permission_mode",
                    "effort",
                    "stop_hook_active",
                ],
            ),
            (
                "Setup",
                json!({"hook_event_name": "Setup", "trigger": "init"}),
                vec!["session_id", "transcript_path", "cwd"],
            ),
            (
                "StopFailure",
                json!({"hook_event_name": "StopFailure", "error": "unknown", "cwd": "/x"}),
                vec!["session_id", "transcript_path", "prompt_id", "effort"],
            ),
            (
                "PreToolUse",
                json!({"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {}}),
                vec!["session_id", "transcript_path", "cwd", "prompt_id", "permission_mode", "effort", "tool_use_id"],
            ),
            (
                "PermissionRequest",
                json!({"hook_event_name": "PermissionRequest", "tool_name": "Glob", "tool_input": {}}),
                vec!["session_id", "transcript_path", "cwd", "prompt_id", "permission_mode", "effort"],
            ),
        ] {
            let (event_spec, place) = (events::find(event).unwrap(), place());
            let filled = fill(&samples(event_spec, &place).collect::<Vec<_>>(), event_spec, &body, &place);
            let got: Vec<String> = filled.into_iter().map(|(k, _)| k).collect();
            assert_eq!(got, want, "{event}");
        }
    }
}
