//! Hooks in the front matter of sub-agent and skill files (spec §10). They are registered while the sub-agent
//! runs, or once the skill is loaded.

use serde_json::Value;

use super::config::ConfigReader;
use super::layers::user_dir;
use crate::shared::gemini_fork::config::HookOrigin;
use crate::shared::gemini_fork::trust::Trust;
use hookbench_base::config::{Files, LayerFile, LayerState, Place};
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::hook::{Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Node, Span};
use hookbench_base::text::{front_matter, parse_yaml};

/// The setting that lists the sub-agents whose prompt contains `${hook_context}`.
pub const CONTEXT_AGENTS: &str = "hook_context_agents";

/// The bundle prefix of hooks that a sub-agent's file defines.
pub const AGENT: &str = "agent ";
/// The bundle prefix of hooks that a skill's file defines.
pub const SKILL: &str = "skill ";

/// Reads all sub-agent and skill files of the project and the user.
pub fn read(place: &Place, files: &dyn Files, trusted: &Trust, reader: &mut ConfigReader<'_>) {
    let folders = [(format!("{}/.qwen", place.project), true), (user_dir(place), false)];
    let mut templates = Vec::new();
    for (folder, of_project) in &folders {
        let refused = (*of_project && !trusted.is_trusted())
            .then(|| Rejection::new(RungName::Trusted, "trust.untrusted", trusted.describe()));
        for name in files.list(&format!("{folder}/agents")).iter().filter(|n| n.strip_suffix(".md").is_some()) {
            let path = format!("{folder}/agents/{name}");
            if let Some((name, wants_context)) = read_one(place, files, &path, AGENT, refused.as_ref(), reader) {
                // A project's sub-agent hides the user's sub-agent of the same name.
                if !templates.iter().any(|(seen, _)| *seen == name) {
                    templates.push((name, wants_context));
                }
            }
        }
        for name in files.list(&format!("{folder}/skills")) {
            let path = format!("{folder}/skills/{name}/SKILL.md");
            let _ = read_one(place, files, &path, SKILL, refused.as_ref(), reader);
        }
    }
    let names: Vec<Value> =
        templates.into_iter().filter(|(_, wants)| *wants).map(|(name, _)| Value::from(name)).collect();
    reader.loaded.settings.insert(CONTEXT_AGENTS.to_owned(), Value::from(names));
}

/// Reads one file. Returns the name in its front matter, and whether its body contains `${hook_context}`.
fn read_one(
    place: &Place,
    files: &dyn Files,
    path: &str,
    kind: &str,
    refused: Option<&Rejection>,
    reader: &mut ConfigReader<'_>,
) -> Option<(String, bool)> {
    let bytes = files.read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let source = reader.loaded.add_source(place, path, &text);
    let (offset, head) = front_matter(&text)?;
    let head = match parse_yaml(source, head, offset) {
        Ok(head) => head,
        Err(_) if !head.lines().any(|line| line.trim_start().starts_with("hooks")) => return None,
        Err(error) => {
            let says =
                format!("the head of this file is not understood ({}), so its hooks are not known", error.message);
            let span = Span::new(source, error.at, error.at);
            reader.loaded.notes.push(Diagnostic::warning("HW101", says).at(span));
            return None;
        }
    };
    let name = head.get("name").and_then(Node::as_str)?.to_owned();
    if let Some(hooks) = head.get("hooks") {
        let bundle = Some(format!("{kind}{name}"));
        let state = if refused.is_some() { LayerState::Untrusted } else { LayerState::Read };
        let says = Some(if kind == AGENT {
            format!("its hooks are registered while the sub-agent {name} lives")
        } else {
            format!("its hooks are registered once the skill {name} was loaded")
        });
        reader.loaded.layers.push(LayerFile {
            layer: Layer::Session,
            file: place.display_path(path),
            path: path.to_owned(),
            state,
            message: says,
            bundle: bundle.clone(),
        });
        let root = path.rsplit_once('/').map_or(path, |(folder, _)| folder);
        let env = if kind == SKILL { vec![("QWEN_SKILL_ROOT".to_owned(), root.to_owned())] } else { Vec::new() };
        reader.add_hooks(hooks, &HookOrigin { layer: Layer::Session, bundle, refused: refused.cloned(), env });
    }
    Some((name, text.contains("${hook_context}")))
}
