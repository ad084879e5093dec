//! The project's directory in commands of an agent's settings.

use crate::config::Files;
use crate::dialects::settings_format::{PROJECT, SettingsAbove, SettingsFormat};
use crate::git::find_checkout;

/// The root of the repository, as a shell finds it from each directory inside.
const REPOSITORY: &str = "$(git rev-parse --show-toplevel)";
/// The same; outside of a repository, and without git, the current directory.
const REPOSITORY_OR_HERE: &str = "$(git rev-parse --show-toplevel 2>/dev/null || pwd)";

/// The expression for a project's directory in the commands of that project's settings: an agent's variable, or the root of the repository
/// if the agent also reads these settings in sessions that start below the project. It may stand inside double quotes.
pub fn project_directory(format: &SettingsFormat, files: &dyn Files, project: &str) -> String {
    let variable = format.variable_for(PROJECT).map(|name| format!("${{{name}}}"));
    let root = find_checkout(files, project).map(|checkout| checkout.root);
    let below = root.as_deref().map(|root| project.strip_prefix(root).unwrap_or_default());
    match (format.settings_above, below) {
        (SettingsAbove::Root | SettingsAbove::UpToRoot, Some("")) => REPOSITORY_OR_HERE.to_owned(),
        (SettingsAbove::UpToRoot, Some(below)) if !below.contains(['"', '$', '`', '\\']) => {
            format!("{REPOSITORY}{below}")
        }
        _ => variable.unwrap_or_else(|| REPOSITORY_OR_HERE.to_owned()),
    }
}

/// A command in which each spelling of the repository's root is the same text.
pub(super) fn with_one_spelling(command: &str, spelling: &str) -> String {
    command.replace(REPOSITORY_OR_HERE, spelling).replace(REPOSITORY, spelling)
}
