//! Hooks in the front matter of sub-agent and skill files (spec §10). They are registered while the sub-agent
//! runs, or once the skill is loaded.

use crate::qwen_code::rules;
use serde_json::Value;

use super::layers::user_dir;
use crate::kernel::settings::DefinitionOrigin;
use crate::shared::gemini_fork::layers::Trust;
use hookbench_base::config::{Files, LayerFile, LayerState, LoadedConfig, Place};
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::hook::{Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Node, Span, front_matter, parse_yaml};

/// The setting that lists the sub-agents whose prompt contains `${hook_context}`.
pub const CONTEXT_AGENTS: &str = "hook_context_agents";

/// The bundle prefix of hooks that a sub-agent's file defines.
pub const AGENT: &str = "agent ";
/// The bundle prefix of hooks that a skill's file defines.
pub const SKILL: &str = "skill ";

/// A file of a sub-agent or skill.
pub struct BundleFile {
    path: String,
    /// [`AGENT`] or [`SKILL`].
    kind: &'static str,
    /// Set if the agent drops all hooks of the file.
    refused: Option<Rejection>,
}

/// Returns all sub-agent and skill files of the project and the user.
pub fn list(place: &Place, files: &dyn Files, trusted: &Trust) -> Vec<BundleFile> {
    let mut out = Vec::new();
    for (directory, of_project) in [(format!("{}/.qwen", place.project), true), (user_dir(place), false)] {
        let refused = (of_project && !trusted.is_trusted())
            .then(|| Rejection::new(RungName::Trusted, rules::TRUST_UNTRUSTED, trusted.describe()));
        let mut add = |path, kind| out.push(BundleFile { path, kind, refused: refused.clone() });
        for name in files.list(&format!("{directory}/agents")).iter().filter(|n| n.strip_suffix(".md").is_some()) {
            add(format!("{directory}/agents/{name}"), AGENT);
        }
        for name in files.list(&format!("{directory}/skills")) {
            add(format!("{directory}/skills/{name}/SKILL.md"), SKILL);
        }
    }
    out
}

/// The front matter of a sub-agent or skill.
pub struct FrontMatter {
    kind: &'static str,
    name: String,
    /// Whether the text contains `${hook_context}`.
    wants_context: bool,
    pub hooks: Option<(Node, DefinitionOrigin)>,
}

/// Returns the names of the sub-agents whose prompt contains `${hook_context}`.
pub fn context_agents(all: &[FrontMatter]) -> Value {
    let mut seen: Vec<&str> = Vec::new();
    let mut names: Vec<Value> = Vec::new();
    for agent in all.iter().filter(|one| one.kind == AGENT) {
        // A project's sub-agent hides the user's sub-agent of the same name.
        if !seen.contains(&agent.name.as_str()) {
            seen.push(&agent.name);
            names.extend(agent.wants_context.then(|| Value::from(agent.name.as_str())));
        }
    }
    Value::from(names)
}

/// Reads one file. Returns `None` if it has no front matter with a name.
pub fn read(place: &Place, files: &dyn Files, file: BundleFile, loaded: &mut LoadedConfig) -> Option<FrontMatter> {
    let BundleFile { path, kind, refused } = file;
    let bytes = files.read(&path).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let source = loaded.add_source(place, &path, &text);
    let (offset, head) = front_matter(&text)?;
    let head = match parse_yaml(source, head, offset) {
        Ok(head) => head,
        Err(_) if !head.lines().any(|line| line.trim_start().starts_with("hooks")) => return None,
        Err(error) => {
            let says =
                format!("the front matter of this file cannot be parsed ({}), so its hooks are unknown", error.message);
            let span = Span::new(source, error.at, error.at);
            loaded.notes.push(Diagnostic::lowered(Code::HW101, Severity::Warning, says).at(span));
            return None;
        }
    };
    let name = head.get("name").and_then(Node::as_str)?.to_owned();
    let hooks = head.get("hooks").map(|hooks| {
        let bundle = Some(format!("{kind}{name}"));
        let state = if refused.is_some() { LayerState::Untrusted } else { LayerState::Read };
        let says = Some(if kind == AGENT {
            format!("its hooks exist only while the sub-agent {name} runs")
        } else {
            format!("its hooks exist only after the skill {name} was loaded")
        });
        loaded.layers.push(LayerFile {
            layer: Layer::Session,
            file: place.display_path(&path),
            path: path.clone(),
            state,
            message: says,
            bundle: bundle.clone(),
        });
        let root = path.rsplit_once('/').map_or(path.as_str(), |(directory, _)| directory);
        let env = if kind == SKILL { vec![("QWEN_SKILL_ROOT".to_owned(), root.to_owned())] } else { Vec::new() };
        (hooks.clone(), DefinitionOrigin { layer: Layer::Session, bundle, refused, env })
    });
    let wants_context = text.contains("${hook_context}");
    Some(FrontMatter { kind, name, wants_context, hooks })
}
