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

/// A drive, and an escape of JSON that was meant as a part of a path.
static EATEN: LazyLock<Option<Regex>> = LazyLock::new(|| ascii_regex(r#"(?:^|[ "'=])[A-Za-z]:[\x08\t\n\x0c\r]\w"#));

/// HW411: `"C:\temp"` in JSON is `C:`, a tab and `emp`.
fn check_escapes(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let line = shell_texts::command(at)?;
    let path = EATEN.as_ref()?.find(line.text)?;
    let says = "JSON reads a backslash of this path as the escape of a control character, so the path is another one";
    let found = Diagnostic::new(Code::HW411, says).at(line.span_of(path.range()));
    Some(found.with_help("write `/`, or `\\\\` for each backslash"))
}

/// Runs all checks.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = check_backslashes(at);
    found.extend(check_escapes(at));
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

/// The shell that reads the command on Windows. `None` if the hook has another command there, or names its shell.
pub(super) fn windows_shell(at: &RuleContext<'_>) -> Option<&'static str> {
    let is_own = ["commandWindows", "command_windows", "shell"].iter().any(|key| at.definition.raw.get(key).is_some());
    (!is_own).then(|| at.agent.dialect.settings_format().windows_shell)
}

/// Whether a command is for Windows: it is checked there, or it says so.
pub(super) fn is_for_windows(at: &RuleContext<'_>, text: &str) -> bool {
    at.agent.place.os == Os::Windows || FOR_WINDOWS.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

static FOR_WINDOWS: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r#"(?i)(?:^|[\s"'=])(?:[a-z]:[\\/]\w|%[A-Z_]+%)|\w\.(?:exe|cmd|bat|ps1)\b"#));

static DRIVE: LazyLock<Option<Regex>> = LazyLock::new(|| ascii_regex(r#"(?:^|[\s"'=])[A-Za-z]:[\\/]\w"#));

/// The help for a missing file whose path is one of Windows, on another system.
pub(super) fn path_of_another_system(at: &RuleContext<'_>) -> Option<&'static str> {
    let has_drive = at.agent.place.os != Os::Windows && DRIVE.as_ref()?.is_match(&at.command()?);
    has_drive.then_some("a drive is a path of Windows: under WSL, write /mnt/c/ in place of C:/")
}

/// HW412: POSIX syntax for another shell.
fn check_posix_syntax(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let line = shell_texts::command(at).filter(|line| !has_posix_shell(at) && is_for_windows(at, line.text))?;
    let shell = windows_shell(at)?;
    let (what, place) = posix_construct(line)?;
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
    let is_meant = written.args.iter().flatten().any(|arg| is_for_windows(at, &arg.text));
    let shim = is_meant && SHIMS.contains(&lower.as_str());
    if !batch && !shim {
        return None;
    }
    let what = if batch { "is a batch file" } else { "is a .cmd file on Windows" };
    let says = format!("{} {what}, and without a shell only an .exe can start", command.text);
    let help = "run the script with node or python, or delete `args`";
    Some(Diagnostic::new(Code::HW413, says).at(command.span).with_help(help))
}
