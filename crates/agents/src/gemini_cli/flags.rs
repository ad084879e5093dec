//! The flags of the program, from its help (0.61.0), and how they were seen to change which hooks run.

use hookbench_base::agent_flags;
use hookbench_base::config::FlagEffect::{Followed, NotFollowed, Nothing};
use hookbench_base::config::{AgentFlag, GivenFlags, Place};

pub static FLAGS: &[AgentFlag] = agent_flags! {
    Followed, Nothing: ["--skip-trust"];
    // Each takes one value, which may be a list with commas.
    Followed, One: ["-e", "--extensions"];
    NotFollowed("the agent works in another checkout; name that with --project"), Optional: ["-w", "--worktree"];
    NotFollowed("what hooks see in the sandbox was not measured"), Nothing: ["-s", "--sandbox"];
    Nothing, Nothing: ["-d", "--debug"] ["-y", "--yolo"] ["--acp"] ["--experimental-acp"] ["-l", "--list-extensions"]
        ["--list-sessions"] ["--screen-reader"] ["--raw-output"] ["--accept-raw-output-risk"] ["-v", "--version"]
        ["-h", "--help"];
    Nothing, One: ["-m", "--model"] ["-p", "--prompt"] ["-i", "--prompt-interactive"] ["--approval-mode"] ["--session-file"]
        ["--session-id"] ["--delete-session"] ["-o", "--output-format"];
    Nothing, Optional: ["-r", "--resume"];
    Nothing, Several: ["--policy"] ["--admin-policy"] ["--allowed-mcp-server-names"] ["--allowed-tools"]
        ["--include-directories"];
};

/// The flags of a place.
pub fn given(place: &Place) -> GivenFlags {
    GivenFlags::of(place, "gemini", FLAGS)
}
