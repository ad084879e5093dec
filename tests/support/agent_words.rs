//! Each agent's names for the things that every agent has, so that one test covers all agents.
#![allow(dead_code, reason = "not every test needs every word")]

use std::fmt::Write as _;

use hookbench::core::convert::direct_line;
use hookbench::core::dialects;
use hookbench::core::text::{Node, SourceId};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The words of one agent.
pub struct AgentVocabulary {
    pub agent: &'static str,
    /// The project's file with hooks.
    pub settings: &'static str,
    /// The event before a tool runs.
    pub tool: &'static str,
    /// The event of a prompt.
    pub prompt: &'static str,
    /// The event at the end of a turn.
    pub stop: &'static str,
    pub start: &'static str,
    pub end: &'static str,
    /// An event for which the test projects have no hooks.
    pub idle: &'static str,
    /// The tool that runs commands, as named in payloads.
    pub shell_id: &'static str,
    /// The same tool, as users write it in a matcher.
    pub shell: &'static str,
    /// A matcher for tools that write files, and the name of one such tool.
    pub edits: &'static str,
    pub write: &'static str,
    /// One second in the unit of `timeout`.
    pub second: u32,
    /// True if the agent has hooks that only its model can answer.
    pub by_hand: bool,
    /// True if the agent's patterns support look-around. If not, a pattern with look-around is invalid.
    pub looks_around: bool,
    /// True if a hook before a tool that fails blocks the tool, as the tests write it.
    pub fails_closed: bool,
    /// Makes a plain file executable when a hook starts it.
    pub makes_executable: bool,
    /// Files outside the project that make the agent run the project's hooks: paths in the home directory, and
    /// contents.
    pub trust: &'static [(&'static str, &'static str)],
    /// For agents that require a review of hooks: returns the text that marks a settings file as reviewed, from the
    /// file's path and content. It is appended to the first file of `trust`.
    pub review: Option<fn(&str, &str) -> String>,
}

const TABLE: &[AgentVocabulary] = &[
    AgentVocabulary {
        agent: "claude",
        settings: ".claude/settings.json",
        tool: "PreToolUse",
        prompt: "UserPromptSubmit",
        stop: "Stop",
        start: "SessionStart",
        end: "SessionEnd",
        idle: "Notification",
        shell_id: "Bash",
        shell: "Bash",
        edits: "Edit|Write",
        write: "Write",
        second: 1,
        by_hand: true,
        looks_around: true,
        fails_closed: false,
        makes_executable: false,
        trust: &[],
        review: None,
    },
    AgentVocabulary {
        agent: "qwen",
        settings: ".qwen/settings.json",
        tool: "PreToolUse",
        prompt: "UserPromptSubmit",
        stop: "Stop",
        start: "SessionStart",
        end: "SessionEnd",
        idle: "Notification",
        shell_id: "run_shell_command",
        shell: "Bash",
        edits: "Edit|Write",
        write: "Write",
        second: 1,
        by_hand: true,
        looks_around: true,
        fails_closed: false,
        makes_executable: false,
        trust: &[],
        review: None,
    },
    AgentVocabulary {
        agent: "gemini",
        settings: ".gemini/settings.json",
        tool: "BeforeTool",
        prompt: "BeforeAgent",
        stop: "AfterAgent",
        start: "SessionStart",
        end: "SessionEnd",
        idle: "Notification",
        shell_id: "run_shell_command",
        shell: "run_shell_command",
        edits: "write_file|replace",
        write: "write_file",
        second: 1000,
        by_hand: false,
        looks_around: true,
        fails_closed: false,
        makes_executable: false,
        trust: &[(".gemini/trustedFolders.json", "{\"{{project}}\": \"TRUST_FOLDER\"}")],
        review: None,
    },
    AgentVocabulary {
        agent: "codex",
        settings: ".codex/hooks.json",
        tool: "PreToolUse",
        prompt: "UserPromptSubmit",
        stop: "Stop",
        start: "SessionStart",
        end: "SessionEnd",
        idle: "PreCompact",
        shell_id: "Bash",
        shell: "Bash",
        edits: "Edit|Write",
        write: "apply_patch",
        second: 1,
        by_hand: false,
        looks_around: false,
        fails_closed: false,
        makes_executable: false,
        trust: &[(".codex/config.toml", "[projects.\"{{project}}\"]\ntrust_level = \"trusted\"\n")],
        review: Some(reviewed_by_hash),
    },
    AgentVocabulary {
        agent: "copilot",
        settings: ".github/copilot/settings.json",
        tool: "PreToolUse",
        prompt: "UserPromptSubmit",
        stop: "Stop",
        start: "SessionStart",
        end: "SessionEnd",
        idle: "Notification",
        shell_id: "Bash",
        shell: "Bash",
        edits: "Edit|Write",
        write: "Write",
        second: 1,
        by_hand: false,
        looks_around: true,
        fails_closed: true,
        makes_executable: true,
        trust: &[(".copilot/config.json", "{\"trustedFolders\": [\"{{project}}\"]}")],
        review: None,
    },
    AgentVocabulary {
        agent: "droid",
        settings: ".factory/settings.json",
        tool: "PreToolUse",
        prompt: "UserPromptSubmit",
        stop: "Stop",
        start: "SessionStart",
        end: "SessionEnd",
        idle: "Notification",
        shell_id: "Execute",
        shell: "Execute",
        edits: "Edit|Create",
        write: "Create",
        second: 1,
        by_hand: false,
        looks_around: true,
        fails_closed: false,
        makes_executable: false,
        trust: &[],
        review: None,
    },
    AgentVocabulary {
        agent: "kimi",
        // It has no hooks of a project. In tests, the home directory is beside the project.
        settings: "../home/.kimi-code/config.toml",
        tool: "PreToolUse",
        prompt: "UserPromptSubmit",
        stop: "Stop",
        start: "SessionStart",
        end: "SessionEnd",
        idle: "Notification",
        shell_id: "Bash",
        shell: "Bash",
        edits: "Edit|Write",
        write: "Write",
        second: 1,
        by_hand: false,
        looks_around: true,
        fails_closed: false,
        makes_executable: false,
        trust: &[],
        review: None,
    },
    AgentVocabulary {
        agent: "codebuddy",
        settings: ".codebuddy/settings.json",
        tool: "PreToolUse",
        prompt: "UserPromptSubmit",
        stop: "Stop",
        start: "SessionStart",
        end: "SessionEnd",
        idle: "Notification",
        shell_id: "Bash",
        shell: "Bash",
        edits: "Edit|Write",
        write: "Write",
        second: 1,
        by_hand: false,
        looks_around: true,
        fails_closed: false,
        makes_executable: false,
        trust: &[],
        review: None,
    },
    AgentVocabulary {
        agent: "vibe",
        settings: ".vibe/hooks.toml",
        tool: "pre_tool",
        // It has no event of a prompt or of a session.
        prompt: "post_tool",
        stop: "post_agent",
        start: "post_tool",
        end: "post_agent",
        idle: "post_tool",
        shell_id: "file_system.bash",
        shell: "bash",
        edits: "re:edit|write_file",
        write: "file_system.write_file",
        second: 1,
        by_hand: false,
        looks_around: true,
        fails_closed: true,
        makes_executable: false,
        trust: &[(".vibe/trusted_folders.toml", "trusted = [\"{{project}}\"]\n")],
        review: None,
    },
    AgentVocabulary {
        agent: "hermes",
        // It has no hooks of a project. In tests, the home directory is beside the project.
        settings: "../home/.hermes/config.yaml",
        tool: "pre_tool_call",
        prompt: "pre_llm_call",
        stop: "pre_verify",
        start: "on_session_start",
        end: "on_session_finalize",
        idle: "on_session_reset",
        shell_id: "terminal",
        shell: "terminal",
        edits: "patch|write_file",
        write: "write_file",
        second: 1,
        by_hand: false,
        looks_around: true,
        fails_closed: false,
        makes_executable: false,
        trust: &[(".hermes/shell-hooks-allowlist.json", "")],
        review: Some(approved_by_command),
    },
    AgentVocabulary {
        agent: "cline",
        // One hook: the settings of a test that have several events or matchers cannot be written.
        settings: ".clinerules/hooks/PreToolUse.sh",
        tool: "PreToolUse",
        prompt: "UserPromptSubmit",
        stop: "TaskComplete",
        start: "TaskStart",
        end: "SessionShutdown",
        idle: "TaskResume",
        shell_id: "run_commands",
        shell: "run_commands",
        edits: "editor",
        write: "editor",
        second: 1,
        by_hand: false,
        looks_around: true,
        fails_closed: false,
        makes_executable: false,
        trust: &[],
        review: None,
    },
];

/// Returns the words of an agent.
#[track_caller]
pub fn words_of(agent: &str) -> &'static AgentVocabulary {
    TABLE
        .iter()
        .find(|words| words.agent == agent)
        .unwrap_or_else(|| panic!("tests/support/agent_words.rs lacks {agent}"))
}

impl AgentVocabulary {
    /// The layer of the settings: the project, or the user in an agent without hooks of a project.
    pub fn layer(&self) -> &'static str {
        if self.settings.starts_with("../") { "user" } else { "project" }
    }

    /// Replaces `@tool`, `@prompt` and the other placeholders by this agent's words.
    pub fn in_agent_words(&self, text: &str) -> String {
        [
            ("@tool", self.tool),
            ("@prompt", self.prompt),
            ("@stop", self.stop),
            ("@start", self.start),
            ("@end", self.end),
            ("@idle", self.idle),
            ("@shell-id", self.shell_id),
            ("@shell", self.shell),
            ("@edits", self.edits),
            ("@write", self.write),
        ]
        .iter()
        .fold(text.to_owned(), |text, (word, own)| text.replace(word, own))
    }

    /// Returns the path of the file with hooks, in a project beside the home directory.
    pub fn settings_path(&self, project: &str) -> String {
        hookbench::core::text::normalize_path(&format!("{project}/{}", self.settings))
    }

    /// Returns JSON settings as the agent's file has them. Any other text is returned unchanged.
    pub fn in_agent_form(&self, text: &str) -> String {
        let form = dialects::by_id(self.agent).unwrap().settings_format().form();
        let settings = serde_json::from_str::<Value>(text).ok().filter(|_| form.list.is_some());
        let Some(mut settings) = settings else { return text.to_owned() };
        self.count_failures(&mut settings);
        if dialects::by_id(self.agent).unwrap().settings_format().has_no_shell {
            let_a_shell_read(&mut settings);
        }
        settings["hooks"].as_object().map(|events| form.whole_file(events)).unwrap_or_default()
    }

    /// Sets the key without which exit 2 refuses nothing.
    fn count_failures(&self, settings: &mut Value) {
        let format = dialects::by_id(self.agent).unwrap().settings_format();
        for (event, groups) in settings["hooks"].as_object_mut().into_iter().flatten() {
            let Some(key) = format.strict_key(event) else { continue };
            let groups = groups.as_array_mut().into_iter().flatten();
            let handlers = groups.filter_map(|group| group.get_mut("hooks")?.as_array_mut()).flatten();
            for handler in handlers.filter_map(Value::as_object_mut) {
                handler.entry(key).or_insert(Value::Bool(true));
            }
        }
    }

    /// Returns the files, with absolute paths, that make the agent trust a project.
    pub fn trust_files(&self, project: &str, home: &str) -> Vec<(String, String)> {
        let file = |(path, text): &(&str, &str)| (format!("{home}/{path}"), text.replace("{{project}}", project));
        self.trust.iter().map(file).collect()
    }

    /// Returns the same files, with these project settings marked as reviewed.
    pub fn reviewed_files(&self, project: &str, home: &str, settings: &str) -> Vec<(String, String)> {
        let mut files = self.trust_files(project, home);
        if let (Some(review), Some((_, text))) = (self.review, files.first_mut()) {
            text.push_str(&review(&format!("{project}/{}", self.settings), settings));
        }
        files
    }
}

/// Lets a shell read each command that needs one.
pub fn let_a_shell_read(settings: &mut Value) {
    match settings {
        Value::Object(keys) => {
            if let Some(Value::String(command)) =
                keys.get_mut("command").filter(|one| one.as_str().is_some_and(|text| !text.trim().is_empty()))
            {
                *command = direct_line(command);
            }
            keys.values_mut().for_each(let_a_shell_read);
        }
        Value::Array(items) => items.iter_mut().for_each(let_a_shell_read),
        _ => {}
    }
}

/// Approves each command for its event.
fn approved_by_command(file: &str, settings: &str) -> String {
    let file = hookbench::core::text::normalize_path(file);
    let home = file.strip_suffix("/.hermes/config.yaml").unwrap_or_default();
    let settings = &words_of("hermes").in_agent_form(settings).replace("${HOME}", home);
    let form = dialects::by_id("hermes").unwrap().settings_format().form();
    let Ok(root) = form.parse(SourceId(0), settings) else { return String::new() };
    let pair = |(event, entry): (&str, &Node)| {
        let command = entry.get("command").and_then(Node::as_str).unwrap_or_default();
        json!({"event": event, "command": command.trim()})
    };
    json!({"approvals": form.handlers(&root).into_iter().map(pair).collect::<Vec<_>>()}).to_string()
}

/// Marks each hook as reviewed by its hash, under its position in the file. Invalid settings get no marks.
fn reviewed_by_hash(file: &str, settings: &str) -> String {
    const WITHOUT_MATCHER: [&str; 5] =
        ["user_prompt_submit", "stop", "pre_model_request", "post_model_request", "interrupt"];
    let Ok(settings) = serde_json::from_str::<Value>(settings) else { return String::new() };
    let mut out = String::new();
    for (event, groups) in settings["hooks"].as_object().into_iter().flatten() {
        let label: String = event
            .chars()
            .enumerate()
            .map(|(at, c)| {
                if c.is_uppercase() && at > 0 { format!("_{}", c.to_lowercase()) } else { c.to_lowercase().to_string() }
            })
            .collect();
        for (group, member) in groups.as_array().into_iter().flatten().enumerate() {
            for (index, hook) in member["hooks"].as_array().into_iter().flatten().enumerate() {
                let short = matches!(label.as_str(), "session_end" | "interrupt");
                let timeout = hook["timeout"].as_u64().unwrap_or(if short { 1 } else { 600 }).max(1);
                // The hashed JSON has its members sorted by name.
                let text = |value: &Value| value.to_string();
                let matcher = member.get("matcher").filter(|_| !WITHOUT_MATCHER.contains(&label.as_str()));
                let canonical = format!(
                    "{{\"event_name\":\"{label}\",\"hooks\":[{{\"async\":{},\"command\":{},\"timeout\":{},\"type\":\"command\"}}]{}}}",
                    hook["async"].as_bool().unwrap_or(false),
                    text(&hook["command"]),
                    if short { timeout.min(3) } else { timeout },
                    matcher.map_or(String::new(), |m| format!(",\"matcher\":{}", text(m))),
                );
                let _ = write!(out, "\n[hooks.state.\"{file}:{label}:{group}:{index}\"]\ntrusted_hash = \"sha256:");
                for byte in Sha256::digest(canonical.as_bytes()) {
                    let _ = write!(out, "{byte:02x}");
                }
                out.push_str("\"\n");
            }
        }
    }
    out
}
