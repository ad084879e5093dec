//! Commands of different agents that run the same script.

use super::project_directory::with_one_spelling;
use crate::dialects::released;
use crate::dialects::settings_format::PROJECT;
use crate::hook::adapted_command;

/// Returns a command without what a conversion changes in it: the adapter before the script, and the expression for the
/// project's directory.
pub fn command_of_any_agent(command: &str) -> String {
    let script = adapted_command(command).map_or(command, |adapted| adapted.command);
    let names = released().filter_map(|dialect| dialect.settings_format().variable_for(PROJECT));
    names.fold(with_one_spelling(script, "$PROJECT"), |text, name| {
        text.replace(&format!("${{{name}}}"), "$PROJECT").replace(&format!("${name}"), "$PROJECT")
    })
}
