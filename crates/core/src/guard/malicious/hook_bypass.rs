//! MB-R1: a command that keeps git's hooks from running.

use crate::guard::command_reader::CheckedCommand;
use crate::guard::finding::GuardFinding;

/// Subcommands that run hooks and accept `--no-verify`.
const HOOKED: [&str; 7] = ["commit", "push", "merge", "rebase", "am", "pull", "cherry-pick"];
/// Options whose value is the next argument.
const VALUED: [&str; 14] = [
    "-m",
    "-F",
    "-C",
    "-c",
    "-t",
    "--message",
    "--file",
    "--author",
    "--date",
    "--template",
    "--trailer",
    "--cleanup",
    "--fixup",
    "--squash",
];
/// Global options of git whose value is the next argument.
const GLOBAL_VALUED: [&str; 6] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"];
/// Letters of `git commit` that take a value, which may follow in the same word.
const VALUE_LETTERS: &str = "mFCctSu";
/// Variables that skip hooks if they are set.
const SKIPPING: [&str; 5] =
    ["SKIP", "HUSKY_SKIP_HOOKS", "GIT_SKIP_HOOKS", "PRE_COMMIT_ALLOW_NO_CONFIG", "OVERCOMMIT_DISABLE"];

/// Checks a command.
pub fn check(command: &CheckedCommand) -> Option<GuardFinding> {
    let what = variable(command).or_else(|| git_option(command))?;
    Some(GuardFinding::new("MB-R1", "", what, &command.source))
}

/// Whether a command bypasses hooks, for the texts of scripts.
pub fn bypasses(command: &CheckedCommand) -> bool {
    variable(command).is_some() || git_option(command).is_some()
}

fn variable(command: &CheckedCommand) -> Option<String> {
    let exported = matches!(command.program.as_str(), "export" | "declare" | "typeset");
    if command.program != "git" && !exported {
        return None;
    }
    command.variables.iter().find_map(|(name, value)| {
        let skips = match name.as_str() {
            "HUSKY" => value == "0",
            "LEFTHOOK" => matches!(value.as_str(), "0" | "false"),
            name => SKIPPING.contains(&name) && !value.is_empty(),
        };
        skips.then(|| format!("{name}={value} skips the hooks of git"))
    })
}

fn git_option(command: &CheckedCommand) -> Option<String> {
    if command.program != "git" {
        return None;
    }
    let mut args = command.args.iter().map(String::as_str);
    let subcommand = loop {
        let arg = args.next()?;
        let setting = match arg {
            "-c" => args.next()?,
            arg if arg.starts_with("-c") && !arg.starts_with("-cc") => arg.get(2..).unwrap_or_default(),
            arg if GLOBAL_VALUED.contains(&arg) => {
                args.next()?;
                continue;
            }
            arg if arg.starts_with('-') => continue,
            arg => break arg,
        };
        if is_hooks_path(setting.split('=').next().unwrap_or_default()) {
            return Some("core.hooksPath leads git away from the hooks".to_owned());
        }
    };
    let rest: Vec<&str> = args.collect();
    if subcommand == "config" {
        let at = rest.iter().position(|arg| is_hooks_path(arg))?;
        let removes = rest.iter().any(|arg| arg.starts_with("--unset") || arg.starts_with("--get") || *arg == "get");
        let set = rest.get(at + 1).is_some_and(|value| !value.starts_with('-') && !value.starts_with(".husky"));
        return (set && !removes).then(|| "core.hooksPath leads git away from the hooks".to_owned());
    }
    if !HOOKED.contains(&subcommand) {
        return None;
    }
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        if *word == "--" {
            return None;
        }
        // Git accepts a shorter form if it is unique.
        if word.starts_with("--no-veri") && "--no-verify".starts_with(word) {
            return Some(format!("{word} skips the hooks of git {subcommand}"));
        }
        if subcommand == "commit" && is_cluster_with_n(word) {
            return Some(format!("{word} contains -n, which skips the hooks of git commit"));
        }
        let cluster_value =
            word.starts_with('-') && !word.starts_with("--") && word.ends_with(['m', 'F', 'C', 'c', 't']);
        if VALUED.contains(word) || cluster_value {
            words.next();
        }
    }
    None
}

fn is_hooks_path(key: &str) -> bool {
    key.eq_ignore_ascii_case("core.hookspath")
}

/// Whether a word is a cluster of short options with `n` before a letter that takes a value.
fn is_cluster_with_n(word: &str) -> bool {
    let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else { return false };
    let flags = letters.split(|c| VALUE_LETTERS.contains(c)).next().unwrap_or_default();
    flags.contains('n') && flags.chars().all(|c| c.is_ascii_alphabetic())
}
