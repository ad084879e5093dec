//! HW205: a hook that tries to block an event that cannot be blocked.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::diagnostic::Diagnostic;
use crate::dialects::Looked;
use crate::hook::HookDefinition;
use crate::text::shell::{Piece, Shell};

/// Ways to exit with 2.
static EXIT_2: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:^|[\s;&|{(])exit\s+2\b|\b(?:sys\.|process\.|os\._)?exit\(\s*2\s*\)|exitCode\s*=\s*2\b").ok()
});
/// Answers that refuse.
static REFUSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\\?["']?(?:permissionDecision|decision)\\?["']?\s*[:=]\s*\\?["'](?:deny|block)\b"#).ok()
});

/// Checks for a line that exits with 2 or refuses, in a script that serves no event that can be blocked.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    // If the agent obeys the answer, or if the model gets the text, it is not a mistake.
    if at.event.blocks.is_some() || at.event.honours.iter().any(|key| key.ends_with("ecision")) || told(at.event.exit_2)
    {
        return None;
    }
    let command = at.command()?;
    let text = at.script.map_or(command.as_str(), |script| script.text.as_str());
    let code = |line: &str| !matches!(line.trim_start().as_bytes(), [b'#', ..] | [b'/', b'/', ..]);
    let (exits, refuses) = (EXIT_2.as_ref()?, REFUSES.as_ref()?);
    let shell = match at.script {
        Some(script) => script.shell.as_ref(),
        None => at.written.and_then(|written| written.line.as_ref()).map(|line| &line.shell),
    };
    let inner = inner_exits(shell, text);
    let ends = |(number, line): (usize, &str)| {
        code(line) && (exits.is_match(line) && !inner.contains(&number) || refuses.is_match(line))
    };
    let line = text.lines().enumerate().position(ends)?;
    if elsewhere(at, text) {
        return None;
    }
    let event = at.event.name;
    let what =
        if text.lines().nth(line).is_some_and(|line| exits.is_match(line)) { "exit status 2" } else { "this answer" };
    let says = format!("{what} blocks nothing on {event}: {}", small(at.event.exit_2));
    let span = at.script.map_or_else(|| at.handler(), |script| script.line(line));
    let found = Diagnostic::warning("HW205", says).at(span).help("hook an event that can be blocked, or exit with 0");
    let start = at.whole.sources.start(at.handler());
    let file = at.whole.sources.name(at.handler().source);
    Some(if at.script.is_some() {
        found.note(format!("it is a hook of {event} in {file}:{}", start.line))
    } else {
        found
    })
}

/// Returns the lines (counted from 0) whose `exit` ends a `$(…)` and not the hook.
fn inner_exits(shell: Option<&Shell>, text: &str) -> BTreeSet<usize> {
    let Some(shell) = shell else { return BTreeSet::new() };
    let parts = shell.words().flat_map(|(_, word)| &word.parts);
    let substitutions: Vec<_> =
        parts.filter(|part| matches!(part.piece, Piece::Substitution(_))).map(|part| part.at.clone()).collect();
    let line = |at: usize| text.get(..at).unwrap_or("").matches('\n').count();
    let exits = shell.commands.iter().filter(|simple| simple.name() == Some("exit"));
    let (inside, own): (Vec<_>, Vec<_>) =
        exits.partition(|simple| substitutions.iter().any(|range| range.contains(&simple.at.start)));
    let own: BTreeSet<usize> = own.iter().map(|simple| line(simple.at.start)).collect();
    inside.iter().map(|simple| line(simple.at.start)).filter(|number| !own.contains(number)).collect()
}

/// Whether the text reaches the model or the user.
fn told(exit_2: &str) -> bool {
    ["model gets", "it gets stderr", "takes the place", "blocks", "as feedback"]
        .iter()
        .any(|part| exit_2.contains(part))
        && !exit_2.starts_with("Nothing")
        && !exit_2.starts_with("It has no effect")
}

/// Whether the same command, or a script that checks the event name, also serves events that can be blocked.
fn elsewhere(at: &Looked<'_>, text: &str) -> bool {
    let asks = ["hook_event_name", "hookEventName", "HOOK_EVENT"].iter().any(|key| text.contains(key));
    let events = at.whole.dialect.events(at.whole.version);
    let blocks = |name: &str| events.iter().any(|event| event.name == name && event.blocks.is_some());
    let names = events.iter().any(|event| event.blocks.is_some() && text.contains(event.name));
    let twin = |d: &HookDefinition| d.handler.runs_as(&at.definition.handler) && blocks(&d.event);
    (asks && !text.contains(at.event.name)) || names || at.whole.loaded.definitions.iter().any(twin)
}

/// Lowers the first letter of a sentence and removes its period.
fn small(sentence: &str) -> String {
    let mut chars = sentence.trim_end_matches('.').chars();
    chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
}
