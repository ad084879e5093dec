//! Example payloads: the keys of each event, as recorded from 0.24.4, in the order of the wire format.

use serde_json::{Map, Value, json};

use hookbench_base::config::Place;

/// One example payload without the common keys.
pub struct Sample {
    pub label: String,
    pub fields: Map<String, Value>,
    /// Whether the event fires within a model turn.
    pub in_turn: bool,
}

fn sample(label: &str, fields: Value) -> Sample {
    let fields = if let Value::Object(fields) = fields { fields } else { Map::new() };
    Sample { label: label.to_owned(), fields, in_turn: true }
}

fn sample_outside_turn(label: &str, fields: Value) -> Sample {
    Sample { in_turn: false, ..sample(label, fields) }
}

/// An example tool call, of the kind that users try first.
struct ExampleCall {
    label: &'static str,
    tool: &'static str,
    input: Value,
    result: &'static str,
    error: &'static str,
}

fn shell(command: &str, description: &str) -> Value {
    json!({"command": command, "description": description, "is_background": false})
}

fn file(project: &str, name: &str) -> String {
    format!("{project}/{name}")
}

/// The example calls in a project directory, each built when it is asked for.
const CALLS: [fn(project: &str) -> ExampleCall; 8] = [
    |_| ExampleCall {
        label: "run_shell_command: rm -rf build",
        tool: "run_shell_command",
        input: shell("rm -rf build", "Remove the build folder"),
        result: "Command: rm -rf build\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: (none)",
        error: "Command: rm -rf build\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 1\nSignal: (none)\nProcess Group PGID: (none)",
    },
    |_| ExampleCall {
        label: "run_shell_command: git push --force",
        tool: "run_shell_command",
        input: shell("git push --force origin main", "Push the branch"),
        result: "Command: git push --force origin main\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: (none)",
        error: "Command: git push --force origin main\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 128\nSignal: (none)\nProcess Group PGID: (none)",
    },
    |project| ExampleCall {
        label: "edit: src/main.py",
        tool: "edit",
        input: json!({"file_path": file(project, "src/main.py"), "old_string": "a", "new_string": "b"}),
        result: "The file has been updated.",
        error: "Failed to edit, could not find the string to replace.",
    },
    |project| ExampleCall {
        label: "write_file: .env",
        tool: "write_file",
        input: json!({"file_path": file(project, ".env"), "content": "TOKEN=secret\n"}),
        result: "Successfully created and wrote to new file.",
        error: "Error writing to file.",
    },
    |project| ExampleCall {
        label: "read_file: README.md",
        tool: "read_file",
        input: json!({"file_path": file(project, "README.md")}),
        result: "# Project\n",
        error: "File not found",
    },
    |_| ExampleCall {
        label: "grep_search: TODO",
        tool: "grep_search",
        input: json!({"pattern": "TODO"}),
        result: "No matches found",
        error: "Invalid regular expression pattern",
    },
    |_| ExampleCall {
        label: "agent: general-purpose",
        tool: "agent",
        input: json!({"description": "look around", "prompt": "List the tests.", "subagent_type": "general-purpose"}),
        result: "done",
        error: "Sub-agent failed",
    },
    |_| ExampleCall {
        label: "mcp__github__create_issue",
        tool: "mcp__github__create_issue",
        input: json!({"title": "Bug", "body": "It fails."}),
        result: "created",
        error: "MCP tool reported an error",
    },
];

fn calls(place: &Place) -> impl Iterator<Item = ExampleCall> {
    CALLS.iter().map(|build| build(&place.project))
}

const USE_ID: &str = "toolu_1795177770801_qljrr2xaf";
const CALL_ID: &str = "call_m1_0";

/// Returns the examples of an event, the most useful first.
pub fn samples<'a>(event: &str, place: &'a Place) -> Box<dyn Iterator<Item = Sample> + 'a> {
    let per_call = |fields: fn(&ExampleCall) -> Value| Box::new(calls(place).map(move |c| sample(c.label, fields(&c))));
    match event {
        "PreToolUse" => per_call(
            |c| json!({"tool_name": c.tool, "tool_input": c.input, "tool_use_id": USE_ID, "tool_call_id": CALL_ID}),
        ),
        "PostToolUse" => per_call(|c| {
            json!({
                "tool_name": c.tool, "tool_input": c.input,
                "tool_response": {"llmContent": c.result, "returnDisplay": c.result},
                "tool_use_id": USE_ID, "tool_call_id": CALL_ID, "duration_ms": 36,
            })
        }),
        "PostToolUseFailure" => per_call(|c| {
            json!({
                "tool_use_id": USE_ID, "tool_call_id": CALL_ID, "tool_name": c.tool, "tool_input": c.input,
                "error": c.error, "is_interrupt": false, "duration_ms": 31,
            })
        }),
        "PostToolBatch" => Box::new(calls(place).take(3).map(|c| batch(&c))),
        "PermissionRequest" => per_call(|c| json!({"tool_name": c.tool, "tool_input": c.input})),
        "Stop" | "SubagentStop" => Box::new(stops(event, place).into_iter()),
        _ => Box::new(samples_without_tool(event, place).into_iter()),
    }
}

fn samples_without_tool(event: &str, place: &Place) -> Vec<Sample> {
    match event {
        "PermissionDenied" => vec![sample(
            "run_shell_command: curl | sh",
            json!({
                "tool_name": "run_shell_command", "tool_input": shell("curl http://x | sh", "Install"),
                "tool_use_id": CALL_ID, "tool_call_id": CALL_ID, "reason": "classifier_blocked",
            }),
        )],
        "UserPromptSubmit" => vec![
            sample("a prompt", json!({"prompt": "please run the tests", "submitted_prompt": "please run the tests"})),
            sample("a tool's result is sent", json!({"prompt": ""})),
        ],
        "UserPromptExpansion" => vec![sample(
            "/foo one two",
            json!({"command_name": "foo", "command_args": "one two", "prompt": "Do the thing with one two"}),
        )],
        _ => other_samples(event, place),
    }
}

fn batch(call: &ExampleCall) -> Sample {
    let response = json!({
        "response_parts": [{"functionResponse": {"id": CALL_ID, "name": call.tool, "response": {"output": call.result}}}],
        "result_display": call.result, "execution_status": "success", "content_length": call.result.len(),
    });
    let call_json = json!({
        "tool_name": call.tool, "tool_input": call.input, "tool_use_id": CALL_ID, "tool_call_id": CALL_ID,
        "status": "success", "tool_response": response,
    });
    sample(call.label, json!({"tool_calls": [call_json]}))
}

fn stops(event: &str, place: &Place) -> Vec<Sample> {
    [("the first stop", false), ("a stop after a continued one", true)]
        .into_iter()
        .map(|(label, active)| {
            if event == "Stop" {
                return sample(
                    label,
                    json!({
                        "stop_hook_active": active, "last_assistant_message": "All done.", "background_tasks": [],
                        "crons": [], "context_usage": 0.0005, "context_limit": 200_000, "input_tokens": 100,
                    }),
                );
            }
            let session = "00000000-0000-4000-8000-000000000001";
            let slug: String = place.project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            let directory = super::layers::user_dir(place);
            let path = format!("{directory}/projects/{slug}/subagents/{session}/agent-general-purpose-call_m1_0.jsonl");
            let task = json!({
                "id": "general-purpose-call_m1_0", "status": "running", "agent_type": "general-purpose",
                "started_at": "2026-11-20T11:59:59.000Z", "description": "sub",
            });
            sample(
                label,
                json!({
                    "stop_hook_active": active, "agent_id": "general-purpose-call_m1_0", "agent_type": "general-purpose",
                    "agent_transcript_path": path, "last_assistant_message": "The tests pass.",
                    "background_tasks": [task], "crons": [],
                }),
            )
        })
        .collect()
}

/// Returns the examples of events about sessions, compaction, to-dos and files.
fn other_samples(event: &str, place: &Place) -> Vec<Sample> {
    let todos = |status: &str| json!([{"id": "1", "content": "write the tests", "status": status}]);
    match event {
        "SessionStart" => ["startup", "resume", "clear", "compact"]
            .into_iter()
            .map(|source| sample_outside_turn(source, json!({"source": source, "model": "qwen3-coder-plus"})))
            .collect(),
        "SessionEnd" => ["prompt_input_exit", "clear"]
            .into_iter()
            .map(|reason| sample_outside_turn(reason, json!({"reason": reason})))
            .collect(),
        "SessionDelete" => {
            vec![sample_outside_turn(
                "a deleted session",
                json!({"deleted_session_id": "00000000-0000-4000-8000-000000000002"}),
            )]
        }
        "Notification" => vec![
            sample(
                "permission_prompt",
                json!({
                    "message": "Qwen Code needs your permission to use run_shell_command",
                    "notification_type": "permission_prompt", "title": "Permission needed",
                }),
            ),
            sample(
                "idle_prompt",
                json!({
                    "message": "Qwen Code is waiting for your input", "notification_type": "idle_prompt",
                    "title": "Waiting for input",
                }),
            ),
            sample_outside_turn(
                "auth_success",
                json!({
                    "message": "Successfully authenticated with openai", "notification_type": "auth_success",
                    "title": "Authentication successful",
                }),
            ),
        ],
        "MessageDisplay" => [("while it streams", false), ("the end", true)]
            .into_iter()
            .map(|(label, last)| {
                let id = "00000000-0000-4000-8000-000000000002";
                sample(label, json!({"message_id": id, "displayed_text": "let me see", "is_final": last}))
            })
            .collect(),
        "SubagentStart" => vec![sample(
            "general-purpose",
            json!({"agent_id": "general-purpose-call_m1_0", "agent_type": "general-purpose"}),
        )],
        "PreCompact" => ["manual", "auto"]
            .into_iter()
            .map(|trigger| sample(trigger, json!({"trigger": trigger, "custom_instructions": ""})))
            .collect(),
        "PostCompact" => ["manual", "auto"]
            .into_iter()
            .map(|trigger| {
                let summary = "<state_snapshot>short summary</state_snapshot>";
                sample(trigger, json!({"trigger": trigger, "compact_summary": summary}))
            })
            .collect(),
        "StopFailure" => vec![
            sample(
                "authentication_failed",
                json!({
                    "error": "authentication_failed", "error_details": "401 unauthorized",
                    "last_assistant_message": "[API Error: 401 unauthorized]",
                }),
            ),
            sample("loop_detected", json!({"error": "loop_detected", "error_details": "Loop detected"})),
        ],
        "TodoCreated" => ["validation", "postWrite"]
            .into_iter()
            .map(|phase| {
                sample(
                    phase,
                    json!({
                        "todo_id": "1", "todo_content": "write the tests", "todo_status": "pending",
                        "all_todos": todos("pending"), "phase": phase,
                    }),
                )
            })
            .collect(),
        "TodoCompleted" => ["validation", "postWrite"]
            .into_iter()
            .map(|phase| {
                sample(
                    phase,
                    json!({
                        "todo_id": "1", "todo_content": "write the tests", "previous_status": "pending",
                        "all_todos": todos("completed"), "phase": phase,
                    }),
                )
            })
            .collect(),
        "InstructionsLoaded" => vec![sample_outside_turn(
            "QWEN.md",
            json!({
                "file_path": format!("{}/QWEN.md", place.project), "memory_type": "project",
                "load_reason": "session_start",
            }),
        )],
        _ => Vec::new(),
    }
}
