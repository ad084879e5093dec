//! HW510: a background hook that tries to decide.

use std::sync::LazyLock;

use regex::Regex;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::handler_spans;

static DECIDES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?m)^[^#\n]*(?:\bexit\s*\(?\s*2\b|\bpermissionDecision\b|["'\\]decision["'\\]+\s*[:=]|\bcontinue["'\\]+\s*:\s*[fF]alse)"#).ok()
});

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let wakes = at.definition.raw.get("asyncRewake").is_some_and(|flag| flag == true);
    // Where nothing can be blocked, a decision or an exit 2 may still tell the model something.
    let counts = at.event.blockable_action.is_some()
        || at.event.exit_2_delivers
        || at.event.honoured_output.iter().any(|key| key.ends_with("ecision"));
    if !at.definition.detached || wakes || !counts {
        return None;
    }
    let text = match at.script {
        Some(script) => script.text.clone(),
        None => at.command()?,
    };
    if !DECIDES.as_ref()?.is_match(&text) {
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

#[cfg(test)]
mod tests {
    use super::DECIDES;

    #[test]
    fn deciding_scripts() {
        for (text, want) in [
            ("grep x && exit 2", true),
            ("sys.exit(2)", true),
            ("echo '{\"decision\": \"block\"}'", true),
            ("echo \"{\\\"decision\\\": \\\"block\\\"}\"", true),
            ("print(json.dumps({'continue': False}))", true),
            ("date >> ~/log", false),
            ("# exit 2 is for others\ncurl -d @- x", false),
            ("exit 0", false),
            ("notify 'a decision is needed'", false),
            ("jq -r .tool_name >> tools.log", false),
        ] {
            assert_eq!(DECIDES.as_ref().map(|r| r.is_match(text)), Some(want), "{text}");
        }
    }
}
