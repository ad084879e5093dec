//! The flags of the program and of its `exec` command, from their help (0.225.2), and how they were seen to change which
//! hooks run.

use hookbench_base::agent_flags;
use hookbench_base::config::FlagEffect::{Followed, NotFollowed, Nothing};
use hookbench_base::config::{AgentFlag, GivenFlags, Place};

const ELSEWHERE: &str = "the agent works in another directory; name that with --project";

pub static FLAGS: &[AgentFlag] = agent_flags! {
    Followed, One: ["--settings"];
    NotFollowed("the agent did not read the hooks of that directory (0.225.2); set `cwd` in the payload"), One: ["--cwd"];
    NotFollowed(ELSEWHERE), Optional: ["-w", "--worktree"];
    NotFollowed("which hooks run for the workers of a mission was not measured"), Nothing: ["--mission"];
    Nothing, Nothing: ["-v", "--version"] ["--last"] ["--use-spec"] ["--disable-builtin-skills"]
        ["--skip-permissions-unsafe"] ["--list-tools"] ["-h", "--help"];
    Nothing, One: ["--append-system-prompt"] ["--append-system-prompt-file"] ["--fork"] ["--worktree-dir"] ["--auto"]
        ["-o", "--output-format"] ["--input-format"] ["-f", "--file"] ["-s", "--session-id"] ["-m", "--model"]
        ["--reasoning-effort"] ["--spec-model"] ["--spec-reasoning-effort"] ["--only-tools"] ["--add-tools"]
        ["--remove-tools"] ["--tag"] ["--log-group-id"] ["--worker-model"] ["--worker-reasoning-effort"]
        ["--validator-model"] ["--validator-reasoning-effort"];
    // Of `exec` it is the reasoning effort.
    Nothing, Optional: ["-r", "--resume"];
};

/// The flags of a place.
pub fn given(place: &Place) -> GivenFlags {
    GivenFlags::of(place, "droid", FLAGS)
}
