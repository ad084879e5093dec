//! Answers in a stream: objects with keys that at least one agent reads from hooks.

use serde_json::{Map, Value};

use super::RunContext;
use crate::diagnostic::{Code, Diagnostic};
use crate::output::{AnswerForm, Vote};
use crate::text::parse_value;

/// Keys that identify an object as an answer.
const KEYS: [&str; 9] = [
    "hookSpecificOutput",
    "decision",
    "permissionDecision",
    "continue",
    "stopReason",
    "systemMessage",
    "additionalContext",
    "suppressOutput",
    "updatedInput",
];

/// Removes whitespace and a byte order mark.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// Parses the text as an answer. `None` if it is not one.
pub(super) fn parse_answer(text: &str) -> Option<Map<String, Value>> {
    let text = trimmed(text);
    if !text.starts_with('{') {
        return None;
    }
    match parse_value(text) {
        Ok(Value::Object(map)) if KEYS.iter().any(|key| map.contains_key(*key)) => Some(map),
        _ => None,
    }
}

/// Returns the decision of an answer, in any agent's form.
pub(super) fn decision_word(answer: &Map<String, Value>) -> Option<&str> {
    let own = answer.get("hookSpecificOutput");
    let of = |value: Option<&Value>| value.and_then(Value::as_str).map(str::len).is_some();
    let top = answer.get("decision").or_else(|| answer.get("permissionDecision"));
    let inner = own.and_then(|own| own.get("permissionDecision")).or_else(|| own?.get("decision")?.get("behavior"));
    if of(inner) { inner.and_then(Value::as_str) } else { top.and_then(Value::as_str) }
}

/// HW602: an exit status that discards the answer or contradicts it.
pub(super) fn check(at: &RunContext<'_>) -> Vec<Diagnostic> {
    let output = &at.run.output;
    if at.code() != Some(2) || !at.awaited() {
        return Vec::new();
    }
    let Some(said) = parse_answer(&at.run.report.stdout.text()) else { return Vec::new() };
    let agent = at.agent();
    // The reader names what is wrong with a rejected answer; it did not ignore it.
    if output.form == AnswerForm::Rejected {
        return Vec::new();
    }
    if output.form != AnswerForm::Json {
        let says = format!("exit 2 discards the JSON answer: {agent} ignores stdout then");
        return vec![
            Diagnostic::new(Code::HW602, says)
                .with_help("print the answer and exit 0, or print the reason on stderr and exit 2"),
        ];
    }
    let lets = decision_word(&said).filter(|word| matches!(*word, "allow" | "approve" | "ask"));
    match lets.filter(|_| matches!(output.vote, Vote::Deny | Vote::Block)) {
        Some(word) => {
            let says = format!("exit 2 blocks, and the `{word}` in the JSON answer is ignored");
            vec![Diagnostic::new(Code::HW602, says).with_help("print the answer and exit 0")]
        }
        None => Vec::new(),
    }
}
