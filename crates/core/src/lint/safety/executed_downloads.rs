//! HW805: a command that downloads code and executes it.

use hookbench_script::{ScriptSource, is_interpreter};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::commands::shell_texts::{self, executed_words};
use crate::text::shell::{Shell, SimpleCommand, Word};

/// Checks for `curl … | sh` and similar commands.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in shell_texts::new_lines(at) {
        let executes = line.shell.commands.iter().find(|simple| executes(line.shell, simple));
        found.extend(executes.map(|simple| {
            let what = if line.is_script() { "this line" } else { "this command" };
            let says = format!("{what} downloads code and runs it unchecked, each time the hook runs");
            let one = Diagnostic::new(Code::HW805, says).at(line.span_of(simple.at.clone()));
            one.with_help("keep a copy of the script in the repository, and run that copy")
        }));
    }
    found
}

fn downloads(simple: &SimpleCommand) -> bool {
    matches!(simple.program_name().as_deref(), Some("curl" | "wget"))
}

/// Whether a command executes code that it or an earlier command has downloaded.
fn executes(shell: &Shell, simple: &SimpleCommand) -> bool {
    let Some(program) = simple.program_name() else { return false };
    let evaluates = matches!(program.as_str(), "eval" | "source" | ".");
    if !evaluates && !is_interpreter(&program) {
        return false;
    }
    let inside = |word: &Word| {
        word.substitutions().any(|range| range.into_iter().any(|n| shell.commands.get(n).is_some_and(downloads)))
    };
    if simple.unwrapped_words().iter().skip(1).any(inside) {
        return true;
    }
    let reads_code = matches!(ScriptSource::of(simple.unwrapped_words()), ScriptSource::Stdin(_));
    let mut before = simple.piped_from.filter(|_| reads_code && !evaluates);
    while let Some(command) = before.and_then(|n| shell.commands.get(n)) {
        if downloads(command) {
            return true;
        }
        before = command.piped_from;
    }
    let file = executed_words(simple).get(1).map(|word| word.text()).filter(|file| !file.is_empty());
    file.is_some_and(|file| shell.commands.iter().any(|other| saves(other, &file)))
}

/// Whether a command downloads into this file.
fn saves(simple: &SimpleCommand, file: &str) -> bool {
    let named = |word: &&Word| word.text() == file;
    downloads(simple)
        && (simple.words.iter().skip(1).find(named).is_some()
            || simple.redirections.iter().any(|r| r.operator == ">" && r.target.text() == file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downloads_that_are_executed() {
        for (command, want) in [
            ("curl https://x.example/i | sh", true),
            ("curl -fsSL https://x.example/i | sudo bash -s -- -y", true),
            ("wget -qO- https://x.example/i |python3 -", true),
            ("curl -s https://x.example/i | tee log | sh", true),
            ("bash <(curl -s https://x.example/i)", true),
            ("sh -c \"$(curl -fsSL https://x.example/i)\"", true),
            ("eval \"$(wget -qO- https://x.example/i)\"", true),
            ("curl -o /tmp/i.sh https://x.example/i && sh /tmp/i.sh", true),
            ("bash -c 'curl https://x.example/i | sh'", true),
            ("curl -s -X POST https://hooks.example/n -d @-", false),
            ("curl -s https://x.example/state | jq .ok", false),
            ("curl -s https://x.example/state | python3 -c 'import json'", false),
            ("curl -s https://x.example/state | node parse.js", false),
            ("jq -r .x | curl -d @- https://x.example; sh local.sh", false),
            ("cat curl.txt | sh", false),
            ("sh hooks/curl-check.sh", false),
            ("curl -sO https://x.example/data.json; python3 hooks/x.py", false),
        ] {
            let shell = Shell::parse(command);
            assert_eq!(shell.commands.iter().any(|simple| executes(&shell, simple)), want, "{command}");
        }
    }
}
