//! One simple command of a text, whose words the rules change.

use std::ops::Range;

use crate::stress::family::{DeedFamily, VariantList};
use crate::text::shell::{PartContent, Quote, Shell, SimpleCommand, Word};

/// Builtins that change the shell itself, so that they have no effect in another process.
pub(super) const SHELL_BUILTINS: [&str; 24] = [
    ".", "alias", "bg", "bind", "cd", "declare", "eval", "exec", "exit", "export", "fg", "local", "popd", "pushd",
    "read", "return", "set", "shift", "shopt", "source", "trap", "ulimit", "umask", "unset",
];

/// A word of the command.
#[derive(Debug, Clone)]
pub struct CommandArg {
    /// The word as written.
    pub source: String,
    /// The text that the program receives. `None` if the shell expands the word.
    pub value: Option<String>,
}

/// A simple command in a text.
#[derive(Debug)]
pub struct TargetCommand<'a> {
    text: &'a str,
    /// The place of the words.
    span: Range<usize>,
    pub args: Vec<CommandArg>,
    /// Whether a list of commands can replace it: no wrapper, assignment or redirection precedes the words.
    pub at_shell_level: bool,
    /// Whether it reads the output of another command.
    pub reads_pipe: bool,
    /// Whether the text contains nothing else.
    pub alone: bool,
}

impl<'a> TargetCommand<'a> {
    /// The commands of a text that are not inside others.
    pub fn top_level(text: &'a str, shell: &Shell) -> Vec<TargetCommand<'a>> {
        let inside = |one: &SimpleCommand| {
            shell
                .commands
                .iter()
                .any(|other| other.at != one.at && other.at.start <= one.at.start && one.at.end <= other.at.end)
        };
        let top = shell.commands.iter().filter(|command| !inside(command));
        top.filter_map(|command| TargetCommand::of(text, command)).collect()
    }

    fn of(text: &'a str, command: &SimpleCommand) -> Option<TargetCommand<'a>> {
        let words = command.unwrapped_words();
        let span = words.first()?.at.start..words.last()?.at.end;
        let redirected = |place: &Range<usize>| span.start < place.end && place.start < span.end;
        if command.redirections.iter().any(|redirection| redirected(&redirection.target.at)) {
            return None;
        }
        let args = words.iter().map(|word| argument(text, word)).collect::<Option<Vec<_>>>()?;
        Some(TargetCommand {
            text,
            args,
            at_shell_level: words.len() == command.words.len() && span.start == command.at.start,
            reads_pipe: command.piped_from.is_some(),
            alone: text.trim() == text.get(span.clone())?,
            span,
        })
    }

    /// The name of the program, without its directory.
    pub fn program(&self) -> Option<&str> {
        let value = self.args.first()?.value.as_deref()?;
        value.rsplit('/').next()
    }

    /// The text of the words as written.
    pub fn source(&self) -> &str {
        self.text.get(self.span.clone()).unwrap_or("")
    }

    /// The values of all words, if the shell expands none.
    pub fn values(&self) -> Option<Vec<&str>> {
        self.args.iter().map(|arg| arg.value.as_deref()).collect()
    }

    /// The sources of the words after the program.
    pub fn rest(&self) -> String {
        self.args.iter().skip(1).map(|arg| arg.source.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The words with the values that `change` returns.
    pub fn map(&self, change: impl Fn(usize, &str) -> Option<String>) -> String {
        let words = self.args.iter().enumerate().map(|(number, arg)| {
            arg.value.as_deref().and_then(|value| change(number, value)).unwrap_or_else(|| arg.source.clone())
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// The words with another source for one of them.
    pub fn with(&self, number: usize, source: &str) -> String {
        let words = self.args.iter().enumerate();
        words.map(|(n, arg)| if n == number { source } else { &arg.source }).collect::<Vec<_>>().join(" ")
    }

    /// The index of the last word, if it is an argument and not an option.
    pub fn last_operand(&self) -> Option<usize> {
        let last = self.args.len().checked_sub(1).filter(|last| *last > 0)?;
        let value = self.args.get(last)?.value.as_deref()?;
        (!value.starts_with('-') && !value.is_empty()).then_some(last)
    }

    fn splice(&self, replacement: &str) -> String {
        let (before, after) = (self.text.get(..self.span.start), self.text.get(self.span.end..));
        format!("{}{replacement}{}", before.unwrap_or(""), after.unwrap_or(""))
    }

    /// Adds a simple command instead of this one.
    pub fn add(&self, list: &mut VariantList, family: DeedFamily, command: &str, why: impl Into<String>) {
        list.command(family, self.splice(command), why);
    }

    /// Adds a simple command that no test executes.
    pub fn add_unproven(
        &self,
        list: &mut VariantList,
        family: DeedFamily,
        command: &str,
        why: impl Into<String>,
        reason: &'static str,
    ) {
        list.unproven_command(family, self.splice(command), why, reason);
    }

    /// Adds several commands instead of this one.
    pub fn add_list(&self, list: &mut VariantList, family: DeedFamily, commands: &str, why: impl Into<String>) {
        if self.alone {
            list.command(family, commands.to_owned(), why);
        } else if self.at_shell_level {
            list.command(family, self.splice(&format!("{{ {commands}; }}")), why);
        }
    }

    /// Adds a pipeline that gives the command its own input.
    pub fn add_pipeline(&self, list: &mut VariantList, family: DeedFamily, commands: &str, why: impl Into<String>) {
        if !self.reads_pipe {
            self.add_list(list, family, commands, why);
        }
    }
}

/// Returns `None` if the place of the word is not in the text.
fn argument(text: &str, word: &Word) -> Option<CommandArg> {
    let source = text.get(word.at.clone())?.to_owned();
    let expanded = word.parts.iter().any(|part| match (&part.piece, part.quote) {
        (PartContent::Text(inner), Quote::None) => {
            inner.contains(['*', '?', '[', '{', '}', '~', '!', '^']) || source.contains('\\')
        }
        (PartContent::Text(_), _) => false,
        _ => true,
    });
    // `$'…'` and `$"…"` have their own escapes.
    let escapes = source.contains("$'") || source.contains("$\"");
    let value = word.constant().filter(|_| !expanded && !escapes);
    Some(CommandArg { source, value })
}

/// Quotes a text for a shell, if it needs quotes.
pub fn quote(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "_./:=@%+,-".contains(c);
    if !text.is_empty() && text.chars().all(safe) { text.to_owned() } else { single_quoted(text) }
}

/// Puts a text in single quotes.
pub fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Puts a text in double quotes.
pub fn double_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '$' | '`' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// Writes each byte of a text as an escape of `$'…'` or printf.
pub fn escaped(text: &str, escape: impl Fn(u8) -> String) -> String {
    text.bytes().map(escape).collect()
}

/// Whether a text consists of characters that no shell changes.
pub fn is_plain(text: &str) -> bool {
    quote(text) == text
}

pub(super) fn add_variables(target: &TargetCommand<'_>, list: &mut VariantList) {
    let family = DeedFamily::Variables;
    let why = "the shell replaces the variable by its value";
    let first = target.args.first().and_then(|arg| arg.value.as_deref()).filter(|name| is_plain(name));
    if let Some(program) = first {
        target.add_list(list, family, &format!("c={program}; $c {}", target.rest()), why);
        target.add_list(list, family, &format!("c={program}; \"${{c}}\" {}", target.rest()), why);
        let why = "the variable is unset, so the default is used";
        target.add(list, family, &target.with(0, &format!("${{hb_unset:-{program}}}")), why);
        if let Some((start, rest)) = program.split_at_checked(1).filter(|(_, rest)| !rest.is_empty()) {
            let why = "an unset variable adds nothing";
            target.add(list, family, &target.with(0, &format!("{start}${{hb_unset}}{rest}")), why);
            target.add(
                list,
                family,
                &target.with(0, &format!("{start}$@{rest}")),
                "there are no positional parameters",
            );
            let why = "the two variables form the name of the program";
            target.add_list(list, family, &format!("a={start} b={rest}; $a$b {}", target.rest()), why);
        }
    }
    if let Some(last) = target.last_operand()
        && let Some(value) = target.args.get(last).and_then(|arg| arg.value.as_deref())
    {
        let quoted = quote(value);
        target.add_list(list, family, &format!("d={quoted}; {}", target.with(last, "\"$d\"")), why);
        target.add_list(list, family, &format!("for d in {quoted}; do {}; done", target.with(last, "\"$d\"")), why);
        let read = format!("read -r d <<< {quoted}; {}", target.with(last, "\"$d\""));
        target.add_pipeline(list, family, &read, "read stores the line in the variable");
        let why = "the variable is unset, so the default is used";
        if quoted == value {
            target.add(list, family, &target.with(last, &format!("\"${{hb_unset:-{quoted}}}\"")), why);
        }
    }
    let Some(values) = target.values() else { return };
    if values.len() > 1 && values.iter().all(|value| is_plain(value)) {
        let joined = values.join(" ");
        let why = "the shell splits the value of an unquoted variable into words";
        target.add_list(list, family, &format!("x='{joined}'; $x"), why);
        target.add_list(list, family, &format!("x='{joined}'; eval \"$x\""), "eval runs the value as a command");
        let why = "IFS contains a blank, which separates words";
        target.add(list, family, &values.join("${IFS}"), why);
        target.add(list, family, &values.join("$IFS$9"), "IFS contains a blank, and $9 is empty");
        if !values.iter().any(|value| value.contains(',') || value.contains("..")) {
            let why = "braces expand to the same words";
            target.add(list, family, &format!("{{{}}}", values.join(",")), why);
        }
    }
    let words: Vec<&str> = target.args.iter().map(|arg| arg.source.as_str()).collect();
    target.add_list(list, family, &format!("a=({}); \"${{a[@]}}\"", words.join(" ")), "the array holds the same words");
    if let Some((program, rest)) = words.split_first().filter(|(_, rest)| !rest.is_empty()) {
        let why = "the positional parameters hold the same words";
        target.add_list(list, family, &format!("set -- {}; {program} \"$@\"", rest.join(" ")), why);
        if target.at_shell_level {
            let why = "the function passes its arguments to the program";
            let function = format!("g() {{ {program} \"$@\"; }}; g {}", rest.join(" "));
            target.add_list(list, family, &function, why);
        }
    }
}
