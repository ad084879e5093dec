//! HW609, HW610, HW611, HW621: output next to an answer or instead of one.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Deserializer, Value};

use super::answers::{parse_answer, trimmed};
use super::context::{RunContext, short};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::output::{AnswerForm, TextRecipient};
use crate::run::{CapturedStream, RunReport};
use crate::text::{JsonSyntax, SourceId, ascii_regex, parse_json};

/// The number of braces in a text that are tried. A log may contain thousands.
const TRIES: usize = 64;

/// Words of refusal: a text with one of them was meant to block and not only to log.
static REFUSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r"(?i)\b(?:block(?:ed|ing)|den(?:y|ied|ying)|refus(?:ed|ing)|forbidden|prohibited|not\s+(?:allowed|permitted)|disallowed|must\s+not|do\s+not)\b",
    )
});

pub(super) fn check(at: &RunContext<'_>) -> Vec<Diagnostic> {
    if !at.awaited() || !at.process() || at.run.output.form == AnswerForm::Lost {
        return Vec::new();
    }
    let stdout = at.run.report.stdout.text();
    let stderr = at.run.report.stderr.text();
    let mut found = Vec::new();
    if at.run.output.form != AnswerForm::Json && at.code() != Some(2) {
        found.extend(check_stdout(at, trimmed(&stdout)));
    }
    let taken = at.run.output.form == AnswerForm::Json && parse_answer(&stdout).is_none();
    if !taken && parse_answer(&stderr).is_some() {
        let says = format!("the JSON answer is on stderr, where {} does not look for it", at.agent());
        found.push(Diagnostic::new(Code::HW610, says).with_help("print it on stdout"));
    } else if stdout.trim().is_empty() {
        found.extend(check_lost_stderr(at, stderr.trim()));
    }
    found
}

/// HW611: a hook that succeeds and only writes on stderr, where its agent does not read.
fn check_lost_stderr(at: &RunContext<'_>, stderr: &str) -> Option<Diagnostic> {
    if stderr.is_empty() || at.code() != Some(0) {
        return None;
    }
    let silent = RunReport { stderr: CapturedStream::default(), ..at.run.report.clone() };
    if at.dialect.interpret_run(at.definition, &silent, at.scene) != at.run.output {
        return None;
    }
    let says =
        format!("{} discards the text on stderr: the hook exits with 0, and then only stdout is read", at.agent());
    let help = match at.event.blockable_action {
        Some(_) => "print it as systemMessage in a JSON answer, or exit with 2 to block",
        None => "print it as systemMessage in a JSON answer if the agent shows that, or write it to a log",
    };
    let found = Diagnostic::lowered(Code::HW611, Severity::Info, says).with_help(help);
    Some(found.with_note(format!("stderr begins with: {}", short(stderr))))
}

fn check_stdout(at: &RunContext<'_>, stdout: &str) -> Option<Diagnostic> {
    let agent = at.agent();
    if let Some((before, text)) = text_before_answer(stdout) {
        let says =
            format!("stdout has {before} bytes before the JSON answer, so {agent} does not read it as an answer");
        let note = format!("stdout begins with: {text}");
        let help = "print only the JSON; if a shell profile prints the text, let it print only in a terminal";
        return Some(Diagnostic::new(Code::HW609, says).with_note(note).with_help(help));
    }
    if let Some(after) = text_after_answer(stdout) {
        let says = format!("stdout has {after} bytes after the JSON answer, so {agent} does not read it as an answer");
        return Some(Diagnostic::new(Code::HW609, says).with_help("print one JSON answer and nothing else"));
    }
    if stdout.starts_with('{') {
        let error = parse_json(SourceId(0), stdout, JsonSyntax::default()).err()?;
        let before = stdout.get(..error.at).unwrap_or(stdout);
        let (line, column) =
            (before.lines().count().max(1), before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1);
        let says = format!("stdout begins like JSON but is not valid: line {line}, column {column}: {}", error.message);
        let help = "build it with a JSON library or `jq -n`, not by joining strings";
        return Some(Diagnostic::new(Code::HW621, says).with_help(help));
    }
    check_plain_text(at, stdout)
}

/// HW611: plain text instead of an answer, from a hook that succeeded.
fn check_plain_text(at: &RunContext<'_>, stdout: &str) -> Option<Diagnostic> {
    if stdout.is_empty() || at.code() != Some(0) {
        return None;
    }
    let event = at.event.name;
    let context = at.event.honoured_output.iter().any(|key| key.ends_with("/additionalContext"));
    let refuses = REFUSES.as_ref().is_some_and(|r| r.is_match(stdout));
    let severity = if refuses { Severity::Warning } else { Severity::Info };
    if at.run.output.form == AnswerForm::Rejected {
        let says = format!("plain text on stdout makes the hook fail on {event}, and the text is lost");
        return Some(Diagnostic::new(Code::HW611, says).with_help("print nothing, or a JSON answer"));
    }
    let says = match at.dialect.text_recipient(at.event, &at.scene.version) {
        TextRecipient::Discarded => format!("plain text on stdout is discarded on {event}"),
        TextRecipient::User if context || refuses => {
            format!("plain text on stdout is shown to the user on {event}, but not to the model")
        }
        TextRecipient::User | TextRecipient::Model => return None,
    };
    // On this event, a text for the model keeps the agent from stopping.
    let stops = at.event.fields.iter().any(|field| field.name == "stop_hook_active");
    let help = match (refuses && at.event.blockable_action.is_some(), context) {
        (false, _) if stops => "print it as systemMessage in a JSON answer: the user sees it, and the agent stops",
        (true, _) => "to block, print the reason on stderr and exit 2, or print a JSON answer",
        (false, true) => "print it as additionalContext in a JSON answer",
        (false, false) => "print it as systemMessage in a JSON answer if the agent shows that, or write it to a log",
    };
    Some(
        Diagnostic::lowered(Code::HW611, severity, says)
            .with_note(format!("stdout begins with: {}", short(stdout)))
            .with_help(help),
    )
}

/// Returns how many bytes precede an answer at the end of the text, and how they begin.
fn text_before_answer(text: &str) -> Option<(usize, String)> {
    let braces = text.match_indices('{').map(|(at, _)| at).filter(|at| *at > 0).take(TRIES);
    let at = braces.into_iter().find(|at| text.get(*at..).is_some_and(|rest| parse_answer(rest).is_some()))?;
    // A brace inside an object that does not parse does not start an answer.
    let before = text.get(..at)?;
    (!before.starts_with('{')).then(|| (at, short(before)))
}

/// Returns how many bytes follow an answer at the start of the text.
fn text_after_answer(text: &str) -> Option<usize> {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    values.next()?.ok()?;
    let end = values.byte_offset();
    let rest = text.get(end..)?.trim();
    (!rest.is_empty() && parse_answer(text.get(..end)?).is_some()).then_some(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_around_answers() {
        let deny = r#"{"decision":"block","reason":"{x}"}"#;
        for (text, want) in [
            (format!("Welcome!\n{deny}"), (Some(9), None)),
            (format!("checking… {deny}"), (Some(12), None)),
            (format!("{deny}\ndone"), (None, Some(4))),
            (format!("{deny}\n{deny}"), (None, Some(deny.len()))),
            (deny.to_owned(), (None, None)),
            (format!("{{bad {deny}"), (None, None)),
            ("{\"name\": \"data\"} and text".to_owned(), (None, None)),
            ("12 files {a, b}".to_owned(), (None, None)),
            ("log {\"level\": 1}".to_owned(), (None, None)),
        ] {
            assert_eq!((text_before_answer(&text).map(|b| b.0), text_after_answer(&text)), want, "{text}");
        }
    }
}
