//! The interpreter of a script, and its language.

use crate::Grammar;

impl Grammar {
    /// The language of an interpreter, if scripts in it are understood.
    pub fn of(interpreter: &str) -> Option<Grammar> {
        match interpreter {
            "python" => Some(Grammar::Python),
            "node" | "bun" | "deno" | "tsx" | "ts-node" => Some(Grammar::JavaScript),
            "sh" | "dash" | "bash" | "zsh" | "ksh" => Some(Grammar::Shell),
            _ => None,
        }
    }
}

/// The name of the interpreter of a script, without a version: that of the program which starts it, or else the one in its
/// `#!` line, or the one for its extension.
pub fn interpreter_of(program: Option<&str>, path: &str, text: &str) -> String {
    if let Some(program) = program {
        return bare_name(program).to_owned();
    }
    let line = text.trim_start_matches('\u{feff}').lines().next().unwrap_or("");
    if let Some(line) = line.strip_prefix("#!") {
        let words = line.split_whitespace().filter(|word| !word.starts_with('-') && !word.contains('='));
        return words.map(bare_name).find(|name| *name != "env").unwrap_or_default().to_owned();
    }
    match path.rsplit('.').next() {
        Some("py") => "python",
        Some("js" | "mjs" | "cjs" | "ts") => "node",
        Some("bash") => "bash",
        Some("rb") => "ruby",
        Some("pl") => "perl",
        // Without a `#!` line, the calling shell reads it.
        _ => "sh",
    }
    .to_owned()
}

/// Removes directory and version from a program: `/usr/bin/python3.11` becomes `python`.
pub fn bare_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}
