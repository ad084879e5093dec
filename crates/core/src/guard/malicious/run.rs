//! Runs the rules of the guard `malicious` on a command or on changes of files.

use super::{backdoor, hook_bypass, hook_tampering, quality_config, script, skip_variable};
use crate::guard::command_reader::read_commands;
use crate::guard::event::GuardEvent;
use crate::guard::finding::GuardFinding;
use crate::guard::surroundings::Surroundings;
use crate::guard::tool_kind::ToolKind;

/// Checks a command, or the changes of files.
pub fn check(event: &GuardEvent<'_>, around: &dyn Surroundings) -> Vec<GuardFinding> {
    let mut found = Vec::new();
    match event.tool {
        Some(ToolKind::Shell) => {
            let Some(command) = event.command() else { return found };
            let commands = read_commands(command);
            found.extend(commands.iter().filter_map(hook_bypass::check));
            found.extend(commands.iter().filter_map(skip_variable::check));
            found.extend(script::check_commands(&commands, event, around));
            found.extend(commands.iter().filter_map(|command| hook_tampering::check_command(command, event, around)));
            found.extend(commands.iter().filter_map(|command| backdoor::check(command, event, around)));
        }
        Some(kind) if kind.changes_files() => {
            for change in event.changes(around) {
                found.extend(script::check_change(&change, event, around));
                found.extend(quality_config::check(&change, event));
                found.extend(hook_tampering::check_change(&change, event));
                found.extend(backdoor::check_change(&change, event, around));
            }
        }
        _ => {}
    }
    found
}
