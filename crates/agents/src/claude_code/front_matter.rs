//! Hooks in the front matter of agents, skills and commands (spec §1). They are always listed, but an agent's
//! hooks run only while the agent runs, and a skill's only after the skill was invoked.

use super::config::{self, HookOrigin};
use super::layer_reader::{LayerReader, config_dir};
use hookbench_base::config::{LayerState, read_settings};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::Layer;
use hookbench_base::text::{Node, Span};
use hookbench_base::text::{front_matter, parse_yaml};

/// The maximum depth of subdirectories.
const MAX_DEPTH: usize = 4;

/// Reads all front matter that contains hooks.
pub fn load(loading: &mut LayerReader<'_>) {
    let project = format!("{}/.claude", loading.place.project);
    let config = config_dir(loading.place);
    let mut roots = vec![config];
    if !roots.contains(&project) {
        roots.push(project);
    }
    for root in roots {
        for path in markdown_files(loading, &format!("{root}/agents"), MAX_DEPTH) {
            read_file(loading, &path, "agent");
        }
        let skills = format!("{root}/skills");
        for name in loading.files.list(&skills) {
            read_file(loading, &format!("{skills}/{name}/SKILL.md"), "skill");
        }
        for path in markdown_files(loading, &format!("{root}/commands"), MAX_DEPTH) {
            read_file(loading, &path, "skill");
        }
    }
}

fn markdown_files(loading: &LayerReader<'_>, directory: &str, depth: usize) -> Vec<String> {
    let mut paths = Vec::new();
    for name in loading.files.list(directory) {
        let path = format!("{directory}/{name}");
        if name.strip_suffix(".md").is_some() {
            paths.push(path);
        } else if depth > 0 && !name.contains('.') {
            paths.extend(markdown_files(loading, &path, depth - 1));
        }
    }
    paths
}

/// Imitates how the agent retries YAML that does not parse: it quotes unindented values that contain YAML syntax,
/// and treats tabs as blanks. Here such a value is replaced by letters of the same length, so that all positions
/// stay the same.
fn mask_values(block: &str) -> String {
    let signs = |value: &str| value.contains(": ") || value.contains(|c: char| "{}[]*&#!|>%@`".contains(c));
    let quoted = |value: &str| ['"', '\''].iter().any(|q| value.starts_with(*q) && value.ends_with(*q));
    let line = |line: &str| {
        let key = line.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '_' || *c == '-').count();
        let value = line.get(key..).and_then(|rest| rest.strip_prefix(':')).unwrap_or("");
        let text = value.trim_start();
        if key == 0 || text.len() == value.len() || !signs(text) || quoted(text) {
            return line.replace('\t', " ");
        }
        let end = text.trim_end_matches(['\r', '\n']);
        let (head, tail) = (line.len() - text.len(), text.len() - end.len());
        format!("{}{}{}", &line[..head], "x".repeat(end.len()), &line[line.len() - tail..])
    };
    block.split_inclusive('\n').map(line).collect()
}

fn read_file(loading: &mut LayerReader<'_>, path: &str, kind: &str) {
    let Ok(bytes) = read_settings(loading.files, path) else { return };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let Some((offset, block)) = front_matter(&text) else { return };
    if !block.lines().any(|line| line.starts_with("hooks:")) {
        return;
    }
    let source = loading.loaded.add_source(loading.place, path, &text);
    let parsed = parse_yaml(source, block, offset);
    let node = match parsed.or_else(|error| parse_yaml(source, &mask_values(block), offset).map_err(|_| error)) {
        Ok(node) => node,
        Err(error) => {
            let message = format!("this front matter cannot be parsed: {}; its hooks are not listed", error.message);
            loading.loaded.notes.push(Diagnostic::new(Code::HW101, message).at(Span::new(source, error.at, error.at)));
            loading.record_layer(Layer::Session, path, LayerState::Broken, Some(error.message), None);
            return;
        }
    };
    let parts: Vec<&str> = path.rsplit('/').collect();
    let stem = match parts.as_slice() {
        ["SKILL.md", directory, ..] => directory,
        [name, ..] => name.strip_suffix(".md").unwrap_or(name),
        [] => path,
    };
    let name = node.get("name").and_then(Node::as_str).unwrap_or(stem);
    let bundle = format!("{kind} {name}");
    let origin = HookOrigin { layer: Layer::Session, bundle: Some(bundle.clone()), from_agent_file: kind == "agent" };
    if let Some(hooks) = node.get("hooks") {
        let mut read = config::read_hooks(hooks, &origin, loading.rules, &mut loading.loaded);
        loading.loaded.definitions.append(&mut read.definitions);
        let state = if read.skip_reason.is_some() { LayerState::Broken } else { LayerState::Read };
        loading.record_layer(Layer::Session, path, state, read.skip_reason, Some(bundle));
    }
}
