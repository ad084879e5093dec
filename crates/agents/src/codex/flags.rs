//! The flags of the program and of its `exec` command, from their help (0.171.0), and how they were seen to change which
//! hooks run.

use hookbench_base::agent_flags;
use hookbench_base::config::FlagEffect::{Followed, NotFollowed, Nothing};
use hookbench_base::config::{AgentFlag, GivenFlags, Place};

const ELSEWHERE: &str = "the agent works in another directory; name that with --project";

pub static FLAGS: &[AgentFlag] = agent_flags! {
    Followed, One: ["-c", "--config"] ["--enable"] ["--disable"] ["-p", "--profile"];
    Followed, Nothing: ["--dangerously-bypass-hook-trust"] ["--ignore-user-config"] ["--trust"];
    NotFollowed(ELSEWHERE), One: ["-C", "--cd"] ["--remote"];
    NotFollowed(ELSEWHERE), Nothing: ["--worktree"];
    NotFollowed("an unknown key of config.toml or -c keeps the agent from starting, which hookbench does not check"),
        Nothing: ["--strict-config"];
    Nothing, One: ["--remote-auth-token-env"] ["-m", "--model"] ["--local-provider"] ["-s", "--sandbox"] ["--add-dir"]
        ["-a", "--ask-for-approval"] ["--thread-source"] ["--cyber-access-program"] ["--output-schema"] ["--color"]
        ["-o", "--output-last-message"];
    Nothing, Several: ["-i", "--image"];
    Nothing, Nothing: ["--oss"] ["--approve-for-me"] ["--dangerously-bypass-approvals-and-sandbox", "--yolo"] ["--search"]
        ["--no-alt-screen"] ["--no-daemon"] ["--skip-git-repo-check"] ["--ephemeral"] ["--ignore-rules"] ["--json"]
        ["-h", "--help"] ["-V", "--version"];
};

/// The flags of a place.
pub fn given(place: &Place) -> GivenFlags {
    GivenFlags::of(place, "codex", FLAGS)
}
