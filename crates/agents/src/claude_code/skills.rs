//! The hooks of skills and slash commands. They run for the rest of the session once the Skill tool has loaded it, or once
//! it was typed. Measured on 2.1.332.

use serde_json::Value;

use super::config::{self, HookOrigin};
use super::layer_reader::{LayerReader, config_dir};
use super::{rules, start_arguments};
use hookbench_base::config::{Files, LayerState, read_settings};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::{Scene, SessionState};
use hookbench_base::hook::{HookDefinition, HookInput, Layer};
use hookbench_base::plan::Reason;
use hookbench_base::text::{JsonError, Node, SourceId, Span, front_matter, parse_yaml};

/// Whether the hooks of a skill run in a session.
pub enum SkillReach {
    Yes,
    No(Reason),
    Unknown(Reason),
}

/// Whether a definition is not one of a skill, or one of a skill that is loaded.
pub fn reach(definition: &HookDefinition, scene: &Scene) -> SkillReach {
    let bundle = definition.provenance.bundle.as_deref().unwrap_or("");
    let own = bundle.strip_prefix("skill ").filter(|_| definition.provenance.layer == Layer::Session);
    let Some(own) = own else { return SkillReach::Yes };
    let no = |says: String| SkillReach::No(Reason::new(rules::SKILL_NOT_INVOKED, says));
    if scene.input.body.get("agent_id").is_some() {
        return no(format!("hooks of the {bundle} do not run for a sub-agent"));
    }
    let path = scene.loaded.sources.path(definition.provenance.span.source);
    let is_named = |name: &str| name == own && !path.contains("/commands/") || name == name_in_path(path);
    let memory = &scene.memory;
    // The call of the Skill tool loads it before its own PostToolUse; a typed command is loaded after its own shell
    // commands have run.
    let by_this_call =
        used_skill(&scene.input).is_some_and(|name| scene.input.event == "PostToolUse" && is_named(name));
    let before = memory.loading_skill.iter().filter(|_| scene.input.event != "PreSkillShellCommand");
    if by_this_call || memory.loaded_skills.iter().chain(before).any(|name| is_named(name)) {
        return SkillReach::Yes;
    }
    let says = format!("hooks of the {bundle} run only after it was used in the session");
    if memory.is_known {
        return no(says);
    }
    let says = format!("{says}, and hookbench does not know the earlier events; fire them with `--session`");
    SkillReach::Unknown(Reason::new(rules::SKILL_NOT_INVOKED, says))
}

/// The name by which a file is called: the directory of a skill, or the path of a command with colons.
fn name_in_path(path: &str) -> String {
    if let Some((_, command)) = path.rsplit_once("/commands/") {
        return command.strip_suffix(".md").unwrap_or(command).replace('/', ":");
    }
    let mut parts = path.rsplit('/').skip(1);
    parts.next().unwrap_or(path).to_owned()
}

/// The skill or command that a call of the Skill tool uses.
fn used_skill(input: &HookInput) -> Option<&str> {
    let is_skill = input.body.get("tool_name").and_then(Value::as_str) == Some("Skill");
    let name = input.body.get("tool_input")?.get("skill")?.as_str().filter(|_| is_skill)?;
    Some(name.strip_prefix('/').unwrap_or(name))
}

/// Updates the session after an event.
pub fn remember(state: &mut SessionState, input: &HookInput, blocked: bool) {
    let text = |key: &str| input.body.get(key).and_then(Value::as_str);
    if input.body.get("agent_id").is_some() || input.event == "PreSkillShellCommand" {
        return;
    }
    match (input.event.as_str(), used_skill(input)) {
        ("UserPromptExpansion", _) => match text("command_name").filter(|_| !blocked) {
            Some(name) => state.begin_skill(name),
            None => state.forget_skill(),
        },
        ("UserPromptSubmit", _) => {
            state.finish_skill();
            let typed = text("prompt").and_then(|prompt| prompt.strip_prefix('/'));
            if let Some(name) = typed.and_then(|typed| typed.split_whitespace().next()).filter(|_| !blocked) {
                state.begin_skill(name);
            }
        }
        ("PostToolUse", Some(name)) => {
            state.begin_skill(name);
            state.finish_skill();
        }
        _ => state.finish_skill(),
    }
}

/// The maximum depth of subdirectories.
const MAX_DEPTH: usize = 4;

/// Reads all front matter that contains hooks.
pub fn load(loading: &mut LayerReader<'_>) {
    let project = format!("{}/.claude", loading.place.project);
    let config = config_dir(loading.place);
    let mut roots = vec![(Layer::User, config)];
    if roots.iter().all(|(_, root)| *root != project) {
        roots.push((Layer::Project, project));
    }
    // The agent finds no agents, skills and commands of a source that its arguments leave out.
    roots.retain(|(layer, _)| start_arguments::left_out(&loading.flags, *layer).is_none());
    let has_skills = loading.flags.last("--disable-slash-commands").is_none();
    let given = start_arguments::read_agents(loading);
    for (_, root) in roots {
        for path in markdown_files(loading.files, &format!("{root}/agents"), MAX_DEPTH) {
            read_file(loading, &path, "agent", &given);
        }
        for path in skill_files(loading.files, &root).into_iter().filter(|_| has_skills) {
            read_file(loading, &path, "skill", &[]);
        }
    }
}

/// The files of the skills and slash commands in a directory of settings. A skill's file may be missing.
pub fn skill_files(files: &dyn Files, root: &str) -> Vec<String> {
    let skills = files.list(&format!("{root}/skills")).into_iter();
    let skills = skills.map(|name| format!("{root}/skills/{name}/SKILL.md"));
    skills.chain(markdown_files(files, &format!("{root}/commands"), MAX_DEPTH)).collect()
}

fn markdown_files(files: &dyn Files, directory: &str, depth: usize) -> Vec<String> {
    let mut paths = Vec::new();
    for name in files.list(directory) {
        let path = format!("{directory}/{name}");
        if name.strip_suffix(".md").is_some() {
            paths.push(path);
        } else if depth > 0 && !name.contains('.') {
            paths.extend(markdown_files(files, &path, depth - 1));
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

/// Parses YAML in which the last one of equal keys counts (2.1.332). The parser accepts no equal keys, so the earlier ones
/// are replaced by blanks.
fn parse_with_duplicates(source: SourceId, block: &str, offset: usize) -> Result<Node, JsonError> {
    let mut text = block.to_owned();
    loop {
        let error = match parse_yaml(source, &text, offset) {
            Ok(node) => return Ok(node),
            Err(error) => error,
        };
        match without_earlier_key(&text, error.at.saturating_sub(offset)) {
            Some(shorter) if error.message.contains("duplicated key") => text = shorter,
            _ => return Err(error),
        }
    }
}

/// Replaces the entry before `at` that has the same key by blanks.
fn without_earlier_key(text: &str, at: usize) -> Option<String> {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let key = |line: &str| line.trim_start_matches(' ').split_once(':').map(|(key, _)| key.trim().to_owned());
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut end = 0;
    let own = lines.iter().position(|line| {
        end += line.len();
        at < end
    })?;
    let (depth, name) = (indent(lines.get(own)?), key(lines.get(own)?)?);
    let above = lines.get(..own)?;
    let inside = |line: &&&str| line.trim().is_empty() || indent(line) >= depth;
    let first = own - above.iter().rev().take_while(inside).count();
    let earlier = (first..own).find(|index| {
        lines.get(*index).is_some_and(|line| indent(line) == depth && key(line).as_ref() == Some(&name))
    })?;
    let is_below = |line: &&&str| {
        line.trim().is_empty() || indent(line) > depth || indent(line) == depth && line.trim_start().starts_with("- ")
    };
    let last = earlier + 1 + lines.get(earlier + 1..own)?.iter().take_while(is_below).count();
    let blank =
        |line: &str| line.chars().map(|c| if c == '\n' { c.to_string() } else { " ".repeat(c.len_utf8()) }).collect();
    let masked = |(index, line): (usize, &&str)| -> String {
        if (earlier..last).contains(&index) { blank(line) } else { (*line).to_owned() }
    };
    Some(lines.iter().enumerate().map(masked).collect())
}

/// Reads one file, unless it is an agent with one of the `given` names.
fn read_file(loading: &mut LayerReader<'_>, path: &str, kind: &str, given: &[String]) {
    let Ok(bytes) = read_settings(loading.files, path) else { return };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let Some((offset, block)) = front_matter(&text) else { return };
    if !block.lines().any(|line| line.starts_with("hooks:")) {
        return;
    }
    let source = loading.loaded.add_source(loading.place, path, &text);
    let parsed = parse_with_duplicates(source, block, offset);
    let retried = |error| parse_with_duplicates(source, &mask_values(block), offset).map_err(|_| error);
    let node = match parsed.or_else(retried) {
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
    if given.iter().any(|other| other == name) {
        return;
    }
    let bundle = format!("{kind} {name}");
    let origin = HookOrigin { layer: Layer::Session, bundle: Some(bundle.clone()), from_agent_file: kind == "agent" };
    if let Some(hooks) = node.get("hooks") {
        let mut read = config::read_hooks(hooks, &origin, loading.rules, &mut loading.loaded);
        loading.loaded.definitions.append(&mut read.definitions);
        let state = if read.skip_reason.is_some() { LayerState::Broken } else { LayerState::Read };
        loading.record_layer(Layer::Session, path, state, read.skip_reason, Some(bundle));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_last_of_equal_keys_counts() {
        for (text, want) in [
            ("a: 1\na: 2\n", serde_json::json!({"a": 2})),
            ("h:\n  P:\n    - m: x\n  P:\n    - m: y\n  Q: 1\n", serde_json::json!({"h": {"P": [{"m": "y"}], "Q": 1}})),
            ("h:\n  P:\n  - m: x\n  # c\n\n  P: 3\n  P: 4\nz: 5\n", serde_json::json!({"h": {"P": 4}, "z": 5})),
        ] {
            let node = parse_with_duplicates(SourceId(0), text, 7).map(|node| node.to_value());
            assert_eq!(node.ok(), Some(want), "{text}");
        }
        assert!(parse_with_duplicates(SourceId(0), "a: [\n", 0).is_err());
    }
}
