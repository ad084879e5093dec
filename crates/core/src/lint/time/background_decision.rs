//! HW510: a background hook that tries to decide.

use hookbench_script::{Given, Run, ScriptModel, decision};
use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::handler_spans;

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let wakes = at.definition.raw.get("asyncRewake").is_some_and(|flag| flag == true);
    // Where nothing can be blocked, a decision or an exit 2 may still tell the model something.
    let counts = at.event.blockable_action.is_some()
        || at.event.exit_2_delivers
        || at.event.honoured_output.iter().any(|key| key.ends_with("ecision"));
    if !at.definition.detached || wakes || !counts {
        return None;
    }
    if !decides(at.model()?) {
        return None;
    }
    let says = format!(
        "this hook decides, but it runs in the background: {} does not wait for it and ignores its decision",
        at.agent_name()
    );
    let can_wake =
        at.agent.dialect.settings_format().handlers.iter().any(|form| form.optional.contains(&"asyncRewake"));
    let help = if can_wake {
        "delete `async` if the hook must decide; or write `asyncRewake` instead, exit with 2 and print the reason on stderr"
    } else {
        "delete `async` if the hook must decide"
    };
    Some(Diagnostic::new(Code::HW510, says).at(handler_spans::value_span(at, "async")).with_help(help))
}

/// Whether a script ends with 2 on one of its ways, or prints a decision.
fn decides(model: &ScriptModel) -> bool {
    let decides = |run: &Run| {
        let answer = run.answer("").map(Value::Object);
        let is_decision =
            |answer: &Value| decision(answer).is_some() || answer.get("continue") == Some(&Value::Bool(false));
        run.status == Some(2) || answer.as_ref().is_some_and(is_decision)
    };
    model.walk(&Given::default()).runs.iter().any(decides)
}

#[cfg(test)]
mod tests {
    use hookbench_script::Grammar::{Python, Shell};
    use hookbench_script::ScriptModel;

    use super::decides;

    #[test]
    fn scripts_that_decide() {
        for (language, text, want) in [
            (Shell, "grep x && exit 2", true),
            (Python, "import sys\nsys.exit(2)", true),
            (Shell, "echo '{\"decision\": \"block\"}'", true),
            (Shell, "echo \"{\\\"decision\\\": \\\"block\\\"}\"", true),
            (Python, "import json\nprint(json.dumps({'continue': False}))", true),
            (Python, "import json\nprint(json.dumps({'continue': True}))", false),
            (Shell, "date >> ~/log", false),
            (Shell, "# exit 2 is for others\ncurl -d @- x", false),
            (Shell, "exit 0", false),
            (Shell, "notify 'a decision is needed'", false),
            (Shell, "jq -r .tool_name >> tools.log", false),
        ] {
            assert_eq!(ScriptModel::parse(text, language).map(|model| decides(&model)), Some(want), "{text}");
        }
    }
}
