//! The script of a hook, as far as it can be read.

use std::sync::Arc;

use super::agent::AgentState;
use super::state::Session;
use crate::firing::approval::ConsentItem;
use hookbench_core::hook::HookDefinition;
use hookbench_core::run::Launch;
use hookbench_core::script_keys::{Grammar, Walked, hook_walks, interpreter_of};

/// The text that a hook runs: a script, or else its command.
#[derive(Debug, Clone)]
pub struct ScriptText {
    /// The path of the script; `None` for a command without a script.
    pub path: Option<String>,
    /// The command as its shell gets it.
    pub command: String,
    /// The text of the script.
    pub text: Option<String>,
    /// The language of the script, or of the command; `None` if it is not understood.
    pub language: Option<Grammar>,
    /// The walks through the command and the script.
    pub walks: Vec<Arc<Walked>>,
    /// Why reading does not tell everything that it does; `None` if it does.
    pub unread: Option<String>,
}

impl ScriptText {
    /// The text to show.
    pub fn shown(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.command)
    }
}

impl Session {
    /// The text that a definition would run. `None` if it starts no process.
    pub fn hook_script(&self, agent: &AgentState, definition: &HookDefinition) -> Option<ScriptText> {
        let (Launch::Process(spec), resolved) = self.launch_of(agent, definition)? else { return None };
        let command = spec.args.last().cloned().unwrap_or_default();
        let text = resolved.as_ref().and_then(|found| found.script_text(self.files()));
        let path = resolved.as_ref().and_then(|found| found.script.clone());
        let script = resolved.as_ref().zip(text.as_deref()).and_then(|(found, text)| found.run_script(text));
        let walks = hook_walks(&command, script);
        let interpreter = script.map(|script| interpreter_of(script.program, script.path, script.text));
        let language = interpreter.as_deref().map_or(Some(Grammar::Shell), Grammar::of);
        let unknown_end = || walks.iter().flat_map(|walked| &walked.runs).any(|run| run.status.is_none());
        let unread = match (&path, &interpreter) {
            // What other commands make of it may still be known.
            (Some(path), None) if self.files().exists(path) && unknown_end() => {
                Some(format!("{} is a program", path.rsplit('/').next().unwrap_or(path)))
            }
            (_, Some(interpreter)) if language.is_none() => Some(format!("hookbench does not read {interpreter}")),
            _ if walks.iter().any(|walked| !walked.complete) => {
                Some("hookbench cannot follow every way through the script".to_owned())
            }
            _ => None,
        };
        Some(ScriptText { path, command, text, language, walks, unread })
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
