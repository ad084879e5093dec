//! HW609, HW610, HW611, HW621: output next to an answer or instead of one.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Deserializer, Value};

use super::answers::{answer, trimmed};
use super::{Ran, short};
use crate::diagnostic::{Diagnostic, Severity};
use crate::output::{Form, Reach};
use crate::text::{SourceId, Syntax, parse_json};

/// The number of braces in a text that are tried. A log may contain thousands.
const TRIES: usize = 64;

/// Words of refusal: a text with one of them was meant to block and not only to log.
static REFUSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:block(?:ed|ing)|den(?:y|ied|ying)|refus(?:ed|ing)|forbidden|prohibited|not\s+(?:allowed|permitted)|disallowed|must\s+not|do\s+not)\b").ok()
});

pub(super) fn look(at: &Ran<'_>) -> Vec<Diagnostic> {
    if !at.awaited() || !at.process() || at.run.output.form == Form::Lost {
        return Vec::new();
    }
    let stdout = at.run.report.stdout.text();
    let stderr = at.run.report.stderr.text();
    let mut found = Vec::new();
    if at.run.output.form != Form::Json && at.code() != Some(2) {
        found.extend(on_stdout(at, trimmed(&stdout)));
    }
    let taken = at.run.output.form == Form::Json && answer(&stdout).is_none();
    if !taken && answer(&stderr).is_some() {
        let says = format!("a JSON answer stands on stderr, and {} did not look for one there", at.agent());
        found.push(Diagnostic::warning("HW610", says).help("print it on stdout"));
    }
    found
}

fn on_stdout(at: &Ran<'_>, stdout: &str) -> Option<Diagnostic> {
    let agent = at.agent();
    if let Some((before, text)) = behind(stdout) {
        let says = format!("stdout has {before} bytes before the JSON answer, so {agent} does not take it as one");
        let note = format!("it begins with: {text}");
        let help = "print the JSON alone; what a shell's profile prints belongs behind a test for a terminal";
        return Some(Diagnostic::error("HW609", says).note(note).help(help));
    }
    if let Some(after) = in_front(stdout) {
        let says = format!("stdout has {after} bytes behind the JSON answer, so {agent} does not take it as one");
        return Some(Diagnostic::error("HW609", says).help("print the JSON alone, and one answer only"));
    }
    if stdout.starts_with('{') {
        let error = parse_json(SourceId(0), stdout, Syntax::default()).err()?;
        let before = stdout.get(..error.at).unwrap_or(stdout);
        let (line, column) =
            (before.lines().count().max(1), before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1);
        let says =
            format!("stdout begins like JSON and does not parse: line {line}, column {column}: {}", error.message);
        let help = "build it with a JSON library or `jq -n`, not by pasting strings";
        return Some(Diagnostic::error("HW621", says).help(help));
    }
    plain(at, stdout)
}

/// HW611: plain text instead of an answer, from a hook that succeeded.
fn plain(at: &Ran<'_>, stdout: &str) -> Option<Diagnostic> {
    if stdout.is_empty() || at.code() != Some(0) {
        return None;
    }
    let event = at.event.name;
    let context = at.event.honours.iter().any(|key| key.ends_with("/additionalContext"));
    let refuses = REFUSES.as_ref().is_some_and(|r| r.is_match(stdout));
    let severity = if refuses { Severity::Warning } else { Severity::Info };
    if at.run.output.form == Form::Rejected {
        let says = format!("plain text on stdout makes the hook fail on {event}, and nobody reads it");
        return Some(Diagnostic::warning("HW611", says).help("print nothing, or a JSON answer"));
    }
    let says = match at.dialect.text_reaches(at.event, &at.scene.version) {
        Reach::Nobody => format!("plain text on stdout reaches nobody on {event}"),
        Reach::User if context || refuses => {
            format!("plain text on stdout is shown to the user on {event}; the model does not get it")
        }
        Reach::User | Reach::Model => return None,
    };
    // On this event, a text for the model keeps the agent from stopping.
    let stops = at.event.fields.iter().any(|field| field.name == "stop_hook_active");
    let help = match (refuses && at.event.blocks.is_some(), context) {
        (false, _) if stops => "print it as systemMessage of a JSON answer: the user reads it, and the agent stops",
        (true, _) => "to block, print the reason on stderr and exit with 2, or print a JSON answer",
        (false, true) => "print it as additionalContext of a JSON answer",
        (false, false) => "print it as systemMessage of a JSON answer if the agent shows that, or write a log",
    };
    Some(Diagnostic::new("HW611", severity, says).note(format!("it begins with: {}", short(stdout))).help(help))
}

/// Returns how many bytes precede an answer at the end of the text, and how they begin.
fn behind(text: &str) -> Option<(usize, String)> {
    let braces = text.match_indices('{').map(|(at, _)| at).filter(|at| *at > 0).take(TRIES);
    let at = braces.into_iter().find(|at| text.get(*at..).is_some_and(|rest| answer(rest).is_some()))?;
    // A brace inside an object that does not parse does not start an answer.
    let before = text.get(..at)?;
    (!before.starts_with('{')).then(|| (at, short(before)))
}

/// Returns how many bytes follow an answer at the start of the text.
fn in_front(text: &str) -> Option<usize> {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    values.next()?.ok()?;
    let end = values.byte_offset();
    let rest = text.get(end..)?.trim();
    (!rest.is_empty() && answer(text.get(..end)?).is_some()).then_some(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_beside_an_answer() {
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
            assert_eq!((behind(&text).map(|b| b.0), in_front(&text)), want, "{text}");
        }
    }
}
