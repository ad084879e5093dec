//! Words that commands print, and patterns that match exactly the same file.

use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::file_programs::takes_files;
use super::target::{TargetCommand, escaped, is_plain};

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
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
