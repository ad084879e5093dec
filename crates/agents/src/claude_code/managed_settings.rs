//! Managed settings, as measured on 2.1.330. A value of the wrong type invalidates only itself. A mistake under
//! PreToolUse or PermissionRequest keeps the agent from starting, or with `allowManagedHooksOnly` drops the hooks.

use super::config::{self, HookOrigin, LoadedHooks};
use super::layer_reader::{LayerReader, SettingsFile, refuse_remaining};
use super::{misplaced_hooks, settings_schema};
use hookbench_base::config::{LayerState, LoadRefusal};
use hookbench_base::diagnostic::{Diagnostic, Severity};
use hookbench_base::hook::{FILE_SKIPPED, Layer};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Node, NodeValue};

/// Reads the managed files in order.
pub fn load(loading: &mut LayerReader<'_>, paths: &[String]) {
    let reads: Vec<(String, LoadedHooks)> =
        paths.iter().filter_map(|path| Some((path.clone(), read_file(loading, path)?))).collect();
    let only = managed_hooks_only(loading).is_some_and(|(on, _)| on);
    for (path, mut read) in reads {
        if let Some(says) = read.skip_reason.take() {
            if !only {
                let says = format!("the agent does not start: {says}");
                loading.loaded.refusal.get_or_insert(LoadRefusal { message: says, span: None });
            }
            refuse_remaining(&mut read.definitions, RungName::Parsed, FILE_SKIPPED, &says);
            loading.record_layer(Layer::Managed, &path, LayerState::Broken, Some(says), None);
        } else {
            loading.record_layer(Layer::Managed, &path, LayerState::Read, None, None);
        }
        loading.loaded.definitions.append(&mut read.definitions);
    }
}

/// Reads one file. Returns `None` if it does not exist, is empty or is not a JSON object.
fn read_file(loading: &mut LayerReader<'_>, path: &str) -> Option<LoadedHooks> {
    let before = loading.loaded.layers.len();
    let node = loading.read_json(Layer::Managed, path, None).filter(|node| node.members().is_some());
    let Some(node) = node else {
        let layers = loading.loaded.layers.get(before..).unwrap_or(&[]);
        let fine = layers.iter().any(|layer| matches!(layer.state, LayerState::Absent | LayerState::Read));
        if !fine {
            let says = format!("the agent does not start: {} is not a JSON object", loading.place.display_path(path));
            loading.loaded.refusal.get_or_insert(LoadRefusal { message: says, span: None });
            if layers.is_empty() {
                let says = "a settings file must contain an object".to_owned();
                loading.record_layer(Layer::Managed, path, LayerState::Broken, Some(says), None);
            }
        }
        return None;
    };
    if let Some(problem) =
        settings_schema::schema_error(&node).or_else(|| misplaced_hooks::find_outside_hooks(&node, loading.rules))
    {
        let message =
            format!("{}; only this value is ignored, the rest of the managed settings applies", problem.message);
        loading.loaded.notes.push(
            Diagnostic::lowered(problem.code, Severity::Warning, message).at(problem.span).with_help(problem.help),
        );
    }
    let read = match node.get("hooks") {
        Some(hooks) => {
            config::read_hooks(hooks, &HookOrigin::settings(Layer::Managed), loading.rules, &mut loading.loaded)
        }
        None => LoadedHooks::default(),
    };
    loading.settings.push(SettingsFile { layer: Layer::Managed, node, file: loading.place.display_path(path) });
    Some(read)
}

/// Returns whether `allowManagedHooksOnly` is on, and the file that sets it: the last one that contains the key.
pub fn managed_hooks_only<'a>(loading: &'a LayerReader<'_>) -> Option<(bool, &'a SettingsFile)> {
    let managed = loading.settings.iter().rev().filter(|s| s.layer == Layer::Managed);
    let mut named = managed.filter_map(|s| Some((is_restrictive(s.node.get("allowManagedHooksOnly")?), s)));
    named.next()
}

/// Whether the value of a managed restriction turns it on. A value of the wrong type does.
pub fn is_restrictive(value: &Node) -> bool {
    match &value.value {
        NodeValue::Null => false,
        NodeValue::Bool(on) => *on,
        NodeValue::String(text) => text != "false",
        NodeValue::Number(_) | NodeValue::Array(_) | NodeValue::Object(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::claude_code::layers;
    use hookbench_base::config::{MemoryFiles, Place};
    use hookbench_base::dialects::Version;
    use pretty_assertions::assert_eq;

    const MANAGED: &str = "/etc/claude-code/managed-settings.json";
    const DROP_IN: &str = "/etc/claude-code/managed-settings.d/10.json";
    const DOT: &str = "/etc/claude-code/managed-settings.d/.10.json";

    fn hook(event: &str, command: &str) -> String {
        format!(r#""{event}":[{{"hooks":[{{"type":"command","command":"{command}"}}]}}]"#)
    }

    /// The observed behaviour: which hooks run, or that Claude Code does not start.
    #[test]
    fn mistakes() {
        let m = hook("PreToolUse", "m");
        let bad = r#"{"type":"command"}"#;
        for (path, text, want) in [
            (MANAGED, format!(r#"{{"hooks":{{{m}}},"model":5}}"#), Some("p m")),
            (MANAGED, format!(r#"{{"hooks":{{{m}}},"model":5,"allowManagedHooksOnly":true}}"#), Some("m")),
            (MANAGED, format!(r#"{{"hooks":{{{m}}},"allowManagedHooksOnly":"true"}}"#), Some("m")),
            (MANAGED, format!(r#"{{"hooks":{{{m}}},"allowManagedHooksOnly":"false"}}"#), Some("p m")),
            (MANAGED, format!(r#"{{"hooks":{{{m}}},"allowManagedHooksOnly":"x"}}"#), Some("m")),
            (MANAGED, format!(r#"{{"hooks":{{{m}}},"allowManagedHooksOnly":1}}"#), Some("m")),
            (MANAGED, format!(r#"{{"hooks":{{{m}}},"allowManagedHooksOnly":null}}"#), Some("p m")),
            (MANAGED, format!(r#"{{"hooks":{{{m}}},"disableAllHooks":"true"}}"#), Some("p m")),
            (MANAGED, format!(r#"{{"hooks":{{{m}}},"strictPluginOnlyCustomization":"hooks"}}"#), Some("m")),
            (MANAGED, format!(r#"{{"hooks":{{{m},"PostToolUse":[{{"hooks":[{bad}]}}]}}}}"#), Some("p m")),
            (MANAGED, format!(r#"{{"hooks":{{{m},"PreToolUse":[{{"hooks":[{bad}]}}]}}}}"#), None),
            (
                MANAGED,
                format!(r#"{{"allowManagedHooksOnly":true,"hooks":{{{m},"PreToolUse":[{{"hooks":[{bad}]}}]}}}}"#),
                Some(""),
            ),
            (MANAGED, r#"{"hooks":{"PreToolUse":"x"}}"#.to_owned(), None),
            (MANAGED, format!(r#"{{"hooks":{{"PreToolUse":null,{}}}}}"#, hook("Stop", "m")), Some("p m")),
            (MANAGED, r#"{"hooks":"x"}"#.to_owned(), Some("p")),
            (MANAGED, r#"{"hooks":[{"PreToolUse":[]}]}"#.to_owned(), None),
            (MANAGED, format!("{{{m}}}"), Some("p")),
            (MANAGED, "{ \"hooks\": {".to_owned(), None),
            (MANAGED, "[]".to_owned(), None),
            (MANAGED, String::new(), Some("p")),
            (DROP_IN, "{ bad".to_owned(), None),
            (DROP_IN, format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{bad}]}}]}}}}"#), None),
            (DROP_IN, format!(r#"{{"hooks":{{{m}}}}}"#), Some("p m")),
            (DOT, format!(r#"{{"hooks":{{{m}}}}}"#), Some("p")),
            (DOT, "{ bad".to_owned(), Some("p")),
        ] {
            let place = Place { project: "/w/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
            let mut files = MemoryFiles::default();
            files.put("/w/p/.claude/settings.json", format!(r#"{{"hooks":{{{}}}}}"#, hook("PreToolUse", "p")));
            files.put(path, &text);
            let loaded = layers::load(&place, &files, &Version::new(2, 1, 330));
            let alive = loaded.definitions.iter().filter(|d| d.rejection.is_none());
            let alive: Vec<String> = alive.map(|d| d.handler.text()).collect();
            let got = loaded.refusal.is_none().then(|| alive.join(" "));
            assert_eq!(got.as_deref(), want, "{text}");
        }
    }
}
