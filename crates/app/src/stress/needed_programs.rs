//! The programs that a hook needs, as far as its command and its script name them.

use hookbench_core::config::Place;
use hookbench_core::lint::OPTIONAL_PROGRAMS;
use hookbench_core::script_keys::{searched_programs, started_programs};
use hookbench_core::text::shell::{Shell, SimpleCommand};

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
pub(crate) fn needed_programs(command: &str, script: Option<&str>, is_on_path: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut found = programs_of_shell(command, is_on_path);
    if let Some(script) = script {
        let first = script.lines().next().unwrap_or_default();
        let interpreter = first.strip_prefix("#!").map(interpreter_of).unwrap_or_default();
        if interpreter.ends_with("sh") || interpreter.is_empty() && !looks_like_code(script) {
            found.extend(programs_of_shell(script, is_on_path));
        } else {
            found.extend(first.contains("/env ").then(|| interpreter.to_owned()).filter(|name| is_on_path(name)));
            let started = started_programs(script).into_iter().map(|(name, _)| name);
            found.extend(started.filter(|name| is_on_path(name) || OPTIONAL_PROGRAMS.contains(&name.as_str())));
            found.extend(searched_programs(script));
        }
    }
    let mut programs: Vec<String> = Vec::new();
    for name in found {
        if !ON_EVERY_SYSTEM.contains(&name.as_str()) && !name.contains('/') && !programs.contains(&name) {
            programs.push(name);
        }
    }
    programs
}

/// The interpreter's name in a first line, after `#!`.
fn interpreter_of(line: &str) -> &str {
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let is_option = |word: &&str| word.starts_with('-') || word.contains('=');
    words.find(|word| *word != "env" && !is_option(word)).unwrap_or_default()
}

/// Whether a text without a first line is not a shell's.
fn looks_like_code(script: &str) -> bool {
    ["\nimport ", "require(", "\nconst ", "\nfrom "]
        .iter()
        .any(|sign| script.contains(sign) || script.starts_with(sign.trim_start()))
}

/// Whether a program is on the PATH of a place.
pub(crate) fn is_on_path(place: &Place, program: &str) -> bool {
    std::env::split_paths(place.var("PATH").unwrap_or_default()).any(|directory| directory.join(program).is_file())
}

fn programs_of_shell(text: &str, is_on_path: &dyn Fn(&str) -> bool) -> Vec<String> {
    let shell = Shell::parse(text);
    let mut found = Vec::new();
    for simple in &shell.commands {
        found.extend(searched_for(simple));
        let known = |name: &String| is_on_path(name) || OPTIONAL_PROGRAMS.contains(&name.as_str());
        found.extend(simple.program_name().filter(|name| known(name) && !shell.functions.contains(name)));
    }
    found
}

/// The program of `command -v NAME`, `which NAME`, `type NAME` and `hash NAME`.
fn searched_for(simple: &SimpleCommand) -> Option<String> {
    let is_search = matches!(simple.name()?, "command" | "which" | "type" | "hash");
    let name = simple
        .words
        .iter()
        .skip(1)
        .map(|word| word.constant())
        .find(|word| word.as_ref().is_none_or(|word| !word.starts_with('-')))??;
    let searches = simple.name() != Some("command") || simple.words.get(1)?.text().starts_with("-v");
    Some(name).filter(|_| is_search && searches)
}

#[cfg(test)]
mod tests {
    use super::needed_programs;

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
            assert_eq!(needed_programs(command, script, &has).join(" "), want, "{command} {script:?}");
        }
    }
}
