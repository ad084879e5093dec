//! Surprises specific to this agent: exit 3 and `continue: false` end the whole run (HW635), and the first decision before
//! a tool wins, whatever later hooks decide (HW636).

use std::sync::LazyLock;

use regex::Regex;

use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::RuleContext;
use hookbench_base::text::ascii_regex;

static ENDS_RUN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"\bexit\s+3\b|\bexit\(\s*3\s*\)|\bprocess\.exitCode\s*=\s*3\b|continue\\?["']?\s*:\s*[Ff]alse\b"#)
});
static PERMITS: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r#"permissionDecision\\?["']?\s*:\s*\\?["'](allow|ask|defer)\b"#));

/// Reports what a hook of a tool event does here and in no other agent.
pub fn check_definition(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let event = at.event.name;
    if !matches!(event, "PreToolUse" | "PostToolUse") {
        return Vec::new();
    }
    let text = match (at.script, at.command()) {
        (Some(script), _) => script.text.clone(),
        (None, Some(command)) => command,
        (None, None) => return Vec::new(),
    };
    let mut found = Vec::new();
    if let Some((line, words)) = code_with(&text, ENDS_RUN.as_ref()) {
        let what = if words.contains("continue") { "`continue: false`" } else { "exit 3" };
        let when = if event == "PreToolUse" { "before the tool" } else { "after the tool" };
        let says =
            format!("in Droid {what} ends the whole run {when}, and neither the model nor the user gets a reason");
        let help = "to refuse only the call, use exit 2 with the reason on stderr";
        found.push(place(at, line, Diagnostic::new(Code::HW635, says).with_help(help)));
    }
    if let Some((line, words)) = code_with(&text, PERMITS.as_ref()).filter(|_| event == "PreToolUse") {
        let word = ["allow", "ask", "defer"].into_iter().find(|word| words.contains(word)).unwrap_or("allow");
        if let Some(later) = later_hook(at) {
            let says = format!("in Droid `{word}` overrides every later hook: a deny of {later} has no effect");
            let help = "print nothing to allow the call, so that the other hooks still count";
            found.push(place(at, line, Diagnostic::new(Code::HW636, says).with_help(help)));
        }
    }
    found
}

/// The first line (counted from 0) that is more than a comment and has the pattern, and the text that it matches.
fn code_with<'t>(text: &'t str, pattern: Option<&Regex>) -> Option<(usize, &'t str)> {
    let pattern = pattern?;
    let is_code = |line: &str| !matches!(line.trim_start().as_bytes(), [b'#', ..] | [b'/', b'/', ..]);
    let mut lines = text.split('\n').enumerate().filter(|(_, line)| is_code(line));
    lines.find_map(|(number, line)| Some((number, pattern.find(line)?.as_str())))
}

/// The place of the first hook that runs for the same event and is configured later.
fn later_hook(at: &RuleContext<'_>) -> Option<String> {
    let definitions = &at.agent.loaded.definitions;
    let own = definitions.iter().position(|one| one.id == at.definition.id)?;
    let runs = |other: &&hookbench_base::hook::HookDefinition| {
        other.rejection.is_none() && other.event == at.definition.event && other.handler != at.definition.handler
    };
    let later = definitions.iter().skip(own + 1).find(runs)?;
    Some(format!("{}:{}", later.provenance.file, later.provenance.line))
}

/// The finding at a line of the script, or at the command.
fn place(at: &RuleContext<'_>, line: usize, found: Diagnostic) -> Diagnostic {
    let hook = &at.definition.provenance;
    match at.script {
        Some(script) => {
            found.at(script.line_span(line)).with_note(format!("the hook is in {}:{}", hook.file, hook.line))
        }
        None => found.at(at.handler_span()),
    }
}

#[cfg(test)]
mod tests {
    use super::{ENDS_RUN, PERMITS, code_with};

    #[test]
    fn lines_with_a_surprise() {
        for (text, ends, permits) in [
            ("exit 2", None, None),
            ("# exit 3\nexit 0", None, None),
            ("test -e x || exit 3", Some(0), None),
            ("import sys\nsys.exit(3)", Some(1), None),
            (r#"echo "{\"continue\": false}""#, Some(0), None),
            (r#"print({"continue": False})"#, Some(0), None),
            (r#"echo '{"hookSpecificOutput": {"permissionDecision": "allow"}}'"#, None, Some(0)),
            (r#"echo "{\"hookSpecificOutput\": {\"permissionDecision\": \"ask\"}}""#, None, Some(0)),
            (r#"echo '{"hookSpecificOutput": {"permissionDecision": "deny"}}'"#, None, None),
        ] {
            let line = |pattern: &'static std::sync::LazyLock<Option<regex::Regex>>| {
                code_with(text, pattern.as_ref()).map(|(line, _)| line)
            };
            assert_eq!((line(&ENDS_RUN), line(&PERMITS)), (ends, permits), "{text}");
        }
    }
}
