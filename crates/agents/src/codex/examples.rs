//! Example payloads: the keys of each event, as recorded from 0.169.0.

use serde_json::{Value, json};

/// One example payload without the common keys.
pub struct Sample {
    pub label: String,
    pub fields: Value,
}

fn sample(label: &str, fields: Value) -> Sample {
    Sample { label: label.to_owned(), fields }
}

/// An example tool call, of the kind that users try first.
struct ExampleCall {
    label: &'static str,
    tool: &'static str,
    input: Value,
    response: Value,
}

fn shell(label: &'static str, command: &str, output: &str) -> ExampleCall {
    ExampleCall { label, tool: "Bash", input: json!({"command": command}), response: json!(output) }
}

/// The answer of the tools for goals, in the state that they set (0.171.0).
fn goal(status: &str) -> Value {
    json!({
        "goal": {
            "threadId": AGENT, "objective": "Ship the release.", "status": status, "tokensUsed": 0, "timeUsedSeconds": 0,
            "createdAt": 1_795_911_090, "updatedAt": 1_795_911_090,
        },
        "remainingTokens": null, "completionBudgetReport": null,
    })
}

/// The example calls, each built when it is asked for.
const CALLS: [fn() -> ExampleCall; 10] = [
    || shell("Bash: rm -rf build", "rm -rf build", ""),
    || shell("Bash: git push --force", "git push --force origin main", "Everything up-to-date\n"),
    || ExampleCall {
        label: "apply_patch: src/main.py",
        tool: "apply_patch",
        input: json!({"command": "*** Begin Patch\n*** Update File: src/main.py\n@@\n-a\n+b\n*** End Patch\n"}),
        response: json!(
            "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM src/main.py\n"
        ),
    },
    || ExampleCall {
        label: "apply_patch: .env",
        tool: "apply_patch",
        input: json!({"command": "*** Begin Patch\n*** Add File: .env\n+TOKEN=secret\n*** End Patch\n"}),
        response: json!("Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA .env\n"),
    },
    || ExampleCall {
        label: "mcp__github__create_issue",
        tool: "mcp__github__create_issue",
        input: json!({"title": "Bug", "body": "It fails."}),
        response: json!({"content": [{"type": "text", "text": "created"}]}),
    },
    || ExampleCall {
        label: "spawn_agent: worker",
        tool: "spawn_agent",
        input: json!({"message": "List the tests.", "agent_type": "worker"}),
        response: json!("{\"agent_id\":\"00000000-0000-7000-8000-000000000003\",\"nickname\":\"Newton\"}"),
    },
    || ExampleCall {
        label: "view_image: screen.png",
        tool: "view_image",
        input: json!({"path": "screen.png"}),
        response: json!({"image_url": "data:image/png;base64,"}),
    },
    || ExampleCall {
        label: "create_goal",
        tool: "create_goal",
        input: json!({"objective": "Ship the release."}),
        response: goal("active"),
    },
    || ExampleCall {
        label: "update_goal: complete",
        tool: "update_goal",
        input: json!({"status": "complete"}),
        response: goal("complete"),
    },
    || ExampleCall {
        label: "request_user_input: a question",
        tool: "request_user_input",
        input: json!({"questions": [{"id": "colour", "header": "Colour", "question": "Which one?", "options": [
            {"label": "Red", "description": "The first."}, {"label": "Blue", "description": "The second."},
        ]}]}),
        // The session without a user has no answer to it.
        response: json!("request_user_input is unavailable in Default mode"),
    },
];

const USE_ID: &str = "call_1";
const AGENT: &str = "00000000-0000-7000-8000-000000000003";

/// Returns the examples of an event, the most useful first.
pub fn samples(event: &str) -> Box<dyn Iterator<Item = Sample>> {
    let per_call = |fields: fn(&ExampleCall) -> Value| {
        Box::new(CALLS.iter().map(|build| build()).map(move |call| sample(call.label, fields(&call))))
    };
    match event {
        "PreToolUse" => per_call(|c| json!({"tool_name": c.tool, "tool_input": c.input, "tool_use_id": USE_ID})),
        "PermissionRequest" => per_call(|c| {
            let mut input = c.input.clone();
            if let Some(input) = input.as_object_mut().filter(|_| c.tool == "Bash") {
                input.insert("description".to_owned(), json!("it needs to write outside of the workspace"));
            }
            json!({"tool_name": c.tool, "tool_input": input})
        }),
        "PostToolUse" => per_call(|c| {
            json!({
                "tool_name": c.tool, "tool_input": c.input, "tool_response": c.response, "tool_use_id": USE_ID,
            })
        }),
        _ => Box::new(samples_without_tool(event).into_iter()),
    }
}

/// The examples of an event that is not about a tool.
fn samples_without_tool(event: &str) -> Vec<Sample> {
    let words = |key: &str, list: &[&str]| list.iter().map(|w| sample(w, json!({key: w}))).collect();
    match event {
        "PostModelRequest" => vec![sample(
            "completed",
            json!({
                "status": "completed", "error": null,
                "token_usage": {
                    "input_tokens": 1200, "cached_input_tokens": 0, "cache_write_input_tokens": 0,
                    "output_tokens": 80, "reasoning_output_tokens": 0, "total_tokens": 1280,
                },
                "response_id": "resp_1",
            }),
        )],
        "PreCompact" | "PostCompact" => words("trigger", &["manual", "auto"]),
        "SessionStart" => words("source", &["startup", "resume", "clear", "compact", "fork"]),
        "SessionEnd" => words("reason", &["other"]),
        "UserPromptSubmit" => vec![
            sample("a prompt", json!({"prompt": "Add a test for the parser."})),
            sample("a prompt with a secret", json!({"prompt": "My token is sk-test-1234567890, use it."})),
        ],
        "SubagentStart" => vec![sample("worker", json!({"agent_id": AGENT, "agent_type": "worker"}))],
        "SubagentStop" => vec![sample(
            "worker",
            json!({
                "stop_hook_active": false, "agent_id": AGENT, "agent_type": "worker",
                "last_assistant_message": "There are twelve tests.",
            }),
        )],
        "Stop" => vec![
            sample("first stop", json!({"stop_hook_active": false, "last_assistant_message": "All tests pass."})),
            sample(
                "after a blocked stop",
                json!({"stop_hook_active": true, "last_assistant_message": "Now all tests pass."}),
            ),
        ],
        "Interrupt" => vec![sample("Esc", json!({}))],
        _ => vec![sample("a request", json!({}))],
    }
}
