//! HW419: shell syntax in a command that no shell reads.

use hookbench_script::is_shell;

use super::shell_texts;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::RuleContext;
use crate::hook::Handler;
use crate::text::Literal;

/// Words that only a shell interprets as operators.
const OPERATORS: [&str; 12] = ["|", "||", "&&", ";", "&", ">", ">>", "<", "2>&1", "2>/dev/null", "<<<", "|&"];

/// The way to let a shell read a line.
const RUN_SH: &str = "run sh with -c and one string";

/// Checks for operators and variables in the arguments, and for a command that is more than a program.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some(written) = at.written else { return Vec::new() };
    let command = &written.command;
    let Handler::Command(handler) = &at.definition.handler else { return Vec::new() };
    let Some(words) = &handler.args else { return Vec::new() };
    let has_args = written.args.is_some();
    // The words of a line are at the place of the line.
    let of_line = || words.iter().map(|word| command.with_text(word)).collect();
    let args: Vec<Literal> = written.args.clone().unwrap_or_else(of_line);
    let mut found = Vec::new();
    if has_args && command.text.trim().contains(char::is_whitespace) && !command.text.contains('/')
        || at.start.is_some_and(|s| s.refused.as_ref().is_some_and(|r| r.contains("not found")))
    {
        let says =
            format!("with `args`, `command` is the name of one program, and \"{}\" does not exist", command.text);
        let found_one = Diagnostic::new(Code::HW419, says).at(command.span);
        found.push(found_one.with_help("write only the program into `command`, and every further word into `args`"));
    }
    let base = handler.command.rsplit('/').next().unwrap_or("");
    let a_shell = is_shell(base) || matches!(base, "pwsh" | "powershell" | "cmd" | "env");
    let reader = if has_args { "with `args`, no shell" } else { "no shell" };
    for arg in &args {
        let text = arg.text.as_str();
        if a_shell && text.starts_with('-') && text.ends_with('c') {
            break;
        }
        if OPERATORS.contains(&text) {
            let says = format!("{reader} parses this: {base} receives {text} as an argument");
            found.push(Diagnostic::lowered(Code::HW419, Severity::Warning, says).at(arg.span).with_help(if has_args {
                "delete `args`, or run sh with -c and one string"
            } else {
                RUN_SH
            }));
        } else if let Some(name) = variable(at, text) {
            let says = format!("{reader} expands ${name}: {base} receives it literally");
            found.push(with_braces(
                at,
                arg,
                name,
                Diagnostic::lowered(Code::HW419, Severity::Warning, says).at(arg.span),
            ));
        }
    }
    found
}

/// Returns the variable at the start of a path, if hooks have it and the agent does not expand it itself.
fn variable<'a>(at: &RuleContext<'_>, text: &'a str) -> Option<&'a str> {
    let (name, after, braced) = shell_texts::split_variable(text)?;
    let own = at.agent.dialect.settings_format().meaning(name).is_some();
    let known = own && !braced || matches!(name, "HOME" | "PWD" | "USER" | "TMPDIR" | "PATH");
    (known && (after.is_empty() || after.starts_with('/'))).then_some(name)
}

fn with_braces(at: &RuleContext<'_>, arg: &Literal, name: &str, found: Diagnostic) -> Diagnostic {
    if at.agent.dialect.settings_format().meaning(name).is_none() {
        return found.with_help("write the value, or run sh with -c and one string");
    }
    let braced = arg.text.replacen(&format!("${name}"), &format!("${{{name}}}"), 1);
    let fix = shell_texts::rewrite(arg, &braced);
    found.with_help(format!("write ${{{name}}}, which the agent expands itself")).with_fix(fix)
}
