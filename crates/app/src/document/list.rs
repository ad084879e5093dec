//! The document of `list`.

use hookbench_core::diagnostic::Code;
use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use super::basis::{BasisDoc, basis_doc};
use super::hook::{DiagnosticDoc, PlanHookDoc, diagnostic, hook_doc};
use crate::environment::installed_agents::Installation;
use crate::session::AgentState;
use crate::views::inventory::state_word;
use hookbench_core::hook::{HookDefinition, Layer};

/// Every hook of every agent, by layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListDoc {
    /// `list/1`.
    pub schema: &'static str,
    pub agents: Vec<AgentDoc>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentDoc {
    pub agent: String,
    pub version: String,
    pub basis: BasisDoc,
    pub installed: bool,
    /// True if the files of the installed program state no version, so that `version` is assumed; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version_unknown: Option<bool>,
    pub layers: Vec<LayerDoc>,
    pub switches: Vec<SwitchDoc>,
    pub not_loaded: Vec<NotLoadedDoc>,
    pub diagnostics: Vec<DiagnosticDoc>,
}

/// One settings file of the agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerDoc {
    pub layer: &'static str,
    pub file: String,
    /// `read`, `absent`, `broken`, `untrusted` or `off`.
    pub state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    pub hooks: Vec<PlanHookDoc>,
}

/// A setting that turns hooks on or off.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SwitchDoc {
    pub name: String,
    pub value: Value,
    pub set_by: Option<String>,
    pub says: String,
}

/// A file that looks like hook configuration but is not read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotLoadedDoc {
    pub file: String,
    pub says: String,
}

/// Builds the document of all agents whose configuration is loaded.
pub fn list_doc<'a>(agents: impl Iterator<Item = &'a AgentState>) -> ListDoc {
    ListDoc { schema: "list/1", agents: agents.filter_map(agent_doc).collect() }
}

fn agent_doc(agent: &AgentState) -> Option<AgentDoc> {
    let loaded = agent.loaded.as_ref()?;
    let mut written: HashMap<(&str, Layer), Vec<&HookDefinition>> = HashMap::new();
    for definition in &loaded.definitions {
        written.entry((definition.provenance.file.as_str(), definition.provenance.layer)).or_default().push(definition);
    }
    let layers = loaded
        .layers
        .iter()
        .map(|layer| LayerDoc {
            layer: layer.layer.word(),
            file: layer.file.clone(),
            state: state_word(layer.state),
            says: layer.message.clone(),
            hooks: written
                .get(&(layer.file.as_str(), layer.layer))
                .into_iter()
                .flatten()
                .map(|d| {
                    let mut hook = hook_doc(d, None);
                    hook.event = Some(d.event.clone());
                    if d.rejection.is_none() {
                        hook.verdict = "fires";
                        "list.in-effect".clone_into(&mut hook.why.rule);
                    }
                    hook
                })
                .collect(),
        })
        .collect();
    let refused = loaded.refusal.iter().map(|refusal| {
        let mut why = hookbench_core::diagnostic::Diagnostic::new(Code::AgentRefuses, refusal.message.clone());
        why.span = refusal.span;
        diagnostic(&why, loaded)
    });
    Some(AgentDoc {
        agent: agent.dialect.id().to_string(),
        version: agent.basis.requested.to_string(),
        basis: basis_doc(&agent.basis),
        installed: agent.installed.is_present(),
        version_unknown: (agent.installed == Installation::UnknownVersion).then_some(true),
        layers,
        switches: loaded
            .switches
            .iter()
            .map(|s| SwitchDoc {
                name: s.name.clone(),
                value: s.value.clone(),
                set_by: s.set_by.clone(),
                says: s.message.clone(),
            })
            .collect(),
        not_loaded: loaded
            .ignored_files
            .iter()
            .map(|n| NotLoadedDoc { file: n.file.clone(), says: n.message.clone() })
            .collect(),
        diagnostics: refused.into_iter().chain(loaded.notes.iter().map(|d| diagnostic(d, loaded))).collect(),
    })
}
