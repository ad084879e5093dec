//! MB-R3 and MB-R4: scripts that do what a checked command may not do.

use super::hook_tampering::{self, bypasses, skips};
use super::{backdoor, weakened_lines};
use crate::guard::command_reader::{CheckedCommand, read_commands};
use crate::guard::event::{ContentChange, GuardEvent, absolute, base_name};
use crate::guard::hit::{GuardFinding, is_documentation, line_of};
use crate::guard::pattern::Pattern;
use crate::guard::rule::{Surroundings, ToolKind};

const SCRIPTS: [&str; 10] = [".sh", ".bash", ".zsh", ".ksh", ".py", ".pl", ".rb", ".js", ".mjs", ".ps1"];
const SHELL_SCRIPTS: [&str; 4] = [".sh", ".bash", ".zsh", ".ksh"];
const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/private/tmp", "/dev/shm"];

static MUTATING: [Pattern; 4] = [
    Pattern::new(
        &["git"],
        r"\bgit\b[^\n;|&]*\s(commit|push|reset|rebase|merge|checkout|restore|cherry-pick|am|stash|update-ref|filter-branch)\b",
    ),
    Pattern::new(&["sed"], r"\bsed\b[^\n;|]*\s-[A-Za-z]*i"),
    Pattern::new(&["perl"], r"\bperl\b[^\n;|]*\s-[A-Za-z]*i"),
    Pattern::new(&["awk"], r"\bawk\b[^\n;|]*-i\s+inplace"),
];

static GIT_NO_VERIFY: Pattern = Pattern::new(&["--no-verify"], r#"\bgit["']?[\s,][^\n]*--no-verify\b"#);

/// Checks the scripts that commands write by redirection, `tee` or a here-document.
pub fn check_commands(
    commands: &[CheckedCommand],
    event: &GuardEvent<'_>,
    around: &dyn Surroundings,
) -> Vec<GuardFinding> {
    let mut found = Vec::new();
    for command in commands {
        let tee = command.args.iter().filter(|arg| command.program == "tee" && !arg.starts_with('-'));
        for target in command.writes.iter().chain(tee) {
            let path = absolute(target, &event.cwd, around.home());
            let text = command.body.clone().unwrap_or_else(|| command.args.join(" "));
            found.extend(temporary_script(&path, &text, event, around));
        }
    }
    found
}

/// Checks the change of a file.
pub fn check_change(change: &ContentChange, event: &GuardEvent<'_>, around: &dyn Surroundings) -> Option<GuardFinding> {
    temporary_script(&change.absolute, &change.new, event, around).or_else(|| project_file(change, event))
}

fn temporary_script(path: &str, text: &str, event: &GuardEvent<'_>, around: &dyn Surroundings) -> Option<GuardFinding> {
    let roots = TEMPORARY.into_iter().chain(around.temporary());
    let inside = |root: &str| path.strip_prefix(root.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
    if event.is_in_project(path) || !roots.into_iter().any(inside) {
        return None;
    }
    let script = SCRIPTS.iter().any(|extension| path.ends_with(extension)) || text.starts_with("#!");
    if !script {
        return None;
    }
    let found = MUTATING.iter().find_map(|pattern| pattern.first(text)).map(str::to_owned);
    let found = found.or_else(|| {
        let commands = read_commands(text);
        let skipping = commands.iter().find(|command| bypasses(command) || sets_skip(command));
        skipping.map(|command| command.source.clone())
    })?;
    Some(GuardFinding::new("MB-R3", path, "a temporary script changes the project unseen", &found))
}

fn sets_skip(command: &CheckedCommand) -> bool {
    command.variables.iter().any(|(name, value)| skips(name, value))
}

fn project_file(change: &ContentChange, event: &GuardEvent<'_>) -> Option<GuardFinding> {
    if !event.is_in_project(&change.absolute) || is_documentation(&change.absolute) {
        return None;
    }
    if change.new.starts_with("#!") && change.new.lines().next().is_some_and(|line| line.contains("sh"))
        || SHELL_SCRIPTS.iter().any(|extension| change.absolute.ends_with(extension))
        || change.absolute.contains("/.husky/") && !base_name(&change.absolute).contains('.')
    {
        let hits = |text: &str| {
            let all = read_commands(text).into_iter().filter(|command| bypasses(command) || sets_skip(command));
            all.map(|command| command.source).collect::<Vec<_>>()
        };
        let (before, after) = (hits(&change.old), hits(&change.new));
        let added = after.iter().find(|one| !before.contains(one))?;
        let place = line_of(&event.shown(&change.absolute), &change.new, added);
        return Some(GuardFinding::new("MB-R4", &place, "a script of the project bypasses checks", added));
    }
    let (before, after) =
        (GIT_NO_VERIFY.ranges(&change.old).count(), GIT_NO_VERIFY.ranges(&change.new).collect::<Vec<_>>());
    if after.len() <= before {
        return None;
    }
    let text = after.last().and_then(|range| change.new.get(range.clone()))?;
    let place = line_of(&event.shown(&change.absolute), &change.new, text);
    Some(GuardFinding::new("MB-R4", &place, "a file of the project skips the hooks of git", text))
}

/// Checks a command, or the changes of files.
pub fn check(event: &GuardEvent<'_>, around: &dyn Surroundings) -> Vec<GuardFinding> {
    let mut found = Vec::new();
    match event.tool {
        Some(ToolKind::Shell) => {
            let Some(command) = event.command() else { return found };
            let commands = read_commands(command);
            found.extend(commands.iter().filter_map(hook_tampering::check));
            found.extend(commands.iter().filter_map(hook_tampering::check_skip_variable));
            found.extend(check_commands(&commands, event, around));
            found.extend(commands.iter().filter_map(|command| hook_tampering::check_command(command, event, around)));
            found.extend(commands.iter().filter_map(|command| backdoor::check(command, event, around)));
        }
        Some(kind) if kind.changes_files() => {
            for change in event.changes(around) {
                found.extend(check_change(&change, event, around));
                found.extend(weakened_lines::check(&change, event));
                found.extend(hook_tampering::check_change(&change, event));
                found.extend(backdoor::check_change(&change, event, around));
            }
        }
        _ => {}
    }
    found
}
