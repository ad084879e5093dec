//! HW629: a status 2 inside a script that does not become the script's exit status.

use hookbench_script::{ByteRange, StatusPart, Walked, place_in};

use super::hook_text::HookText;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::commands::consequence::blocks_event;

/// Variables with which a script looks at the status of an earlier command.
const LOOKED_AT: [&str; 3] = ["$?", "PIPESTATUS", "BASH_SOURCE"];

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    at.event.blockable_action?;
    let text = HookText::of(at)?;
    if text.is_shell() && LOOKED_AT.iter().any(|name| text.text.contains(name)) {
        return None;
    }
    let walked = text.walk(at)?;
    let is_bash = at.script.is_some_and(|script| script.interpreter == "bash");
    let (place, message, help) =
        lost_status(&text.text, &walked).or_else(|| outer_return(&text.text, &walked).filter(|_| is_bash))?;
    let line = text.text.get(..place.start)?.matches('\n').count();
    // Where exit 2 does not block, a status that is not lost would not block either.
    let found = Diagnostic::new(Code::HW629, message).at(text.line_span(line)).with_help(help);
    blocks_event(at, 2).then_some(found)
}

/// The place of a lost status, the reason, and the cure.
type LostPlace = (ByteRange, &'static str, &'static str);

/// A part that ends with 2, in a script that goes on and does not block.
fn lost_status(text: &str, walked: &Walked) -> Option<LostPlace> {
    let mut lost = walked.runs.iter().filter(|run| !run.objects()).filter_map(|run| run.lost.as_ref());
    let lost = lost.next()?;
    Some(match lost.part {
        StatusPart::Pipe => (
            lost.at.clone(),
            "`exit 2` inside a pipe ends only that part of the pipe: the script continues and does not block",
            "read the loop from `< <(…)` or a variable, or write `done || exit 2`",
        ),
        StatusPart::Subshell => (
            lost.at.clone(),
            "`exit 2` inside `( )` ends only the subshell: the script continues and does not block",
            "use `{ …; }` instead of `( … )`, or add `|| exit $?` after it",
        ),
        StatusPart::Substitution => (
            lost.at.clone(),
            "`exit 2` in a function called in `$( )` ends only the subshell: the script does not block",
            "add `|| exit $?` after the call, or call the function without `$( )`",
        ),
        StatusPart::Function => (
            place_in(text, "return 2", &(text.find("def main(").or_else(|| text.find("main"))?..text.len())),
            "`main` returns 2, but the script does not use it as the exit status: it exits with 0 and does not block",
            "write `sys.exit(main())`",
        ),
    })
}

/// `return 2` outside of a function.
fn outer_return(text: &str, walked: &Walked) -> Option<LostPlace> {
    let returns = walked.runs.iter().filter(|run| run.status == Some(2)).filter_map(|run| run.end.clone());
    let place =
        returns.into_iter().find(|place| text.get(place.clone()).is_some_and(|end| end.starts_with("return")))?;
    Some((
        place,
        "`return 2` outside a function is an error in bash: the script continues and does not block",
        "write `exit 2`",
    ))
}

#[cfg(test)]
mod tests {
    use hookbench_script::Grammar::{self, Python, Shell};
    use hookbench_script::{Given, ScriptModel};

    use super::{lost_status, outer_return};

    #[test]
    fn statuses_that_are_lost() {
        let python = "def main():\n    if bad:\n        return 2\n    return 0\n\n";
        let ends = ["main()\n", "if __name__ == '__main__':\n    main()\n"].map(|end| format!("{python}{end}"));
        let used = ["import sys\nsys.exit(main())\n", "raise SystemExit(main())\n"].map(|end| format!("{python}{end}"));
        let cases: [(Grammar, &str, Option<usize>); 16] = [
            (Shell, "cat f | while read -r l; do\n  [ x ] && exit 2\ndone\nexit 0", Some(1)),
            (Shell, "cat f |\nwhile read -r l; do\n  exit 2\ndone\necho ok", Some(2)),
            (Shell, "cat f | while read -r l; do\n  exit 2\ndone", None),
            (Shell, "cat f | while read -r l; do\n  exit 2\ndone || exit 2\nexit 0", None),
            (Shell, "while read -r l; do\n  exit 2\ndone < f\nexit 0", None),
            (Shell, "set -euo pipefail\ncat f | while read -r l; do\n  exit 2\ndone\nexit 0", None),
            (Shell, "check() {\n  exit 2\n}\nr=$(check x)\necho ok", Some(1)),
            (Shell, "check() {\n  exit 2\n}\ncheck x\nr=$(check y)", None),
            (Shell, "check() {\n  exit 2\n}\nr=$(check x) || exit $?\necho ok", None),
            (Shell, "(\n  grep -q x && exit 2\n)\nexit 0", Some(1)),
            (Shell, "if bad; then\n  return 2\nfi\nexit 0", Some(1)),
            (Shell, "f() {\n  return 2\n}\nf || exit 2", None),
            (Shell, "echo 'return 2'", None),
            (Python, &ends[0], Some(2)),
            (Python, &ends[1], Some(2)),
            (Python, &used[0], None),
        ];
        for (language, text, want) in cases.into_iter().chain([(Python, used[1].as_str(), None)]) {
            let walked = ScriptModel::parse(text, language).unwrap().walk(&Given::default());
            let lost = lost_status(text, &walked).or_else(|| outer_return(text, &walked));
            let line = lost.map(|(place, ..)| text[..place.start].matches('\n').count());
            assert_eq!(line, want, "{text}");
        }
    }
}
