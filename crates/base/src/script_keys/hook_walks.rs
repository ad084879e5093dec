//! The walks through a command and the script that it runs.

use std::sync::Arc;

use hookbench_script::{Given, Grammar, ScriptModel, Walked, interpreter_of};

/// A script that a command runs.
#[derive(Debug, Clone, Copy)]
pub struct RunScript<'a> {
    /// The program that reads it, if the command names one.
    pub program: Option<&'a str>,
    pub path: &'a str,
    pub text: &'a str,
}

/// The walks through a command and its script, as far as their languages are understood.
pub fn hook_walks(command: &str, script: Option<RunScript<'_>>) -> Vec<Arc<Walked>> {
    let of_script = script.and_then(|script| {
        let interpreter = interpreter_of(script.program, script.path, script.text);
        Some((script.text, Grammar::of(&interpreter)?))
    });
    let texts = std::iter::once((command, Grammar::Shell)).chain(of_script);
    let models = texts.filter_map(|(text, language)| ScriptModel::parse(text, language));
    models.map(|model| model.walk(&Given::default())).collect()
}
