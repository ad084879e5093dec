//! HW205: a hook that tries to block an event that cannot be blocked, or not with exit 2.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::hook::EventSpec;
use crate::lint::commands::consequence::blocks_event;
use crate::text::shell::{PartContent, Shell};

/// Ways to exit with 2.
static EXIT_2: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:^|[\s;&|{(])exit\s+2\b|\b(?:sys\.|process\.|os\._)?exit\(\s*2\s*\)|exitCode\s*=\s*2\b").ok()
});
/// Answers that refuse.
static REFUSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\\?["']?(?:permissionDecision|decision)\\?["']?\s*[:=]\s*\\?["'](?:deny|block)\b"#).ok()
});

/// Checks for a line that exits with 2 or refuses, in a script that serves no event that can be blocked.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    // Some events are blocked only by an answer.
    let needs_answer = at.event.blockable_action.is_some();
    // If the agent obeys the answer, or if the model gets the text, it is not a mistake.
    let obeys = !needs_answer && at.event.honoured_output.iter().any(|key| key.ends_with("ecision"));
    if obeys || at.event.exit_2_delivers || needs_answer && blocks_event(at, 2) {
        return None;
    }
    let command = at.command()?;
    let text = at.script.map_or(command.as_str(), |script| script.text.as_str());
    if needs_answer && REFUSES.as_ref()?.is_match(text) {
        return None;
    }
    let code = |line: &str| !matches!(line.trim_start().as_bytes(), [b'#', ..] | [b'/', b'/', ..]);
    let (exits, refuses) = (EXIT_2.as_ref()?, REFUSES.as_ref()?);
    let shell = match at.script {
        Some(script) => script.shell.as_ref(),
        None => at.written.and_then(|written| written.shell_line.as_ref()).map(|line| &line.shell),
    };
    let inner = inner_exits(shell, text);
    let ends = |(number, line): (usize, &str)| {
        code(line) && (exits.is_match(line) && !inner.contains(&number) || refuses.is_match(line))
    };
    let line = text.lines().enumerate().position(ends)?;
    if serves_blocking_events(at, text) {
        return None;
    }
    let event = at.event.name;
    let what = if text.lines().nth(line).is_some_and(|line| exits.is_match(line)) { "exit 2" } else { "this answer" };
    let says = format!("{what} does not block {event}: {}", lower_first(at.event.exit_2));
    let help = if needs_answer {
        "print a JSON answer that blocks, and exit 0"
    } else {
        "use an event that can be blocked, or exit 0"
    };
    let span = at.script.map_or_else(|| at.handler_span(), |script| script.line_span(line));
    let found = Diagnostic::new(Code::HW205, says).at(span).with_help(help);
    let start = at.agent.sources.start(at.handler_span());
    let file = at.agent.sources.name(at.handler_span().source);
    Some(if at.script.is_some() {
        found.with_note(format!("the hook is configured for {event} in {file}:{}", start.line))
    } else {
        found
    })
}

/// Returns the lines (counted from 0) whose `exit` ends a `$(…)` and not the hook.
fn inner_exits(shell: Option<&Shell>, text: &str) -> BTreeSet<usize> {
    let Some(shell) = shell else { return BTreeSet::new() };
    let parts = shell.words().flat_map(|(_, word)| &word.parts);
    let substitutions: Vec<_> =
        parts.filter(|part| matches!(part.piece, PartContent::Substitution(_))).map(|part| part.at.clone()).collect();
    let line = |at: usize| text.get(..at).unwrap_or("").matches('\n').count();
    let exits = shell.commands.iter().filter(|simple| simple.name() == Some("exit"));
    let (inside, own): (Vec<_>, Vec<_>) =
        exits.partition(|simple| substitutions.iter().any(|range| range.contains(&simple.at.start)));
    let own: BTreeSet<usize> = own.iter().map(|simple| line(simple.at.start)).collect();
    inside.iter().map(|simple| line(simple.at.start)).filter(|number| !own.contains(number)).collect()
}

/// Whether the same command, or a script that checks the event name, also serves events that can be blocked.
fn serves_blocking_events(at: &RuleContext<'_>, text: &str) -> bool {
    let asks = ["hook_event_name", "hookEventName", "HOOK_EVENT"].iter().any(|key| text.contains(key));
    let events = at.agent.dialect.events(at.agent.version);
    let blocks = |name: &str| events.iter().any(|event| event.name == name && event.blockable_action.is_some());
    let other = |event: &&EventSpec| event.blockable_action.is_some() && event.name != at.event.name;
    let names = events.iter().copied().filter(other).any(|event| text.contains(event.name));
    let twins = at.agent.handlers.events_of(&at.definition.handler);
    let twin = |event: &&str| **event != at.definition.event && blocks(event);
    (asks && !text.contains(at.event.name)) || names || twins.iter().any(twin)
}

/// Lowers the first letter of a sentence and removes its period.
fn lower_first(sentence: &str) -> String {
    let mut chars = sentence.trim_end_matches('.').chars();
    chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
}
