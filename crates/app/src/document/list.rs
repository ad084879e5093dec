//! The document of `list`.

use hookbench_core::diagnostic::Code;
use std::collections::HashMap;

use serde::Serialize;

use super::firings::{BasisDoc, LeftOutAgentDoc, basis_doc};
use super::hook::{DiagnosticDoc, PlanHookDoc, diagnostic, hook_doc};
use crate::environment::installed_agents::Installation;
use crate::session::AgentState;
use crate::views::inventory::{AgentFiles, SharedFile, agent_files, shared_files, state_word};
use hookbench_core::config::{Place, Switch};
use hookbench_core::hook::{HookDefinition, Layer};
use hookbench_core::lint::untrusted_files;

/// Every hook of every agent, by layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListDoc {
    /// `list/1`.
    pub schema: &'static str,
    pub agents: Vec<AgentDoc>,
    /// The files with hooks that several of these agents read; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_files: Option<Vec<SharedFile>>,
    /// The agents that are left out, because they are neither installed nor configured. Absent if there are
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Vec<LeftOutAgentDoc>>,
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
    pub switches: Vec<Switch>,
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

/// A file that looks like hook configuration but is not read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotLoadedDoc {
    pub file: String,
    pub says: String,
}

/// Builds the document of all agents whose configuration is loaded.
pub fn list_doc<'a>(place: &Place, agents: impl Iterator<Item = &'a AgentState>) -> ListDoc {
    let agents: Vec<&AgentState> = agents.collect();
    let files: Vec<AgentFiles> = agents.iter().filter_map(|agent| agent_files(agent)).collect();
    let shared = shared_files(&files);
    ListDoc {
        schema: "list/1",
        agents: agents.iter().filter_map(|agent| agent_doc(place, agent)).collect(),
        shared_files: Some(shared).filter(|shared| !shared.is_empty()),
        left_out: None,
    }
}

fn agent_doc(place: &Place, agent: &AgentState) -> Option<AgentDoc> {
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
    let untrusted = untrusted_files(agent.dialect, place, loaded);
    Some(AgentDoc {
        agent: agent.dialect.id().to_string(),
        version: agent.basis.requested.to_string(),
        basis: basis_doc(&agent.basis),
        installed: agent.installed.is_present(),
        version_unknown: (agent.installed == Installation::UnknownVersion).then_some(true),
        layers,
        switches: loaded.switches.clone(),
        not_loaded: loaded
            .ignored_files
            .iter()
            .map(|n| NotLoadedDoc { file: n.file.clone(), says: n.advice() })
            .collect(),
        diagnostics: refused
            .chain(loaded.notes.iter().chain(&untrusted).map(|found| diagnostic(found, loaded)))
            .collect(),
    })
}
