//! HW422: an exit status that comes from an interpreter, a shell or a tool, and not from the hook's own decision.
//! The rule reads stderr and checks whether the script can end with this status itself.

mod error_patterns;
mod exit_paths;

use super::{RunContext, short};
use crate::diagnostic::Diagnostic;
use crate::output::{AnswerForm, Vote};
use error_patterns::FailingProgram;
use exit_paths::ExitPath;

pub(super) fn check(at: &RunContext<'_>) -> Vec<Diagnostic> {
    let Some(code) = at.code().filter(|code| *code != 0 && at.process()) else { return Vec::new() };
    // The hook printed its answer, so the failure did not prevent it.
    if at.run.output.form == AnswerForm::Json && at.run.output.vote != Vote::None {
        return Vec::new();
    }
    let stderr = at.run.report.stderr.text();
    let text = at.text();
    let own = exit_paths::exit_path(&text, code);
    let culprit = error_patterns::find_failing_program(&stderr, code);
    finding(at, code, culprit, own).into_iter().collect()
}

fn finding(at: &RunContext<'_>, code: i32, culprit: Option<FailingProgram>, own: ExitPath) -> Option<Diagnostic> {
    let comes_to = match at.run.output.vote {
        Vote::Deny | Vote::Block if at.event.blockable_action.is_some() => {
            format!("{} takes it as a refusal all the same", at.agent())
        }
        _ if at.event.blockable_action.is_some() => format!("{} goes on as if there were no hook", at.agent()),
        _ => "whatever the hook was to do is not done".to_owned(),
    };
    let line = |line: usize| match &at.facts.script {
        Some(script) => format!("{}:{line}", at.scene.place.display_path(&script.path)),
        None => "the command".to_owned(),
    };
    let help = "handle the failure: test for what the hook needs, and end with 0 or 2 on purpose";
    if let Some(culprit) = culprit {
        let sure = culprit.before_script || !matches!(own, ExitPath::Literal(_));
        if sure {
            let says = format!(
                "exit status {code} came from {} itself, not from the hook's policy; {comes_to}",
                culprit.program
            );
            let mut found = Diagnostic::warning("HW422", says).with_help(culprit.help.unwrap_or(help));
            let passes = match own {
                ExitPath::Computed(at) if !culprit.before_script => format!("; {} passes it on", line(at)),
                _ => String::new(),
            };
            found = found.with_note(format!("it said: {}{passes}", short(&culprit.line)));
            return Some(found);
        }
        let ExitPath::Literal(own) = own else { return None };
        if !culprit.last {
            return None;
        }
        let says = format!(
            "exit status {code} may be that of {} or that of {}: it cannot be told, since stderr ends with a message of {}",
            culprit.program,
            line(own),
            culprit.program
        );
        return Some(
            Diagnostic::info("HW422", says).with_note(format!("it said: {}", short(&culprit.line))).with_help(help),
        );
    }
    if matches!(own, ExitPath::Literal(_)) {
        return None;
    }
    let stderr_text = at.run.report.stderr.text();
    let silent = stderr_text.trim().is_empty();
    match code {
        126 | 127 => {
            let what = if code == 127 { "was not found" } else { "could not be run" };
            let says = format!("exit status {code} is what a shell says of a program that {what}; {comes_to}");
            let note = match last_line(&stderr_text) {
                Some(line) => format!("the last line of stderr: {}", short(line)),
                None => "stderr is empty, so the program is not known".to_owned(),
            };
            Some(Diagnostic::warning("HW422", says).with_note(note).with_help(help))
        }
        _ if silent && let Some(broken) = exit_paths::find_errexit(&at.text()) => {
            let says = format!(
                "exit status {code} came from a command that failed under `set -e`, not from the hook's policy: the script ends \
                 there without a word; {comes_to}"
            );
            let program = broken.likely_failure.map_or(String::new(), |(at, program)| {
                format!("; perhaps {program} on {}, which ends with 1 where it finds nothing", line(at))
            });
            let found = Diagnostic::warning("HW422", says)
                .with_note(format!("`set -e` stands on {}{program}", line(broken.enabled_at)));
            let help = "catch it where it may happen (`if ! command; then …`, or `command || status=$?`), and end with 0 or 2 \
                        on purpose";
            Some(found.with_help(help))
        }
        // A program that is not known could also end with this status.
        1 | 2 if own == ExitPath::Absent && silent && is_fully_known(at) => {
            let program = exit_paths::last_program(&at.text())?;
            let says = format!(
                "exit status {code} is that of a program that the hook ran, perhaps `{program}`: the hook has no way to end with \
                 {code} itself; {comes_to}"
            );
            let found = if code == 2 { Diagnostic::warning("HW422", says) } else { Diagnostic::info("HW422", says) };
            Some(found.with_help("end with an exit status of the hook's own: `exit 0` where all is well"))
        }
        _ => None,
    }
}

/// Whether every program that the hook starts is known.
fn is_fully_known(at: &RunContext<'_>) -> bool {
    let known = at.facts.start.as_ref().is_none_or(|start| !start.unknown);
    known && !at.text().trim().is_empty()
}

/// Returns the last line that is not blank.
fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty())
}
