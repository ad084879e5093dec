//! Surprises specific to this agent: hooks that are disabled by name (HW711), and variables that the agent inserts into
//! the command as text, before a shell reads it (HW423, HW424; spec §5).

use super::substitution::shell_quote;
use crate::gemini_cli::rules;
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::dialects::{AgentContext, RuleContext};
use hookbench_base::hook::HookDefinition;
use hookbench_base::text::Span;

/// Reports hooks that are disabled by name, and names in that list that disable nothing.
pub fn check_agent(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let list = at.loaded.switches.iter().find(|switch| switch.name == "hooksConfig.disabled");
    let by = list.and_then(|switch| switch.set_by.clone()).unwrap_or_else(|| "the settings".to_owned());
    let off = at.loaded.definitions.iter().filter_map(|d| Some((d, d.rejection.as_ref()?)));
    let mut found: Vec<Diagnostic> = off
        .filter(|(_, refused)| refused.rule == rules::CONFIG_DISABLED)
        .map(|(definition, refused)| {
            let says = format!("this hook does not run: {} of {by}", refused.message);
            let help = "remove its name from that list, or enable it with /hooks";
            Diagnostic::lowered(Code::HW711, Severity::Info, says).at(definition.provenance.span).with_help(help)
        })
        .collect();
    let listed = list.and_then(|switch| switch.value.as_array()).into_iter().flatten().filter_map(|name| name.as_str());
    let place = list.and_then(|switch| switch.span);
    for name in listed {
        if let Some((says, help)) = ineffective_entry(name, &at.loaded.definitions) {
            let mut one = Diagnostic::new(Code::HW711, says).with_help(help);
            one.span = place;
            found.push(one);
        }
    }
    found
}

/// Returns why an entry of the list disables nothing, if the hook it was meant for is found. Any other name may
/// belong to a hook of another project.
fn ineffective_entry(name: &str, definitions: &[HookDefinition]) -> Option<(String, String)> {
    let text = |definition: &HookDefinition, key: &str| {
        let text = definition.raw.get(key).and_then(|value| value.as_str()).filter(|text| !text.is_empty());
        text.map(str::to_owned)
    };
    let called = |definition: &HookDefinition| text(definition, "name").or_else(|| text(definition, "command"));
    if definitions.iter().any(|definition| called(definition).as_deref() == Some(name)) {
        return None;
    }
    definitions.iter().find_map(|definition| {
        let own = called(definition)?;
        if text(definition, "command").as_deref() == Some(name) {
            let says = format!("\"{name}\" is the command of a hook with a name, so it has no effect");
            return Some((says, format!("write its name: \"{own}\"")));
        }
        own.trim().eq_ignore_ascii_case(name.trim()).then(|| {
            let says = format!("\"{name}\" is not \"{own}\", so it has no effect: names must be exactly equal");
            (says, format!("write \"{own}\""))
        })
    })
}

/// The variables that are replaced.
const REPLACED_VARIABLES: [&str; 5] =
    ["GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR", "GEMINI_SESSION_ID", "CLAUDE_PROJECT_DIR"];

/// Reports variables that are replaced inside quotes, or as the beginning of another name.
pub fn check_definition(at: &RuleContext<'_>) -> Vec<Diagnostic> {
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
                    "${name} is read as ${own} followed by \"{tail}\": the agent replaces its names even inside longer names"
                );
                let help = format!("write ${{{name}}}, which the shell expands");
                found.push(Diagnostic::new(Code::HW424, says).at(place).with_help(help));
            }
        }
    }
    found
}

/// Reports a directory variable inside quotes: the agent quotes the path itself if necessary, and those quotes become
/// part of the path.
fn check_in_quotes(at: &RuleContext<'_>, text: &str, start: usize, name: &str, place: Span) -> Option<Diagnostic> {
    let directory = name.ends_with("_DIR") && name != "GEMINI_PLANS_DIR" || name.ends_with("_CWD");
    let cwd = &at.start?.cwd;
    let pasted = shell_quote(cwd);
    if !directory || pasted == *cwd || !ends_in_quotes(text.get(..start)?) {
        return None;
    }
    let says = format!(
        "${name} is replaced by {pasted}, whose quotes become part of the path here, and this file does not exist"
    );
    let help = format!("write ${name} without quotes, or \"${{{name}}}\"");
    Some(Diagnostic::new(Code::HW423, says).at(place).with_help(help))
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
