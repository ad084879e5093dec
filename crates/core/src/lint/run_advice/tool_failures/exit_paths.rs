//! The ways in which a script can end with a given exit status.

use std::sync::LazyLock;

use crate::text::ascii_regex;
use regex::Regex;

/// The exit path of a script for a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExitPath {
    /// On this line (counted from 1), with a literal status.
    Literal(usize),
    /// On this line, with the status of a program or with a computed number.
    Computed(usize),
    Absent,
}

static LITERAL_EXIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"(?:\b_?exit!?|\breturn|\bExit|\bquit|\bSystemExit)\s*\(?\s*["']?(\d{1,3})\b|exitCode\s*=\s*(\d{1,3})\b"#,
    )
});
/// `sys.exit("text")` ends with status 1.
static TEXT_EXIT: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r#"(?:\bsys\.exit|\bSystemExit)\(\s*f?["']|\bdie\b|\babort\b"#));
static COMPUTED_EXIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"(?:\bexit|\b_exit|\bSystemExit|\bExit)\s*(?:\(\s*|\s["']?)[$A-Za-z_]|exitCode\s*=\s*[A-Za-z_]|(?:^|[;&|{]\s*)exit\s*(?:;|$|\})|\bexec\s|\bargparse\b|\bset\s+-\w*e"#,
    )
});

/// Returns the exit path of a script for a status.
pub(super) fn exit_path(text: &str, code: i32) -> ExitPath {
    let (Some(says), Some(one), Some(passes)) = (LITERAL_EXIT.as_ref(), TEXT_EXIT.as_ref(), COMPUTED_EXIT.as_ref())
    else {
        return ExitPath::Absent;
    };
    let mut passed = ExitPath::Absent;
    for (index, line) in text.lines().enumerate() {
        let code_of = line.trim_start();
        if code_of.starts_with('#') || code_of.starts_with("//") {
            continue;
        }
        let number = |found: regex::Captures<'_>| {
            let digits = found.get(1).or_else(|| found.get(2)).map(|m| m.as_str().parse::<i32>());
            digits == Some(Ok(code))
        };
        if says.captures_iter(code_of).any(number) || (code == 1 && one.is_match(code_of)) {
            return ExitPath::Literal(index + 1);
        }
        if passed == ExitPath::Absent && passes.is_match(code_of) {
            passed = ExitPath::Computed(index + 1);
        }
    }
    passed
}

/// A script whose shell exits at the first command that fails.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ErrexitScript {
    /// The line that enables this (counted from 1).
    pub enabled_at: usize,
    /// The first line with a program that can silently end with 1 and whose failure is not handled.
    pub likely_failure: Option<(usize, &'static str)>,
}

static SET_E: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r"(?:^|[;&|{]\s*)set\s+(?:-\w*e|-o\s+errexit)|^#!\S*(?:ba|z|k|da)?sh\s+-\w*e"));

/// Programs that print nothing when they find nothing.
const SILENT: [&str; 6] = ["grep", "egrep", "diff", "cmp", "pgrep", "test"];

/// Returns the `set -e` of a script. `None` if it has none.
pub(super) fn find_errexit(text: &str) -> Option<ErrexitScript> {
    let pattern = SET_E.as_ref()?;
    let lines = || text.lines().zip(1..).map(|(line, at)| (line.trim_start(), at));
    let (_, set) = lines().find(|(line, at)| (*at == 1 || !line.starts_with('#')) && pattern.is_match(line))?;
    let caught = |line: &str| {
        line.contains("||")
            || ["#", "if ", "elif ", "while ", "until ", "! "].iter().any(|start| line.starts_with(start))
    };
    let word =
        |line: &str, name: &str| line.split(|c: char| !(c.is_alphanumeric() || "._-/".contains(c))).any(|w| w == name);
    let perhaps = lines()
        .filter(|(line, at)| *at > set && !caught(line))
        .find_map(|(line, at)| SILENT.iter().find(|name| word(line, name)).map(|name| (at, *name)));
    Some(ErrexitScript { enabled_at: set, likely_failure: perhaps })
}

/// Returns the program of the last command of a shell script. `None` if it cannot be determined.
pub(super) fn last_program(text: &str) -> Option<String> {
    let shell = !text.starts_with("#!") || text.lines().next().is_some_and(|line| line.contains("sh"));
    let foreign = ["import ", "def ", "const ", "function(", "=> "].iter().any(|word| text.contains(word));
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let command = line.rsplit(['|', ';', '&']).map(str::trim).find(|part| !part.is_empty())?;
    let word = command.split_whitespace().find(|word| !word.contains('='))?;
    let name = word.rsplit('/').next()?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._-[".contains(c));
    let word_of_shell = ["fi", "done", "esac", "then", "else", "do", "exit", "echo", "printf"].contains(&name);
    (shell && !foreign && plain && !word_of_shell).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_end() {
        for (text, code, want) in [
            ("x=1\nexit 2", 2, ExitPath::Literal(2)),
            ("exit 20", 2, ExitPath::Absent),
            ("# exit 2\ntrue", 2, ExitPath::Absent),
            ("sys.exit(2)", 2, ExitPath::Literal(1)),
            ("raise SystemExit(2)", 2, ExitPath::Literal(1)),
            ("sys.exit('no')", 1, ExitPath::Literal(1)),
            ("sys.exit('no')", 2, ExitPath::Absent),
            ("process.exit(2)", 2, ExitPath::Literal(1)),
            ("process.exitCode = 2;", 2, ExitPath::Literal(1)),
            ("if x; then return 2; fi", 2, ExitPath::Literal(1)),
            ("exit $?", 2, ExitPath::Computed(1)),
            ("exit \"$status\"", 2, ExitPath::Computed(1)),
            ("sys.exit(main())", 2, ExitPath::Computed(1)),
            ("set -euo pipefail\ngrep x y", 2, ExitPath::Computed(1)),
            ("exec python3 lost.py", 2, ExitPath::Computed(1)),
            ("grep -q x\n", 2, ExitPath::Absent),
            ("python3 lost.py", 2, ExitPath::Absent),
            ("exit 0", 2, ExitPath::Absent),
        ] {
            assert_eq!(exit_path(text, code), want, "{text}");
        }
    }

    #[test]
    fn errexit_scripts() {
        for (text, want) in [
            ("#!/bin/bash\nset -euo pipefail\nx=$(grep y z)", Some((2, Some((3, "grep"))))),
            ("#!/bin/bash -e\ncat >/dev/null", Some((1, None))),
            ("set -o errexit\nif grep -q x; then y; fi\ngrep x y || true", Some((1, None))),
            ("# set -e\ngrep x y", None),
            ("set -u\ngrep x y", None),
        ] {
            assert_eq!(find_errexit(text).map(|b| (b.enabled_at, b.likely_failure)), want, "{text}");
        }
    }

    #[test]
    fn last_programs() {
        for (text, want) in [
            ("jq -r .x | grep -q rm", Some("grep")),
            ("a && /usr/bin/test -f x", Some("test")),
            ("if x; then\n  y\nfi", None),
            ("#!/usr/bin/env python3\nrun()", None),
            ("FOO=1 make check", Some("make")),
            ("", None),
        ] {
            assert_eq!(last_program(text).as_deref(), want, "{text}");
        }
    }
}
