//! The scripts of the hooks of a session.

use super::agent::AgentState;
use super::state::Session;
use crate::analysis::script_text::ScriptText;
use crate::environment::hook_environment::seen_path;
use crate::firing::approval::ConsentItem;
use crate::stress::{is_on_path, needed_programs};
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::run::Launch;

impl Session {
    /// The text that a definition would run. `None` if it starts no process.
    pub fn hook_script(&self, agent: &AgentState, definition: &HookDefinition) -> Option<ScriptText> {
        let (Launch::Process(spec), resolved) = self.launch_of(agent, definition)? else { return None };
        Some(ScriptText::read(&spec, resolved.as_ref(), self.files()))
    }

    /// The programs that a hook may need, besides those of every system.
    pub(super) fn programs_of(&self, definition: &HookDefinition, script: Option<&ScriptText>) -> Vec<String> {
        let walks = script.map_or(&[][..], |script| &script.walks);
        let text = script.and_then(|script| script.text.as_deref());
        let path = self.place.var("PATH").unwrap_or_default();
        let mut programs = needed_programs(walks, text, &|name| is_on_path(path, name));
        if let Handler::Command(command) = &definition.handler {
            // No shell starts it, so no walk names it.
            let name = command.args.as_ref().map(|_| &command.command).filter(|name| !name.contains('/'));
            if let Some(name) = name.filter(|name| !programs.contains(name)) {
                programs.insert(0, name.clone());
            }
        }
        programs
    }

    /// Which programs of a hook are on the PATH of hookbench, but not on the one that the agent was last seen with. `None` if
    /// all are, if hooks run with another environment, or if the agent was not seen.
    pub fn missing_for_agent(
        &self,
        agent: &AgentState,
        definition: &HookDefinition,
        script: Option<&ScriptText>,
    ) -> Option<String> {
        let own = self.place.var("PATH").unwrap_or_default();
        let seen = seen_path(&self.place, agent.dialect.id()).filter(|seen| seen != own)?;
        let is_missing = |name: &String| is_on_path(own, name) && !is_on_path(&seen, name);
        let missing: Vec<String> = self.programs_of(definition, script).into_iter().filter(is_missing).collect();
        let (name, verb) = (agent.dialect.name(), if missing.len() == 1 { "is" } else { "are" });
        let names = missing.join(" and ");
        (!missing.is_empty()).then(|| format!("{names} {verb} not on the PATH that {name} was last seen with: {seen}"))
    }

    /// The scripts behind the commands of a question, each once.
    pub fn scripts_to_run(&self, items: &[ConsentItem]) -> Vec<ScriptText> {
        let mut scripts: Vec<ScriptText> = Vec::new();
        for item in items {
            let is_asked = |hook: &&HookDefinition| {
                item.source.starts_with(&format!("{}:{}", hook.provenance.file, hook.provenance.line))
            };
            let mut agents = self.current().into_iter().chain(self.agents());
            let found = agents.find_map(|agent| {
                let hook = agent.loaded.as_ref()?.definition(&item.hook).filter(is_asked)?;
                self.hook_script(agent, hook)
            });
            scripts.extend(found.filter(|one| scripts.iter().all(|known| known.shown() != one.shown())));
        }
        scripts
    }
}
