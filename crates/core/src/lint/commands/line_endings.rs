//! HW416: a script with Windows line endings or a byte order mark.

use super::consequence::consequence;
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::dialects::RuleContext;
use crate::text::edit::TextEdit;

const MARK: &str = "\u{feff}";

/// Checks for both.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let script = at.new_script()?;
    let text = script.text.as_str();
    let lower = script.path.to_ascii_lowercase();
    if [".cmd", ".bat", ".ps1"].iter().any(|end| lower.ends_with(end)) {
        return None;
    }
    let by_shell = script.shell.is_some();
    let marked = text.starts_with(MARK) && (by_shell || !script.interpreted);
    let first = text.lines().next().unwrap_or("");
    let first_line = text.split('\n').next().unwrap_or("");
    let named = first.trim_start_matches(MARK).starts_with("#!");
    // A single carriage return may be intended. On at least half of the lines, they are line endings.
    let returns = text.matches("\r\n").count();
    let lines = text.matches('\n').count();
    let all = returns > 0 && returns * 2 >= lines;
    let broken = !script.interpreted && named && first_line.ends_with('\r');
    let returned = broken || all && by_shell;
    if !marked && !returned {
        return None;
    }
    let says = if marked && returned {
        "this script begins with a byte-order mark and has Windows line endings".to_owned()
    } else if marked {
        "this script begins with a byte-order mark, so its `#!` line is ignored and the calling shell runs it"
            .to_owned()
    } else if broken {
        let program = first.trim_start_matches("#!").trim_end();
        let program = program.split_whitespace().last().unwrap_or(program);
        format!(
            "the first line ends in a carriage return: the system looks for \"{program}\\r\" (exit 127), and {}",
            consequence(at, 127)
        )
    } else {
        format!(
            "this script has Windows line endings: {} treats each carriage return as part of a word",
            script.interpreter
        )
    };
    let mut edits = Vec::new();
    if marked {
        edits.push(TextEdit::remove(0, MARK.len()));
    }
    if returned {
        let returns = text.match_indices("\r\n");
        edits.extend(returns.map(|(at, _)| TextEdit::remove(at, at + 1)));
    }
    let fix = Fix::new(true, script.source, edits);
    let found = Diagnostic::new(Code::HW416, says).at(script.line_span(0));
    Some(found.with_help("save it with LF line endings and without a byte-order mark").with_fix(fix))
}
