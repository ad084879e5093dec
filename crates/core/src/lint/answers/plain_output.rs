//! HW609, HW610, HW611 and HW623 without running anything: texts that a script prints literally are read by the agent's own
//! reader.

use super::hook_text::{HookText, serves_several};
use super::printed_answers::{completed_answer, for_several_agents, is_unconditional};
use super::simulation::{Simulation, simulate};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::{RuleContext, default_version, find_event, released};
use crate::lint::{CommandFacts, run_advice};
use crate::output::{AnswerForm, TextRecipient};
use crate::port::mapping;
use crate::script_keys::{PrintedAnswer, PrintedText, is_on_stderr, printed_answers, printed_texts};

/// A text in place of the one that the script prints.
const SOME_TEXT: &str = "a text of the script";
/// Words of a script that writes to stderr.
const STDERR: [&str; 8] =
    [">&2", "stderr", "console.error", "console.warn", "STDERR", "/dev/fd/2", "logging.", "exec 1>"];

/// Commands of a shell script that write nothing to stderr, except about a mistake in their arguments.
const QUIET: [&str; 18] = [
    "cat", "jq", "grep", "read", "exit", "[", "[[", "test", "echo", "printf", "set", "local", "sed", "head", "tail",
    "cut", "tr", "true",
];

pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    if at.definition.detached {
        return Vec::new();
    }
    let Some(text) = HookText::of(at) else { return Vec::new() };
    if for_several_agents(at, &text.text) {
        return Vec::new();
    }
    let (texts, answers) = (printed_texts(&text.text), printed_answers(&text.text));
    let mut found = Vec::new();
    found.extend(check_text_before_answer(at, &text, &texts, &answers));
    found.extend(check_answer_on_stderr(at, &text, &answers));
    if answers.is_empty() {
        found.extend(check_lost_reason(at, &text, &texts));
        found.extend(check_lost_text(at, &text, &texts));
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

/// HW609: a text that is always printed before an answer.
fn check_text_before_answer(
    at: &RuleContext<'_>,
    text: &HookText<'_>,
    texts: &[PrintedText],
    answers: &[PrintedAnswer],
) -> Option<Diagnostic> {
    let several = serves_several(at, &text.text);
    let always =
        |one: &&PrintedText| one.is_in_main && one.exit.is_none() && is_unconditional(&text.text, one.at.start);
    let answer = answers.iter().find(|answer| !is_on_stderr(&text.text, answer))?;
    let before = texts.iter().filter(always).find(|one| one.at.end <= answer.at.start)?;
    let value = completed_answer(at, &answer.value, several)?;
    let simulation = simulate(at, &format!("{SOME_TEXT}\n{value}"), "", answer.exit.unwrap_or(0))?;
    let mut found = output_findings(at, &simulation, &[Code::HW609]).into_iter().next()?;
    found.message =
        format!("this text is printed before the JSON answer, so {} does not read it as an answer", at.agent_name());
    found.note = None;
    found.help = Some("print the text on stderr, or write it to a log: stdout is for the answer alone".to_owned());
    found.span = Some(text.span_of(before.at.clone()));
    Some(found)
}

/// HW610: an answer that is written to stderr.
fn check_answer_on_stderr(at: &RuleContext<'_>, text: &HookText<'_>, answers: &[PrintedAnswer]) -> Option<Diagnostic> {
    let several = serves_several(at, &text.text);
    // With status 2, the text is the reason.
    let mut lost = answers.iter().filter(|answer| answer.exit != Some(2) && is_on_stderr(&text.text, answer));
    lost.find_map(|answer| {
        let value = completed_answer(at, &answer.value, several)?;
        let simulation = simulate(at, "", &value.to_string(), answer.exit.unwrap_or(0))?;
        let mut found = output_findings(at, &simulation, &[Code::HW610]).into_iter().next()?;
        found.span = Some(text.span_of(answer.at.start..answer.at.start + 1));
        Some(found)
    })
}

/// HW623: an exit 2 whose reason is on stdout.
fn check_lost_reason(at: &RuleContext<'_>, text: &HookText<'_>, texts: &[PrintedText]) -> Option<Diagnostic> {
    at.event.blockable_action?;
    if STDERR.iter().any(|word| text.text.contains(word)) {
        return None;
    }
    let Some(reason) = texts.iter().find(|one| one.exit == Some(2)) else { return check_silent_exit(at, text, texts) };
    let (own, meant) = (simulate(at, SOME_TEXT, "", 2)?, simulate(at, "", SOME_TEXT, 2)?);
    let (own, meant) = (own.outcome(at), meant.outcome(at));
    if !meant.blocked || (own.blocked, &own.reason) == (meant.blocked, &meant.reason) {
        return None;
    }
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

/// HW623: an exit 2 in a shell script none of whose commands writes a text.
fn check_silent_exit(at: &RuleContext<'_>, text: &HookText<'_>, texts: &[PrintedText]) -> Option<Diagnostic> {
    let commands = &at.script?.shell.as_ref()?.commands;
    if !texts.is_empty() || !commands.iter().all(|one| one.name().is_none_or(|name| QUIET.contains(&name))) {
        return None;
    }
    let line = text.text.lines().position(|line| line.trim_start().trim_end_matches(';') == "exit 2")?;
    let (own, meant) = (simulate(at, "", "", 2)?.outcome(at), simulate(at, "", SOME_TEXT, 2)?.outcome(at));
    let message = format!("exit 2 without a reason does not block {}", at.event.name);
    let found = Diagnostic::new(Code::HW623, message).at(text.line_span(line));
    (meant.blocked && !own.blocked).then(|| found.with_help("print the reason on stderr before the exit"))
}

/// HW611: a text that makes the hook fail, or that is lost where other agents give it to the model.
fn check_lost_text(at: &RuleContext<'_>, text: &HookText<'_>, texts: &[PrintedText]) -> Option<Diagnostic> {
    let printed = texts.iter().find(|one| one.is_in_main && one.exit.is_none_or(|exit| exit == 0))?;
    let simulation = simulate(at, SOME_TEXT, "", 0)?;
    let mut found = output_findings(at, &simulation, &[Code::HW611]).into_iter().next()?;
    let fails = simulation.run.output.form == AnswerForm::Rejected;
    if !fails && !is_context_elsewhere(at) {
        return None;
    }
    found.severity = Severity::Warning;
    found.note = None;
    found.span = Some(text.span_of(printed.at.clone()));
    Some(found)
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
