//! HW601: a script that refuses with an exit status that does not block, usually 1. A run that was seen to end so is
//! proof; without one, a refusal in words right before the exit counts, or a branch that only a test of the payload guards and
//! that only writes a message.

use std::ops::Range;
use std::sync::LazyLock;

use hookbench_script::{Piece, Printed, Run, ScriptStream, Walked};
use regex::Regex;

use super::hook_text::HookText;
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::dialects::RuleContext;
use crate::lint::commands::consequence::blocks_event;
use crate::lint::handler_spans;
use crate::text::ascii_regex;

/// Messages about the hook itself, and warnings.
static OTHER_MESSAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r"(?i)\bwarn(?:ing)?\b[:\s]|\bhint\b|\bnote:|\bmissing\b|not\s+(?:found|installed|set|valid|available|exist|a\s+git)|\binvalid\b|could\s+not|failed\s+to|unable\s+to|cannot\s+(?:read|parse|open|find|load|be\s+read)|can't\s+(?:read|parse|open|find|load)|\busage\b|\bexpected\b|no\s+(?:input|payload|command|file|path)\b|\bempty\b|\bunknown\b|does\s+not\s+exist|\brequired?\b|\bmalformed\b|\btimed?\s*out\b",
    )
});
static REFUSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r"(?i)\b(?:block(?:ed|ing)?|den(?:y|ied|ying)|refus(?:e|ed|ing)|forbidden|prohibited|not\s+(?:allowed|permitted)|disallowed)\b",
    )
});

/// Checks for a way that refuses and ends with a failure which does not block, in a script that uses no real way to block,
/// on an event that can be blocked. An `exit 1` for a missing program is not reported.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    at.event.blockable_action.filter(|_| !at.agent.dialect.failure_blocks(at.event))?;
    let hook = HookText::of(at)?;
    let two = blocks_event(at, 2);
    let does_not_block = |status: i32| format!("exit {status} does not block {}", at.event.name);
    let (refusal, mut found) = if let Some(status) = at.failed_to_block {
        let end = hook.walk(at).and_then(|walked| only_end(&walked, status, &hook.text));
        let Some(refusal) = end else { return Some(observed(at, status)) };
        (refusal, advice(&does_not_block(status), two))
    } else {
        let walked = hook.walk(at).filter(|walked| !walked.runs.iter().any(may_object))?;
        if let Some(refusal) = refuses_in_words(&walked, &hook.text) {
            let found = advice(&does_not_block(refusal.status), two);
            (refusal, found)
        } else {
            let refusal = payload_refusal(&walked, &hook.text)?;
            let message = format!("this branch seems to refuse, but {}", does_not_block(refusal.status));
            let mut found = advice(&message, two);
            found.severity = Severity::Warning;
            (refusal, found)
        }
    };
    if blocks_event(at, refusal.status) {
        return None;
    }
    let Some(script) = at.script else { return Some(found.at(handler_spans::value_span(at, "command"))) };
    let configured = format!("the hook is in {}:{}", at.definition.provenance.file, at.definition.provenance.line);
    found = found.at(script.line_span(refusal.line)).with_note(configured);
    Some(match refusal.at.filter(|_| two) {
        Some(status) => found.with_fix(Fix::proposal(script.span(status.start, status.end), "2")),
        None => found,
    })
}

/// Whether the way refuses, or prints an answer that is not known.
fn may_object(run: &Run) -> bool {
    let is_known = || run.printed_on(ScriptStream::Stdout).iter().all(|one| !one.text.iter().any(is_answer));
    run.objects() || run.answer("").is_none() && !is_known()
}

/// Whether a piece of a text may be a whole answer.
fn is_answer(piece: &Piece) -> bool {
    matches!(piece, Piece::Json(_))
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
        Some(refusal_at(run, status, printed.last()?, text))
    });
    refusals.min_by_key(|refusal| refusal.line)
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

/// The place that ends the script with this status. `None` if there is none, or more than one, since the run does not tell
/// which one ended it.
fn only_end(walked: &Walked, status: i32, text: &str) -> Option<PayloadRefusal> {
    let mut ends = walked.runs.iter().filter(|run| run.status == Some(status) && run.end.is_some());
    let first = ends.next()?;
    let at = literal_status(first, status, text)?;
    let line = text.get(..at.start)?.matches('\n').count();
    ends.all(|run| run.end == first.end).then_some(PayloadRefusal { line, status, at: Some(at) })
}

/// The bytes of the status where a way ends.
fn literal_status(run: &Run, status: i32, text: &str) -> Option<Range<usize>> {
    let end = run.end.clone()?;
    let from = end.start + text.get(end)?.rfind(&status.to_string())?;
    Some(from..from + status.to_string().len())
}

/// The first way that says a refusal after its last condition and ends with a failure other than `2`.
fn refuses_in_words(walked: &Walked, text: &str) -> Option<PayloadRefusal> {
    let refusals = walked.runs.iter().filter(|run| run.answer("").is_none()).filter_map(|run| {
        let status = run.status.filter(|status| ![0, 2].contains(status))?;
        let last = run.printed.last()?;
        let from = run.branches.last().map_or(0, |guard| guard.printed);
        let said = run.printed.get(from..).unwrap_or_default();
        let message: String = said.iter().map(Printed::known_text).collect();
        // The name of a file says nothing.
        let words: Vec<&str> = message.split_whitespace().filter(|word| !word.contains('/')).collect();
        REFUSES.as_ref()?.is_match(&words.join(" ")).then(|| refusal_at(run, status, last, text))
    });
    refusals.min_by_key(|refusal| refusal.line)
}

/// A refusal at the place of its status, or else of its message.
fn refusal_at(run: &Run, status: i32, message: &Printed, text: &str) -> PayloadRefusal {
    let literal = literal_status(run, status, text);
    let start = literal.as_ref().unwrap_or(&message.at).start;
    let line = text.get(..start).unwrap_or_default().matches('\n').count();
    PayloadRefusal { line, status, at: literal }
}

#[cfg(test)]
mod tests {
    use hookbench_script::{Given, Grammar, ScriptModel};

    use super::{may_object, only_end, payload_refusal, refuses_in_words};

    #[test]
    fn exits_with_a_status() {
        let (shell, python) = (Grammar::Shell, Grammar::Python);
        for (language, text, status, want) in [
            (shell, "#!/bin/sh\nexit 1\n", 1, Some((1, 15..16))),
            (python, "import sys\nsys.exit(3)\n", 3, Some((1, 20..21))),
            (shell, "# exit 1\nexit 1", 1, Some((1, 14..15))),
            (shell, "if a; then exit 1; fi\nexit 1", 1, None),
            (shell, "exit 2", 1, None),
        ] {
            let walked = ScriptModel::parse(text, language).unwrap().walk(&Given::default());
            let got = only_end(&walked, status, text).and_then(|found| Some((found.line, found.at?)));
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn refusals_with_one() {
        let (shell, python, node) = (Grammar::Shell, Grammar::Python, Grammar::JavaScript);
        for (language, text, want) in [
            (shell, "echo 'Blocked: rm' >&2\nexit 1", Some(1)),
            (shell, "echo 'not allowed' >&2; exit 1", Some(0)),
            (
                shell,
                "if jq -e .x; then\n  cat | (\n    echo 'BLOCKED' >&2\n    echo a >&2\n    echo b >&2\n    echo c >&2\n    exit 1\n  )\nfi",
                Some(5),
            ),
            (python, "print('denied', file=sys.stderr)\nsys.exit(1)", Some(1)),
            (node, "console.error('Refused');\nprocess.exit(1);", Some(1)),
            (shell, "command -v jq >/dev/null || exit 1", None),
            (shell, "echo 'cannot read hooks/block-push.sh' >&2\nexit 1", None),
            (shell, "echo 'jq is missing' >&2\nexit 1", None),
            (shell, "echo blocked >&2\nexit 3", Some(1)),
            (shell, "echo blocked >&2\nexit 2", None),
            (shell, "# blocked\nexit 1", None),
            (shell, "x=\"exit 1 is blocked\"", None),
            (shell, "echo '{\"decision\": \"block\"}'\nexit 1", None),
            (shell, "echo 'Not blocked' >> log\nexit 1", None),
            (python, "print(json.dumps(decide()))\nprint('denied')\nsys.exit(1)", None),
            (shell, "if [ -n \"$denied\" ]; then exit 2; fi\nexit 1", None),
        ] {
            let walked = ScriptModel::parse(text, language).unwrap().walk(&Given::default());
            let got = if walked.runs.iter().any(may_object) { None } else { refuses_in_words(&walked, text) };
            assert_eq!(got.map(|refusal| refusal.line), want, "{text}");
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
            (shell, "p=$(where-is \"$cmd\") || { echo 'where-is broke' >&2; exit 1; }", None),
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
