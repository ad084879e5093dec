//! The scripts of the hooks of a session.

use super::agent::AgentState;
use super::state::Session;
use crate::analysis::script_text::ScriptText;
use crate::firing::approval::ConsentItem;
use hookbench_core::hook::HookDefinition;
use hookbench_core::run::Launch;

impl Session {
    /// The text that a definition would run. `None` if it starts no process.
    pub fn hook_script(&self, agent: &AgentState, definition: &HookDefinition) -> Option<ScriptText> {
        let (Launch::Process(spec), resolved) = self.launch_of(agent, definition)? else { return None };
        Some(ScriptText::read(&spec, resolved.as_ref(), self.files()))
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
