//! Settings files of one agent that others read, too. A fix for a reader must not change what the owner reads.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::{FileFix, Finding, LintInput, LoadedAgent, Overlay, PlacedCode, placed_code};
use hookbench_core::config::LoadedConfig;
use hookbench_core::diagnostic::{Code, CodeFamily};
use hookbench_core::hook::{Handler, HookDefinition, Layer};
use hookbench_core::text::edit::EditSet;

/// The layers that can be a file of their owner.
const OWN_LAYERS: [Layer; 3] = [Layer::User, Layer::Project, Layer::Local];

/// Removes the fixes of readers from files of other agents, unless the owner has the same finding or reads the fixed file
/// in the same way. The help names the owner instead.
pub(super) fn keep_for_owners(project: &LintInput, findings: &mut [Finding]) {
    let known: HashSet<PlacedCode> = findings.iter().filter(|one| is_about_settings(one)).map(placed_code).collect();
    let agent_of = |id| project.agents.iter().find(|one| Some(one.dialect.id()) == id);
    for finding in findings {
        let owner =
            finding.path.as_ref().filter(|_| is_about_settings(finding)).and_then(|path| owner_of(project, path));
        let Some((owner, reader)) = owner.zip(agent_of(finding.agent)) else { continue };
        let (owner_id, reader_id) = (owner.dialect.id(), reader.dialect.id());
        let (_, code, path, place) = placed_code(finding);
        if owner_id == reader_id || known.contains(&(Some(owner_id), code, path, place)) {
            continue;
        }
        if finding.fix.as_ref().is_some_and(|fix| reads_the_same(project, owner, fix)) {
            continue;
        }
        let (owner, reader) = (owner.dialect.name(), reader.dialect.name());
        finding.fix = None;
        finding.help = Some(match code {
            Code::HW113 => format!("leave it: {owner} reads this key, and {reader} ignores it"),
            _ => format!(
                "keep it for {owner}, which owns this file, and write the hook for {reader} into a separate file"
            ),
        });
    }
}

/// Whether a finding has a place in the settings of an agent.
fn is_about_settings(finding: &Finding) -> bool {
    matches!(finding.code.family(), Some(CodeFamily::Files | CodeFamily::Matchers)) && finding.place.is_some()
}

/// Returns the agent whose own settings file this is, if it has loaded it.
fn owner_of<'a>(project: &'a LintInput, path: &str) -> Option<&'a LoadedAgent> {
    project.agents.iter().find(|agent| {
        let file = agent.dialect.settings_format().layer_file;
        OWN_LAYERS.iter().any(|layer| file(&project.place, *layer).is_some_and(|own| own == path))
            && agent.loaded.existing_layers().any(|layer| layer.path == path)
    })
}

/// Whether the owner of a file reads the same hooks after a fix.
fn reads_the_same(project: &LintInput, owner: &LoadedAgent, fix: &FileFix) -> bool {
    let mut files = Overlay::new(Arc::clone(&project.files));
    for path in fix.edits.iter().map(|edit| edit.path.as_str()).collect::<BTreeSet<_>>() {
        let edits: EditSet = fix.edits.iter().filter(|edit| edit.path == path).map(|edit| edit.edit.clone()).collect();
        let text = project.files.read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(fixed) = text.and_then(|text| edits.apply(&text).ok()) else { return false };
        files.texts.insert(files.real(path), fixed.into_bytes());
    }
    let fixed = owner.dialect.load(&project.place, &files, &owner.version);
    hooks(&fixed) == hooks(&owner.loaded)
}

/// The hooks of a configuration, with everything that decides whether and how they run.
#[allow(clippy::type_complexity, reason = "compared as a whole, and nowhere else")]
fn hooks(loaded: &LoadedConfig) -> Vec<(&str, String, &Handler, Option<&str>, bool, bool)> {
    let matcher = |hook: &HookDefinition| match hook.matcher_text() {
        text if text == "*" => String::new(),
        text => text,
    };
    let all = loaded.definitions.iter().map(|one| {
        let condition = one.condition.as_deref();
        (one.event.as_str(), matcher(one), &one.handler, condition, one.detached, one.rejection.is_some())
    });
    all.collect()
}
