//! HW629: a status 2 inside a script that does not become the script's exit status.

use std::sync::LazyLock;

use regex::Regex;

use super::hook_text::HookText;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::commands::consequence::blocks_event;

fn regex(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

static EXIT_2: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r"(?:^|[\s;&|{(])exit\s+2\b"));
static RETURN_2: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r"^\s*(?:[^#'\x22]*[;&|{]\s*)?return\s+2\b"));
static PIPED_LOOP: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"\|\s*(?:while\b.*\bread\b|while\s+IFS=|\{\s*$|\(\s*$)"));
static FUNCTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"^\s*(?:function\s+)?([A-Za-z_][\w-]*)\s*\(\)\s*\{|^\s*function\s+([A-Za-z_][\w-]*)\s*\{"));
/// A shell script that ends with the status of the last failure.
static STRICT: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"(?m)^\s*set\s+-\w*e|^#!.*\s-\w*e\w*\s*$|PIPESTATUS|\bexit\s+\$"));
static PYTHON_MAIN: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r"(?m)^(?:if __name__[^\n]*\n)?\s*main\(\)\s*$"));
static PYTHON_RETURN: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r"(?m)^\s+return\s+2\s*(?:#.*)?$"));

/// A line (counted from 0) whose status is lost, and why.
struct LostStatus {
    line: usize,
    message: &'static str,
    help: &'static str,
}

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    at.event.blockable_action?;
    let text = HookText::of(at)?;
    let by = at.script.map_or("sh", |script| script.interpreter.as_str());
    let lost = match by {
        "python" => in_python(&text.text),
        "bash" | "sh" | "dash" | "zsh" | "ksh" => in_shell(&text.text, by == "bash"),
        _ => None,
    }?;
    // Where exit 2 does not block, a status that is not lost would not block either.
    let found = Diagnostic::new(Code::HW629, lost.message).at(text.line_span(lost.line)).with_help(lost.help);
    blocks_event(at, 2).then_some(found)
}

fn in_shell(text: &str, bash: bool) -> Option<LostStatus> {
    let lines: Vec<&str> = text.lines().collect();
    if STRICT.as_ref()?.is_match(text) {
        return None;
    }
    in_piped_loop(&lines).or_else(|| in_substitution(&lines)).or_else(|| if bash { at_top(&lines) } else { None })
}

/// `… | while read -r x; do … exit 2 … done`, with more commands after it.
fn in_piped_loop(lines: &[&str]) -> Option<LostStatus> {
    let (piped, exit) = (PIPED_LOOP.as_ref()?, EXIT_2.as_ref()?);
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#')) {
        let continued = index > 0
            && line.trim_start().starts_with("while ")
            && lines
                .get(index - 1)
                .is_some_and(|before| before.trim_end().ends_with(['|', '\\']) && before.contains('|'));
        if !piped.is_match(line) && !continued {
            continue;
        }
        let indent = indent(line);
        let end =
            lines.iter().enumerate().skip(index + 1).find(|(_, line)| self::indent(line) <= indent && is_end(line));
        let Some((end, last)) = end else { continue };
        let inside = lines.get(index..end).unwrap_or_default();
        let Some(at) = inside.iter().position(|line| exit.is_match(line) && !line.trim_start().starts_with('#')) else {
            continue;
        };
        let checked = last.contains("||") || last.contains("&&");
        let more =
            lines.iter().skip(end + 1).any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        let tested = lines.get(end + 1).is_some_and(|line| line.contains("$?"));
        if !checked && !tested && more {
            return Some(LostStatus {
                line: index + at,
                message: "`exit 2` inside a pipe ends only that part of the pipe: the script continues and does not block",
                help: "read the loop from `< <(…)` or a variable, or write `done || exit 2`",
            });
        }
    }
    None
}

fn is_end(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('}') || line.starts_with(')') || line.starts_with("done")
}

/// A function that exits with 2 and is only called in `$( … )`.
fn in_substitution(lines: &[&str]) -> Option<LostStatus> {
    let (function, exit) = (FUNCTION.as_ref()?, EXIT_2.as_ref()?);
    for (index, line) in lines.iter().enumerate() {
        let Some(found) = function.captures(line) else { continue };
        let name = found.get(1).or_else(|| found.get(2))?.as_str();
        let end = lines.iter().skip(index + 1).position(|line| line.starts_with('}')).map(|end| index + 1 + end)?;
        let inside = lines.get(index..end).unwrap_or_default();
        let Some(at) = inside.iter().position(|line| exit.is_match(line) && !line.trim_start().starts_with('#')) else {
            continue;
        };
        let call = regex(&format!(r"(?:^|[\s;&|(!]){}(?:$|[\s;)|&])", regex::escape(name)))?;
        let mut calls = lines
            .iter()
            .enumerate()
            .filter(|(at, line)| {
                (*at < index || *at > end) && call.is_match(line) && !line.trim_start().starts_with('#')
            })
            .map(|(_, line)| *line)
            .peekable();
        let caught = |line: &str| line.contains(&format!("$({name}")) && !line.contains("||") && !line.contains("if ");
        if calls.peek().is_some() && calls.all(caught) {
            return Some(LostStatus {
                line: index + at,
                message: "`exit 2` in a function called in `$( )` ends only the subshell: the script does not block",
                help: "add `|| exit $?` after the call, or call the function without `$( )`",
            });
        }
    }
    None
}

/// `return 2` outside of a function, in bash.
fn at_top(lines: &[&str]) -> Option<LostStatus> {
    let (function, ends) = (FUNCTION.as_ref()?, RETURN_2.as_ref()?);
    if lines.iter().any(|line| line.contains("BASH_SOURCE")) {
        return None;
    }
    let mut inside = false;
    for (index, line) in lines.iter().enumerate() {
        let begins = function.is_match(line) || line.trim_end().ends_with("()");
        inside |= begins;
        if !inside && ends.is_match(line) {
            return Some(LostStatus {
                line: index,
                message: "`return 2` outside a function is an error in bash: the script continues and does not block",
                help: "write `exit 2`",
            });
        }
        if line.starts_with('}') || (begins && line.trim_end().ends_with('}')) {
            inside = false;
        }
    }
    None
}

/// `return 2` in a `main` whose return value is not used.
fn in_python(text: &str) -> Option<LostStatus> {
    let passes = ["exit(main(", "SystemExit(main(", "exit(asyncio.run(", "sys.exit(2)", "= main("];
    if passes.iter().any(|form| text.contains(form)) || !PYTHON_MAIN.as_ref()?.is_match(text) {
        return None;
    }
    let main = text.find("def main(")?;
    let body = text.get(main..)?;
    let body = body.get(..body.get(1..)?.find("\ndef ").map_or(body.len(), |end| end + 1))?;
    let found = PYTHON_RETURN.as_ref()?.find(body)?;
    let at = main + found.end();
    let line = text.get(..at)?.matches('\n').count();
    Some(LostStatus {
        line,
        message: "`main` returns 2, but the script does not use it as the exit status: it exits with 0 and does not block",
        help: "write `sys.exit(main())`",
    })
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::{in_python, in_shell};

    #[test]
    fn statuses_that_are_lost() {
        for (text, want) in [
            ("cat f | while read -r l; do\n  [ x ] && exit 2\ndone\nexit 0", Some(1)),
            ("cat f |\nwhile read -r l; do\n  exit 2\ndone\necho ok", Some(2)),
            ("cat f | while read -r l; do\n  exit 2\ndone", None),
            ("cat f | while read -r l; do\n  exit 2\ndone || exit 2\nexit 0", None),
            ("while read -r l; do\n  exit 2\ndone < f\nexit 0", None),
            ("set -euo pipefail\ncat f | while read -r l; do\n  exit 2\ndone\nexit 0", None),
            ("check() {\n  exit 2\n}\nr=$(check x)\necho ok", Some(1)),
            ("check() {\n  exit 2\n}\ncheck x\nr=$(check y)", None),
            ("check() {\n  exit 2\n}\nr=$(check x) || exit $?\necho ok", None),
            ("if bad; then\n  return 2\nfi\nexit 0", Some(1)),
            ("f() {\n  return 2\n}\nf || exit 2", None),
            ("echo 'return 2'", None),
        ] {
            assert_eq!(in_shell(text, true).map(|lost| lost.line), want, "{text}");
        }
        let body = "def main():\n    if bad:\n        return 2\n    return 0\n\n";
        for (end, want) in [
            ("main()\n", Some(2)),
            ("if __name__ == '__main__':\n    main()\n", Some(2)),
            ("sys.exit(main())\n", None),
            ("raise SystemExit(main())\n", None),
        ] {
            assert_eq!(in_python(&format!("{body}{end}")).map(|lost| lost.line), want, "{end}");
        }
    }
}
