//! Analyses a `Bash` command as the agent does. `if` rules are matched against the result.
//!
//! The agent parses the command with its own grammar. There are three results. If the agent understands every
//! command, it compares their unquoted words with the rule. For a single command with `$x` or `$(…)` in its arguments
//! it knows only the names of the programs. Everything else is opaque, and every `Bash(…)` rule matches. The
//! constructs of each case were measured on 2.1.330, with some 82,000 pairs of commands and rules.

mod expansion;
mod parser;
mod program_names;
mod syntax_tree;
mod words;

use std::cell::RefCell;
use std::rc::Rc;

/// The commands of a line, as far as the agent knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandAnalysis {
    /// Each command as its unquoted words, separated by one blank.
    Commands(Vec<String>),
    /// The names of the programs that run. Their arguments depend on a variable or on another command.
    Names(Vec<String>),
    /// A construct that the agent does not analyse.
    Opaque,
}

/// The maximum nesting depth. Deeper nesting is opaque.
const MAX_DEPTH: usize = 40;

thread_local! {
    /// The last analysed line. All rules of an event are compared with the same line.
    static LAST: RefCell<Option<(String, String, Rc<CommandAnalysis>)>> = const { RefCell::new(None) };
}

/// Analyses a command line. `home` is the value of `$HOME`.
pub fn analyse(text: &str, home: &str) -> Rc<CommandAnalysis> {
    LAST.with_borrow_mut(|last| {
        if let Some((line, directory, reading)) = last
            && line == text
            && directory == home
        {
            return Rc::clone(reading);
        }
        let reading = Rc::new(analyse_uncached(text, home));
        *last = Some((text.to_owned(), home.to_owned(), Rc::clone(&reading)));
        reading
    })
}

/// Whether a character looks like a blank and is not one for the shell. A command with one is opaque, also inside
/// quotes, comments and here-documents.
fn is_false_blank(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

fn analyse_uncached(text: &str, home: &str) -> CommandAnalysis {
    if text.contains(is_false_blank) {
        return CommandAnalysis::Opaque;
    }
    let Ok(program) = parser::program(text) else { return CommandAnalysis::Opaque };
    if let Ok(commands) = expansion::commands(&program, home) {
        return CommandAnalysis::Commands(commands);
    }
    program_names::program_names(&program).map_or(CommandAnalysis::Opaque, CommandAnalysis::Names)
}

#[cfg(test)]
mod tests;
