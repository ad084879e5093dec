//! Example payloads: the keys of each event, as recorded from 0.225.2. Those of events that were never provoked follow
//! the documentation.

use serde_json::{Map, Value, json};

use super::layers;
use hookbench_base::config::Place;

/// One example payload without the common keys.
pub struct Sample {
    pub label: &'static str,
    pub fields: Map<String, Value>,
}

fn sample(label: &'static str, fields: Value) -> Sample {
    let fields = if let Value::Object(fields) = fields { fields } else { Map::new() };
    Sample { label, fields }
}

/// An example tool call, of the kind that users try first.
struct ExampleCall {
    label: &'static str,
    tool: &'static str,
    input: Value,
    response: &'static str,
}

fn calls(place: &Place) -> Vec<ExampleCall> {
    let file = |name: &str| format!("{}/{name}", place.project);
    let shell = |label, command: &str, risk: &str, why: &str, response| ExampleCall {
        label,
        tool: "Execute",
        input: json!({"command": command, "riskLevelReason": why, "riskLevel": risk}),
        response,
    };
    vec![
        shell(
            "Execute: rm -rf build",
            "rm -rf build",
            "medium",
            "It deletes files.",
            "\n\n[Process exited with code 0]",
        ),
        shell(
            "Execute: git push --force",
            "git push --force origin main",
            "high",
            "It overwrites a branch.",
            "Everything up-to-date\n\n\n[Process exited with code 0]",
        ),
        ExampleCall {
            label: "Edit: src/main.py",
            tool: "Edit",
            input: json!({"file_path": file("src/main.py"), "old_str": "a", "new_str": "b", "change_all": false}),
            response: "{\"success\":true}",
        },
        ExampleCall {
            label: "Create: .env",
            tool: "Create",
            input: json!({"file_path": file(".env"), "content": "TOKEN=secret\n"}),
            response: "{\"success\":true}",
        },
        ExampleCall {
            label: "Read: README.md",
            tool: "Read",
            input: json!({"file_path": file("README.md")}),
            response: "# Shop\n",
        },
        ExampleCall {
            label: "Task: worker",
            tool: "Task",
            input: json!({"subagent_type": "worker", "description": "List the tests", "prompt": "List the tests."}),
            response: "There are twelve tests.",
        },
    ]
}

const MESSAGE: &str = "00000000-0000-4000-8000-000000000002";

/// Returns the examples of an event, the most useful first.
pub fn samples(event: &str, place: &Place) -> Vec<Sample> {
    let stop = |active: bool, tools: u8| {
        json!({
            "message_id": MESSAGE, "stop_hook_active": active, "tool_execution_count": tools, "elapsed_time": 410,
        })
    };
    match event {
        "PreToolUse" => calls(place)
            .into_iter()
            .map(|call| sample(call.label, json!({"tool_name": call.tool, "tool_input": call.input})))
            .collect(),
        "PostToolUse" => calls(place)
            .into_iter()
            .map(|call| {
                let fields = json!({"tool_name": call.tool, "tool_input": call.input, "tool_response": call.response});
                sample(call.label, fields)
            })
            .collect(),
        "SessionStart" => {
            let file = format!("{}/temp/env/droid-env.sh", layers::user_dir(place));
            vec![
                sample("startup", json!({"source": "startup", "CLAUDE_ENV_FILE": file})),
                sample(
                    "resume",
                    json!({
                        "source": "resume", "previous_session_id": MESSAGE, "message_id": MESSAGE,
                        "CLAUDE_ENV_FILE": file,
                    }),
                ),
            ]
        }
        "UserPromptSubmit" => vec![
            sample("a prompt", json!({"prompt": "Add a test for the parser."})),
            sample("a prompt with a secret", json!({"prompt": "My token is sk-test-1234567890, use it."})),
        ],
        "Notification" => vec![sample("waiting", json!({"message": "Droid is waiting for your input"}))],
        "PreCompact" => {
            vec![sample("auto", json!({"trigger": "auto"})), sample("manual", json!({"trigger": "manual"}))]
        }
        "Stop" => vec![sample("first stop", stop(false, 0)), sample("after a blocked stop", stop(true, 2))],
        "SubagentStop" => vec![sample("first stop", json!({"stop_hook_active": false}))],
        "SessionEnd" => vec![sample(
            "other",
            json!({"message_id": MESSAGE, "reason": "other", "session_duration_ms": 8609, "message_count": 48}),
        )],
        _ => vec![sample("an event", json!({}))],
    }
}
