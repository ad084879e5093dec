//! The conditions of the world under which a hook is run.

use std::sync::Arc;

use serde_json::Value;

use super::{StressReport, VariantRow};
use crate::disk::files::DiskFiles;
use crate::disk::program_search::find_on_path;
use crate::firing::suite_case::NewCase;
use hookbench_core::lint::OPTIONAL_PROGRAMS;
use hookbench_core::names::AgentId;
use hookbench_core::script_keys::Walked;
use hookbench_core::text::truncate;

/// A change of the payload.
#[derive(Debug, Clone, PartialEq)]
pub enum PayloadFault {
    /// A key, as a JSON pointer, is missing.
    Missing(String),
    /// A key has another value.
    Value(String, Value),
    /// The object has no keys.
    Empty,
    NotJson,
    /// A text contains the character NUL.
    Nul,
    /// A text contains bytes that are not UTF-8.
    InvalidUtf8,
}

/// One condition.
#[derive(Debug, Clone, PartialEq)]
pub enum WorldCondition {
    Repeated,
    StdinClosed,
    StdinEmpty,
    StdinHeldOpen,
    /// The payload has this size in MB.
    LargePayload(usize),
    Payload(PayloadFault),
    NoHome,
    NoTerminal,
    EmptyPath,
    WithoutProgram(String),
    OtherDirectory,
    /// The event names another directory, as after `cd`.
    OtherEventDirectory,
    OddProjectPath,
    SigtermIgnored,
    ChildKeepsStdout,
    TwentyAtOnce,
    SlowDisk,
    /// The hook takes this percentage of its time limit.
    TimeLimit(u32),
}

impl WorldCondition {
    /// The conditions, in the order of their runs. `keys` are JSON pointers to the part of the payload that a guard
    /// reads, from the outside to the inside.
    pub fn all(keys: &[String], programs: &[String]) -> Vec<WorldCondition> {
        use PayloadFault as P;
        use WorldCondition as W;
        let mut all = vec![W::Repeated, W::StdinClosed, W::StdinEmpty, W::StdinHeldOpen];
        all.extend([W::LargePayload(1), W::LargePayload(10)]);
        for key in keys {
            all.push(W::Payload(P::Missing(key.clone())));
            all.push(W::Payload(P::Value(key.clone(), Value::Null)));
        }
        if let Some(key) = keys.last() {
            all.push(W::Payload(P::Value(key.clone(), Value::from(7))));
            all.push(W::Payload(P::Value(key.clone(), Value::Array(Vec::new()))));
        }
        all.extend([P::Empty, P::NotJson, P::Nul, P::InvalidUtf8].map(W::Payload));
        all.extend([W::NoHome, W::NoTerminal, W::EmptyPath]);
        all.extend(programs.iter().cloned().map(W::WithoutProgram));
        all.extend([
            W::OtherDirectory,
            W::OtherEventDirectory,
            W::OddProjectPath,
            W::SigtermIgnored,
            W::ChildKeepsStdout,
            W::TwentyAtOnce,
        ]);
        all.push(W::SlowDisk);
        all.extend([50, 90, 110].map(W::TimeLimit));
        all
    }

    /// The name in documents and lists.
    pub fn name(&self) -> String {
        let last = |key: &str| key.rsplit('/').next().unwrap_or(key).to_owned();
        match self {
            WorldCondition::Repeated => "run again".to_owned(),
            WorldCondition::StdinClosed => "stdin closed".to_owned(),
            WorldCondition::StdinEmpty => "stdin empty".to_owned(),
            WorldCondition::StdinHeldOpen => "stdin held open".to_owned(),
            WorldCondition::LargePayload(size) => format!("{size} MB payload"),
            WorldCondition::Payload(change) => match change {
                PayloadFault::Missing(key) => format!("without {}", last(key)),
                PayloadFault::Value(key, value) => format!("{} is {value}", last(key)),
                PayloadFault::Empty => "empty object".to_owned(),
                PayloadFault::NotJson => "payload is not JSON".to_owned(),
                PayloadFault::Nul => "NUL in a text".to_owned(),
                PayloadFault::InvalidUtf8 => "invalid UTF-8".to_owned(),
            },
            WorldCondition::NoHome => "no HOME".to_owned(),
            WorldCondition::NoTerminal => "no terminal".to_owned(),
            WorldCondition::EmptyPath => "empty PATH".to_owned(),
            WorldCondition::WithoutProgram(program) => format!("without {program}"),
            WorldCondition::OtherDirectory => "another directory".to_owned(),
            WorldCondition::OtherEventDirectory => "another cwd in the event".to_owned(),
            WorldCondition::OddProjectPath => "blank and quote in the path".to_owned(),
            WorldCondition::SigtermIgnored => "SIGTERM at the time limit".to_owned(),
            WorldCondition::ChildKeepsStdout => "child keeps stdout".to_owned(),
            WorldCondition::TwentyAtOnce => "20 at once".to_owned(),
            WorldCondition::SlowDisk => "slow disk".to_owned(),
            WorldCondition::TimeLimit(percent) => {
                format!("{}.{} of the time limit", percent / 100, percent % 100 / 10)
            }
        }
    }

    /// Whether the condition occurs when an agent runs the hook. The others show what another caller has to do: every
    /// agent sends complete JSON and closes stdin.
    pub fn occurs(&self) -> bool {
        use WorldCondition as W;
        match self {
            W::StdinClosed | W::StdinEmpty | W::StdinHeldOpen | W::EmptyPath => false,
            // No command and no path can contain NUL, so no agent carries such a call out.
            W::Payload(_) => false,
            _ => true,
        }
    }

    /// Whether the headline names the condition. All hooks that exceed their time limit have the same result, so it
    /// tells hooks apart as little as a condition that never occurs.
    pub fn is_in_headline(&self) -> bool {
        self.occurs() && !matches!(self, WorldCondition::TimeLimit(percent) if *percent > 100)
    }

    /// The words after a result in a headline, as in "fails open without jq".
    pub fn phrase(&self) -> String {
        let last = |key: &str| key.rsplit('/').next().unwrap_or(key).to_owned();
        match self {
            WorldCondition::Repeated => "when run again".to_owned(),
            WorldCondition::StdinClosed => "with a closed stdin".to_owned(),
            WorldCondition::StdinEmpty => "with an empty stdin".to_owned(),
            WorldCondition::StdinHeldOpen => "while stdin stays open".to_owned(),
            WorldCondition::LargePayload(size) => format!("with a payload of {size} MB"),
            WorldCondition::Payload(change) => match change {
                PayloadFault::Missing(key) => format!("without the key {}", last(key)),
                PayloadFault::Value(key, value) => format!("if {} is {value}", last(key)),
                PayloadFault::Empty => "with an empty payload".to_owned(),
                PayloadFault::NotJson => "if the payload is not JSON".to_owned(),
                PayloadFault::Nul => "with NUL in a text".to_owned(),
                PayloadFault::InvalidUtf8 => "with invalid UTF-8".to_owned(),
            },
            WorldCondition::NoHome => "without HOME".to_owned(),
            WorldCondition::NoTerminal => "without a terminal".to_owned(),
            WorldCondition::EmptyPath => "with an empty PATH".to_owned(),
            WorldCondition::WithoutProgram(program) => format!("without {program}"),
            WorldCondition::OtherDirectory => "in another directory".to_owned(),
            WorldCondition::OtherEventDirectory => "after cd to another directory".to_owned(),
            WorldCondition::OddProjectPath => "with a blank and a quote in the path".to_owned(),
            WorldCondition::SigtermIgnored => "after SIGTERM at the time limit".to_owned(),
            WorldCondition::ChildKeepsStdout => "while a child keeps stdout open".to_owned(),
            WorldCondition::TwentyAtOnce => "with 20 runs at once".to_owned(),
            WorldCondition::SlowDisk => "on a slow disk".to_owned(),
            WorldCondition::TimeLimit(_) => format!("at {}", self.name()),
        }
    }

    /// One sentence that describes the change.
    pub fn description(&self) -> String {
        match self {
            WorldCondition::Repeated => "the same event is fired three times".to_owned(),
            WorldCondition::StdinClosed => "the hook starts with a closed stdin".to_owned(),
            WorldCondition::StdinEmpty => "the hook receives no bytes on stdin".to_owned(),
            WorldCondition::StdinHeldOpen => "stdin stays open for 3 seconds after the payload".to_owned(),
            WorldCondition::LargePayload(size) => format!("a text of the payload has {size} MB"),
            WorldCondition::Payload(change) => match change {
                PayloadFault::Missing(key) => format!("the payload has no {key}"),
                PayloadFault::Value(key, value) => format!("{key} of the payload is {value}"),
                PayloadFault::Empty => "the payload is {}".to_owned(),
                PayloadFault::NotJson => "stdin contains a text that is not JSON".to_owned(),
                PayloadFault::Nul => "a text of the payload contains \\u0000".to_owned(),
                PayloadFault::InvalidUtf8 => "a text of the payload contains the byte 0xFF".to_owned(),
            },
            WorldCondition::NoHome => "HOME is not set".to_owned(),
            WorldCondition::NoTerminal => "the hook runs in a session without a terminal".to_owned(),
            WorldCondition::EmptyPath => "PATH names an empty directory".to_owned(),
            WorldCondition::WithoutProgram(program) => format!("PATH has every program except {program}"),
            WorldCondition::OtherDirectory => "the hook starts in another directory".to_owned(),
            WorldCondition::OtherEventDirectory => {
                "cwd of the event is another directory, which is the case after cd".to_owned()
            }
            WorldCondition::OddProjectPath => "the project's path contains a blank and a quote".to_owned(),
            WorldCondition::SigtermIgnored => "the hook reaches its time limit and receives SIGTERM".to_owned(),
            WorldCondition::ChildKeepsStdout => "another process keeps stdout open for 3 seconds".to_owned(),
            WorldCondition::TwentyAtOnce => "twenty runs start at the same time".to_owned(),
            WorldCondition::SlowDisk => {
                "each access to a file by its name takes 1 ms longer, as on a network drive".to_owned()
            }
            WorldCondition::TimeLimit(percent) => format!("the hook takes {percent} % of its time limit"),
        }
    }
}

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
    script: Option<&str>,
    is_on_path: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let first = script.and_then(|text| text.lines().next()).filter(|first| first.contains("/env "));
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

/// Whether a program is on a PATH.
pub(crate) fn is_on_path(path: &str, program: &str) -> bool {
    find_on_path(program, path, &DiskFiles).is_some()
}

/// The most characters of a variant in a case's name.
const NAME: usize = 60;

/// The variants that a hook does not refuse, as cases that expect the verdict about the deed itself.
pub fn missed_cases(report: &StressReport, agent: AgentId, event: &str) -> Vec<NewCase> {
    let verdict = report.verdict.map_or("deny", |verdict| verdict.word());
    let case = |row: &VariantRow| {
        let text = |key: &str| row.body.get(key).and_then(Value::as_str).map(str::to_owned);
        let line = row.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        NewCase {
            name: format!("{}: {}", row.family.name(), truncate(line, NAME)),
            agents: vec![agent],
            event: event.to_owned(),
            tool: text("tool_name"),
            input: row.body.get("tool_input").cloned(),
            set: text("prompt").map(|prompt| ("prompt".to_owned(), Value::from(prompt))).into_iter().collect(),
            expect: vec![("verdict", Value::from(verdict))],
        }
    };
    report.misses().map(case).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_core::script_keys::{RunScript, hook_walks};

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
            assert_eq!(needed_programs(&walks, script, &has).join(" "), want, "{command} {script:?}");
        }
    }
}
