//! HW809: a forwarding hook of hookbench that is still installed.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::commands::shell_texts;
use crate::text::shell::{SimpleCommand, Word};

/// The subcommands of hookbench that such a hook runs.
const FORWARDING_SUBCOMMANDS: [&str; 3] = ["forward", "record", "serve"];

/// Checks for a command that forwards events to hookbench.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let written = at.written?;
    let place = match &written.args {
        Some(args) => {
            let ours = written.command.text.rsplit('/').next() == Some("hookbench");
            let forwards = args.first().is_some_and(|arg| FORWARDING_SUBCOMMANDS.contains(&arg.text.as_str()));
            (ours && forwards).then_some(written.command.span)?
        }
        None => {
            let line = shell_texts::command(at)?;
            let forwards = |simple: &&SimpleCommand| {
                let words: Vec<String> = simple.unwrapped_words().iter().take(2).map(Word::text).collect();
                simple.program_name().as_deref() == Some("hookbench")
                    && words.get(1).is_some_and(|w| FORWARDING_SUBCOMMANDS.contains(&w.as_str()))
            };
            line.span_of(line.shell.commands.iter().find(forwards)?.at.clone())
        }
    };
    let says = format!("hookbench still records {} here: it receives every event", at.event.name);
    Some(Diagnostic::new(Code::HW809, says).at(place).with_help("run hookbench uninstall, or delete this hook"))
}
