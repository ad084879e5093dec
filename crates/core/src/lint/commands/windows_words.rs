//! HW426: words for Windows that the agent's shell there does not read as they are meant. The words themselves show that the
//! command is for Windows; those that are also right elsewhere need another sign of it.

use std::sync::LazyLock;

use regex::Regex;

use super::shell_texts::{self, ShellText};
use super::windows::{is_for_windows, windows_shell};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::RuleContext;
use crate::text::ascii_regex;
use crate::text::shell::SimpleCommand;

/// Where a word stands in a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordPlace {
    Anywhere,
    Program,
    /// An argument of `cmd`.
    OfCmd,
}

/// A word that some shells do not read as it is meant.
struct WindowsWord {
    pattern: &'static str,
    place: WordPlace,
    /// The shells that do not.
    shells: &'static [&'static str],
    /// The programs whose arguments are read by another shell.
    passes: &'static [&'static str],
    /// Whether the command needs another sign that it is for Windows.
    needs_sign: bool,
    /// What happens: `{word}` is the word, `{shell}` the shell.
    says: &'static str,
    help: &'static str,
}

use WordPlace::{Anywhere, OfCmd, Program};

#[rustfmt::skip]
const WORDS: [WindowsWord; 10] = [
    WindowsWord { pattern: r"%[A-Z][A-Z_]{3,}%", place: Anywhere, shells: &["Git Bash", "PowerShell", "no shell"], passes: &["cmd", "cmd.exe"], needs_sign: false,
        says: "{shell} does not replace {word}: only cmd does", help: "write $NAME for Git Bash, $env:NAME for PowerShell" },
    WindowsWord { pattern: r"(?i)\$env:\w+", place: Anywhere, shells: &["Git Bash", "cmd"], passes: &["powershell", "powershell.exe", "pwsh", "pwsh.exe"], needs_sign: false,
        says: "{shell} does not replace {word}: only PowerShell does", help: "write $NAME for Git Bash, %NAME% for cmd" },
    WindowsWord { pattern: r"^/[a-z]/(?:Users|Windows|ProgramData|Program)\b", place: Anywhere, shells: &["cmd", "PowerShell", "no shell"], passes: &["bash", "bash.exe", "sh"], needs_sign: false,
        says: "on Windows, {shell} does not find {word}: such a path is for Git Bash only", help: "write the drive, as in C:/Users" },
    WindowsWord { pattern: r"(?i)^[a-z]:[\\/](?:Program Files|Users[\\/][\w.]+ \w[^ ]*[\\/])", place: Anywhere, shells: &["Git Bash", "cmd", "PowerShell", "no shell"], passes: &[], needs_sign: false,
        says: "{shell} splits the path at its blank: it reads {word}", help: "put the path in double quotes; PowerShell also needs & before a program in quotes" },
    WindowsWord { pattern: r"(?i)\.ps1$", place: Program, shells: &["cmd"], passes: &[], needs_sign: false,
        says: "on Windows, {shell} does not run {word}: it opens it in an editor", help: "write powershell -NoProfile -ExecutionPolicy Bypass -File and the path" },
    WindowsWord { pattern: r"(?i)\.(?:sh|bash)$", place: Program, shells: &["cmd", "PowerShell", "no shell"], passes: &[], needs_sign: true,
        says: "on Windows, {shell} does not run {word}: no program there reads its `#!` line", help: "write bash before it" },
    WindowsWord { pattern: r"^'", place: Anywhere, shells: &["cmd"], passes: &[], needs_sign: true,
        says: "on Windows, {shell} takes the single quotes of {word} for characters of the word", help: "write double quotes" },
    WindowsWord { pattern: r"\$\{?[A-Z][A-Z_]{2,}\}?", place: Anywhere, shells: &["cmd"], passes: &["bash", "bash.exe", "sh", "powershell", "powershell.exe", "pwsh"], needs_sign: true,
        says: "on Windows, {shell} does not replace {word}: there it is written %NAME%", help: "read the variable in the script, or use a command of its own for Windows" },
    WindowsWord { pattern: r"^/[cCkK]$", place: OfCmd, shells: &["Git Bash"], passes: &[], needs_sign: false,
        says: "Git Bash makes a path of {word}, so cmd waits for input in place of running the command", help: "write //c" },
    WindowsWord { pattern: r"^python3$", place: Program, shells: &["Git Bash", "cmd", "PowerShell", "no shell"], passes: &[], needs_sign: true,
        says: "on Windows, {word} is often only a link to the store, which exits with 9009", help: "write python, or py -3" },
];

static PATTERNS: LazyLock<Vec<Option<Regex>>> =
    LazyLock::new(|| WORDS.iter().map(|word| ascii_regex(word.pattern)).collect());

/// Checks each word of the command.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some((line, shell)) = shell_texts::command(at).zip(windows_shell(at)) else { return Vec::new() };
    line.shell.commands.iter().flat_map(|simple| check_command(at, line, simple, shell)).collect()
}

fn check_command(at: &RuleContext<'_>, line: ShellText<'_>, simple: &SimpleCommand, shell: &str) -> Vec<Diagnostic> {
    let program = simple.name().unwrap_or_default().to_lowercase();
    let form = at.agent.dialect.settings_format();
    let mut found = Vec::new();
    for (index, word) in simple.words.iter().enumerate() {
        let written = line.source_text(&word.at);
        // A path with a blank is two words.
        let next = simple.words.get(index + 1).map(|next| line.source_text(&next.at)).unwrap_or_default();
        let pair = format!("{written} {next}");
        let kind = WORDS.iter().zip(PATTERNS.iter()).find_map(|(kind, pattern)| {
            let is_here = match kind.place {
                Anywhere => !kind.passes.contains(&program.as_str()),
                Program => index == 0,
                OfCmd => index > 0 && ["cmd", "cmd.exe"].contains(&program.as_str()),
            };
            let text = match kind.pattern {
                pattern if pattern.contains(' ') => pair.as_str(),
                pattern if pattern.starts_with("^'") => written,
                _ => written.trim_matches(['"', '\'']),
            };
            let is_read =
                is_here && kind.shells.contains(&shell) && (!kind.needs_sign || is_for_windows(at, line.text));
            let part = pattern.as_ref().filter(|_| is_read)?.find(text)?.as_str();
            // The agent itself replaces its own variables.
            let name = part.trim_matches(['$', '{', '}']);
            let is_replaced = form.replaces_text && form.meaning(name).is_some();
            (!is_replaced).then_some((kind, if part.contains(['%', '$']) { part } else { written }))
        });
        found.extend(kind.map(|(kind, word_part)| {
            let says = kind.says.replace("{word}", word_part).replace("{shell}", shell);
            let severity = if kind.needs_sign { Severity::Warning } else { Severity::Error };
            Diagnostic::lowered(Code::HW426, severity, says).at(line.span_of(word.at.clone())).with_help(kind.help)
        }));
    }
    found
}
