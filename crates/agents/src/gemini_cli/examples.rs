//! Example payloads: the keys of each event, as recorded from 0.61.0, in the order of the wire format.

use serde_json::{Map, Value, json};

use hookbench_base::config::Place;

/// One example payload without the common keys.
pub struct Sample {
    pub label: String,
    pub fields: Map<String, Value>,
}

fn sample(label: &str, fields: Value) -> Sample {
    let fields = if let Value::Object(fields) = fields { fields } else { Map::new() };
    Sample { label: label.to_owned(), fields }
}

/// An example tool call, of the kind that users try first.
struct ExampleCall {
    label: &'static str,
    tool: &'static str,
    input: Value,
    /// The result that the model receives; `shown` is what the user sees.
    result: Value,
    shown: Value,
    /// The server of an MCP tool.
    mcp: Option<Value>,
}

fn call(label: &'static str, tool: &'static str, input: Value, result: &str, shown: Value) -> ExampleCall {
    ExampleCall { label, tool, input, result: Value::from(result), shown, mcp: None }
}

fn shell(label: &'static str, command: &str, description: &str) -> ExampleCall {
    let result = "<untrusted_context>\nOutput: (empty)\nProcess Group PGID: 4242\n</untrusted_context>";
    let input = json!({"command": command, "description": description});
    call(label, "run_shell_command", input, result, empty_terminal())
}

fn path(project: &str, name: &str) -> String {
    format!("{project}/{name}")
}

/// The example calls in a project directory, each built when it is asked for.
const CALLS: [fn(project: &str) -> ExampleCall; 11] = [
    |_| shell("run_shell_command: rm -rf build", "rm -rf build", "Remove the build folder"),
    |_| shell("run_shell_command: git push --force", "git push --force origin main", "Push the branch"),
    |project| {
        call(
            "replace: src/main.py",
            "replace",
            json!({"file_path": "src/main.py", "old_string": "a", "new_string": "b", "instruction": "Rename a to b."}),
            &format!(
                "Successfully modified file: {} (1 replacements). Here is the updated code:\nb\n",
                path(project, "src/main.py")
            ),
            diff(&path(project, "src/main.py"), "main.py", "a\n", "b\n", false),
        )
    },
    |project| {
        call(
            "write_file: .env",
            "write_file",
            json!({"file_path": ".env", "content": "TOKEN=secret\n"}),
            &format!(
                "Successfully created and wrote to new file: {}. Here is the updated code:\nTOKEN=secret\n",
                path(project, ".env")
            ),
            diff(&path(project, ".env"), ".env", "", "TOKEN=secret\n", true),
        )
    },
    |_| call("read_file: README.md", "read_file", json!({"file_path": "README.md"}), "# Project\n", json!("")),
    |project| {
        call(
            "grep_search: TODO",
            "grep_search",
            json!({"pattern": "TODO"}),
            "Found 1 match for pattern \"TODO\" in the workspace directory:\n---\nFile: README.md\nL3: TODO\n---",
            json!({
                "summary": "Found 1 match",
                "matches": [{
                    "filePath": "README.md", "absolutePath": path(project, "README.md"), "lineNumber": 3, "line": "TODO",
                }],
            }),
        )
    },
    |project| {
        call(
            "list_directory: here",
            "list_directory",
            json!({"dir_path": "."}),
            &format!("Directory listing for {project}:\nREADME.md (10 bytes)"),
            json!({"summary": "Found 1 item(s).", "files": ["README.md"]}),
        )
    },
    |_| ExampleCall {
        label: "mcp_github_create_issue",
        tool: "mcp_github_create_issue",
        input: json!({"title": "Bug", "body": "It fails."}),
        result: json!([{"text": "<untrusted_context>\ncreated\n</untrusted_context>"}]),
        shown: json!("created"),
        mcp: Some(json!({
            "server_name": "github", "tool_name": "create_issue", "command": "/usr/bin/mcp-github", "args": ["stdio"],
        })),
    },
    // What hooks were shown on 0.61.0.
    |_| {
        call(
            "list_background_processes",
            "list_background_processes",
            json!({}),
            "No background processes found.",
            json!("No background processes found."),
        )
    },
    |_| {
        call(
            "read_background_output: 1",
            "read_background_output",
            json!({"pid": 1}),
            "Access denied. Background process ID 1 not found in this session's history.",
            json!("Access denied."),
        )
    },
    |_| ExampleCall {
        label: "invoke_agent: codebase_investigator",
        tool: "invoke_agent",
        input: json!({"agent_name": "codebase_investigator", "prompt": "Find the tests."}),
        result: json!([{"text": "Subagent 'codebase_investigator' finished."}]),
        shown: json!({"isSubagentProgress": true, "agentName": "codebase_investigator"}),
        mcp: None,
    },
];

fn calls(place: &Place) -> impl Iterator<Item = ExampleCall> {
    CALLS.iter().map(|build| build(&place.project))
}

/// Returns the user's view of a command without output: one terminal line with its cursor.
fn empty_terminal() -> Value {
    let cell = |text: &str, inverse: bool| {
        json!({
            "text": text, "bold": false, "italic": false, "underline": false, "dim": false, "inverse": inverse,
            "isUninitialized": true, "fg": "", "bg": "",
        })
    };
    json!([[cell(" ", true), cell(&" ".repeat(105), false)]])
}

fn diff(path: &str, name: &str, old: &str, new: &str, created: bool) -> Value {
    let (from, to) = if created { ("Original", "Written") } else { ("Current", "Proposed") };
    let removed = if created { String::new() } else { format!("-{old}") };
    let (lines, range) = if created { (0, "@@ -0,0 +1,1 @@") } else { (1, "@@ -1,1 +1,1 @@") };
    let rule = "=".repeat(67);
    json!({
        "fileDiff": format!("Index: {name}\n{rule}\n--- {name}\t{from}\n+++ {name}\t{to}\n{range}\n{removed}+{new}"),
        "fileName": name, "filePath": path, "originalContent": old, "newContent": new,
        "diffStat": {
            "model_added_lines": 1, "model_removed_lines": lines,
            "model_added_chars": new.trim_end().len(), "model_removed_chars": old.trim_end().len(),
            "user_added_lines": 0, "user_removed_lines": 0, "user_added_chars": 0, "user_removed_chars": 0,
        },
        "isNewFile": created, "isBuildFile": false,
    })
}

fn with_server(call: &ExampleCall, mut fields: Value) -> Sample {
    if let (Some(server), Some(fields)) = (&call.mcp, fields.as_object_mut()) {
        fields.insert("mcp_context".to_owned(), server.clone());
    }
    sample(call.label, fields)
}

fn request(prompt: &str) -> Value {
    json!({
        "model": "gemini-2.5-flash",
        "messages": [{"role": "user", "content": prompt}],
        "config": {"temperature": 1, "topP": 0.95, "topK": 64},
    })
}

fn response(text: &str) -> Value {
    json!({
        "text": text,
        "candidates": [{"content": {"role": "model", "parts": [text]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    })
}

/// Returns the examples of an event, the most useful first.
pub fn samples<'a>(event: &str, place: &'a Place) -> Box<dyn Iterator<Item = Sample> + 'a> {
    match event {
        "BeforeTool" => {
            Box::new(calls(place).map(|c| with_server(&c, json!({"tool_name": c.tool, "tool_input": c.input}))))
        }
        "AfterTool" => Box::new(calls(place).map(|c| {
            let response = json!({"llmContent": c.result, "returnDisplay": c.shown});
            with_server(&c, json!({"tool_name": c.tool, "tool_input": c.input, "tool_response": response}))
        })),
        _ => Box::new(other_samples(event, place).into_iter()),
    }
}

/// Returns the examples of an event without a tool.
fn other_samples(event: &str, place: &Place) -> Vec<Sample> {
    let each = |key: &str, values: &[&str]| {
        values.iter().map(|value| sample(value, json!({key: value}))).collect::<Vec<Sample>>()
    };
    let prompt = "please run the tests";
    match event {
        "BeforeAgent" => vec![sample("a prompt", json!({"prompt": prompt}))],
        "AfterAgent" => [("the first end of a turn", false), ("an end after a retry", true)]
            .into_iter()
            .map(|(label, active)| {
                sample(label, json!({"prompt": prompt, "prompt_response": "All done.", "stop_hook_active": active}))
            })
            .collect(),
        "BeforeModel" | "BeforeToolSelection" => vec![sample("a prompt", json!({"llm_request": request(prompt)}))],
        "AfterModel" => vec![sample(
            "a piece of an answer",
            json!({"llm_request": request(prompt), "llm_response": response("All done.")}),
        )],
        "Notification" => notifications(place),
        "SessionStart" => each("source", &["startup", "resume", "clear"]),
        "SessionEnd" => each("reason", &["exit", "clear"]),
        "PreCompress" => each("trigger", &["auto", "manual"]),
        _ => Vec::new(),
    }
}

fn notifications(place: &Place) -> Vec<Sample> {
    let asks = |label: &str, message: &str, details: Value| {
        sample(label, json!({"notification_type": "ToolPermission", "message": message, "details": details}))
    };
    let rule = "=".repeat(67);
    vec![
        asks(
            "permission for a command",
            "Tool Confirm Shell Command requires execution",
            json!({"type": "exec", "title": "Confirm Shell Command", "command": "rm -rf build", "rootCommand": "rm"}),
        ),
        asks(
            "permission for a change",
            "Tool Confirm Write: notes.txt requires editing",
            json!({
                "type": "edit", "title": "Confirm Write: notes.txt", "fileName": "notes.txt",
                "filePath": format!("{}/notes.txt", place.project),
                "fileDiff": format!(
                    "Index: notes.txt\n{rule}\n--- notes.txt\tCurrent\n+++ notes.txt\tProposed\n@@ -0,0 +1,1 @@\n+hello\n"
                ),
                "originalContent": "", "newContent": "hello\n",
            }),
        ),
    ]
}
