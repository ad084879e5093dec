//! Other spellings of the files of a command.

use super::super::family::DeedFamily;
use super::super::paths::spellings;
use super::flags::ParsedFlags;
use super::other_programs::takes_files;
use super::target::{TargetCommand, is_plain, quote};
use crate::stress::family::{DeedContext, VariantList};

pub(super) fn add(target: &TargetCommand<'_>, context: &DeedContext<'_>, list: &mut VariantList) {
    let family = DeedFamily::Paths;
    let Some(program) = target.program() else { return };
    let Some(last) = target.last_operand() else { return };
    let arg = target.args.get(last);
    // `~/…` has no value, because the shell expands it.
    let home = arg.and_then(|arg| arg.source.strip_prefix("~/")).filter(|rest| is_plain(rest));
    if let Some(rest) = home.filter(|_| takes_files(program)) {
        add_home(target, last, rest, context, list);
        return;
    }
    let Some(path) = arg.and_then(|arg| arg.value.as_deref()) else { return };
    let is_file = takes_files(program) || path.starts_with(['/', '.']) && !path.contains("..");
    if !is_file {
        return;
    }
    for spelling in spellings(path, context) {
        target.add(list, family, &target.with(last, &quote(&spelling.path)), spelling.why);
    }
    if !is_plain(path) {
        return;
    }
    if path.starts_with('/') {
        if let Some(rest) = path.strip_prefix(context.home).and_then(|rest| rest.strip_prefix('/')) {
            add_home(target, last, rest, context, list);
        }
        if let Some((directory, name)) =
            path.rsplit_once('/').filter(|(directory, name)| !directory.is_empty() && !name.is_empty())
        {
            let command = format!("cd {directory} && {}", target.with(last, name));
            target.add_list(list, family, &command, "the command runs in the directory of the file");
        }
        return;
    }
    for prefix in ["$PWD/", "\"$PWD\"/", "${PWD}/", "$(pwd)/", "~+/"] {
        let why = "the shell inserts the working directory";
        target.add(list, family, &target.with(last, &format!("{prefix}{path}")), why);
    }
    if let Some(name) = context.cwd.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()) {
        let command = format!("cd .. && {}", target.with(last, &quote(&format!("{name}/{path}"))));
        target.add_list(list, family, &command, "the path is relative to the parent directory");
    }
    let directory = ParsedFlags::of(target).is_some_and(|flags| program == "rm" && flags.has("recursive"));
    if directory && !path.ends_with('/') {
        let why = "a slash at the end names the same directory";
        target.add(list, family, &target.with(last, &format!("{path}/")), why);
        target.add(list, family, &target.with(last, &format!("{path}//")), why);
        target.add(list, family, &target.with(last, &format!("\"{path}\"/")), why);
        if !path.contains('/') {
            let why = "`..` leaves the directory again";
            target.add(list, family, &target.with(last, &format!("{path}/../{path}")), why);
        }
    }
    let link = target.with(last, &format!("hb-link/{path}"));
    let command = format!("ln -s . hb-link; {link}; rm hb-link");
    target.add_list(list, family, &command, "the symbolic link leads to the same directory");
}

/// Adds the spellings of a file in the home directory.
fn add_home(target: &TargetCommand<'_>, number: usize, rest: &str, context: &DeedContext<'_>, list: &mut VariantList) {
    let home = context.home.trim_end_matches('/');
    for source in
        [format!("~/{rest}"), format!("$HOME/{rest}"), format!("\"${{HOME}}/{rest}\""), format!("{home}/{rest}")]
    {
        let why = "the home directory has several spellings";
        target.add(list, DeedFamily::Paths, &target.with(number, &source), why);
    }
    let why = "the command runs in the home directory";
    target.add_list(list, DeedFamily::Paths, &format!("cd && {}", target.with(number, rest)), why);
}
