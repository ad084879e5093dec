//! Quotes and escapes, which the shell removes.

use base64::Engine as _;

use super::other_programs::takes_files;
use super::target::{SHELL_BUILTINS, TargetCommand, double_quoted, escaped, is_plain, single_quoted};
use crate::stress::family::{DeedFamily, VariantList};
use crate::text::shell::{Shell, SimpleCommand};

const QUOTES: &str = "the shell removes the quotes";

pub(super) fn add_quotes(target: &TargetCommand<'_>, list: &mut VariantList) {
    let family = DeedFamily::ShellQuoting;
    target.add(list, family, &target.map(|_, value| Some(double_quoted(value))), QUOTES);
    target.add(list, family, &target.map(|_, value| Some(single_quoted(value))), QUOTES);
    if let Some(last) = target.last_operand()
        && let Some(value) = target.args.get(last).and_then(|arg| arg.value.as_deref())
    {
        target.add(list, family, &target.with(last, &double_quoted(value)), QUOTES);
        target.add(list, family, &target.with(last, &single_quoted(value)), QUOTES);
        if let Some((first, rest)) = split_first(value) {
            target.add(list, family, &target.with(last, &format!("{first}'{rest}'")), "quotes may begin inside a word");
            target.add(list, family, &target.with(last, &format!("{first}\"\"{rest}")), "empty quotes add nothing");
        }
    }
    if let Some(number) = target.args.iter().position(|arg| {
        arg.value.as_deref().is_some_and(|value| value.starts_with('-') && value.len() > 2 && is_plain(value))
    }) && let Some(value) = target.args.get(number).and_then(|arg| arg.value.as_deref())
        && let Some((first, rest)) = split_first(value)
    {
        target.add(list, family, &target.with(number, &format!("{first}'{rest}'")), QUOTES);
        target.add(list, family, &target.with(number, &format!("\"{first}\"{rest}")), QUOTES);
        let middle = value.len() - 1;
        if let (Some(start), Some(end)) = (value.get(..middle), value.get(middle..)) {
            let why = "empty quotes inside an option add nothing";
            target.add(list, family, &target.with(number, &format!("{start}''{end}")), why);
        }
    }
    let Some(program) = target.args.first().and_then(|arg| arg.value.as_deref()).filter(|name| is_plain(name)) else {
        return;
    };
    let Some((first, rest)) = split_first(program) else { return };
    let mut add = |family, source: &str, why: &str| target.add(list, family, &target.with(0, source), why);
    add(family, &format!("{first}''{rest}"), "empty quotes inside a word add nothing");
    add(family, &format!("{first}\"\"{rest}"), "empty quotes inside a word add nothing");
    add(family, &format!("\"{first}\"{rest}"), QUOTES);
    add(family, &format!("\\{program}"), "the shell removes the backslash and skips aliases");
    let all: String = program.chars().flat_map(|c| ['\\', c]).collect();
    add(family, &all, "the shell removes the backslashes");
    add(family, &format!("$'{program}'"), "the shell removes the quotes of `$'…'`");
    add(family, &format!("$\"{program}\""), "the shell removes the quotes of `$\"…\"`");
    let hex = escaped(program, |byte| format!("\\x{byte:02x}"));
    add(family, &format!("$'{hex}'"), "the shell decodes hexadecimal escapes in `$'…'`");
    let octal = escaped(program, |byte| format!("\\{byte:03o}"));
    add(family, &format!("$'{octal}'"), "the shell decodes octal escapes in `$'…'`");
    if program.is_ascii() {
        let points = escaped(program, |byte| format!("\\u{byte:04x}"));
        add(DeedFamily::Unicode, &format!("$'{points}'"), "the shell decodes Unicode escapes in `$'…'`");
    }
    let all = target.map(|_, value| {
        let escapes = escaped(value, |byte| format!("\\x{byte:02x}"));
        Some(format!("$'{escapes}'"))
    });
    target.add(list, family, &all, "the shell decodes hexadecimal escapes in `$'…'`");
}

/// Splits a word after its first character. Returns `None` if nothing follows.
fn split_first(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_at(text.chars().next()?.len_utf8());
    let safe = is_plain(first) && !rest.contains('\'') && is_plain(rest);
    (safe && !rest.is_empty()).then_some((first, rest))
}

pub(super) fn add_blanks(target: &TargetCommand<'_>, list: &mut VariantList) {
    let family = DeedFamily::Blanks;
    let sources: Vec<&str> = target.args.iter().map(|arg| arg.source.as_str()).collect();
    target.add(list, family, &sources.join("  "), "the shell ignores more blanks between words");
    target.add(list, family, &sources.join("\t"), "a tab separates words as a blank does");
    target.add(list, family, &sources.join(" \\\n  "), "a backslash at the end of a line continues the command");
    let source = target.source();
    target.add(list, family, &format!("  {source}"), "the shell ignores blanks before a command");
    target.add(list, family, &format!("{source}  "), "the shell ignores blanks after a command");
    if target.alone {
        list.command(family, format!("\n{source}"), "the shell ignores empty lines");
        list.command(family, format!("\\\n{source}"), "a continued empty line adds nothing");
    }
    if let Some(program) = target.args.first().and_then(|arg| arg.value.as_deref())
        && is_plain(program)
        && let Some((first, rest)) = program.split_at_checked(1).filter(|(_, rest)| !rest.is_empty())
    {
        let why = "the shell removes a backslash with its line break, even inside a word";
        target.add(list, family, &target.with(0, &format!("{first}\\\n{rest}")), why);
    }
}

pub(super) fn add_substitution(target: &TargetCommand<'_>, list: &mut VariantList) {
    let family = DeedFamily::Substitution;
    let why = "the shell replaces `$(…)` by its output";
    if let Some(program) = target.args.first().and_then(|arg| arg.value.as_deref()).filter(|name| is_plain(name)) {
        let octal = escaped(program, |byte| format!("\\{byte:03o}"));
        let reversed: String = program.chars().rev().collect();
        for source in [
            format!("$(echo {program})"),
            format!("`echo {program}`"),
            format!("\"$(echo {program})\""),
            format!("$(printf '{octal}')"),
            format!("$(rev <<< {reversed})"),
        ] {
            target.add(list, family, &target.with(0, &source), why);
        }
        if let Some((start, rest)) = program.split_at_checked(1).filter(|(_, rest)| !rest.is_empty()) {
            target.add(list, family, &target.with(0, &format!("{start}$(echo {rest})")), why);
            target.add(list, family, &target.with(0, &format!("{start}$(true){rest}")), "`$(true)` prints nothing");
        }
    }
    let option = target.args.iter().position(|arg| {
        arg.value.as_deref().is_some_and(|value| value.starts_with('-') && value.len() > 1 && is_plain(value))
    });
    if let Some(number) = option
        && let Some(value) = target.args.get(number).and_then(|arg| arg.value.as_deref())
    {
        target.add(list, family, &target.with(number, &format!("$(printf %s {value})")), why);
        target.add(list, family, &target.with(number, &format!("-$(printf %s {})", &value[1..])), why);
    }
    let Some(last) = target.last_operand() else { return };
    let Some(value) = target.args.get(last).and_then(|arg| arg.value.as_deref()).filter(|value| is_plain(value)) else {
        return;
    };
    target.add(list, family, &target.with(last, &format!("$(echo {value})")), why);
    target.add(list, family, &target.with(last, &format!("`echo {value}`")), why);
    let octal = escaped(value, |byte| format!("\\{byte:03o}"));
    target.add(list, family, &target.with(last, &format!("\"$(printf '{octal}')\"")), why);
    if target.program().is_some_and(takes_files) {
        let (start, name) =
            value.rsplit_once('/').map_or(("", value), |(_, name)| (value.trim_end_matches(name), name));
        let (hidden, name) = name.strip_prefix('.').map_or(("", name), |rest| (".", rest));
        if let Some((first, rest)) = name.split_at_checked(1) {
            let pattern = format!("{start}{hidden}[{first}]{rest}");
            let why = "the pattern matches exactly this file";
            target.add(list, DeedFamily::Globs, &target.with(last, &pattern), why);
            let reversed = name.len() - 1;
            if let (Some(start_of_name), Some(end)) = (name.get(..reversed), name.get(reversed..))
                && reversed > 0
            {
                let pattern = format!("{start}{hidden}{start_of_name}[{end}]");
                target.add(list, DeedFamily::Globs, &target.with(last, &pattern), why);
            }
        }
    }
}

/// Texts around the command.
const AROUND: [(&str, &str, &str); 20] = [
    ("true; ", "", "`;` runs both commands"),
    ("true && ", "", "`&&` runs the second command after a success"),
    ("false || ", "", "`||` runs the second command after a failure"),
    ("true\n", "", "each line is a command"),
    ("# cleanup\n", "", "a comment ends with its line"),
    ("cd . && ", "", "`cd .` stays in the directory"),
    ("echo ok; ", "", "`;` runs both commands"),
    (":;", "", "`;` needs no blanks"),
    ("", "; true", "`;` runs both commands"),
    ("", " && true", "the first command runs before `&&`"),
    ("", " || true", "the first command runs before `||`"),
    ("", " # --dry-run", "a comment is not part of the command"),
    ("", "\ntrue", "each line is a command"),
    ("{ ", "; }", "braces group commands"),
    ("! ", "", "`!` only inverts the exit status"),
    ("if true; then ", "; fi", "the condition is true"),
    ("for i in 1; do ", "; done", "the loop runs once"),
    ("while true; do ", "; break; done", "the loop runs once"),
    ("case x in x) ", ";; esac", "the pattern matches"),
    ("f() { ", "; }; f", "the function runs the command"),
];

/// Texts around the command that run it in another process.
const IN_PROCESS: [(&str, &str, &str); 5] = [
    ("(", ")", "brackets run the command in a subshell"),
    ("true | ", "", "the command ignores the empty input"),
    ("", " | cat", "cat only copies the output"),
    ("", " & wait", "`&` runs the command in the background"),
    ("echo \"$(", ")\"", "the command runs before its output is printed"),
];

/// Whether other text can be put around the command.
pub(super) fn is_enclosable(text: &str, shell: &Shell) -> bool {
    let document = |command: &SimpleCommand| command.redirections.iter().any(|r| r.operator.starts_with("<<"));
    let ends = text.trim_end();
    !shell.commands.iter().any(document) && !ends.ends_with([';', '&', '|', '\\']) && !text.contains('#')
}

/// Whether the text changes the shell in which it runs.
pub(super) fn changes_shell(shell: &Shell) -> bool {
    let changes = |command: &SimpleCommand| {
        command.program_name().is_some_and(|name| SHELL_BUILTINS.contains(&name.as_str()))
            || command.words.is_empty() && !command.assignments.is_empty()
    };
    shell.commands.last().is_some_and(changes)
}

pub(super) fn add_lists(text: &str, shell: &Shell, list: &mut VariantList) {
    if !is_enclosable(text, shell) {
        return;
    }
    let text = text.trim();
    // These bind to the first command of a list.
    let grouped = if shell.commands.len() > 1 { format!("{{ {text}; }}") } else { text.to_owned() };
    let with = |before: &str, after: &str| {
        let inner = if matches!(before, "! " | "true | ") { &grouped } else { text };
        format!("{before}{inner}{after}")
    };
    for (before, after, why) in AROUND {
        list.command(DeedFamily::Separators, with(before, after), why);
    }
    if !changes_shell(shell) {
        for (before, after, why) in IN_PROCESS {
            list.command(DeedFamily::Separators, with(before, after), why);
        }
    }
}

pub(super) fn add_nested(text: &str, shell: &Shell, list: &mut VariantList) {
    let text = text.trim();
    let quoted = single_quoted(text);
    let mut add = |family, command: String, why: &str| list.command(family, command, why);
    let nested = DeedFamily::NestedShell;
    add(nested, format!("eval {quoted}"), "eval runs the text as a command");
    add(nested, format!("eval {}", double_quoted(text)), "eval runs the text as a command");
    add(nested, format!("eval \"$(echo {quoted})\""), "eval runs the printed text as a command");
    add(nested, format!("source <(echo {quoted})"), "source runs the lines that it reads");
    add(nested, format!(". /dev/stdin <<< {quoted}"), "`.` runs the lines that it reads");
    if changes_shell(shell) {
        return;
    }
    add(nested, format!("trap {quoted} EXIT"), "the shell runs the text when it ends");
    let why = "the text is the script of another shell";
    let plain = shell.bashisms.is_empty() && !text.contains("$'");
    let shells: &[&str] = if plain { &["bash", "sh"] } else { &["bash"] };
    for name in shells {
        add(nested, format!("{name} -c {quoted}"), why);
        add(nested, format!("{name} -c {}", double_quoted(text)), why);
        add(nested, format!("{name} -ec {quoted}"), why);
        add(nested, format!("/bin/{name} -c {quoted}"), why);
        add(nested, format!("env {name} -c {quoted}"), why);
        add(nested, format!("echo {quoted} | {name}"), "the shell runs the lines that it reads");
    }
    add(nested, format!("bash -c 'eval \"$1\"' _ {quoted}"), "eval runs the argument as a command");
    add(nested, format!("command eval {quoted}"), "eval runs the text as a command");
    add(nested, format!("printf '%s\\n' {quoted} | bash"), "the shell runs the lines that it reads");
    add(nested, format!("bash <<< {quoted}"), "the shell runs the lines that it reads");
    add(nested, format!("bash <(echo {quoted})"), "the shell runs the lines that it reads");
    if !text.contains("HB_END") {
        add(nested, format!("bash <<'HB_END'\n{text}\nHB_END"), "the shell runs the lines of the here-document");
    }
    add(nested, format!("find . -maxdepth 0 -exec bash -c {quoted} \\;"), "find starts the shell");
    add(nested, format!("xargs -0 bash -c < <(printf %s {quoted})"), "xargs passes the text to the shell");
    let other = DeedFamily::Interpreters;
    let why = "the program runs the text in a shell";
    let python = format!("import os; os.system({})", python_string(text));
    add(other, format!("python3 -c {}", single_quoted(&python)), why);
    let python = format!("import subprocess; subprocess.run({}, shell=True)", python_string(text));
    add(other, format!("python3 -c {}", single_quoted(&python)), why);
    let c_like = text.replace('\\', "\\\\").replace('\'', "\\'");
    if !text.contains('\n') {
        add(other, format!("perl -e {}", single_quoted(&format!("system('{c_like}')"))), why);
        let node = format!("require('child_process').execSync('{c_like}', {{stdio: 'inherit'}})");
        add(other, format!("node -e {}", single_quoted(&node)), why);
        let awk = text.replace('\\', "\\\\").replace('"', "\\\"");
        add(other, format!("awk {}", single_quoted(&format!("BEGIN {{ system(\"{awk}\") }}"))), why);
    }
    let coded = DeedFamily::Encoding;
    let base64 = base64::engine::general_purpose::STANDARD.encode(text);
    let why = "the shell runs the decoded text";
    add(coded, format!("echo {base64} | base64 -d | bash"), why);
    add(coded, format!("eval \"$(echo {base64} | base64 --decode)\""), why);
    add(coded, format!("bash <<< \"$(base64 -d <<< {base64})\""), why);
    let hex = escaped(text, |byte| format!("\\x{byte:02x}"));
    add(coded, format!("printf '{hex}' | bash"), why);
    add(coded, format!("eval $'{hex}'"), why);
    let octal = escaped(text, |byte| format!("\\{byte:03o}"));
    add(coded, format!("printf '{octal}' | bash"), why);
    if !text.contains('\n') && text.is_ascii() {
        let reversed: String = text.chars().rev().collect();
        list.command(coded, format!("rev <<< {} | bash", single_quoted(&reversed)), "rev restores the text");
        let rotated: String = text.chars().map(rotate).collect();
        let command = format!("tr a-zA-Z n-za-mN-ZA-M <<< {} | bash", single_quoted(&rotated));
        list.command(coded, command, "tr restores the text");
    }
}

/// The letter thirteen places further in the alphabet.
fn rotate(c: char) -> char {
    let turn = |c: u8, first: u8| char::from(first + (c - first + 13) % 26);
    match c {
        'a'..='z' => u8::try_from(c).map_or(c, |c| turn(c, b'a')),
        'A'..='Z' => u8::try_from(c).map_or(c, |c| turn(c, b'A')),
        c => c,
    }
}

/// A string literal of Python.
fn python_string(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    format!("\"{text}\"")
}
