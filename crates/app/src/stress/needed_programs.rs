//! The programs that a hook needs, as far as its command and its script name them.

use std::sync::Arc;

use hookbench_core::config::Place;
use hookbench_core::lint::OPTIONAL_PROGRAMS;
use hookbench_core::script_keys::{RunScript, Walked};

/// Programs that every system has, or that a shell contains.
const ON_EVERY_SYSTEM: [&str; 60] = [
    "[", "[[", ".", ":", "alias", "awk", "basename", "bash", "break", "cat", "cd", "chmod", "command", "continue",
    "cp", "cut", "date", "declare", "dirname", "echo", "env", "eval", "exec", "exit", "export", "expr", "false",
    "find", "grep", "egrep", "fgrep", "head", "local", "ls", "mapfile", "mkdir", "mktemp", "mv", "printf", "ps", "pwd",
    "read", "readonly", "return", "rm", "sed", "set", "sh", "shift", "sleep", "sort", "source", "tail", "tee", "test",
    "touch", "tr", "trap", "true", "type",
];

/// The programs that a command and its script start or look for, besides those of every system. A name that is not on PATH
/// counts only if it is certainly a program.
pub(crate) fn needed_programs(
    walks: &[Arc<Walked>],
    script: Option<RunScript<'_>>,
    is_on_path: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let first = script.and_then(|script| script.text.lines().next()).filter(|first| first.contains("/env "));
    let interpreter = first.and_then(|first| first.split_whitespace().skip(1).find(|word| !word.starts_with('-')));
    let mut found: Vec<&str> = interpreter.filter(|name| is_on_path(name)).into_iter().collect();
    for walked in walks {
        let started = walked.started.iter().map(|one| one.program.as_str());
        found.extend(started.filter(|name| is_on_path(name) || OPTIONAL_PROGRAMS.contains(name)));
        found.extend(walked.searched.iter().map(String::as_str));
    }
    let mut programs: Vec<String> = Vec::new();
    for name in found {
        if !ON_EVERY_SYSTEM.contains(&name) && !name.contains('/') && !programs.iter().any(|known| known == name) {
            programs.push(name.to_owned());
        }
    }
    programs
}

/// Whether a program is on the PATH of a place.
pub(crate) fn is_on_path(place: &Place, program: &str) -> bool {
    std::env::split_paths(place.var("PATH").unwrap_or_default()).any(|directory| directory.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_core::script_keys::hook_walks;

    #[test]
    fn programs_are_taken_from_the_script_whatever_starts_it() {
        let direct = "\"$DIR\"/g.sh";
        for (command, script, want) in [
            (direct, Some("#!/bin/bash\ncmd=$(jq -r .x)\n"), "jq"),
            (direct, Some("#!/usr/bin/env bash\ncommand -v jq >/dev/null 2>&1 || exit 0\n"), "jq"),
            (direct, Some("#!/bin/sh\nwhich yq && own x\nown() { cat; }\n"), "yq"),
            ("python3 x.py", Some("import subprocess\nsubprocess.run(['git', 'diff'])\n"), "python3 git"),
            (direct, Some("#!/usr/bin/env node\nrequire('child_process').execSync('gh pr view')\n"), "node gh"),
            ("jq . | unknown-to-this-machine", None, "jq"),
            ("command ls; cat x", None, ""),
        ] {
            let has = |name: &str| ["git", "node", "python3", "ls"].contains(&name);
            let run = script.map(|text| RunScript { program: None, path: "hook", text });
            let run =
                run.map(|run| RunScript { program: command.split(' ').next().filter(|_| command != direct), ..run });
            let walks = hook_walks(command, run);
            assert_eq!(needed_programs(&walks, run, &has).join(" "), want, "{command} {script:?}");
        }
    }
}
