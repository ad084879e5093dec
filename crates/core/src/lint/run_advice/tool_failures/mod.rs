//! HW422: an exit status that comes from an interpreter, a shell or a tool, and not from the hook's own decision.
//! The rule reads stderr and checks whether the script can end with this status itself.

mod error_patterns;
mod exit_paths;

use super::context::{RunContext, short};
use crate::config::EnvironmentSource;
use crate::diagnostic::{Code, Diagnostic, Severity};
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
    let looked_in = |found: Diagnostic| match found.help.clone() {
        Some(help) if code == 127 || is_missing_program(&stderr) => {
            let source = at.scene.place.env_source;
            let other = if source == EnvironmentSource::Agent { "" } else { "; `--env agent` uses that of the agent" };
            found.with_help(format!("{help}; the hook ran with {}{other}", source.description()))
        }
        _ => found,
    };
    finding(at, code, culprit, own).map(looked_in).into_iter().collect()
}

/// Whether stderr says that a program was not found.
fn is_missing_program(stderr: &str) -> bool {
    last_line(stderr).is_some_and(|line| line.contains("command not found") || line.ends_with(": not found"))
}

fn finding(at: &RunContext<'_>, code: i32, culprit: Option<FailingProgram>, own: ExitPath) -> Option<Diagnostic> {
    let comes_to = match at.run.output.vote {
        Vote::Deny | Vote::Block if at.event.blockable_action.is_some() => {
            format!("{} still treats it as a denial", at.agent())
        }
        _ if at.event.blockable_action.is_some() => format!("{} continues as if there were no hook", at.agent()),
        _ => "the hook did not do its work".to_owned(),
    };
    let line = |line: usize| match &at.facts.script {
        Some(script) => format!("{}:{line}", at.scene.place.display_path(&script.path)),
        None => "the command".to_owned(),
    };
    let help = "handle the failure: test for the programs the hook needs, and choose exit 0 or 2";
    if let (Some(culprit), Some(script)) = (&culprit, &at.facts.script)
        && culprit.line.ends_with(&format!("{}: Permission denied", script.path))
    {
        let shown = at.scene.place.display_path(&script.path);
        let says = format!("exit {code} came from the command line, because {shown} could not be started; {comes_to}");
        let help = "run chmod +x, or write the interpreter before the script";
        let note = format!("the shell's message: {}", short(&culprit.line));
        return Some(Diagnostic::new(Code::HW422, says).with_note(note).with_help(help));
    }
    if let Some(culprit) = culprit {
        let sure = culprit.before_script || !matches!(own, ExitPath::Literal(_));
        if sure {
            let says =
                format!("exit {code} came from {}, not from a decision of the hook; {comes_to}", culprit.program);
            let mut found = Diagnostic::new(Code::HW422, says).with_help(culprit.help.unwrap_or(help));
            let passes = match own {
                ExitPath::Computed(at) if !culprit.before_script => format!("; {} returns it", line(at)),
                _ => String::new(),
            };
            found = found.with_note(format!("its message: {}{passes}", short(&culprit.line)));
            return Some(found);
        }
        let ExitPath::Literal(own) = own else { return None };
        if !culprit.last {
            return None;
        }
        let says = format!(
            "exit {code} may come from {} or from {}: stderr ends with a message of {}",
            culprit.program,
            line(own),
            culprit.program
        );
        return Some(
            Diagnostic::lowered(Code::HW422, Severity::Info, says)
                .with_note(format!("its message: {}", short(&culprit.line)))
                .with_help(help),
        );
    }
    if matches!(own, ExitPath::Literal(_)) {
        return None;
    }
    let stderr_text = at.run.report.stderr.text();
    let silent = stderr_text.trim().is_empty();
    match code {
        123..=125 if starts_xargs(&at.text()) => {
            let says = format!(
                "exit {code} came from xargs, which replaces the status of the program that it starts: an exit 2 there does not arrive; {comes_to}"
            );
            let help = "read the values in a loop instead: while read -r value; do …; done";
            Some(Diagnostic::new(Code::HW422, says).with_help(help))
        }
        126 | 127 => {
            let what = if code == 127 { "was not found" } else { "could not be run" };
            let says = format!("exit {code} means that a program {what}; {comes_to}");
            let note = match last_line(&stderr_text) {
                Some(line) => format!("the last line of stderr: {}", short(line)),
                None => "stderr is empty, so the program is unknown".to_owned(),
            };
            Some(Diagnostic::new(Code::HW422, says).with_note(note).with_help(help))
        }
        _ if silent && let Some(broken) = exit_paths::find_errexit(&at.text()) => {
            let says = format!(
                "exit {code} came from a command that failed under `set -e`, not from a decision of the hook: the script ends there without a message; {comes_to}"
            );
            let program = broken.likely_failure.map_or(String::new(), |(at, program)| {
                format!("; perhaps {program} on {}, which exits with 1 if it finds nothing", line(at))
            });
            let found = Diagnostic::new(Code::HW422, says)
                .with_note(format!("`set -e` is on {}{program}", line(broken.enabled_at)));
            let help = "catch the failure (`if ! command; then …`, or `command || status=$?`), and choose exit 0 or 2";
            Some(found.with_help(help))
        }
        // A program that is not known could also end with this status.
        1 | 2 if own == ExitPath::Absent && silent && is_fully_known(at) => {
            let program = exit_paths::last_program(&at.text())?;
            let says = format!(
                "exit {code} came from a program that the hook ran, perhaps `{program}`: the script itself never exits with {code}; {comes_to}"
            );
            let found = if code == 2 {
                Diagnostic::new(Code::HW422, says)
            } else {
                Diagnostic::lowered(Code::HW422, Severity::Info, says)
            };
            Some(found.with_help("choose the exit status yourself: `exit 0` if all is well"))
        }
        _ => None,
    }
}

/// Whether a text starts `xargs`.
fn starts_xargs(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || matches!(c, '|' | ';' | '&' | '/' | '(')).any(|word| word == "xargs")
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
