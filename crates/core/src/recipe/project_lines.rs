//! The project in a script. The directory of an event follows `cd`, so a script finds its project in another way: the
//! settings that name a project's script are in it, and the agent names the project to a user's script.

use crate::config::Place;
use crate::dialects::settings_format::PROJECT;
use crate::port::AgentVersion;

/// The placeholder line for the project in a recipe.
const MARK: &str = "{{project}}\n";

/// Fills the lines that set PROJECT into a Python script at this path.
pub(super) fn fill_project(text: &str, script: &str, agents: &[&AgentVersion], place: &Place) -> String {
    if !text.contains(MARK) {
        return text.to_owned();
    }
    let inside = script.strip_prefix(&place.project).and_then(|rest| rest.strip_prefix('/'));
    let lines = match inside.map(|rest| rest.matches('/').count()) {
        Some(depth) if place.project != place.home => {
            let above = ", \"..\"".repeat(depth);
            format!(
                "# The project, in which this script is. The directory of the event follows `cd`.\n\
                 PROJECT = os.path.realpath(os.path.abspath(os.path.join(os.path.dirname(__file__){above})))\n"
            )
        }
        _ => {
            let mut names: Vec<&str> =
                agents.iter().filter_map(|agent| agent.dialect.settings_format().variable_for(PROJECT)).collect();
            names.dedup();
            let named = names.iter().map(|name| format!("os.environ.get(\"{name}\") or ")).collect::<Vec<_>>().concat();
            format!(
                "# The project, as the agent names it. The directory of the event follows `cd`.\n\
                 PROJECT = os.path.realpath({named}os.getcwd())\n"
            )
        }
    };
    text.replace(MARK, &lines)
}
