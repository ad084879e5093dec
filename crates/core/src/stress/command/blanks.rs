//! Blanks, tabs and continued lines between words.

use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::target::{TargetCommand, is_plain};

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
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
