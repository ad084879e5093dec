//! HW809: a forwarding hook of hookbench that is still installed.

use crate::diagnostic::Diagnostic;
use crate::dialects::Looked;
use crate::lint::commands::lines;
use crate::text::shell::{Simple, Word};

/// The subcommands of hookbench that such a hook runs.
const OURS: [&str; 3] = ["forward", "record", "serve"];

/// Checks for a command that forwards events to hookbench.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let written = at.written?;
    let place = match &written.args {
        Some(args) => {
            let ours = written.command.text.rsplit('/').next() == Some("hookbench");
            let forwards = args.first().is_some_and(|arg| OURS.contains(&arg.text.as_str()));
            (ours && forwards).then_some(written.command.span)?
        }
        None => {
            let line = lines::command(at)?;
            let forwards = |simple: &&Simple| {
                let words: Vec<String> = simple.real().iter().take(2).map(Word::text).collect();
                simple.program().as_deref() == Some("hookbench")
                    && words.get(1).is_some_and(|w| OURS.contains(&w.as_str()))
            };
            line.place(line.shell.commands.iter().find(forwards)?.at.clone())
        }
    };
    let says = format!("hookbench still records {} here: every event goes through it", at.event.name);
    Some(Diagnostic::warning("HW809", says).at(place).help("hookbench uninstall takes it out, or delete this hook"))
}
