//! The arguments that add to the configuration: `-c key=value`, `--enable` and `--disable`, the file of `--profile`. Measured
//! on 0.171.0.

use super::config_node::{ConfigEntry, ConfigNode, ConfigValue};
use super::features::is_feature;
use super::layers::{LayerReader, user_dir};
use hookbench_base::config::{GivenFlag, GivenFlags, LayerFile, LayerState, LoadRefusal};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::Layer;
use hookbench_base::text::Span;

/// The file that Codex names for hooks of `-c`; keys of reviews begin with it.
pub const SESSION_FLAGS: &str = "/<session-flags>/config.toml";
/// How hookbench shows that file.
const SHOWN: &str = "-c";

/// Returns the configuration of `-c`, `--enable` and `--disable`. Later arguments win, and the features win over `-c`:
/// `--disable` over all.
pub fn overrides(reading: &mut LayerReader<'_>, flags: &GivenFlags) -> Option<ConfigNode> {
    let mut tree: Option<ConfigNode> = None;
    for given in flags.all("-c") {
        let text = given.value().to_owned();
        let source = reading.loaded.sources.add(SHOWN, SHOWN, text.as_str());
        let span = Span::new(source, 0, text.len());
        let Some((key, _)) = text.split_once('=') else {
            refuse(reading, &format!("`{}` has no `=`", given.shown));
            continue;
        };
        // Blanks in place of the key, so that the places in the text stay the same.
        let name = if key.is_empty() { String::new() } else { format!("{}x", " ".repeat(key.len() - 1)) };
        let document = format!("{name}{}", text.get(key.len()..).unwrap_or(""));
        let parsed = ConfigNode::from_toml(source, &document).ok().and_then(|tree| tree.get("x").cloned());
        // A value that is not TOML is a text.
        let raw = text.get(key.len() + 1..).unwrap_or("").trim().trim_matches(['"', '\'']);
        let value = parsed.unwrap_or_else(|| ConfigNode { span, value: ConfigValue::Text(raw.to_owned()) });
        // The key is split at every dot: quotes do not hold a part together, they stay in its name.
        let path: Vec<&str> = key.trim().split('.').collect();
        set(tree.get_or_insert_with(|| table(span)), &path, span, value);
    }
    for (flag, on) in [("--enable", true), ("--disable", false)] {
        for given in flags.all(flag) {
            let source = reading.loaded.sources.add(given.shown.as_str(), SHOWN, given.shown.as_str());
            let span = Span::new(source, 0, given.shown.len());
            if !is_feature(given.value()) {
                refuse(reading, &format!("`{}` names a feature that it does not have", given.shown));
                continue;
            }
            let value = ConfigNode { span, value: ConfigValue::Bool(on) };
            set(tree.get_or_insert_with(|| table(span)), &["features", given.value()], span, value);
        }
    }
    if tree.is_some() {
        reading.loaded.layers.push(LayerFile {
            layer: Layer::Flag,
            path: SESSION_FLAGS.to_owned(),
            file: SHOWN.to_owned(),
            state: LayerState::Read,
            message: Some("arguments of the agent give it: -c, --enable, --disable".to_owned()),
            bundle: None,
        });
    }
    tree
}

/// Returns the path of the profile's file. Codex says nothing about a profile without a file.
pub fn profile(reading: &mut LayerReader<'_>, flags: &GivenFlags, user: Option<&ConfigNode>) -> Option<String> {
    let given: &GivenFlag = flags.last("--profile")?;
    let name = given.value();
    let is_old = |user: &ConfigNode| {
        user.get("profiles").is_some_and(|profiles| profiles.get(name).is_some())
            || user.get("profile").and_then(ConfigNode::as_str) == Some(name)
    };
    let path = format!("{}/{name}.config.toml", user_dir(reading.place));
    let file = reading.place.display_path(&path);
    if user.is_some_and(is_old) {
        refuse(reading, &format!("config.toml has the profile \"{name}\" in its older form; move it to {file}"));
        return None;
    }
    if !reading.files.exists(&path) {
        let message = format!("the profile \"{name}\" does not exist, and Codex starts without it and says nothing");
        reading.note(Diagnostic::new(Code::HW715, message).in_file("--agent-args").with_help(format!("create {file}")));
    }
    Some(path)
}

fn table(span: Span) -> ConfigNode {
    ConfigNode { span, value: ConfigValue::Table(Vec::new()) }
}

/// Sets the value at a path. What is in the way is replaced.
fn set(node: &mut ConfigNode, path: &[&str], span: Span, value: ConfigNode) {
    let Some((first, rest)) = path.split_first() else {
        *node = value;
        return;
    };
    if node.entries().is_none() {
        *node = table(span);
    }
    let ConfigValue::Table(entries) = &mut node.value else { return };
    let at = entries.iter().position(|entry| entry.key == *first).unwrap_or_else(|| {
        entries.push(ConfigEntry { key: (*first).to_owned(), key_span: span, value: table(span) });
        entries.len() - 1
    });
    if let Some(entry) = entries.get_mut(at) {
        set(&mut entry.value, rest, span, value);
    }
}

fn refuse(reading: &mut LayerReader<'_>, why: &str) {
    reading.loaded.refusal.get_or_insert(LoadRefusal { message: format!("Codex does not start: {why}"), span: None });
}
