//! The script of a hook, as far as it can be read.

use std::sync::Arc;

use super::resolve::ResolvedCommand;
use hookbench_core::config::Files;
use hookbench_core::run::ProcessSpec;
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

    /// Reads the text that a process runs.
    pub(crate) fn read(spec: &ProcessSpec, resolved: Option<&ResolvedCommand>, files: &dyn Files) -> ScriptText {
        let command = spec.args.last().cloned().unwrap_or_default();
        let text = resolved.and_then(|found| found.script_text(files));
        let path = resolved.and_then(|found| found.script.clone());
        let script = resolved.zip(text.as_deref()).and_then(|(found, text)| found.run_script(text));
        let walks = hook_walks(&command, script);
        let interpreter = script.map(|script| interpreter_of(script.program, script.path, script.text));
        let language = interpreter.as_deref().map_or(Some(Grammar::Shell), Grammar::of);
        let unknown_end = || walks.iter().flat_map(|walked| &walked.runs).any(|run| run.status.is_none());
        let unread = match (&path, &interpreter) {
            // The status of the command may be known without it.
            (Some(path), None) if files.exists(path) && unknown_end() => {
                Some(format!("{} is a program", path.rsplit('/').next().unwrap_or(path)))
            }
            (_, Some(interpreter)) if language.is_none() => Some(format!("hookbench does not read {interpreter}")),
            _ if walks.iter().any(|walked| !walked.complete) => {
                Some("hookbench cannot follow every way through the script".to_owned())
            }
            _ => None,
        };
        ScriptText { path, command, text, language, walks, unread }
    }
}
