//! HW601: a script that refuses with an exit status that does not block, usually 1. A run that was seen to end so is
//! proof; without one, a refusal in words right before the exit counts, or a branch that only a test of the payload guards and
//! that only writes a message.

use std::ops::Range;
use std::sync::LazyLock;

use hookbench_script::{Printed, Walked};
use regex::Regex;

use super::hook_text::HookText;
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::dialects::RuleContext;
use crate::lint::commands::consequence::blocks_event;
use crate::lint::handler_spans;

/// The number of lines before the exit that are searched for a reason.
const BEFORE: usize = 3;

static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:\bexit\s+([1-9]\d*)\b|\b(?:sys\.)?exit\(\s*([1-9]\d*)\s*\)|\bprocess\.exit\(\s*([1-9]\d*)\s*\)|\bprocess\.exitCode\s*=\s*([1-9]\d*)\b)").ok()
});
/// Everything that a script can use to block.
static BLOCKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\bexit\s+2\b|exit\(\s*2\s*\)|exitCode\s*=\s*2|permissionDecision|["']?decision\\?["']?\s*[:=]|\\?["']continue\\?["']"#).ok()
});
/// Messages about the hook itself, and warnings.
static OTHER_MESSAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\bwarn(?:ing)?\b[:\s]|\bhint\b|\bnote:|\bmissing\b|not\s+(?:found|installed|set|valid|available|exist|a\s+git)|\binvalid\b|could\s+not|failed\s+to|unable\s+to|cannot\s+(?:read|parse|open|find|load|be\s+read)|can't\s+(?:read|parse|open|find|load)|\busage\b|\bexpected\b|no\s+(?:input|payload|command|file|path)\b|\bempty\b|\bunknown\b|does\s+not\s+exist|\brequired?\b|\bmalformed\b|\btimed?\s*out\b",
    )
    .ok()
});
static REFUSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:block(?:ed|ing)?|den(?:y|ied|ying)|refus(?:e|ed|ing)|forbidden|prohibited|not\s+(?:allowed|permitted)|disallowed)\b").ok()
});

/// Checks for a refusal right before an exit with 1, in a script that uses no real way to block, on an event that
/// can be blocked. An `exit 1` for a missing program is not reported.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    at.event.blockable_action.filter(|_| !at.agent.dialect.failure_blocks(at.event))?;
    let text = match (at.script, at.command()) {
        (Some(script), _) => script.text.clone(),
        (None, command) => command?,
    };
    let seen = at.failed_to_block.map(|status| (status, literal_exit(&text, status)));
    let (line, start, end) = match seen {
        Some((_, Some(place))) => place,
        Some((status, None)) => return Some(observed(at, status)),
        None => match refuses_with_one(&text) {
            Some(place) => place,
            None => return refuses_by_structure(at),
        },
    };
    let status = text.get(start..end).unwrap_or("1");
    if status.parse().is_ok_and(|status| blocks_event(at, status)) {
        return None;
    }
    let two = blocks_event(at, 2);
    let found = advice(&format!("exit {status} does not block {}", at.event.name), two);
    Some(match at.script {
        Some(script) => {
            let hook = format!("the hook is in {}:{}", at.definition.provenance.file, at.definition.provenance.line);
            let found = found.at(script.line_span(line)).with_note(hook);
            if two { found.with_fix(Fix::proposal(script.span(start, end), "2")) } else { found }
        }
        None => found.at(handler_spans::value_span(at, "command")),
    })
}

/// The finding about a branch that only a test of the payload guards, and that only writes a message.
fn refuses_by_structure(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let hook = HookText::of(at)?;
    if BLOCKS.as_ref()?.is_match(&hook.text) {
        return None;
    }
    let walked = hook.walk(at)?;
    let refusal = payload_refusal(&walked, &hook.text).filter(|refusal| !blocks_event(at, refusal.status))?;
    let two = blocks_event(at, 2);
    let message = format!("this branch seems to refuse, but exit {} does not block {}", refusal.status, at.event.name);
    let mut found = advice(&message, two);
    found.severity = Severity::Warning;
    let Some(script) = at.script else { return Some(found.at(handler_spans::value_span(at, "command"))) };
    let configured = format!("the hook is in {}:{}", at.definition.provenance.file, at.definition.provenance.line);
    let found = found.at(script.line_span(refusal.line)).with_note(configured);
    Some(match refusal.at.filter(|_| two) {
        Some(status) => found.with_fix(Fix::proposal(script.span(status.start, status.end), "2")),
        None => found,
    })
}

/// A branch that refuses.
struct PayloadRefusal {
    /// The line with the status, or else with the message; counted from 0.
    line: usize,
    status: i32,
    /// The bytes of the status, if the line contains it.
    at: Option<Range<usize>>,
}

/// The first way that only writes a message after a test of the payload, and ends with a failure other than `2`.
fn payload_refusal(walked: &Walked, text: &str) -> Option<PayloadRefusal> {
    let refusals = walked.runs.iter().filter_map(|run| {
        let status = run.status.filter(|status| ![0, 2].contains(status))?;
        let guard = run.branches.last().filter(|guard| guard.tests_payload && run.only_prints)?;
        let printed = run.printed.get(guard.printed..).unwrap_or_default();
        let message: String = printed.iter().map(Printed::known_text).collect();
        if printed.is_empty() || OTHER_MESSAGE.as_ref().is_some_and(|other| other.is_match(&message)) {
            return None;
        }
        let literal = run.end.clone().and_then(|end| {
            let from = end.start + text.get(end)?.rfind(&status.to_string())?;
            Some(from..from + status.to_string().len())
        });
        let start = literal.as_ref().or(printed.last().map(|last| &last.at))?.start;
        let line = text.get(..start).unwrap_or_default().matches('\n').count();
        Some((start, PayloadRefusal { line, status, at: literal }))
    });
    refusals.min_by_key(|(start, _)| *start).map(|(_, refusal)| refusal)
}

/// The finding about a run that ended with a status which the text of the hook does not contain.
fn observed(at: &RuleContext<'_>, status: i32) -> Diagnostic {
    let message = format!("the last run ended with exit {status}, which does not block {}", at.event.name);
    advice(&message, blocks_event(at, 2)).at(handler_spans::value_span(at, "command"))
}

/// The finding, with a way to block: exit 2 if `two` is true, otherwise a JSON answer.
fn advice(message: &str, two: bool) -> Diagnostic {
    if two {
        let found = Diagnostic::new(Code::HW601, format!("{message}; use exit 2"));
        return found.with_help("use exit 2, or print a JSON answer and exit 0");
    }
    let found = Diagnostic::new(Code::HW601, format!("{message}, and neither does exit 2"));
    found.with_help("print a JSON answer that blocks, and exit 0")
}

/// Whether a line is more than a comment.
fn is_code(line: &str) -> bool {
    !matches!(line.trim_start().as_bytes(), [b'#', ..] | [b'/', b'/', ..])
}

/// Returns the line (counted from 0) that exits with this status, and the range of the status. `None` if there is
/// none, or more than one, since the run does not tell which one ended it.
fn literal_exit(text: &str, status: i32) -> Option<(usize, usize, usize)> {
    let ends = ENDS.as_ref()?;
    let mut start = 0;
    let mut found = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        let code = ends.captures_iter(line).filter(|_| is_code(line));
        let places = code.filter_map(|end| end.iter().skip(1).flatten().next());
        let same = places.filter(|place| place.as_str().parse() == Ok(status));
        found.extend(same.map(|place| (index, start + place.start(), start + place.end())));
        start += line.len() + 1;
    }
    <[_; 1]>::try_from(found).ok().map(|[only]| only)
}

/// Returns the line (counted from 0) that exits after a refusal, and the range of the status.
fn refuses_with_one(text: &str) -> Option<(usize, usize, usize)> {
    if BLOCKS.as_ref()?.is_match(text) {
        return None;
    }
    let lines: Vec<&str> = text.split('\n').collect();
    let ends = ENDS.as_ref()?;
    let refuses = REFUSES.as_ref()?;
    let mut start = 0;
    for (index, line) in lines.iter().enumerate() {
        let near = lines.get(index.saturating_sub(BEFORE)..=index).unwrap_or_default();
        if is_code(line)
            && let Some(found) = ends.captures(line)
            && near.iter().any(|near| is_code(near) && refuses.is_match(near))
        {
            let one = found.iter().skip(1).flatten().next()?;
            return Some((index, start + one.start(), start + one.end()));
        }
        start += line.len() + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use hookbench_script::{Given, Grammar, ScriptModel};

    use super::{literal_exit, payload_refusal, refuses_with_one};

    #[test]
    fn exits_with_a_status() {
        for (text, status, want) in [
            ("#!/bin/sh\nexit 1\n", 1, Some((1, 15, 16))),
            ("import sys\nsys.exit(3)\n", 3, Some((1, 20, 21))),
            ("# exit 1\nexit 1", 1, Some((1, 14, 15))),
            ("if a; then exit 1; fi\nexit 1", 1, None),
            ("exit 2", 1, None),
        ] {
            assert_eq!(literal_exit(text, status), want, "{text}");
        }
    }

    #[test]
    fn refusals_with_one() {
        for (text, want) in [
            ("echo 'Blocked: rm' >&2\nexit 1", Some(1)),
            ("echo 'not allowed' >&2; exit 1", Some(0)),
            ("print('denied', file=sys.stderr)\nsys.exit(1)", Some(1)),
            ("console.error('Refused');\nprocess.exit(1);", Some(1)),
            ("command -v jq >/dev/null || exit 1", None),
            ("echo 'jq is missing' >&2\nexit 1", None),
            ("echo blocked >&2\nexit 3", Some(1)),
            ("echo blocked >&2\nexit 2", None),
            ("# blocked\nexit 1", None),
            ("echo '{\"decision\": \"block\"}'\nexit 1", None),
            ("if [ -n \"$denied\" ]; then exit 2; fi\nexit 1", None),
        ] {
            assert_eq!(refuses_with_one(text).map(|r| r.0), want, "{text}");
        }
    }

    #[test]
    fn branches_that_refuse() {
        let shell = "input=$(cat)\ncmd=$(jq -r .tool_input.command <<<\"$input\")\n";
        let python = "import json, sys\ne = json.load(sys.stdin)\nc = e['tool_input']['command']\n";
        let node = "const e = JSON.parse(readFileSync(0));\n";
        let mut wrong = Vec::new();
        for (head, body, want) in [
            (shell, "if [[ $cmd == *push* ]]; then\n  echo \"Pushing is for people\" >&2\n  exit 1\nfi", Some((2, 1))),
            (shell, "if [[ $cmd == *push* ]]; then echo 'no push' >&2; exit 1; fi", Some((0, 1))),
            (shell, "[[ $cmd == *push* ]] && { echo 'no push' >&2; exit 1; }", Some((0, 1))),
            (shell, "case \"$cmd\" in\n  *push*)\n    echo 'use CI' >&2\n    exit 1 ;;\nesac", Some((3, 1))),
            (shell, "die() { echo \"$1\" >&2; exit 1; }\ncase $cmd in\n  *push*) die 'use CI' ;;\nesac", Some((0, 1))),
            (
                shell,
                "main() {\n  if [[ $cmd == *x* ]]; then\n    echo 'in CI' >&2\n    return 1\n  fi\n}\nmain",
                Some((2, 1)),
            ),
            (python, "if 'push' in c:\n    print('use CI', file=sys.stderr)\n    sys.exit(1)", Some((2, 1))),
            (
                python,
                "if 'push' in c:\n    print(\n        'use CI',\n        file=sys.stderr,\n    )\n    sys.exit(1)",
                Some((5, 1)),
            ),
            (python, "if 'push' in c:\n    raise SystemExit('use CI')", Some((1, 1))),
            (python, "why = check(c)\nif why:\n    print(why, file=sys.stderr)\n    sys.exit(1)", Some((3, 1))),
            (python, "if 'push' in c:\n    sys.exit(1)", None),
            (
                python,
                "def main():\n    if 'push' in c:\n        print('use CI', file=sys.stderr)\n        return 1\nsys.exit(main())",
                Some((2, 1)),
            ),
            (
                node,
                "if (/push/.test(e.tool_input.command)) {\n  console.error('use CI');\n  process.exit(1);\n}",
                Some((2, 1)),
            ),
            // The hook itself.
            (shell, "if [ -z \"$cmd\" ]; then echo 'no text' >&2; exit 1; fi", None),
            (shell, "if ! jq -e . <<<\"$input\"; then echo 'bad text' >&2; exit 1; fi", None),
            (shell, "command -v npm >/dev/null || { echo 'npm is not installed' >&2; exit 1; }", None),
            (shell, "if [[ $cmd == *x* ]]; then echo 'jq is missing' >&2; exit 1; fi", None),
            (shell, "if [[ $cmd == *x* ]]; then echo 'Warning: slow' >&2; exit 1; fi", None),
            (python, "if not c:\n    print('nothing here', file=sys.stderr)\n    sys.exit(1)", None),
            (python, "if c is None:\n    sys.exit('nothing here')", None),
            (node, "if (!e.tool_input) {\n  console.error('nothing');\n  process.exit(1);\n}", None),
            // Branches that do something, or do not end the script with a failure.
            (shell, "if [[ $cmd == *x* ]]; then\n  touch \"$HOME/seen\"\n  echo 'seen' >&2\n  exit 1\nfi", None),
            (shell, "if [[ $cmd == *x* ]]; then echo 'fine' >&2; exit 0; fi", None),
            (shell, "if [[ $cmd == *x* ]]; then\n  npx fmt || { echo 'fmt failed' >&2; exit 1; }\nfi", None),
            (shell, "if [[ $cmd == *x* ]]; then\n  npx fmt || exit 1\nfi", None),
            (
                shell,
                "is_push() {\n  if [[ $cmd == *x* ]]; then\n    echo 'x' >&2\n    return 1\n  fi\n}\nis_push && echo y",
                None,
            ),
            (shell, "if [ -f package.json ]; then echo 'no tests' >&2; exit 1; fi", None),
            ("", "if [[ $CI == true ]]; then echo 'not here' >&2; exit 1; fi", None),
        ] {
            let text = format!("{head}{body}");
            let language = [(shell, Grammar::Shell), (python, Grammar::Python), (node, Grammar::JavaScript)];
            let language = language.iter().find(|(known, _)| *known == head).map_or(Grammar::Shell, |(_, one)| *one);
            let walked = ScriptModel::parse(&text, language).unwrap().walk(&Given::default());
            let got = payload_refusal(&walked, &text);
            let got = got.map(|found| (found.line - head.lines().count(), found.status));
            if got != want {
                wrong.push(format!("{text}\n  got {got:?}, want {want:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
