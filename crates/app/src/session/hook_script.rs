//! The scripts of the hooks of a session, and what is known of a hook without an event.

use super::agent::AgentState;
use super::debug_logs::LogAccount;
use super::state::Session;
use crate::analysis::ladder::{LadderParts, TrustedCause};
use crate::analysis::launch_preview::LaunchPreview;
use crate::analysis::resolve::ResolvedCommand;
use crate::analysis::script_text::ScriptText;
use crate::analysis::subjects::SubjectMatches;
use crate::environment::hook_environment::seen_path;
use crate::firing::approval::ConsentItem;
use crate::stress::{is_on_path, needed_programs};
use hookbench_core::config::LoadedConfig;
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::run::Launch;

/// Facts about a definition that do not depend on the payload. Every known subject is tested for them.
#[derive(Debug, Clone)]
pub struct HookFacts {
    pub definition: HookDefinition,
    pub prospect: Option<LaunchPreview>,
    pub script: Option<ScriptText>,
    /// The programs that are not on the PATH of the agent, in a sentence.
    pub missing_for_agent: Option<String>,
    pub subjects: Option<SubjectMatches>,
    /// The causes that would stop it although it is trusted.
    pub once_trusted: Vec<TrustedCause>,
    /// The statements of the agent's own debug log about it.
    pub log: Option<LogAccount>,
}

impl HookFacts {
    /// The program or script that the command line resolves to.
    pub fn resolved(&self) -> Option<&ResolvedCommand> {
        self.prospect.as_ref()?.resolved.as_ref()
    }

    /// The parts of the ladder that do not depend on an event.
    pub fn ladder_parts<'a>(&'a self, loaded: &'a LoadedConfig) -> LadderParts<'a> {
        LadderParts {
            resolved: self.resolved(),
            missing_for_agent: self.missing_for_agent.as_deref(),
            subjects: self.subjects.as_ref(),
            refused: match self.prospect.as_ref().map(|prospect| &prospect.launch) {
                Some(Launch::Refused(why)) => Some(why),
                _ => None,
            },
            unread: self.script.as_ref().and_then(|script| script.unread.as_deref()),
            once_trusted: &self.once_trusted,
            ..LadderParts::of(&self.definition, loaded)
        }
    }
}

impl Session {
    /// The facts about a definition that do not depend on the payload.
    pub fn hook_facts(&self, agent: &AgentState, definition: &HookDefinition) -> HookFacts {
        let script = self.hook_script(agent, definition);
        HookFacts {
            prospect: self.prospect(agent, definition),
            missing_for_agent: self.missing_for_agent(agent, definition, script.as_ref()),
            script,
            subjects: self.subjects(agent, definition),
            once_trusted: self.causes_once_trusted(agent, definition),
            log: self.log_account(agent, definition, self.debug_logs(agent.dialect.id())),
            definition: definition.clone(),
        }
    }

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
