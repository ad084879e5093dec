//! Names and keys that a hook's script expects and that an agent never sends. For users who move hooks from one
//! agent to another or share them between several.

use hookbench_core::config::{Files, LoadedConfig, Place};
use hookbench_core::diagnostic::Code;
use hookbench_core::dialects::{Agent, MachineFacts, Version};
use hookbench_core::hook::{DefinitionId, HookDefinition};
use hookbench_core::lint::{CommandFacts, LintScope, check_expectations};

/// One name or key that is never sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsentValue {
    pub hook: DefinitionId,
    pub code: Code,
    /// The location as displayed: `guard.py:3`.
    pub place: String,
    pub message: String,
    pub help: String,
}

/// Finds the names and keys that scripts of these hooks expect but never receive. `outside` resolves what a
/// definition's command starts.
pub fn unsent_values(
    dialect: &Agent,
    version: &Version,
    place: &Place,
    files: &dyn Files,
    loaded: &LoadedConfig,
    definitions: &[&HookDefinition],
    outside: &dyn Fn(&HookDefinition) -> CommandFacts,
) -> Vec<UnsentValue> {
    let around = MachineFacts::default();
    let scope = LintScope { dialect, version, place, files, loaded, machine: &around };
    let (found, sources) = check_expectations(scope, definitions, outside);
    found
        .into_iter()
        .map(|(hook, one)| {
            let place = one.place(&sources).map_or_else(String::new, |(file, at)| match at {
                Some((line, _)) => format!("{file}:{line}"),
                None => file,
            });
            UnsentValue { hook, code: one.code, place, message: one.message, help: one.help.unwrap_or_default() }
        })
        .collect()
}
