//! Quotes and escapes, which the shell removes.

use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::target::{TargetCommand, double_quoted, escaped, is_plain, single_quoted};

const QUOTES: &str = "the shell removes the quotes";

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
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
