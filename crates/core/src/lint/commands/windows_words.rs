//! HW426: words for Windows that the agent's shell there reads otherwise. The words themselves show that the
//! command is for Windows; those that are also right elsewhere need another sign of it.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::shell_texts;
use super::windows::{is_for_windows, windows_shell};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::RuleContext;
use crate::text::ascii_regex;
use crate::text::shell::SimpleCommand;

/// A word that some shells read otherwise than it is meant.
#[derive(Deserialize)]
struct WindowsWord {
    /// If it has a blank, it is about the word and the next one.
    pattern: String,
    /// Whether it is the first word of a command.
    #[serde(default)]
    is_program: bool,
    /// The programs whose argument it is. Empty for every program.
    #[serde(default)]
    after: Vec<String>,
    /// The shells that do not.
    shells: Vec<String>,
    /// The programs whose arguments are read by another shell.
    #[serde(default)]
    passes: Vec<String>,
    /// Whether the command needs another sign that it is for Windows.
    #[serde(default)]
    needs_sign: bool,
    /// The message: `{word}` is the word, `{shell}` the shell.
    says: String,
    help: String,
}

static WORDS: LazyLock<Vec<(WindowsWord, Regex)>> = LazyLock::new(|| {
    let file = include_str!("../../../../../assets/data/windows-words.json");
    let words: Vec<WindowsWord> = serde_json::from_str(file).unwrap_or_default();
    words.into_iter().filter_map(|word| ascii_regex(&word.pattern).map(|pattern| (word, pattern))).collect()
});

/// Checks each word of the command.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some((line, shell)) = shell_texts::command(at).zip(windows_shell(at)) else { return Vec::new() };
    let (form, is_meant) = (at.agent.dialect.settings_format(), is_for_windows(at, line.text));
    let words = line.shell.commands.iter().flat_map(|simple| (0..simple.words.len()).map(move |index| (simple, index)));
    let find = |(simple, index): (&SimpleCommand, usize)| {
        let word = simple.words.get(index)?;
        let program = simple.name().unwrap_or_default().to_lowercase();
        let written = line.source_text(&word.at);
        let next = simple.words.get(index + 1).map(|next| line.source_text(&next.at)).unwrap_or_default();
        let pair = format!("{written} {next}");
        let (kind, part) = WORDS.iter().find_map(|(kind, pattern)| {
            let is_here = (!kind.is_program || index == 0)
                && (kind.after.is_empty() || index > 0 && kind.after.contains(&program))
                && !kind.passes.contains(&program)
                && kind.shells.iter().any(|own| own == shell)
                && (is_meant || !kind.needs_sign);
            let text = match kind.pattern.as_str() {
                pattern if pattern.contains(' ') => pair.as_str(),
                pattern if pattern.starts_with("^'") => written,
                _ => written.trim_matches(['"', '\'']),
            };
            let part = is_here.then(|| pattern.find(text))??.as_str();
            // The agent itself replaces its own variables.
            let is_own = form.replaces_text && form.meaning(part.trim_matches(['$', '{', '}'])).is_some();
            (!is_own).then_some((kind, if part.contains(['%', '$']) { part } else { written }))
        })?;
        let says = kind.says.replace("{word}", part).replace("{shell}", shell);
        let severity = if kind.needs_sign { Severity::Warning } else { Severity::Error };
        let found = Diagnostic::lowered(Code::HW426, severity, says).at(line.span_of(word.at.clone()));
        Some(found.with_help(kind.help.as_str()))
    };
    words.filter_map(find).collect()
}
