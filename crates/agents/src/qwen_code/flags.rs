//! The flags of the program, from its help (0.24.4), and how they were seen to change which hooks run.

use hookbench_base::agent_flags;
use hookbench_base::config::FlagEffect::{Followed, NotFollowed, Nothing};
use hookbench_base::config::{AgentFlag, GivenFlags, Place};

pub static FLAGS: &[AgentFlag] = agent_flags! {
    Followed, Nothing: ["--bare"] ["--safe-mode"];
    Followed, Several: ["-e", "--extensions"];
    NotFollowed("the agent works in another checkout; name that with --project"), One: ["--worktree"];
    NotFollowed("what hooks see in the sandbox was not measured"), Nothing: ["-s", "--sandbox"];
    NotFollowed("what hooks see in the sandbox was not measured"), One: ["--sandbox-image"];
    Nothing, Nothing: ["--telemetry"] ["--telemetry-log-prompts"] ["-d", "--debug"] ["--insecure"] ["--chat-recording"]
        ["-y", "--yolo"] ["--acp"] ["--experimental-lsp"] ["--restore-ask-user-question"] ["-l", "--list-extensions"]
        ["--openai-logging"] ["--screen-reader"] ["--include-partial-messages"] ["-c", "--continue"] ["--fork-session"]
        ["-v", "--version"] ["-h", "--help"];
    Nothing, One: ["--telemetry-target"] ["--telemetry-otlp-endpoint"] ["--telemetry-otlp-protocol"] ["--telemetry-outfile"]
        ["--proxy"] ["-m", "--model"] ["-p", "--prompt"] ["-i", "--prompt-interactive"] ["--system-prompt"]
        ["--append-system-prompt"] ["--output-style"] ["--approval-mode"] ["--channel"] ["--mcp-config"]
        ["--openai-logging-dir"] ["--openai-api-key"] ["--openai-base-url"] ["--input-format"] ["-o", "--output-format"]
        ["--json-fd"] ["--json-file"] ["--json-schema"] ["--input-file"] ["--session-id"] ["--max-session-turns"]
        ["--max-wall-time"] ["--max-tool-calls"] ["--max-subagent-depth"] ["--auth-type"];
    Nothing, Optional: ["-r", "--resume"];
    Nothing, Several: ["--fallback-model"] ["--allowed-mcp-server-names"] ["--allowed-tools"]
        ["--include-directories", "--add-dir"] ["--core-tools"] ["--exclude-tools"] ["--disabled-slash-commands"];
};

/// The flags of a place.
pub fn given(place: &Place) -> GivenFlags {
    GivenFlags::of(place, "qwen", FLAGS)
}
