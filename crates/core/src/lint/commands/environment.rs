//! The environment of a hook: its variables and the programs on PATH.

use crate::dialects::{self, RuleContext};
use crate::hook::adapted_command;

/// Returns the value of a variable in the hook's process, if it is known.
pub(in crate::lint) fn value(at: &RuleContext<'_>, name: &str) -> Option<String> {
    if let Some(start) = at.start {
        // Every shell sets PWD.
        if name == "PWD" && !start.cwd.is_empty() {
            return Some(start.cwd.clone());
        }
        if let Some(value) = start.env.value(name) {
            return Some(value.to_owned());
        }
        if start.env.scratch_files.iter().any(|set| set == name) {
            return Some("/".to_owned());
        }
        if start.env.remove.iter().any(|gone| gone == name) {
            return None;
        }
    }
    at.agent.place.var(name).map(str::to_owned)
}

/// Whether a script receives a variable from `hookbench adapt`, which sets those of the script's own agent.
pub(in crate::lint) fn is_set_by_adapter(at: &RuleContext<'_>, name: &str) -> bool {
    let command = at.command().unwrap_or_default();
    let author = adapted_command(&command).and_then(|adapted| dialects::by_id(adapted.from));
    author.is_some_and(|author| author.settings_format().meaning(name).is_some())
}

/// Returns the file that the system starts for a program name.
pub(in crate::lint) fn on_path(at: &RuleContext<'_>, program: &str) -> Option<String> {
    let path = value(at, "PATH").unwrap_or_default();
    let files =
        path.split(':').filter(|dir| !dir.is_empty()).map(|dir| format!("{}/{program}", dir.trim_end_matches('/')));
    files.into_iter().find(|file| at.agent.files.executable(file) == Some(true))
}

/// Returns the meaning of a variable that some agent sets.
pub(in crate::lint) fn meaning_anywhere(name: &str) -> Option<&'static str> {
    dialects::ALL.iter().find_map(|dialect| dialect.settings_format().meaning(name))
}

/// Whether a name begins like the variables that agents set: with the name of an agent.
pub(in crate::lint) fn has_agent_prefix(name: &str) -> bool {
    let first = name.split('_').next().unwrap_or(name);
    name.contains('_') && dialects::ALL.iter().any(|dialect| dialect.id().as_str().eq_ignore_ascii_case(first))
}
