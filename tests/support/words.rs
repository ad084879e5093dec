//! What each agent calls the things that every agent has, so that one test can speak to all of them.
#![allow(dead_code, reason = "not every test needs every word")]

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// One agent's words.
pub struct Words {
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
    /// An event that our projects have no hooks for.
    pub idle: &'static str,
    /// The tool that runs commands, as payloads name it.
    pub shell_id: &'static str,
    /// The same as its users would write it into a matcher.
    pub shell: &'static str,
    /// A matcher for tools that write files, and one of them.
    pub edits: &'static str,
    pub write: &'static str,
    /// One second in the unit of `timeout`.
    pub second: u32,
    /// Whether there are hooks that only the agent's model can answer.
    pub by_hand: bool,
    /// Whether a pattern may look around it; where not, it is none.
    pub looks_around: bool,
    /// Files outside the project that make an agent run the project's hooks: where they lie in the home folder, and what
    /// is in them for a project.
    pub trust: &'static [(&'static str, &'static str)],
    /// What says that the hooks of a settings file were reviewed, for agents that ask for it: added to the first file of
    /// `trust`. Given the path of the file and what is in it.
    pub review: Option<fn(&str, &str) -> String>,
}

const TABLE: [Words; 4] = [
    Words {
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
        trust: &[],
        review: None,
    },
    Words {
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
        trust: &[],
        review: None,
    },
    Words {
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
        trust: &[(".gemini/trustedFolders.json", "{\"{{project}}\": \"TRUST_FOLDER\"}")],
        review: None,
    },
    Words {
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
        trust: &[(".codex/config.toml", "[projects.\"{{project}}\"]\ntrust_level = \"trusted\"\n")],
        review: Some(reviewed_by_hash),
    },
];

/// The words of an agent.
#[track_caller]
pub fn of(agent: &str) -> &'static Words {
    TABLE.iter().find(|words| words.agent == agent).unwrap_or_else(|| panic!("tests/support/words.rs lacks {agent}"))
}

impl Words {
    /// A text in this agent's words: `@tool`, `@prompt`, … stand for them.
    pub fn say(&self, text: &str) -> String {
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

    /// The files that make the agent trust a project, by their absolute paths.
    pub fn trusting(&self, project: &str, home: &str) -> Vec<(String, String)> {
        let file = |(path, text): &(&str, &str)| (format!("{home}/{path}"), text.replace("{{project}}", project));
        self.trust.iter().map(file).collect()
    }

    /// The same files when these settings of the project were reviewed.
    pub fn reviewing(&self, project: &str, home: &str, settings: &str) -> Vec<(String, String)> {
        let mut files = self.trusting(project, home);
        if let (Some(review), Some((_, text))) = (self.review, files.first_mut()) {
            text.push_str(&review(&format!("{project}/{}", self.settings), settings));
        }
        files
    }
}

/// A review that is kept as a hash of each hook, under the place where it stands. Settings that cannot be read have none.
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
                // Members stand in the order of their names.
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
