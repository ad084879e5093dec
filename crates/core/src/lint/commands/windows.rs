//! HW411, HW412, HW413: commands for Windows that no shell on Windows reads as intended. Reported on Windows, and
//! for commands that are recognizably written for Windows.

use std::sync::LazyLock;

use regex::Regex;

use super::shell_texts::{self, ShellText};
use crate::config::Os;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::text::ascii_regex;
use crate::text::shell::Quote;

/// Runs all three checks.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = check_backslashes(at);
    found.extend(check_posix_syntax(at));
    found.extend(check_batch_file(at));
    found
}

/// HW411: an unquoted `C:\Users\me\x.py`, read by a shell that removes backslashes.
fn check_backslashes(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some(line) = shell_texts::command(at).filter(|_| has_posix_shell(at)) else { return Vec::new() };
    let words = line.shell.words().map(|(_, word)| word);
    let paths = words.filter(|word| {
        let written = line.source_text(&word.at).as_bytes();
        let drive =
            matches!(written, [letter, b':', b'\\', next, ..] if letter.is_ascii_alphabetic() && *next != b'\\');
        drive && word.parts.first().is_some_and(|part| part.quote == Quote::None)
    });
    paths
        .map(|word| {
            let written = line.source_text(&word.at);
            let says = format!("{} removes the backslashes of {written}: it looks for {}", line.by, word.text());
            let forward = written.replace('\\', "/");
            let fix = line.fix(word.at.clone(), &forward, false);
            Diagnostic::new(Code::HW411, says)
                .at(line.span_of(word.at.clone()))
                .with_help(format!("write {forward}"))
                .with_fix(fix)
        })
        .collect()
}

/// Whether the agent uses a POSIX shell on Windows.
fn has_posix_shell(at: &RuleContext<'_>) -> bool {
    at.agent.dialect.settings_format().windows_shell.contains("Bash")
}

static FOR_WINDOWS: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r#"(?i)(?:^|[\s"'=])(?:[a-z]:[\\/]\w|%[A-Z_]+%)|\w\.(?:exe|cmd|bat|ps1)\b"#));

/// HW412: POSIX syntax for another shell.
fn check_posix_syntax(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let line = shell_texts::command(at).filter(|_| !has_posix_shell(at))?;
    let raw = &at.definition.raw;
    let meant = at.agent.place.os == Os::Windows || FOR_WINDOWS.as_ref().is_some_and(|r| r.is_match(line.text));
    if !meant
        || raw.get("commandWindows").is_some()
        || raw.get("command_windows").is_some()
        || raw.get("shell").is_some()
    {
        return None;
    }
    let (what, place) = posix_construct(line)?;
    let shell = at.agent.dialect.settings_format().windows_shell;
    let says = format!("{what} needs a POSIX shell, but on Windows {} starts {shell}", at.agent_name());
    let help = "move it to a node or python script, and run that";
    Some(Diagnostic::new(Code::HW412, says).at(line.span_of(place)).with_help(help))
}

/// Returns a construct that neither PowerShell nor cmd accepts.
fn posix_construct(line: ShellText<'_>) -> Option<(String, std::ops::Range<usize>)> {
    for simple in &line.shell.commands {
        if let Some(word) = simple.words.first()
            && let Some(name @ ("export" | "[" | "[[" | "test" | "source" | "." | "unset" | "trap")) = simple.name()
        {
            return Some((format!("`{name}`"), word.at.clone()));
        }
        if let Some(set) = simple.assignments.first() {
            return Some((format!("`{}=…`", set.name), simple.at.start..set.value.at.end));
        }
        if let Some(target) = simple.redirections.iter().map(|r| &r.target).find(|t| t.text() == "/dev/null") {
            return Some(("`/dev/null`".to_owned(), target.at.clone()));
        }
        if simple.depth > 0 {
            return Some(("this construct".to_owned(), simple.at.clone()));
        }
    }
    None
}

/// Programs that are `.cmd` files on Windows.
const SHIMS: [&str; 8] = ["npm", "npx", "pnpm", "yarn", "tsc", "tsx", "eslint", "prettier"];

/// HW413: without a shell, Windows can start only real executables.
fn check_batch_file(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let written = at.written.filter(|written| written.args.is_some())?;
    let command = &written.command;
    let lower = command.text.to_ascii_lowercase();
    let batch = [".cmd", ".bat"].iter().any(|end| lower.ends_with(end));
    let shim = at.agent.place.os == Os::Windows && SHIMS.contains(&lower.as_str());
    if !batch && !shim {
        return None;
    }
    let what = if batch { "is a batch file" } else { "is a .cmd file on Windows" };
    let says = format!("{} {what}, and without a shell only an .exe can start", command.text);
    let help = "run the script with node or python, or delete `args`";
    Some(Diagnostic::new(Code::HW413, says).at(command.span).with_help(help))
}
