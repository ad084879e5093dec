//! HW417: a command or script with a syntax error.

use super::consequence::consequence;
use super::python_brackets;
use super::shell_texts;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::text::Span;

/// Checks for merge conflict markers, and for unclosed quotes and constructs, without starting anything. On
/// request, the interpreters themselves find more.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if let Some(line) = shell_texts::command(at)
        && let Some(trouble) = &line.shell.syntax_error
    {
        let says =
            format!("{} cannot parse this command: {}; {}", line.by, trouble.message, syntax_consequence(at, line.by));
        found.push(Diagnostic::new(Code::HW417, says).at(line.span_of(trouble.at.clone())).with_help("close it"));
    }
    let Some(script) = at.new_script() else { return found };
    if let Some(place) = merge_conflict(&script.text) {
        let says =
            format!("this script contains merge conflict markers: {}", syntax_consequence(at, &script.interpreter));
        let one = Diagnostic::new(Code::HW417, says).at(script.span(place.0, place.1));
        found.push(one.with_help("resolve the merge conflict"));
        return found;
    }
    let trouble: Option<(Span, String)> = match (script.interpreter.as_str(), &script.shell) {
        ("zsh" | "ksh", _) => None,
        (_, Some(shell)) => shell.syntax_error.as_ref().map(|t| (script.span(t.at.start, t.at.end), t.message.clone())),
        ("python", None) => {
            python_brackets::find_bracket_error(&script.text).map(|(start, end, says)| (script.span(start, end), says))
        }
        _ => None,
    };
    if let Some((place, says)) = trouble {
        let says = format!(
            "{} cannot parse this script: {says}; {}",
            script.interpreter,
            syntax_consequence(at, &script.interpreter)
        );
        found.push(Diagnostic::new(Code::HW417, says).at(place).with_help("close it"));
    }
    found
}

/// Describes the consequence of a syntax error.
pub(in crate::lint) fn syntax_consequence(at: &RuleContext<'_>, by: &str) -> String {
    let status = if matches!(by, "python" | "node" | "ruby") { 1 } else { 2 };
    format!("it exits with {status}, and {}", consequence(at, status))
}

/// Returns the first line of a complete merge conflict.
fn merge_conflict(text: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    let mut open = None;
    let mut parted = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare.starts_with("<<<<<<< ") {
            open = Some((at, at + bare.len()));
            parted = false;
        } else if bare == "=======" {
            parted = open.is_some();
        } else if bare.starts_with(">>>>>>> ") && parted {
            return open;
        }
        at += line.len();
    }
    None
}
