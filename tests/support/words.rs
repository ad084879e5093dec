//! What each agent calls the things that every agent has, so that one test can speak to all of them.
#![allow(dead_code, reason = "not every test needs every word")]

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
    /// Files outside the project that make an agent run the project's hooks: where they lie in the home folder, and what
    /// is in them for a project.
    pub trust: &'static [(&'static str, &'static str)],
}

const TABLE: [Words; 3] = [
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
        trust: &[],
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
        trust: &[],
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
        trust: &[(".gemini/trustedFolders.json", "{\"{{project}}\": \"TRUST_FOLDER\"}")],
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
}
