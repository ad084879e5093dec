//! HW630: a command line that discards the exit status of its script.

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
    let command = at.command()?;
    // Only the part after the script name matters: other parts of the line may use status 2 on purpose.
    let name = script.path.rsplit('/').next()?;
    let (_, behind) = command.rsplit_once(name)?;
    if command.contains("pipefail") || command.contains("PIPESTATUS") {
        return None;
    }
    let (part, does) = discarding_part(behind).filter(|_| blocks_event(at, 2))?;
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

/// Returns the part of the command line that discards the status, and the effect.
fn discarding_part(behind: &str) -> Option<(String, &'static str)> {
    let rest = behind.trim_start_matches(['"', '\'', ')', '}']).trim();
    let rest = rest.split_once("2>/dev/null").map_or(rest, |(_, rest)| rest.trim());
    for word in ["|| true", "|| :", "|| exit 0", "|| echo", "; true", "; exit 0", ";true", ";exit 0"] {
        if let Some(at) = rest.find(word) {
            return Some((rest.get(at..)?.trim_end_matches(['\'', '"', ')']).to_owned(), "does not block"));
        }
    }
    if let Some(at) = rest.find("| ").filter(|at| !rest.get(..*at).is_some_and(|before| before.ends_with('|'))) {
        let part = rest.get(at..)?;
        if part.starts_with("| tee") || part.starts_with("| cat") || part.starts_with("| logger") {
            return Some((part.to_owned(), "does not block"));
        }
    }
    let end = rest.trim_end_matches([')', '\'', '"']).trim_end();
    let background = rest.ends_with('&') && !rest.ends_with("&&") || end.ends_with('&') && !end.ends_with("&&");
    background.then(|| ("&".to_owned(), "comes too late to block"))
}

#[cfg(test)]
mod tests {
    use super::discarding_part;

    #[test]
    fn discarding_parts() {
        for (behind, want) in [
            (" || true", Some("|| true")),
            ("\" || true", Some("|| true")),
            (" 2>/dev/null || true", Some("|| true")),
            ("; exit 0", Some("; exit 0")),
            (" | tee /tmp/log", Some("| tee /tmp/log")),
            (" &", Some("&")),
            (" ) &", Some("&")),
            ("", None),
            ("\"", None),
            (" || exit 2", None),
            (" | jq .", None),
            (" 2>&1", None),
            (" && echo ok", None),
        ] {
            assert_eq!(discarding_part(behind).map(|(part, _)| part).as_deref(), want, "{behind}");
        }
    }
}
