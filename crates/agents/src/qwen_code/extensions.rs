//! Extensions: where they are installed, whether they are enabled, and where their hooks are (spec §2.2).

use serde_json::Value;

use super::formats::FORMATS;
use super::layers::user_dir;
use super::substitution::VariableValues;
use crate::shared::gemini_fork::extensions::{ExtensionManifest, by_argument, last_rule, read_hooks};
use hookbench_base::config::{Files, LoadedConfig, Place};
use hookbench_base::text::{Node, NodeValue, truthy};

/// One extension with a readable manifest.
#[derive(Debug, Clone)]
pub struct Extension {
    pub name: String,
    /// Why it is disabled, or `None` if it is enabled.
    pub disabled_reason: Option<String>,
    /// The hooks by event, and the reason if the agent ignores all of them.
    pub hooks: Option<(Node, Option<String>)>,
}

/// Reads the extensions in `extensions/` of the user's directory (`~/.qwen` or `$QWEN_HOME`), sorted by directory name.
pub fn read(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) -> Vec<Extension> {
    let root = format!("{}/extensions", user_dir(place));
    let values = VariableValues::read(place, files, &user_dir(place));
    let switches = ExtensionSwitches::read(place, files);
    let mut out = Vec::new();
    for name in files.list(&root) {
        let dir = resolve_link(place, files, &format!("{root}/{name}"));
        if let Some(extension) = read_one(place, files, &values, &switches, &dir, loaded) {
            out.push(extension);
        }
    }
    out
}

/// Returns the directory that a linked installation points to, or the directory itself.
fn resolve_link(place: &Place, files: &dyn Files, dir: &str) -> String {
    let install = files.read(&format!("{dir}/.qwen-extension-install.json")).ok();
    let install: Option<Value> = install.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let link = install.filter(|i| i.get("type").and_then(Value::as_str) == Some("link"));
    match link.as_ref().and_then(|i| i.get("source")).and_then(Value::as_str) {
        Some(source) => place.absolute(&place.project, source),
        None => dir.to_owned(),
    }
}

fn read_one(
    place: &Place,
    files: &dyn Files,
    values: &VariableValues<'_>,
    switches: &ExtensionSwitches,
    dir: &str,
    loaded: &mut LoadedConfig,
) -> Option<Extension> {
    if is_agent_plugin(files, dir) {
        return None;
    }
    let mut manifest = ExtensionManifest::read(place, files, format!("{dir}/qwen-extension.json"), loaded)?;
    manifest.root.map_strings(&mut |text| values.expand_text(&expand_variables(place, text, dir)));
    let valid = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let Some(name) = manifest.root.get("name").and_then(Node::as_str).filter(|n| valid(n)).map(str::to_owned) else {
        manifest.skip("the manifest has no valid `name`", loaded);
        return None;
    };
    let off =
        by_argument(&FORMATS.given(place), &name).unwrap_or_else(|| switches.disabled_reason(place, files, &name));
    manifest.record(&name, off.as_ref(), loaded);
    let hooks = hooks_of(place, files, &manifest.root, &name, dir, loaded).map(|mut hooks| {
        let dropped = exception_cause(&hooks);
        if dropped.is_none() {
            expand_root_in_commands(&mut hooks, dir);
        }
        (hooks, dropped)
    });
    Some(Extension { name, disabled_reason: off, hooks })
}

/// Returns whether a directory is in the Agent Plugins format. The agent loads it as such, and that format has no
/// hooks.
fn is_agent_plugin(files: &dyn Files, dir: &str) -> bool {
    let manifest = files.read(&format!("{dir}/plugin.json")).ok();
    let manifest: Option<Value> = manifest.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let schema = manifest.as_ref().and_then(|m| m.get("$schema")).and_then(Value::as_str);
    schema.is_some_and(|schema| schema.starts_with("https://agent-plugins.org/schemas/"))
}

/// Replaces `${extensionPath}` and similar variables in the strings of a manifest.
fn expand_variables(place: &Place, text: &str, dir: &str) -> String {
    [
        ("${extensionPath}", dir),
        ("${CLAUDE_PLUGIN_ROOT}", dir),
        ("${workspacePath}", place.project.as_str()),
        ("${/}", "/"),
        ("${pathSeparator}", "/"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
}

/// Returns the map of events: from the manifest, from the file that it names, or from `hooks/hooks.json`.
fn hooks_of(
    place: &Place,
    files: &dyn Files,
    manifest: &Node,
    name: &str,
    dir: &str,
    loaded: &mut LoadedConfig,
) -> Option<Node> {
    let mut path = format!("{dir}/hooks/hooks.json");
    match manifest.get("hooks") {
        Some(node) if node.as_str().is_none() && truthy(&node.to_value()) => return Some(node.clone()),
        Some(node) => {
            let named = node.as_str().filter(|s| !s.is_empty()).map(|s| place.absolute(dir, s));
            if let Some(named) = named.filter(|p| files.exists(p)) {
                path = named;
            }
        }
        None => {}
    }
    read_hooks(place, files, path, name, loaded, |root, _| {
        let inner = root.get("hooks").filter(|node| truthy(&node.to_value())).cloned();
        Ok(inner.unwrap_or(root))
    })
}

/// Returns why the agent throws while it inserts the extension's directory into commands. The extension then loses
/// all its hooks.
fn exception_cause(hooks: &Node) -> Option<String> {
    for event in hooks.effective_members() {
        for group in event.value.items().unwrap_or(&[]) {
            if group.value == NodeValue::Null {
                return Some(format!("{} contains a null definition", event.key));
            }
            for hook in group.get("hooks").and_then(Node::items).unwrap_or(&[]) {
                if hook.value == NodeValue::Null {
                    return Some(format!("{} contains a null hook", event.key));
                }
                let command =
                    hook.get("command").filter(|_| hook.get("type").and_then(Node::as_str) == Some("command"));
                if command.is_some_and(|c| c.as_str().is_none() && truthy(&c.to_value())) {
                    return Some(format!("{} contains a command that is not a string", event.key));
                }
            }
        }
    }
    None
}

/// Replaces `${CLAUDE_PLUGIN_ROOT}` in the commands of command hooks.
fn expand_root_in_commands(hooks: &mut Node, dir: &str) {
    let NodeValue::Object(events) = &mut hooks.value else { return };
    for event in events {
        for hook in groups_mut(&mut event.value).iter_mut().flat_map(|group| match member_mut(group, "hooks") {
            Some(hooks) => groups_mut(hooks).iter_mut(),
            None => [].iter_mut(),
        }) {
            if hook.get("type").and_then(Node::as_str) == Some("command")
                && let Some(Node { value: NodeValue::String(command), .. }) = member_mut(hook, "command")
            {
                *command = command.replace("${CLAUDE_PLUGIN_ROOT}", dir);
            }
        }
    }
}

fn groups_mut(node: &mut Node) -> &mut [Node] {
    match &mut node.value {
        NodeValue::Array(items) => items,
        _ => &mut [],
    }
}

fn member_mut<'a>(node: &'a mut Node, key: &str) -> Option<&'a mut Node> {
    match &mut node.value {
        NodeValue::Object(members) => members.iter_mut().rev().find(|m| m.key == key).map(|m| &mut m.value),
        _ => None,
    }
}

/// The rules that enable and disable extensions: the current store, and the older file from which it was migrated.
struct ExtensionSwitches {
    state: Option<Value>,
    overrides: Option<Value>,
}

impl ExtensionSwitches {
    fn read(place: &Place, files: &dyn Files) -> ExtensionSwitches {
        let dir = user_dir(place);
        let json = |path: String| -> Option<Value> { serde_json::from_slice(&files.read(&path).ok()?).ok() };
        ExtensionSwitches {
            state: json(format!("{dir}/extension-store/state.json")),
            overrides: json(format!("{dir}/extensions/extension-enablement.json")),
        }
    }

    /// Returns why an extension is disabled here, or `None` if it is enabled.
    fn disabled_reason(&self, place: &Place, files: &dyn Files, name: &str) -> Option<String> {
        let real = files.canonical(&place.project).unwrap_or_else(|| place.project.clone());
        let directories = [with_slash(&place.project), with_slash(&real)];
        let policy = self.state.as_ref().and_then(|state| {
            let policies = state.get("extensions")?.as_object()?;
            policies
                .values()
                .find(|p| p.get("name").and_then(Value::as_str).is_some_and(|n| n.eq_ignore_ascii_case(name)))
        });
        let Some(policy) = policy else {
            let (_, entry) =
                self.overrides.as_ref()?.as_object()?.iter().find(|(n, _)| n.eq_ignore_ascii_case(name))?;
            let (on, rule) = last_matching(entry.get("overrides"), &directories)?;
            return (!on).then(|| format!("switched off by the rule \"{rule}\" in extension-enablement.json"));
        };
        let default = policy.get("defaultActivation").and_then(Value::as_str) != Some("disabled");
        let by_default = (!default).then(|| "switched off by default in extension-store/state.json".to_owned());
        let workspace = policy.get("workspaceOverrides").and_then(|o| o.get(&real).or_else(|| o.get(&place.project)));
        match workspace.and_then(Value::as_str) {
            Some("enabled") => return None,
            Some("disabled") => {
                return Some("switched off for this directory in extension-store/state.json".to_owned());
            }
            Some("inherit") => return by_default,
            _ => {}
        }
        match last_matching(policy.get("legacyPathRules"), &directories) {
            Some((true, _)) => None,
            Some((false, rule)) => Some(format!("switched off by the rule \"{rule}\" in extension-store/state.json")),
            None => by_default,
        }
    }
}

fn with_slash(path: &str) -> String {
    if path.ends_with('/') { path.to_owned() } else { format!("{path}/") }
}

/// Returns the last rule that matches one of the directories: `true` if it enables the extension, and its text.
fn last_matching<'a>(rules: Option<&'a Value>, directories: &[String]) -> Option<(bool, &'a str)> {
    let rules = rules?.as_array()?.iter().filter_map(Value::as_str);
    last_rule(rules, |path| directories.iter().any(|directory| matches_directory(path, directory)))
}

/// Returns whether a pattern matches the whole text: `*` matches anything, all other characters are literal.
fn matches_directory(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    let mut rest = rest;
    for part in middle {
        match rest.find(part).and_then(|at| rest.get(at + part.len()..)) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::text::{JsonSyntax, parse_json};
    use serde_json::json;

    #[test]
    fn rules_switch_in_file_order() {
        let directories = ["/w/a/".to_owned()];
        for (rules, want) in [
            (json!([]), None),
            (json!(["!/w/*"]), Some(false)),
            (json!(["!/w/*", "/w/a/*"]), Some(true)),
            (json!(["/w/a/*", "!/w/*"]), Some(false)),
            (json!(["!/w/a"]), None),
            (json!(["!/w/a/"]), Some(false)),
            (json!(["!/w/a*"]), Some(false)),
            (json!(["!/w/b/*", 5]), None),
            (json!(["!/*"]), Some(false)),
            (json!(["!/W/*"]), None),
            (json!(["!*a/"]), Some(false)),
        ] {
            assert_eq!(last_matching(Some(&rules), &directories).map(|(on, _)| on), want, "{rules}");
        }
    }

    #[test]
    fn poison_is_found() {
        let node = |value: &Value| {
            parse_json(hookbench_base::text::SourceId(0), &value.to_string(), JsonSyntax::default()).unwrap()
        };
        for (value, want) in [
            (json!({"Stop": [null]}), true),
            (json!({"Other": [{"hooks": [null]}]}), true),
            (json!({"Stop": [{"hooks": [{"type": "command", "command": ["a"]}]}]}), true),
            (json!({"Stop": ["x", 5, {"hooks": ["x", {"type": "http", "command": 5}]}]}), false),
            (json!({"Stop": null}), false),
        ] {
            assert_eq!(exception_cause(&node(&value)).is_some(), want, "{value}");
        }
    }
}
