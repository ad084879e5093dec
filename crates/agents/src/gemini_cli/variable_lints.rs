//! HW423, HW424: variables that the agent inserts into the command as text, before a shell reads it (spec §5).

use super::substitution::shell_quote;
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::dialects::RuleContext;
use hookbench_base::text::Span;

/// The variables that are replaced.
const REPLACED_VARIABLES: [&str; 5] =
    ["GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR", "GEMINI_SESSION_ID", "CLAUDE_PROJECT_DIR"];

/// Reports both mistakes.
pub fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let Some(written) = at.written else { return found };
    let text = written.command.text.as_str();
    for (start, _) in text.match_indices('$') {
        let rest = text.get(start + 1..).unwrap_or("");
        let end = rest.find(|c: char| !(c == '_' || c.is_ascii_alphanumeric())).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or("");
        // A backslash before the variable does not prevent the replacement.
        let place = written.command.place(start..start + 1 + end);
        if let Some(own) = REPLACED_VARIABLES.iter().find(|own| name.starts_with(**own)) {
            if name == *own {
                found.extend(check_in_quotes(at, text, start, name, place));
            } else {
                let tail = name.strip_prefix(own).unwrap_or("");
                let says = format!(
                    "${name} is read as ${own} with \"{tail}\" behind it: names are replaced wherever they begin"
                );
                let help = format!("write ${{{name}}}, which the shell reads");
                found.push(Diagnostic::error("HW424", says).at(place).with_help(help));
            }
        }
    }
    found
}

/// Reports a folder variable inside quotes: the agent quotes the path itself if necessary, and those quotes become
/// part of the path.
fn check_in_quotes(at: &RuleContext<'_>, text: &str, start: usize, name: &str, place: Span) -> Option<Diagnostic> {
    let folder = name.ends_with("_DIR") && name != "GEMINI_PLANS_DIR" || name.ends_with("_CWD");
    let cwd = &at.start?.cwd;
    let pasted = shell_quote(cwd);
    if !folder || pasted == *cwd || !ends_in_quotes(text.get(..start)?) {
        return None;
    }
    let says = format!(
        "${name} is replaced by {pasted}, and between quotes those of the path become part of it: there is no such file"
    );
    let help = format!("write ${name} without quotes, or \"${{{name}}}\"");
    Some(Diagnostic::error("HW423", says).at(place).with_help(help))
}

/// Returns whether a quote is still open at the end of this text.
fn ends_in_quotes(before: &str) -> bool {
    let mut open = None;
    let mut chars = before.chars();
    while let Some(c) = chars.next() {
        match (open, c) {
            (None | Some('"'), '\\') => {
                chars.next();
            }
            (None, '"' | '\'') => open = Some(c),
            (Some(quote), c) if quote == c => open = None,
            _ => {}
        }
    }
    open.is_some()
}
