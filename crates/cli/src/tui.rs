//! `tui`: the workbench without a terminal, driven by a script.

use super::args::{ArgumentWords, OpenArgs, TuiArgs};
use hookbench_app::{OpenRequest, ScriptRequest};

/// Converts the arguments into a script request.
pub fn request(args: TuiArgs) -> ScriptRequest {
    let OpenArgs { dir, agent, home, agent_version, agent_args, plain } = args.open;
    ScriptRequest {
        open: OpenRequest {
            dir,
            agent,
            home,
            agent_version,
            agent_words: agent_args.map(|ArgumentWords(words)| words),
            demo: args.demo,
            yes: args.yes,
            plain,
            markdown: Some(super::markdown),
            ..OpenRequest::default()
        },
        script: args.script,
        size: args.size,
        dump: args.dump,
        limit: args.limit,
    }
}
