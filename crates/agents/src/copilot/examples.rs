//! Example payloads with camelCase keys: the keys of each event, as recorded from 1.0.102.

use serde_json::{Map, Value, json};

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
    args: Value,
    result: &'static str,
}

fn calls(place: &Place) -> Vec<ExampleCall> {
    let file = |name: &str| format!("{}/{name}", place.project);
    let call = |label, tool, args, result| ExampleCall { label, tool, args, result };
    vec![
        call(
            "bash: rm -rf build",
            "bash",
            json!({"command": "rm -rf build", "description": "Remove the build"}),
            "<shellId: 0 completed with exit code 0>",
        ),
        call(
            "bash: git push --force",
            "bash",
            json!({"command": "git push --force origin main", "description": "Push"}),
            "Everything up-to-date\n<shellId: 0 completed with exit code 0>",
        ),
        call(
            "edit: src/main.py",
            "edit",
            json!({"path": file("src/main.py"), "old_str": "a", "new_str": "b"}),
            "File updated",
        ),
        call("create: .env", "create", json!({"path": file(".env"), "file_text": "TOKEN=secret\n"}), "File created"),
        call("view: README.md", "view", json!({"path": file("README.md")}), "# Shop"),
        call(
            "task: general-purpose",
            "task",
            json!({"agent_type": "general-purpose", "description": "List the tests", "prompt": "List the tests."}),
            "There are twelve tests.",
        ),
    ]
}

const AGENT: &str = "00000000-0000-4000-8000-000000000002";
const PARENT: &str = "00000000-0000-4000-8000-000000000001";

/// Returns the examples of an event, by its camelCase name, the most useful first.
pub fn samples(event: &str, place: &Place) -> Vec<Sample> {
    match event {
        "preToolUse" => calls(place)
            .into_iter()
            .map(|call| sample(call.label, json!({"toolName": call.tool, "toolArgs": call.args})))
            .collect(),
        "postToolUse" => calls(place)
            .into_iter()
            .map(|call| {
                let result = json!({"resultType": "success", "textResultForLlm": call.result});
                sample(call.label, json!({"toolName": call.tool, "toolArgs": call.args, "toolResult": result}))
            })
            .collect(),
        "postToolUseFailure" => vec![sample(
            "view: a missing file",
            json!({"toolName": "view", "toolArgs": {"path": format!("{}/nope.txt", place.project)}, "error": "Path does not exist"}),
        )],
        "permissionRequest" => vec![
            sample(
                "bash: rm -rf build",
                json!({"toolName": "bash", "toolInput": {"command": "rm -rf build"}, "permissionSuggestions": []}),
            ),
            sample(
                "edit: .env",
                json!({
                    "toolName": "edit",
                    "toolInput": {"file_path": format!("{}/.env", place.project), "diff": "+TOKEN=secret"},
                    "permissionSuggestions": [],
                }),
            ),
        ],
        "userPromptSubmitted" => vec![
            sample("a prompt", json!({"prompt": "Add a test for the parser."})),
            sample("a prompt with a secret", json!({"prompt": "My token is sk-test-1234567890, use it."})),
        ],
        "userPromptTransformed" => vec![sample(
            "a prompt",
            json!({
                "prompt": "Add a test for the parser.",
                "transformedPrompt": "<current_datetime>2026-11-22T12:00:00.000+00:00</current_datetime>\n\nAdd a test for the parser.",
            }),
        )],
        "sessionStart" => vec![
            sample("new", json!({"source": "new", "initialPrompt": "Add a test for the parser."})),
            sample("resume", json!({"source": "resume", "initialPrompt": "Continue."})),
        ],
        "agentStop" => vec![
            sample("first stop", json!({"stopReason": "end_turn", "stop_hook_active": false})),
            sample("after a blocked stop", json!({"stopReason": "end_turn", "stop_hook_active": true})),
        ],
        "subagentStart" => vec![sample(
            "general-purpose",
            json!({"agentName": "general-purpose", "agentId": AGENT, "agentType": "general-purpose", "parentAgentId": PARENT}),
        )],
        "subagentStop" => vec![sample(
            "general-purpose",
            json!({
                "agentId": AGENT, "agentType": "general-purpose", "agentName": "general-purpose",
                "response": "There are twelve tests.", "stopReason": "end_turn", "stop_hook_active": false,
                "parentAgentId": PARENT,
            }),
        )],
        "preCompact" => vec![sample("manual", json!({"trigger": "manual", "customInstructions": ""}))],
        "errorOccurred" => vec![sample(
            "a call of the model",
            json!({
                "errorContext": "model_call", "recoverable": true,
                "error": {"message": "bad request", "name": "Error", "stack": "Error: bad request"},
            }),
        )],
        "notification" => vec![
            sample(
                "permission_prompt",
                json!({
                    "message": "Run command: rm -rf build", "title": "Permission needed",
                    "notification_type": "permission_prompt",
                }),
            ),
            sample(
                "shell_completed",
                json!({
                    "message": "A shell has completed", "title": "Shell completed",
                    "notification_type": "shell_completed",
                }),
            ),
        ],
        "sessionEnd" => {
            vec![sample("complete", json!({"reason": "complete"})), sample("error", json!({"reason": "error"}))]
        }
        _ => vec![sample("an event", json!({}))],
    }
}
