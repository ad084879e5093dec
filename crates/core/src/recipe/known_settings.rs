//! The settings files with the hooks composed so far. An agent that reads the file of another one needs no copy of a hook.

use serde_json::Value;

use crate::catalogue::catalogue;
use crate::config::{Files, OverlayFiles, Place};
use crate::convert::{GroupAddition, add, file_for_script, script_at};
use crate::dialects::settings_format::{HookFile, ListForm, PROJECT};
use crate::hook::{EventSpec, Handler, HookDefinition, Subject};
use crate::port::{AgentVersion, command_of_any_agent};

/// The files of a place, with the settings that are to be written.
pub(super) struct KnownSettings<'a> {
    pub files: &'a dyn Files,
    /// Paths and contents.
    pub written: Vec<(String, String)>,
}

impl KnownSettings<'_> {
    /// The text of a file. `None` if the file does not exist.
    fn text_at(&self, path: &str) -> Option<String> {
        let written = self.written.iter().find(|(written, _)| written == path).map(|(_, text)| text.clone());
        written.or_else(|| script_at(self.files, path))
    }

    /// Adds a hook to its file. A file to which nothing can be added does not change: the caller reports it.
    pub fn add(&mut self, file: &HookFile, addition: GroupAddition) {
        let Ok(after) = add(&self.text_at(&file.path).unwrap_or_default(), file.form, &[addition]) else { return };
        self.written.retain(|(path, _)| *path != file.path);
        self.written.push((file.path.clone(), after));
    }

    /// The file of a hook that is a script: the one with this hook, or else one that is free. `None` if all are taken. Other
    /// forms keep their file.
    pub fn file_for_script(&self, file: &HookFile, group: &Value) -> Option<HookFile> {
        if file.form.script.is_none() {
            return Some(file.clone());
        }
        let script = group.pointer("/hooks/0").map(ListForm::script).unwrap_or_default();
        let path = file_for_script(file, &script, |path| self.text_at(path))?;
        Some(HookFile { path, form: file.form })
    }

    /// Returns another file than `file` from which an agent runs the hook already, as displayed. `None` if it needs its own
    /// entry.
    pub fn file_that_runs(
        &self,
        (file, command): (&HookFile, &str),
        tools: &[String],
        agent: &AgentVersion,
        event: &EventSpec,
        place: &Place,
    ) -> Option<String> {
        let replaced = self.written.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let files = OverlayFiles { files: self.files, replaced };
        let loaded = agent.dialect.load(&place.as_trusted(), &files, &agent.version);
        let wanted = command_of_any_agent(command);
        let runs = |definition: &&HookDefinition| {
            let Handler::Command(handler) = &definition.handler else { return false };
            agent.dialect.is_same_event(&definition.event, event.name)
                && definition.rejection.is_none()
                && command_of_any_agent(&handler.command) == wanted
                && loaded.sources.path(definition.provenance.span.source) != file.path
                && matches_all(tools, agent, event, definition)
        };
        loaded.definitions.iter().find(runs).map(|definition| definition.provenance.file.clone())
    }
}

/// Whether a definition runs for all of these tools.
fn matches_all(rows: &[String], agent: &AgentVersion, event: &EventSpec, definition: &HookDefinition) -> bool {
    let Some(tools) = catalogue().agent(agent.dialect.id().as_str()) else { return true };
    let fires = |value: Option<&str>| {
        let name = value.map(|name| agent.dialect.tool_in_matchers(event.name, name).to_owned());
        let subject = Subject { value: name, aliases: Vec::new() };
        agent.dialect.matches(event, definition.matcher.as_ref(), &subject, &agent.version) == Some(true)
    };
    let mut names = rows.iter().filter_map(|row| Some(tools.tool_for_row(row)?.id));
    if event.subject.is_none() || rows.is_empty() {
        return definition.matcher.is_none() || fires(None);
    }
    names.all(|name| fires(Some(name)))
}

// The project in a script. The directory of an event follows `cd`, so a script finds its project in another way: the
// settings that name a project's script are in it, and the agent names the project to a user's script.

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
