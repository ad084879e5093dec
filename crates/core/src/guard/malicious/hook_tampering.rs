//! MB-R6: a change of hooks, of git or of an agent.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::config::Place;
use crate::dialects;
use crate::guard::command_reader::CheckedCommand;
use crate::guard::event::{ContentChange, GuardEvent, absolute, base_name};
use crate::guard::hit::GuardFinding;
use crate::guard::pattern::Pattern;
use crate::guard::rule::Surroundings;
use crate::hook::Layer;
use crate::text::parse_value;

/// Programs that remove, replace or change their operands.
const CHANGING: [&str; 10] = ["rm", "mv", "ln", "cp", "truncate", "dd", "install", "chmod", "sed", "unlink"];

static COMMAND: Pattern = Pattern::new(&["command"], r#"\bcommand\b"?\s*[:=]\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\n]+)"#);
static SWITCHED_OFF: Pattern =
    Pattern::new(&["disableAllHooks", "hooks"], r#"("disableAllHooks"\s*:\s*true|(?m:^\s*hooks\s*=\s*false))"#);

/// Whether a path is one of git's hooks.
fn is_hook(path: &str) -> bool {
    (path.contains("/.git/hooks/") || path.contains("/.husky/")) && !path.ends_with(".sample")
        || path.ends_with("/.git/hooks")
        || path.ends_with("/.husky")
}

/// Checks a command.
pub fn check_command(
    command: &CheckedCommand,
    event: &GuardEvent<'_>,
    around: &dyn Surroundings,
) -> Option<GuardFinding> {
    let path = |text: &String| absolute(text, &event.cwd, around.home());
    let found = |text: &String| {
        let what = format!("{} changes a hook of git", base_name(&command.program));
        Some(GuardFinding::new("MB-R6", &event.shown(&path(text)), what, &command.source))
    };
    let tee = command.args.iter().filter(|_| command.program == "tee");
    if let Some(target) = command.writes.iter().chain(tee).find(|text| is_hook(&path(text))) {
        return found(target);
    }
    if !CHANGING.contains(&command.program.as_str()) {
        return None;
    }
    let operands: Vec<&String> = command.args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let touched: Vec<&String> = match command.program.as_str() {
        // Only the last operand of a copy is changed.
        "cp" | "ln" | "install" => operands.last().copied().into_iter().collect(),
        "dd" => {
            return command
                .args
                .iter()
                .find(|arg| arg.strip_prefix("of=").is_some_and(|of| is_hook(&path(&of.to_owned()))))
                .and_then(found);
        }
        "chmod" if operands.first().is_some_and(|mode| makes_executable(mode)) => return None,
        "sed" if !command.args.iter().any(|arg| arg.starts_with("-i") || arg.starts_with("--in-place")) => return None,
        _ => operands,
    };
    touched.into_iter().find(|text| is_hook(&path(text))).and_then(found)
}

fn makes_executable(mode: &str) -> bool {
    mode.contains("+x") || mode.contains("+rx") || mode.bytes().next().is_some_and(|first| matches!(first, b'7' | b'5'))
}

/// Checks the change of a file.
pub fn check_change(change: &ContentChange, event: &GuardEvent<'_>) -> Option<GuardFinding> {
    let shown = event.shown(&change.absolute);
    if change.old == change.new {
        return None;
    }
    if is_hook(&change.absolute) {
        let what = format!("the change of {shown} changes a hook of git");
        return Some(GuardFinding::new("MB-R6", &shown, what, change.new.lines().next().unwrap_or_default()));
    }
    if !is_agent_config(&change.absolute) {
        return None;
    }
    let off = SWITCHED_OFF.first(&change.new).filter(|_| !SWITCHED_OFF.is_match(&change.old));
    if let Some(text) = off {
        return Some(GuardFinding::new("MB-R6", &shown, "the hooks of the agent are switched off", text));
    }
    let (before, after) = (hook_commands(&change.old), hook_commands(&change.new));
    let gone = before.difference(&after).next()?;
    Some(GuardFinding::new("MB-R6", &shown, "a hook of the agent is removed or changed", gone))
}

/// Whether a file configures the hooks of an agent.
fn is_agent_config(path: &str) -> bool {
    if matches!(base_name(path), "hooks.yaml" | "hooks.yml") {
        return true;
    }
    let place = Place { project: "/p".to_owned(), home: "/p".to_owned(), ..Place::default() };
    let layers = [Layer::User, Layer::Project, Layer::Local];
    dialects::ALL.iter().any(|dialect| {
        let mut files = layers.iter().flat_map(|layer| dialect.hook_files(&place, *layer));
        files.any(|file| file.path.strip_prefix("/p").is_some_and(|suffix| path.ends_with(suffix)))
    })
}

/// Returns the commands of a settings file.
fn hook_commands(text: &str) -> BTreeSet<String> {
    if let Ok(value) = parse_value(text) {
        let mut all = BTreeSet::new();
        collect(&value, &mut all);
        return all;
    }
    let captures = COMMAND.regex(text).into_iter().flat_map(|regex| regex.captures_iter(text.as_bytes()));
    captures.filter_map(|found| text.get(found.get(1)?.range())).map(|text| text.trim().to_owned()).collect()
}

fn collect(value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, all)),
        Value::Object(members) => {
            for (key, value) in members {
                match value.as_str() {
                    Some(text) if key == "command" => {
                        all.insert(text.to_owned());
                    }
                    _ => collect(value, all),
                }
            }
        }
        _ => {}
    }
}

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

const BEGINNINGS: [&str; 5] = ["SKIP", "NO", "DISABLE", "BYPASS", "IGNORE"];
const CHECKS: [&str; 20] = [
    "TEST",
    "TESTS",
    "VERIFY",
    "CHECK",
    "CHECKS",
    "HOOK",
    "HOOKS",
    "LINT",
    "CI",
    "AUDIT",
    "SCAN",
    "GUARD",
    "VALIDATE",
    "VALIDATION",
    "VALIDATOR",
    "MODERATOR",
    "PRECOMMIT",
    "COMMIT",
    "TESTING",
    "VERIFICATION",
];
/// Checks for news about a program, which protect nothing.
const HARMLESS: [&str; 5] = ["UPDATE", "UPDATES", "VERSION", "UPGRADE", "NOTIFIER"];

/// Checks a command.
pub fn check_skip_variable(command: &CheckedCommand) -> Option<GuardFinding> {
    let (name, value) = command.variables.iter().find(|(name, value)| skips(name, value))?;
    Some(GuardFinding::new("MB-R2", "", format!("{name}={value} switches a check off"), &command.source))
}

/// Whether a variable switches a check off.
pub fn skips(name: &str, value: &str) -> bool {
    let off = ["", "0", "false", "no", "off"];
    if off.contains(&value.to_ascii_lowercase().as_str()) {
        return false;
    }
    let mut parts = name.split('_');
    let begins = parts.next().is_some_and(|first| BEGINNINGS.contains(&first));
    let rest: Vec<&str> = parts.collect();
    begins && rest.iter().any(|part| CHECKS.contains(part)) && !rest.iter().any(|part| HARMLESS.contains(part))
}
