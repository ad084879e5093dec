//! HW630: a command line that discards the exit status of its script.

use hookbench_script::{Given, ScriptModel};

use super::hook_text::{HookText, serves_several};
use super::printed_answers::COMPUTED;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::commands::consequence::blocks_event;
use crate::lint::handler_spans;

/// Checks for `|| true`, `; exit 0`, `| tee` or `&` after a script that can exit with 2.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    at.event.blockable_action?;
    let script = at.script?;
    if at.definition.detached || serves_several(at, &script.text) || ends_with_two(at) != Some(true) {
        return None;
    }
    let line = at.written.and_then(|written| written.shell_line.as_ref())?;
    let name = script.path.rsplit('/').next()?;
    let (part, does) = discarding_part(&line.literal.text, line.model.as_ref()?, name)?;
    if !blocks_event(at, 2) {
        return None;
    }
    let says = format!("`{part}` discards the exit status of {name}, so its exit 2 {does}");
    let help = format!("remove `{part}`");
    Some(Diagnostic::new(Code::HW630, says).at(handler_spans::value_span(at, "command")).with_help(help))
}

/// Whether the script blocks with exit status 2 and not with a JSON answer.
fn ends_with_two(at: &RuleContext<'_>) -> Option<bool> {
    let walked = HookText::of(at)?.walk(at)?;
    let answers = walked.runs.iter().any(|run| run.answer(COMPUTED).is_some());
    Some(!answers && walked.runs.iter().any(|run| run.status == Some(2)))
}

/// Returns the part of the command line that discards the status of a script, and the effect. `None` if the line ends with
/// this status, or may do so.
fn discarding_part<'a>(line: &'a str, model: &ScriptModel, name: &str) -> Option<(&'a str, &'static str)> {
    let walked = model.walk(&Given { status: Some((name, 2)), ..Given::default() });
    let start = walked.started.iter().find(|one| one.names(name))?;
    let behind = line.get(start.at.end..)?.trim_start_matches(['"', '\'', ')', '}']).trim();
    let behind = behind.strip_prefix("2>/dev/null").unwrap_or(behind).trim();
    let keeps_status = walked.runs.iter().any(|run| !matches!(run.status, Some(status) if status != 2));
    if behind.is_empty() || keeps_status || line.contains("pipefail") || line.contains("PIPESTATUS") {
        return None;
    }
    Some((behind, if start.is_limited { "comes too late to block" } else { "does not block" }))
}

#[cfg(test)]
mod tests {
    use hookbench_script::{Grammar, ScriptModel};

    use super::discarding_part;

    #[test]
    fn parts_of_a_line_that_discard_the_status_of_a_script() {
        for (line, want) in [
            ("./guard.sh || true", Some("|| true")),
            ("bash \"$DIR/guard.sh\" || true", Some("|| true")),
            ("./guard.sh 2>/dev/null || true", Some("|| true")),
            ("./guard.sh || echo failed", Some("|| echo failed")),
            ("./guard.sh; exit 0", Some("; exit 0")),
            ("./guard.sh; echo done", Some("; echo done")),
            ("./guard.sh | tee /tmp/log", Some("| tee /tmp/log")),
            ("./guard.sh | logger", Some("| logger")),
            ("./guard.sh &", Some("&")),
            ("(./guard.sh) &", Some("&")),
            ("./guard.sh || exit 1", Some("|| exit 1")),
            ("./guard.sh || { echo no >&2; exit 2; }", None),
            ("./guard.sh", None),
            ("bash -c \"./guard.sh\"", None),
            ("./guard.sh || exit 2", None),
            ("./guard.sh || exit $?", None),
            ("./guard.sh; code=$?; exit $code", None),
            ("./guard.sh; code=$?; echo $code >> log; exit $code", None),
            ("if ./guard.sh; then exit 0; else exit 2; fi", None),
            ("[ -f x ] && ./guard.sh", None),
            ("cd x && ./guard.sh || true", Some("|| true")),
            ("./guard.sh 2>&1", None),
            ("./guard.sh && echo ok", None),
            ("set -o pipefail; ./guard.sh | tee log", None),
        ] {
            let model = ScriptModel::parse(line, Grammar::Shell).unwrap();
            assert_eq!(discarding_part(line, &model, "guard.sh").map(|(part, _)| part), want, "{line}");
        }
    }
}
