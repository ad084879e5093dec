//! The flags of the program, from its help (1.0.102), and how they were seen to change which hooks run.

use hookbench_base::agent_flags;
use hookbench_base::config::FlagEffect::{Followed, NotFollowed, Nothing};
use hookbench_base::config::{AgentFlag, GivenFlags, Place};

pub static FLAGS: &[AgentFlag] = agent_flags! {
    Followed, Nothing: ["--trust-folder"];
    Followed, One: ["--plugin-dir"];
    NotFollowed("the agent works in another directory; name that with --project"), One: ["-C"];
    Nothing, Nothing: ["-v", "--version"] ["--fleet"] ["-s", "--silent"] ["--disable-client-telemetry"] ["--enable-memory"]
        ["--continue"] ["--allow-all-tools"] ["--allow-all-paths"] ["--allow-all-urls"] ["--allow-all"] ["--yolo"]
        ["--disallow-temp-dir"] ["--banner"] ["--screen-reader"] ["--plain-diff"] ["--share-gist"] ["--disable-builtin-mcps"]
        ["--enable-all-github-mcp-tools"] ["--allow-all-mcp-server-instructions"] ["--autopilot"] ["--plan"]
        ["--experimental"] ["--acp"] ["--remote"] ["--remote-export"] ["--assisted-approval"] ["--no-custom-instructions"]
        ["--no-auto-update"] ["--no-ask-user"] ["--no-color"] ["--no-experimental"] ["--no-bash-env"] ["--no-mouse"]
        ["--no-remote"] ["--no-remote-export"] ["--no-eager-powershell-resolution"] ["-h", "--help"];
    Nothing, One: ["-i", "--interactive"] ["-p", "--prompt"] ["--model"] ["--reasoning-effort"] ["--context"] ["--auto-tier"]
        ["--agent"] ["-n", "--name"] ["--session-id"] ["--log-dir"] ["--extension-sdk-path"] ["--log-level"] ["--stream"]
        ["--output-format"] ["--add-dir"] ["--attachment"] ["--disable-mcp-server"] ["--add-github-mcp-toolset"]
        ["--add-github-mcp-tool"] ["--additional-mcp-config"] ["--mcp-github-auth"] ["--max-autopilot-continues"] ["--mode"]
        ["--environment-host"] ["--environment-compute-id"] ["--dynamic-retrieval"] ["--enable-mcp-server"]
        ["--max-ai-credits"] ["--usage-output-file"];
    Nothing, Optional: ["-r", "--resume"] ["--connect"] ["--share"] ["--bash-env"] ["--mouse"];
    Nothing, Several: ["--allow-tool"] ["--deny-tool"] ["--available-tools"] ["--excluded-tools"] ["--secret-env-vars"]
        ["--allow-url"] ["--deny-url"];
};

/// The flags of a place.
pub fn given(place: &Place) -> GivenFlags {
    GivenFlags::of(place, "copilot", FLAGS)
}
