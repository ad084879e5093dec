//! HW602 to HW608, HW622, HW624 and HW628 without running anything: answers that a script prints literally are
//! read by the agent's own reader.

use serde_json::{Value, json};

use super::hook_text::{HookText, serves_several};
use super::simulation::{Simulation, simulate};
use crate::decide::Verdict;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::{ALL, RuleContext};
use crate::lint::{CommandFacts, run_advice};
use crate::output::Vote;
use crate::script_keys::{COMPUTED, PrintedAnswer, is_on_stderr, is_printed_whole, printed_answers, refuses};

/// The findings that are possible without a run.
const CODES: [Code; 9] = [
    Code::HW602,
    Code::HW603,
    Code::HW604,
    Code::HW605,
    Code::HW606,
    Code::HW607,
    Code::HW608,
    Code::HW622,
    Code::HW624,
];

pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    if at.definition.detached {
        return Vec::new();
    }
    let Some(text) = HookText::of(at) else { return Vec::new() };
    let answers = printed_answers(&text.text);
    if answers.is_empty() || for_several_agents(at, &text.text) {
        return Vec::new();
    }
    let several = serves_several(at, &text.text);
    let mut found: Vec<Diagnostic> = Vec::new();
    for answer in &answers {
        let for_other = is_for_another_event(at, &text.text, &answers, &answer.value);
        let Some(value) = completed_answer(at, &answer.value, several && !for_other) else { continue };
        if is_on_stderr(&text.text, answer) {
            continue;
        }
        let exit = answer.exit.unwrap_or(0);
        let stderr = if exit == 2 { "no" } else { "" };
        let Some(simulation) = simulate(at, &value.to_string(), stderr, exit) else { continue };
        let place = text.span_of(answer.at.start..answer.at.start + 1);
        let outside = CommandFacts::default();
        let ran = simulation.run_context(at, &outside);
        let said = run_advice::check_answer(&ran).into_iter().filter(|one| CODES.contains(&one.code));
        // A key may be added to an answer that is not printed at once.
        let whole = is_printed_whole(&text.text, answer);
        let said = said.filter(|one| whole || one.code != Code::HW608);
        for mut one in said.chain(check_blanket_allow(at, &text, answer, &simulation)) {
            if !found.iter().any(|known| known.code == one.code && known.message == one.message) {
                one.span = Some(place);
                if for_other && one.code == Code::HW604 {
                    // One name cannot be right for both events.
                    one.help =
                        Some("print the name of the event that is fired: read `hook_event_name` from stdin".to_owned());
                }
                found.push(one);
            }
        }
    }
    found
}

/// Whether a script prints the name of another event although the same command is configured for this one, too, and
/// nothing in it tells the two apart.
fn is_for_another_event(at: &RuleContext<'_>, text: &str, answers: &[PrintedAnswer], value: &Value) -> bool {
    let name =
        |value: &Value| value.pointer("/hookSpecificOutput/hookEventName").and_then(Value::as_str).map(str::to_owned);
    let other = name(value).filter(|name| name != at.event.name && name != COMPUTED);
    let Some(other) = other.filter(|_| !text.contains("hook_event_name")) else { return false };
    let own = answers.iter().any(|answer| name(&answer.value).is_some_and(|name| name == at.event.name));
    !own && at.agent.handlers.events_of(&at.definition.handler).contains(&other.as_str())
}

/// A script that mentions other agents may answer each in its own form.
pub(super) fn for_several_agents(at: &RuleContext<'_>, text: &str) -> bool {
    let lower = text.to_lowercase();
    ALL.iter().filter(|other| other.id() != at.agent.dialect.id()).any(|other| lower.contains(other.id().as_str()))
}

/// Pointers to a decision.
const DECISION_POINTERS: [&str; 5] = [
    "/decision",
    "/permissionDecision",
    "/hookSpecificOutput/permissionDecision",
    "/hookSpecificOutput/decision",
    "/hookSpecificOutput/decision/behavior",
];

/// Returns the answer as it would be printed on this event. `None` if it is for another event, or if its decision
/// is computed.
pub(super) fn completed_answer(at: &RuleContext<'_>, value: &Value, several: bool) -> Option<Value> {
    let mut value = value.clone();
    let name = value.pointer("/hookSpecificOutput/hookEventName").and_then(Value::as_str).map(str::to_owned);
    match name.as_deref() {
        Some(COMPUTED) if several => return None,
        Some(COMPUTED) => {
            *value.pointer_mut("/hookSpecificOutput/hookEventName")? = Value::from(at.event.name);
        }
        Some(name) if name != at.event.name && several => return None,
        None if several => return None,
        _ => {}
    }
    if DECISION_POINTERS.iter().any(|key| value.pointer(key).is_some_and(|word| word == COMPUTED)) {
        return None;
    }
    if value.get("hookSpecificOutput").is_some_and(|own| own == COMPUTED) {
        return None;
    }
    if value.get("continue").is_some_and(|flag| flag == COMPUTED) {
        *value.get_mut("continue")? = Value::Bool(false);
    }
    for key in ["/hookSpecificOutput/updatedInput", "/updatedInput", "/hookSpecificOutput/tool_input"] {
        if value.pointer(key).is_some_and(|input| input == COMPUTED) {
            *value.pointer_mut(key)? = json!({"command": "true"});
        }
    }
    // Any other computed value may have any type.
    Some(without_unknown(value))
}

/// Keeps computed texts and removes other computed values.
fn without_unknown(value: Value) -> Value {
    const TEXTS: [&str; 7] = [
        "reason",
        "permissionDecisionReason",
        "stopReason",
        "systemMessage",
        "additionalContext",
        "message",
        "hookEventName",
    ];
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .filter(|(key, value)| *value != COMPUTED || TEXTS.contains(&key.as_str()))
                .map(|(key, value)| (key, without_unknown(value)))
                .collect(),
        ),
        other => other,
    }
}

/// HW628: a hook that allows everything it does not refuse, so that the user is no longer asked.
fn check_blanket_allow(
    at: &RuleContext<'_>,
    text: &HookText<'_>,
    answer: &PrintedAnswer,
    simulation: &Simulation,
) -> Option<Diagnostic> {
    let decided = ["/decision", "/hookSpecificOutput/permissionDecision"];
    let word = decided.iter().find_map(|key| answer.value.pointer(key).and_then(Value::as_str))?;
    let before_tool = at.event.fields.iter().any(|field| field.name == "tool_input")
        && !at.event.fields.iter().any(|field| field.name == "tool_response");
    if !before_tool || simulation.run.output.vote != Vote::Allow || !is_unconditional(&text.text, answer.at.start) {
        return None;
    }
    // An approval of certain tools is intended. An approval after a guard, or of all tools, is not.
    let all_tools = at.definition.matcher.as_ref().is_none_or(|m| matches!(m.as_str(), Some("" | "*" | ".*")));
    if !refuses(&text.text) && !all_tools {
        return None;
    }
    if simulation.outcome(at).verdict != Verdict::Allow {
        return None;
    }
    let says = format!(
        "this hook answers `{word}` to everything it does not deny, so {} no longer asks the user",
        at.agent_name()
    );
    Some(Diagnostic::new(Code::HW628, says).with_help("print nothing and exit 0 if the hook has no objection"))
}

/// Words that make the following code conditional.
const CONDITIONS: [&str; 12] =
    ["if", "elif", "else", "for", "while", "until", "case", "except", "catch", "switch", "}", "&&"];

/// Whether a place is unconditional: by indentation, only functions and `try` blocks enclose it.
pub(super) fn is_unconditional(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or("");
    let (above, line) = before.rsplit_once('\n').unwrap_or(("", before));
    if ["&&", "||", "if ", "then", " ? ", "case ", "else", ") "].iter().any(|word| line.contains(word)) {
        return false;
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let opens = |line: &str| line.trim_end().ends_with(['(', '{', '[', ':']) || line.contains("<<");
    let mut now = indent(line);
    let mut inside = line.trim().is_empty() || line.trim_start().starts_with(['{', '"', '\'']);
    for line in above.lines().rev().filter(|line| !line.trim().is_empty()) {
        let own = indent(line);
        if inside && opens(line) {
            // The line that begins the statement.
            now = own;
            inside = false;
            let word = line.trim_start().split([' ', '(', ':']).next().unwrap_or("");
            if CONDITIONS.contains(&word) {
                return false;
            }
            continue;
        }
        if own < now {
            now = own;
            let trimmed = line.trim();
            let word = trimmed.split([' ', '(', ':']).next().unwrap_or("");
            let arm = trimmed.ends_with(')') && !trimmed.contains('(');
            if CONDITIONS.contains(&word) || arm {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_unconditional;

    #[test]
    fn unconditional_places() {
        for (text, want) in [
            ("check || exit 2\necho '@'", true),
            ("if bad; then\n  exit 2\nfi\necho '@'\nexit 0", true),
            ("if good; then\n  echo '@'\nfi", false),
            ("good && echo '@'", false),
            ("case $x in\n  ls)\n    echo '@' ;;\nesac", false),
            ("def main():\n    if bad:\n        sys.exit(2)\n    print(json.dumps(@))\n", true),
            ("def main():\n    if good:\n        print(json.dumps(@))\n", false),
            ("try:\n    x()\nexcept E:\n    print(@)\n", false),
            ("if (bad) {\n  process.exit(2);\n}\nconsole.log(@);", true),
            ("cat <<EOF\n{ @\nEOF", true),
        ] {
            assert_eq!(is_unconditional(text, text.find('@').unwrap()), want, "{text}");
        }
    }
}
