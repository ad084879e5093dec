//! HW417: a command or script with a syntax error.

use super::consequence::comes_to;
use super::lines;
use super::python;
use crate::diagnostic::Diagnostic;
use crate::dialects::Looked;
use crate::text::Span;

/// Checks for merge conflict markers, and for unclosed quotes and constructs, without starting anything. On
/// request, the interpreters themselves find more.
pub(super) fn look(at: &Looked<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if let Some(line) = lines::command(at)
        && let Some(trouble) = &line.shell.trouble
    {
        let says = format!("{} does not take this command: {}; {}", line.by, trouble.says, ends(at, line.by));
        found.push(Diagnostic::error("HW417", says).at(line.place(trouble.at.clone())).help("close it"));
    }
    let Some(script) = at.script else { return found };
    if let Some(place) = markers(&script.text) {
        let says = format!("a merge has left its markers in this script: {}", ends(at, &script.by));
        let one = Diagnostic::error("HW417", says).at(script.span(place.0, place.1));
        found.push(one.help("finish the merge"));
        return found;
    }
    let trouble: Option<(Span, String)> = match (script.by.as_str(), &script.shell) {
        ("zsh" | "ksh", _) => None,
        (_, Some(shell)) => shell.trouble.as_ref().map(|t| (script.span(t.at.start, t.at.end), t.says.clone())),
        ("python", None) => python::trouble(&script.text).map(|(start, end, says)| (script.span(start, end), says)),
        _ => None,
    };
    if let Some((place, says)) = trouble {
        let says = format!("{} does not take this script: {says}; {}", script.by, ends(at, &script.by));
        found.push(Diagnostic::error("HW417", says).at(place).help("close it"));
    }
    found
}

/// Describes the consequence of a syntax error.
pub(in crate::lint) fn ends(at: &Looked<'_>, by: &str) -> String {
    let status = if matches!(by, "python" | "node" | "ruby") { 1 } else { 2 };
    format!("it ends with {status}, and {}", comes_to(at, status))
}

/// Returns the first line of a complete merge conflict.
fn markers(text: &str) -> Option<(usize, usize)> {
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
