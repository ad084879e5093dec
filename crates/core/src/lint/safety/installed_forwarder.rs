//! HW809: forwarding hooks of hookbench that are still installed.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::AgentContext;
use crate::hook::HookDefinition;
use crate::text::pluralize;
use crate::text::shell::{Shell, SimpleCommand, Word};

/// The subcommands of hookbench that such a hook runs.
const FORWARDING_SUBCOMMANDS: [&str; 3] = ["forward", "record", "serve"];

/// Checks for commands that forward events to hookbench. They are named once for each file.
pub(super) fn check(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let mut files: Vec<(&HookDefinition, usize)> = Vec::new();
    for hook in at.loaded.definitions.iter().filter(|hook| hook.is_valid() && forwards(&hook.handler.text())) {
        let source = hook.provenance.span.source;
        match files.iter_mut().find(|(first, _)| first.provenance.span.source == source) {
            Some((_, count)) => *count += 1,
            None => files.push((hook, 1)),
        }
    }
    let found = files.into_iter().map(|(first, count)| {
        let says = format!("hookbench records events through {} in this file", pluralize(count, "hook"));
        let help = "run hookbench uninstall if you no longer record";
        Diagnostic::new(Code::HW809, says).at(first.provenance.span).with_help(help)
    });
    found.collect()
}

/// Whether a command line starts hookbench to forward an event.
fn forwards(command: &str) -> bool {
    let of_forwarding = |simple: &SimpleCommand| {
        let words: Vec<String> = simple.unwrapped_words().iter().take(2).map(Word::text).collect();
        simple.program_name().as_deref() == Some("hookbench")
            && words.get(1).is_some_and(|word| FORWARDING_SUBCOMMANDS.contains(&word.as_str()))
    };
    // Few commands need to be parsed.
    command.contains("hookbench") && Shell::parse(command).commands.iter().any(of_forwarding)
}
