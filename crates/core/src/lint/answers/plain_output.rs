//! HW609, HW610, HW611 and HW623 without running anything: texts that a script prints literally are read by the agent's own
//! reader.

use hookbench_script::{Piece, Printed, Run, ScriptStream, Started, Value, Walked, answer};

use super::hook_text::HookText;
use super::lost_status;
use super::printed_answers::{COMPUTED, completed_answer};
use super::simulation::{Simulation, simulate};
use crate::decide::Outcome;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::{RuleContext, default_version, find_event, released};
use crate::lint::{CommandFacts, run_advice};
use crate::output::{AnswerForm, TextRecipient};
use crate::port::mapping;

/// A text in place of the one that the script prints.
const SOME_TEXT: &str = "a text of the script";

/// Programs that write nothing to stderr, except about a mistake in their arguments.
const QUIET: [&str; 9] = ["jq", "grep", "sed", "head", "tail", "cut", "tr", "wc", "sort"];

/// Programs that only read, or keep a mark for the next run, and whose messages are not the hook's.
const READERS: [&str; 20] = [
    "date",
    "basename",
    "dirname",
    "md5",
    "md5sum",
    "sha256sum",
    "stat",
    "awk",
    "cat",
    "ls",
    "find",
    "mktemp",
    "uniq",
    "uname",
    "mv",
    "cp",
    "rm",
    "touch",
    "mkdir",
    "tee",
];
/// Commands of git that only read.
const GIT: [&str; 8] = ["diff", "status", "log", "show", "rev-parse", "rev-list", "ls-files", "grep"];

pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    if at.definition.detached {
        return Vec::new();
    }
    let Some(text) = HookText::of(at) else { return Vec::new() };
    let Some(walked) = text.walk(at) else { return Vec::new() };
    let mut found = Vec::new();
    found.extend(walked.runs.iter().find_map(|run| check_text_before_answer(at, &text, run)));
    found.extend(walked.runs.iter().find_map(|run| check_answer_on_stderr(at, &text, run)));
    if !walked.runs.iter().any(|run| run.answer(COMPUTED).is_some()) {
        found.extend(check_lost_reason(at, &text, &walked));
        found.extend(check_lost_text(at, &text, &walked));
        found.extend(check_unread_warning(at, &text, &walked));
    }
    found
}

/// The findings about what a run prints, of the given codes.
fn output_findings(at: &RuleContext<'_>, simulation: &Simulation, codes: &[Code]) -> Vec<Diagnostic> {
    let outside = CommandFacts::default();
    run_advice::check_output(&simulation.run_context(at, &outside))
        .into_iter()
        .filter(|one| codes.contains(&one.code))
        .collect()
}

/// HW609: a text that is printed before an answer.
fn check_text_before_answer(at: &RuleContext<'_>, text: &HookText<'_>, run: &Run) -> Option<Diagnostic> {
    let printed = run.printed_on(ScriptStream::Stdout);
    let first = printed.first().filter(|first| first.begins_with_word())?;
    let mut rest = (1..printed.len()).filter_map(|from| answer(printed.get(from..)?, COMPUTED));
    let value = completed_answer(at, &serde_json::Value::Object(rest.next()?))?;
    let simulation = simulate(at, &format!("{SOME_TEXT}\n{value}"), "", run.status.unwrap_or(0))?;
    let mut found = output_findings(at, &simulation, &[Code::HW609]).into_iter().next()?;
    found.message =
        format!("this text is printed before the JSON answer, so {} does not read it as an answer", at.agent_name());
    found.note = None;
    found.help = Some("print the text on stderr, or write it to a log: stdout is for the answer alone".to_owned());
    found.span = Some(text.span_of(first.at.clone()));
    Some(found)
}

/// HW610: an answer that is written to stderr.
fn check_answer_on_stderr(at: &RuleContext<'_>, text: &HookText<'_>, run: &Run) -> Option<Diagnostic> {
    // With status 2, the text is the reason.
    if run.status == Some(2) || !run.printed_on(ScriptStream::Stdout).is_empty() {
        return None;
    }
    let printed = run.printed_on(ScriptStream::Stderr);
    let value = completed_answer(at, &serde_json::Value::Object(answer(&printed, COMPUTED)?))?;
    let simulation = simulate(at, "", &value.to_string(), run.status.unwrap_or(0))?;
    let mut found = output_findings(at, &simulation, &[Code::HW610]).into_iter().next()?;
    found.span = Some(text.span_of(first_brace(text, printed.first()?)));
    Some(found)
}

/// The place of the first brace of a printed text, or of the command that prints it.
pub(super) fn first_brace(text: &HookText<'_>, printed: &Printed) -> std::ops::Range<usize> {
    if text.includes_at(&printed.at) {
        return printed.at.clone();
    }
    let inside = text.text.get(printed.at.clone()).and_then(|text| text.find('{'));
    let start = printed.at.start + inside.unwrap_or(0);
    start..start + 1
}

/// HW623: an exit 2 whose reason is on stdout.
fn check_lost_reason(at: &RuleContext<'_>, text: &HookText<'_>, walked: &Walked) -> Option<Diagnostic> {
    at.event.blockable_action?;
    let refusals =
        || walked.runs.iter().filter(|run| run.status == Some(2) && run.printed_on(ScriptStream::Stderr).is_empty());
    let reason =
        refusals().find_map(|run| run.printed_on(ScriptStream::Stdout).into_iter().find(|one| one.begins_with_word()));
    let Some(reason) = reason else { return check_silent_exit(at, text, walked, refusals().next()?) };
    let outcomes = || Some((simulate(at, SOME_TEXT, "", 2)?.outcome(at), simulate(at, "", SOME_TEXT, 2)?.outcome(at)));
    let is_lost =
        |(own, meant): (Outcome, Outcome)| meant.blocked && (own.blocked, own.reason) != (meant.blocked, meant.reason);
    if !at.run_effect("loses a reason on stdout", 2, || outcomes().is_some_and(is_lost)) {
        return None;
    }
    let (own, meant) = outcomes()?;
    let (event, agent) = (at.event.name, at.agent_name());
    let found = if own.blocked {
        let told = meant.reason.as_deref().is_some_and(|reason| reason.contains(SOME_TEXT));
        let message = format!("exit 2 blocks {event}, but {agent} does not tell this reason: it reads stderr");
        told.then(|| Diagnostic::lowered(Code::HW623, Severity::Warning, message))?
    } else {
        Diagnostic::new(
            Code::HW623,
            format!("exit 2 with the reason on stdout does not block {event}: {agent} reads stderr"),
        )
    };
    Some(found.at(text.span_of(reason.at.clone())).with_help("print the reason on stderr: add `>&2`"))
}

/// HW623: an exit 2 in a script none of whose programs writes a text.
fn check_silent_exit(at: &RuleContext<'_>, text: &HookText<'_>, walked: &Walked, run: &Run) -> Option<Diagnostic> {
    if !starts_only_quiet(walked) || !run.printed.is_empty() {
        return None;
    }
    let end = run.end.clone()?;
    let blocks = |reason| simulate(at, "", reason, 2).is_some_and(|simulation| simulation.outcome(at).blocked);
    if !at.run_effect("needs a reason", 2, || blocks(SOME_TEXT) && !blocks("")) {
        return None;
    }
    let message = format!("exit 2 without a reason does not block {}", at.event.name);
    let found = Diagnostic::new(Code::HW623, message).at(text.span_of(end));
    Some(found.with_help("print the reason on stderr before the exit"))
}

/// HW611: a text that makes the hook fail, or that is lost where other agents give it to the model.
fn check_lost_text(at: &RuleContext<'_>, text: &HookText<'_>, walked: &Walked) -> Option<Diagnostic> {
    let runs = walked.runs.iter().filter(|run| run.status.is_none_or(|status| status == 0));
    let printed = runs
        .filter_map(|run| run.printed_on(ScriptStream::Stdout).into_iter().next())
        .find(|one| one.begins_with_word())?;
    let simulation = simulate(at, SOME_TEXT, "", 0)?;
    let mut found = output_findings(at, &simulation, &[Code::HW611]).into_iter().next()?;
    let fails = simulation.run.output.form == AnswerForm::Rejected;
    if !fails && !is_context_elsewhere(at) && !only_prints(text, walked) {
        return None;
    }
    found.severity = Severity::Warning;
    found.note = None;
    found.span = Some(text.span_of(printed.at.clone()));
    Some(found)
}

/// HW611: a text on stderr from a shell script that does nothing else and always ends with status 0. One that writes files
/// may have another purpose, so only a text after a test of the payload counts.
fn check_unread_warning(at: &RuleContext<'_>, text: &HookText<'_>, walked: &Walked) -> Option<Diagnostic> {
    let only_reads = |one: &Started| {
        let program = one.program.rsplit('/').next().unwrap_or(&one.program);
        let asks_git = || one.arguments.iter().filter_map(Value::known_text).any(|word| GIT.contains(&word.as_str()));
        QUIET.contains(&program) || READERS.contains(&program) || program == "git" && asks_git()
    };
    let of_payload = |one: &Printed| {
        one.text.iter().all(|piece| match piece {
            Piece::Is(text) => text.trim().is_empty(),
            Piece::Of(value) | Piece::Json(value) => matches!(value, Value::Stdin | Value::Payload(_)),
        })
    };
    let fails = |run: &Run| run.status.is_some_and(|status| status != 0);
    let answers = |run: &Run| fails(run) || !run.printed_on(ScriptStream::Stdout).into_iter().all(of_payload);
    if !text.is_shell() || !walked.complete || walked.runs.iter().any(answers) || !walked.started.iter().all(only_reads)
    {
        return None;
    }
    let said = |run: &&Run| {
        let guarded = |index: usize| run.branches.iter().any(|branch| branch.tests_payload && branch.printed <= index);
        let texts = run.printed.iter().enumerate().filter(|(index, one)| {
            one.stream == ScriptStream::Stderr && one.begins_with_text() && (!walked.writes_files || guarded(*index))
        });
        texts.map(|(_, one)| one.clone()).next()
    };
    let warning = walked.runs.iter().filter(|run| run.status == Some(0)).find_map(|run| said(&run))?;
    // An exit 2 that does not leave the script is a mistake of its own.
    if lost_status::check(at).is_some() {
        return None;
    }
    let silent = simulate(at, "", "", 0)?.outcome(at);
    if simulate(at, "", SOME_TEXT, 0)?.outcome(at) != silent {
        return None;
    }
    let message =
        format!("{} discards this text: the hook exits with 0, and then only stdout is read", at.agent_name());
    let context = at.event.honoured_output.iter().any(|key| key.ends_with("/additionalContext"));
    let help = if context {
        "print it as additionalContext (for the model) or systemMessage (for the user) in a JSON answer"
    } else if at.event.blockable_action.is_some() {
        "print it as systemMessage in a JSON answer, or exit with 2 to block"
    } else {
        "print it as systemMessage in a JSON answer if the agent shows that, or write it to a log"
    };
    let found = Diagnostic::lowered(Code::HW611, Severity::Info, message);
    Some(found.at(text.span_of(warning.at)).with_help(help))
}

/// Whether a shell script does nothing but print texts and end with status 0.
fn only_prints(text: &HookText<'_>, walked: &Walked) -> bool {
    let passes = walked.runs.iter().all(|run| run.status == Some(0) && run.printed_on(ScriptStream::Stderr).is_empty());
    text.is_shell() && walked.complete && starts_only_quiet(walked) && passes && !walked.writes_files
}

/// Whether none of the started programs writes a text.
fn starts_only_quiet(walked: &Walked) -> bool {
    walked.started.iter().all(|one| QUIET.contains(&one.program.as_str()))
}

/// Whether another agent gives the text of the corresponding event to the model.
fn is_context_elsewhere(at: &RuleContext<'_>) -> bool {
    let own = at.agent.dialect.main_spelling(at.event.name);
    let Some(row) = mapping().row_of(at.agent.dialect.id().as_str(), own) else { return false };
    released().filter(|other| other.id() != at.agent.dialect.id()).any(|other| {
        let version = default_version(other);
        let event = row.events.get(other.id().as_str()).and_then(|event| find_event(other, &version, event));
        event.is_some_and(|event| other.text_recipient(event, &version) == TextRecipient::Model)
    })
}
