//! A surprise specific to this agent: before a tool and for a permission, a hook that fails denies (HW634).

use std::sync::LazyLock;

use regex::Regex;

use super::spelling::main_spelling;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::RuleContext;
use hookbench_base::hook::EventSpec;
use hookbench_base::text::ascii_regex;

static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r"\bexit\s+([1-9]\d*)\b|\b(?:sys\.)?exit\(\s*([1-9]\d*)\s*\)|\bprocess\.exit\(\s*([1-9]\d*)\s*\)")
});

/// Whether a hook that fails blocks on this event.
pub fn failure_blocks(event: &EventSpec) -> bool {
    matches!(main_spelling(event.name), "PreToolUse" | "PermissionRequest")
}

/// Reports a hook that ends with another status than 0 and 2: every call for which it does is denied.
pub fn check_definition(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    if !failure_blocks(at.event) {
        return Vec::new();
    }
    let text = match (at.script, at.command()) {
        (Some(script), _) => script.text.clone(),
        (None, Some(command)) => command,
        (None, None) => return Vec::new(),
    };
    let is_shell = at.script.is_none_or(|script| script.shell.is_some());
    let (line, says, help) = match failing_line(&text) {
        Some((line, status)) => {
            let event = at.event.name;
            let says = format!("in Copilot CLI exit {status} denies every call of {event}, and its reason is lost");
            (line, says, "exit 0 allows the call; to deny it with a reason, print a JSON answer and exit 0")
        }
        None => {
            let Some(line) = failing_last_line(&text).filter(|_| is_shell) else { return Vec::new() };
            let says = format!(
                "if this test fails, the script ends with 1, and in Copilot CLI that denies the call of {}",
                at.event.name
            );
            (line, says, "write `exit 0` on the last line")
        }
    };
    let found = Diagnostic::new(Code::HW634, says).with_help(help);
    let place = &at.definition.provenance;
    let found = match at.script {
        Some(script) => {
            let hook = format!("the hook is in {}:{}", place.file, place.line);
            found.at(script.line_span(line)).with_note(hook)
        }
        None => found.at(at.handler_span()),
    };
    vec![found]
}

/// The first line (counted from 0) that exits with another status than 0 and 2, and the status.
fn failing_line(text: &str) -> Option<(usize, &str)> {
    let ends = ENDS.as_ref()?;
    text.split('\n').enumerate().find_map(|(line, code)| {
        if matches!(code.trim_start().as_bytes(), [b'#', ..] | [b'/', b'/', ..]) {
            return None;
        }
        let statuses = ends.captures_iter(code).filter_map(|found| found.iter().skip(1).flatten().next());
        statuses.map(|status| status.as_str()).find(|status| *status != "2").map(|status| (line, status))
    })
}

/// The last line (counted from 0) of a shell script, if it is a test that gives its failure to the script.
fn failing_last_line(text: &str) -> Option<usize> {
    let is_code = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let (line, last) = text.lines().enumerate().filter(|(_, line)| is_code(line)).last()?;
    let (test, _) = last.split_once(" && ")?;
    let tests = ["[ ", "[[ ", "test ", "grep "].iter().any(|word| test.starts_with(word))
        || test.rsplit_once('|').is_some_and(|(_, filter)| filter.trim_start().starts_with("grep "));
    (tests && !last.contains("||") && !last.contains(';')).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::{failing_last_line, failing_line};

    #[test]
    fn last_lines_that_fail() {
        for (text, want) in [
            ("x=1\necho \"$c\" | grep -q sudo && echo seen >> log\n", Some(1)),
            ("[[ $c == *x* ]] && echo seen >> log\n# end\n", Some(0)),
            ("[[ $c == *x* ]] && echo seen >> log || true", None),
            ("[[ $c == *x* ]] && echo seen >> log\nexit 0", None),
            ("cd x && make", None),
            ("if [ x ]; then y && z; fi", None),
        ] {
            assert_eq!(failing_last_line(text), want, "{text}");
        }
    }

    #[test]
    fn lines_that_fail() {
        for (text, want) in [
            ("exit 0", None),
            ("exit 2", None),
            ("# exit 1\nexit 0", None),
            ("command -v jq || exit 1\nexit 2", Some((0, "1"))),
            ("import sys\nsys.exit(3)", Some((1, "3"))),
            ("process.exit(2); process.exit(1)", Some((0, "1"))),
        ] {
            assert_eq!(failing_line(text), want, "{text}");
        }
    }
}
