//! Variants of a shell command.

mod clients;
mod flags;
mod git;
mod operands;
mod options;
mod other_programs;
mod redirections;
mod syntax;
mod target;
mod wrappers;

use super::family::{DeedAction, DeedContext, VariantList};
use crate::text::shell::{Shell, SimpleCommand};
use target::TargetCommand;

pub(super) use other_programs::read_file;
pub(super) use redirections::written_file;
pub(super) use target::quote;

/// Commands that prepare the actual deed, and whose variants would be a distraction.
const PREPARING: [&str; 8] = ["cd", "echo", "true", ":", "printf", "pwd", "set", "export"];

/// Adds the variants of a shell command.
pub(super) fn add(text: &str, context: &DeedContext<'_>, list: &mut VariantList) {
    let shell = Shell::parse(text);
    if shell.commands.is_empty() || shell.syntax_error.is_some() {
        return;
    }
    let before = list.drafts.len();
    let mut targets = TargetCommand::top_level(text, &shell);
    if targets.len() > 1 {
        targets.retain(|target| !target.program().is_some_and(|name| PREPARING.contains(&name)));
    }
    // The directory of a command after `cd` is unknown.
    let moves = |command: &SimpleCommand| matches!(command.name(), Some("cd" | "pushd" | "popd"));
    let cwd = if shell.commands.iter().any(moves) { "" } else { context.cwd };
    let context = &DeedContext { cwd, ..*context };
    for target in &targets {
        syntax::add_quotes(target, list);
        syntax::add_blanks(target, list);
        flags::add(target, list);
        other_programs::add_program_paths(target, context, list);
        wrappers::add(target, list);
        target::add_variables(target, list);
        syntax::add_substitution(target, list);
        operands::add(target, context, list);
        git::add(target, list);
        clients::add_packages(target, list);
        clients::add_sql_clients(target, list);
        clients::add_web_clients(target, list);
        other_programs::add(target, list);
        redirections::add(target, list);
    }
    clients::add_downloads(text, &shell, list);
    syntax::add_lists(text, &shell, list);
    syntax::add_nested(text, &shell, list);
    // The rules work on texts. A result that no shell accepts is not a variant.
    let added = list.drafts.split_off(before);
    list.drafts.extend(added.into_iter().filter(|draft| match &draft.action {
        DeedAction::Command(text) => Shell::parse(text).syntax_error.is_none(),
        _ => true,
    }));
}
