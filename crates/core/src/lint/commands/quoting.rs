//! HW405, HW406, HW410: variables and `~` with the wrong quotes.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::environment::value;
use super::shell_texts::{self, ShellText, executed_words, quoted_start};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::dialects::settings_format::{PLANS, PROJECT};
use crate::text::ascii_regex;
use crate::text::shell::{BashismKind, PartContent, Quote, SimpleCommand, Word, WordPart};

/// Runs all three checks.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in shell_texts::new_lines(at) {
        let has_tilde = ["\"~", "'~"].iter().any(|quoted| line.text.contains(quoted));
        let assigned = line.shell.assigned_variables();
        for simple in &line.shell.commands {
            found.extend(check_unquoted(at, line, simple, &assigned));
            found.extend(check_single_quoted(at, line, simple));
            if has_tilde {
                found.extend(check_quoted_tilde(line, simple));
            }
        }
    }
    found.extend(check_tilde_in_args(at));
    found.extend(check_tilde_in_code(at));
    found
}

/// Whether the agent itself inserts the value, quoted where necessary.
fn is_replaced_by_agent(at: &RuleContext<'_>, line: ShellText<'_>, name: &str, braced: bool) -> bool {
    let form = at.agent.dialect.settings_format();
    form.replaces_text && !braced && !line.is_script() && form.meaning(name).is_some()
}

/// HW405: an unquoted variable whose value contains whitespace.
fn check_unquoted(
    at: &RuleContext<'_>,
    line: ShellText<'_>,
    simple: &SimpleCommand,
    assigned: &BTreeSet<&str>,
) -> Vec<Diagnostic> {
    if matches!(simple.name(), Some("[[")) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for word in &simple.words {
        for (part, variable) in word.variables() {
            let plain = part.quote == Quote::None && variable.rest.is_empty() && !variable.length;
            if !plain
                || is_replaced_by_agent(at, line, &variable.name, variable.braced)
                || assigned.contains(variable.name.as_str())
            {
                continue;
            }
            // Report only variables that are paths: lists of options are split on purpose.
            let path = super::environment::meaning_anywhere(&variable.name).is_some()
                || matches!(variable.name.as_str(), "HOME" | "PWD" | "TMPDIR");
            let Some(value) = value(at, &variable.name).filter(|value| path && value.contains(char::is_whitespace))
            else {
                continue;
            };
            let parts = value.split_whitespace().count();
            let says = format!(
                "${} is not quoted, and its value contains a space: the shell splits the path into {parts} words",
                variable.name
            );
            let written = line.source_text(&part.at);
            let found_one = Diagnostic::new(Code::HW405, says)
                .at(line.span_of(part.at.clone()))
                .with_note(format!("its value here is {value}"));
            found.push(found_one.with_help(format!("write \"{written}\"")).with_fix(line.fix(
                part.at.clone(),
                &format!("\"{written}\""),
                true,
            )));
        }
    }
    found
}

/// Programs whose arguments may contain literal dollar signs, or that only print them.
const LITERAL_DOLLAR_PROGRAMS: [&str; 12] =
    ["envsubst", "echo", "printf", "grep", "sed", "awk", "jq", "rg", "[", "[[", "test", "perl"];

/// HW406: a variable in single quotes at the start of a path.
fn check_single_quoted(at: &RuleContext<'_>, line: ShellText<'_>, simple: &SimpleCommand) -> Vec<Diagnostic> {
    if simple.program_name().is_some_and(|program| LITERAL_DOLLAR_PROGRAMS.contains(&program.as_str())) {
        return Vec::new();
    }
    let given = simple.inner_text().map(|(_, range)| range);
    let mut found = Vec::new();
    let targets = simple.redirections.iter().map(|r| &r.target);
    for part in simple.words.iter().chain(targets).flat_map(|word| &word.parts) {
        let WordPart { quote: Quote::Single, piece: PartContent::Text(text), at: place } = part else { continue };
        let Some((name, braced)) = leading_variable(text).filter(|_| given.as_ref() != Some(place)) else { continue };
        let form = at.agent.dialect.settings_format();
        // An agent writes the directory of a plugin into the text itself, inside of quotes too.
        let means = matches!(form.meaning(name), Some(PROJECT | PLANS));
        let known = means || super::environment::meaning_anywhere(name) == Some(PROJECT) || name == "HOME";
        let replaced = is_replaced_by_agent(at, line, name, braced)
            || form.expands_on_load && !line.is_script() && at.agent.place.var(name).is_some();
        if !known || replaced {
            continue;
        }
        let says =
            format!("${name} is in single quotes, so the shell does not expand it, and no directory has that name");
        let mut one = Diagnostic::new(Code::HW406, says).at(line.span_of(place.clone()));
        one = one.with_help("use double quotes");
        let before = place.start.saturating_sub(1)..place.end + 1;
        if line.source_text(&before).starts_with('\'') && !text.contains(['"', '`', '\\']) {
            one = one.with_fix(line.fix(before, &format!("\"{text}\""), false));
        }
        found.push(one);
    }
    found
}

/// Returns the variable at the start of a path.
fn leading_variable(text: &str) -> Option<(&str, bool)> {
    let (name, after, braced) = shell_texts::split_variable(text)?;
    let path = after.is_empty() || after.starts_with('/');
    let plain = !text.contains(|c: char| c.is_whitespace() || ";|&<>()".contains(c));
    (path && plain && !name.is_empty()).then_some((name, braced))
}

/// Programs whose arguments are files.
const TAKES_FILES: [&str; 16] =
    ["cat", "source", ".", "cd", "test", "[", "[[", "mkdir", "touch", "rm", "cp", "mv", "ls", "tee", "head", "tail"];

/// HW410: `"~/x"`, which a shell does not expand.
fn check_quoted_tilde(line: ShellText<'_>, simple: &SimpleCommand) -> Vec<Diagnostic> {
    let files = simple.program_name().is_some_and(|program| TAKES_FILES.contains(&program.as_str()));
    let mut words: Vec<&Word> = executed_words(simple);
    if files {
        words.extend(simple.words.iter().skip(1));
    }
    let written = simple.redirections.iter().filter(|r| !r.operator.starts_with("<<"));
    words.extend(written.map(|r| &r.target));
    // Code that processes the text later may expand it.
    let worked = line.shell.bashisms.iter().any(|odd| odd.kind == BashismKind::Expansion) || line.text.contains("eval");
    words.extend(simple.assignments.iter().map(|set| &set.value).filter(|_| !worked));
    let mut found = Vec::new();
    for word in words {
        let Some((quote, text, place)) = quoted_start(word) else { continue };
        if text != "~" && !text.starts_with("~/") {
            continue;
        }
        let mut one =
            Diagnostic::new(Code::HW410, "`~` in quotes is not expanded: the path names a directory called `~`");
        one = one.at(line.span_of(place.clone())).with_help("write \"$HOME\" instead, or move it out of the quotes");
        one = match quote {
            Quote::Double => one.with_fix(line.fix(place.start..place.start + 1, "$HOME", false)),
            _ => one.with_fix(line.fix(
                place.start - 1..place.end + 1,
                &format!("\"$HOME{}\"", text.trim_start_matches('~')),
                false,
            )),
        };
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// HW410: without a shell, `~` is never expanded.
fn check_tilde_in_args(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some(written) = at.written else { return Vec::new() };
    let Some(args) = &written.args else { return Vec::new() };
    let home = &at.agent.place.home;
    let all = std::iter::once(&written.command).chain(args);
    all.filter(|literal| literal.text == "~" || literal.text.starts_with("~/"))
        .map(|literal| {
            let says = "`~` is not expanded without a shell: the path names a directory called `~`";
            let whole = literal.text.replacen('~', home, 1);
            let fix = shell_texts::rewrite(literal, &whole);
            Diagnostic::new(Code::HW410, says).at(literal.span).with_help("write the absolute path").with_fix(fix)
        })
        .collect()
}

static OPENS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"\b(?:open|Path|readFileSync|writeFileSync|appendFileSync|existsSync)\(\s*["'](~/[^"']*)"#)
});

/// HW410: a file name with `~` in a Python or JavaScript script.
fn check_tilde_in_code(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some(script) =
        at.new_script().filter(|script| matches!(script.interpreter.as_str(), "python" | "node" | "bun" | "deno"))
    else {
        return Vec::new();
    };
    let replaced = ["expanduser", "homedir", "HOME"].iter().any(|word| script.text.contains(word));
    let Some(opens) = OPENS.as_ref().filter(|_| !replaced) else { return Vec::new() };
    let found = opens.captures_iter(&script.text).filter_map(|found| found.get(1));
    found
        .map(|path| {
            let says = format!("{} does not expand `~`: the path names a directory called `~`", script.interpreter);
            let help = if script.interpreter == "python" {
                "write os.path.expanduser(…)"
            } else {
                "write os.homedir() + …"
            };
            Diagnostic::new(Code::HW410, says).at(script.span(path.start(), path.end())).with_help(help)
        })
        .collect()
}
