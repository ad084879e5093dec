//! The flags of the program, from its help (2.1.332), and how they were seen to change which hooks run.

use hookbench_base::agent_flags;
use hookbench_base::config::FlagEffect::{Followed, NotFollowed, Nothing};
use hookbench_base::config::{AgentFlag, GivenFlags, Place};
use hookbench_base::hook::Layer;

const ELSEWHERE: &str = "the agent works in another checkout; name that with --project";

pub static FLAGS: &[AgentFlag] = agent_flags! {
    Followed, One: ["--settings"] ["--setting-sources"] ["--agents"] ["--plugin-dir"];
    Followed, Several: ["--mcp-config"];
    Followed, Nothing: ["--bare"] ["--safe-mode"] ["--restricted"] ["--disable-slash-commands"] ["--strict-mcp-config"];
    NotFollowed("set `agent_type` in the payload, so that the hooks of this agent run"), One: ["--agent"];
    NotFollowed("hookbench fetches nothing, so the hooks of this plugin are missing"), One: ["--plugin-url"];
    NotFollowed("whether skills of that directory bring hooks was not measured; its settings do not"), Several: ["--add-dir"];
    NotFollowed(ELSEWHERE), Optional: ["-w", "--worktree"] ["--cloud"] ["--teleport"];
    NotFollowed(ELSEWHERE), One: ["--environment"];
    Nothing, Nothing: ["-p", "--print"] ["-c", "--continue"] ["-v", "--version"] ["-h", "--help"] ["--verbose"] ["--brief"]
        ["--allow-dangerously-skip-permissions"] ["--dangerously-skip-permissions"] ["--ax-screen-reader"] ["--chrome"]
        ["--no-chrome"] ["--desktop"] ["--exclude-dynamic-system-prompt-sections"] ["--fork-session"] ["--ide"]
        ["--forward-subagent-text"] ["--include-hook-events"] ["--include-partial-messages"] ["--no-session-persistence"]
        ["--replay-user-messages"] ["--tmux"] ["--bg", "--background"];
    Nothing, One: ["--append-system-prompt"] ["--append-system-prompt-file"] ["--autocompact"] ["--debug-file"] ["--effort"]
        ["--fallback-model"] ["--input-format"] ["--json-schema"] ["--max-budget-usd"] ["--max-turns"] ["--model"]
        ["-n", "--name"] ["--output-format"] ["--permission-mode"] ["--permission-prompts"] ["--permission-prompt-tool"]
        ["--remote-control-session-name-prefix"] ["--session-id"] ["--system-prompt"] ["--system-prompt-file"]
        ["--system-prompt-snapshot"];
    Nothing, Optional: ["-d", "--debug"] ["--from-pr"] ["--prompt-suggestions"] ["--remote-control"] ["-r", "--resume"];
    Nothing, Several: ["--allowedTools", "--allowed-tools"] ["--disallowedTools", "--disallowed-tools"] ["--betas"]
        ["--file"] ["--tools"];
};

/// The flags of a place.
pub fn given(place: &Place) -> GivenFlags {
    GivenFlags::of(place, "claude", FLAGS)
}

/// The layers that `--setting-sources` can name.
pub const SOURCES: [(&str, Layer); 3] = [("user", Layer::User), ("project", Layer::Project), ("local", Layer::Local)];

/// Why the agent does not read the files of a layer, or `None` if it does. The last `--setting-sources` counts.
pub fn left_out(given: &GivenFlags, layer: Layer) -> Option<String> {
    let (name, _) = SOURCES.iter().find(|(_, known)| *known == layer)?;
    if let Some(flag) = given.last("--restricted") {
        return Some(format!("`{}` excludes the files of the user and of the project", flag.shown));
    }
    let flag = given.last("--setting-sources")?;
    let is_named = flag.value().split(',').any(|source| source.trim() == *name);
    (!is_named).then(|| format!("`{}` excludes the {name} settings", flag.shown.trim_end()))
}
