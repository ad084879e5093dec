//! Surprises specific to this agent: before a tool and for a permission, a hook that fails denies (HW634); and hooks of both
//! spellings of one event run in one firing (HW713).

use std::sync::LazyLock;

use regex::Regex;

use super::spelling::{Spelling, camel_event, main_spelling};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::{AgentContext, RuleContext};
use hookbench_base::hook::{EventSpec, HookDefinition};

static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\bexit\s+([1-9]\d*)\b|\b(?:sys\.)?exit\(\s*([1-9]\d*)\s*\)|\bprocess\.exit\(\s*([1-9]\d*)\s*\)").ok()
});

/// Whether a hook that fails blocks on this event.
pub fn failure_blocks(event: &EventSpec) -> bool {
    matches!(main_spelling(event.name), "PreToolUse" | "PermissionRequest")
}

/// Reports a hook that ends with another status than 0 and 2: every call for which it does is denied.
pub fn check_definition(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    if !failure_blocks(at.event) {
        return Vec::new();
    }
    let text = match (at.script, at.command()) {
        (Some(script), _) => script.text.clone(),
        (None, Some(command)) => command,
        (None, None) => return Vec::new(),
    };
    let Some((line, status)) = failing_line(&text) else { return Vec::new() };
    let says = format!("in Copilot CLI exit {status} denies every call of {}, and its reason is lost", at.event.name);
    let help = "exit 0 allows the call; to deny it with a reason, print a JSON answer and exit 0";
    let found = Diagnostic::new(Code::HW634, says).with_help(help);
    let place = &at.definition.provenance;
    let found = match at.script {
        Some(script) => {
            let hook = format!("the hook is in {}:{}", place.file, place.line);
            found.at(script.line_span(line)).with_note(hook)
        }
        None => found.at(at.handler_span()),
    };
    vec![found]
}

/// The first line (counted from 0) that exits with another status than 0 and 2, and the status.
fn failing_line(text: &str) -> Option<(usize, &str)> {
    let ends = ENDS.as_ref()?;
    text.split('\n').enumerate().find_map(|(line, code)| {
        if matches!(code.trim_start().as_bytes(), [b'#', ..] | [b'/', b'/', ..]) {
            return None;
        }
        let statuses = ends.captures_iter(code).filter_map(|found| found.iter().skip(1).flatten().next());
        statuses.map(|status| status.as_str()).find(|status| *status != "2").map(|status| (line, status))
    })
}

/// Reports a command that is configured under both spellings of an event: it runs twice.
pub fn check_agent(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let valid: Vec<&HookDefinition> = at.loaded.definitions.iter().filter(|one| one.rejection.is_none()).collect();
    let camel = |one: &&&HookDefinition| Spelling::of(&one.event) == Spelling::Camel;
    let twin = |one: &HookDefinition| {
        valid.iter().find(|other| {
            other.event != one.event
                && camel_event(&other.event) == camel_event(&one.event)
                && other.handler == one.handler
        })
    };
    let found = valid.iter().filter(camel).filter_map(|one| {
        let other = twin(one)?;
        let place = &other.provenance;
        let says = format!(
            "this hook is also in {}:{} under {}, so it runs twice for each event",
            place.file, place.line, other.event
        );
        let help = format!("delete one of the two: {} and {} are one event", one.event, other.event);
        Some(Diagnostic::new(Code::HW713, says).at(one.provenance.span).with_help(help))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::failing_line;

    #[test]
    fn lines_that_fail() {
        for (text, want) in [
            ("exit 0", None),
            ("exit 2", None),
            ("# exit 1\nexit 0", None),
            ("command -v jq || exit 1\nexit 2", Some((0, "1"))),
            ("import sys\nsys.exit(3)", Some((1, "3"))),
            ("process.exit(2); process.exit(1)", Some((0, "1"))),
        ] {
            assert_eq!(failing_line(text), want, "{text}");
        }
    }
}
