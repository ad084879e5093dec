//! The arguments that add to the configuration: `-c key=value`, `--enable` and `--disable`, the file of `--profile`. Measured
//! on 0.171.0.

use serde_json::json;

use super::config_node::{ConfigEntry, ConfigNode, ConfigValue};
use super::features::is_feature;
use super::layers::{LayerReader, user_dir};
use crate::kernel::settings::SchemaError;
use crate::shared::missing_keys::with_overruled;
use hookbench_base::config::{GivenFlag, GivenFlags, LayerFile, LayerState, LoadRefusal, LoadedConfig, Place, Switch};
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
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

/// The current name of the switch, and its former one. If both are written, the current one applies.
const NAMES: [&str; 2] = ["hooks", "codex_hooks"];

/// Returns an error if a configuration's `features` is malformed.
pub fn check(config: &ConfigNode) -> Result<(), SchemaError> {
    let wrong = |span, says: String| SchemaError::new(Code::HW110, span, says, "write hooks = true or hooks = false");
    let Some(features) = config.get("features") else { return Ok(()) };
    if features.entries().is_none() {
        return Err(wrong(features.span, format!("`features` is {}, but must be a table", features.kind())));
    }
    for name in NAMES {
        if let Some(flag) = features.get(name).filter(|flag| flag.as_bool().is_none()) {
            return Err(wrong(flag.span, format!("`features.{name}` is {}, but must be true or false", flag.kind())));
        }
    }
    Ok(())
}

/// Records the switches. `configs` are the configurations that apply, later ones win; `requirements` are the
/// administrator's.
pub fn record(place: &Place, configs: &[&ConfigNode], requirements: Option<&ConfigNode>, loaded: &mut LoadedConfig) {
    let of = |tree: &ConfigNode, name: &str| {
        let flag = tree.get("features")?.get(name)?;
        Some((flag.as_bool()?, flag.span))
    };
    let user = NAMES.iter().find_map(|name| configs.iter().rev().find_map(|c| of(c, name)));
    let admin = requirements.and_then(|r| NAMES.iter().find_map(|name| of(r, name)));
    let decided = admin.filter(|(on, _)| !on).or(user);
    let on = decided.is_none_or(|(on, _)| on);
    let set_by = decided.map(|(_, span)| loaded.sources.name(span.source).to_owned());
    let flags = NAMES.iter().flat_map(|name| configs.iter().rev().filter_map(move |config| of(config, name)));
    let over = flags.filter(|(flag, _)| *flag != on).map(|(flag, span)| (json!(flag), span)).next();
    let over = over.map(|(flag, span)| (flag, loaded.sources.name(span.source).to_owned()));
    let says = match (&set_by, on) {
        (None, _) => "hooks are on by default".to_owned(),
        (Some(file), true) => format!("{file} switches hooks on"),
        (Some(file), false) => format!("{file} switches every hook off, including those of other files"),
    };
    if !on {
        loaded.hooks_off = Some(says.clone());
        if let Some((_, span)) = decided {
            let note = Diagnostic::new(Code::HW207, "hooks are switched off here, including those of other files");
            loaded.notes.push(note.at(span).with_help("write hooks = true, or delete the line"));
        }
    }
    let span = decided.map(|(_, span)| span);
    let message = with_overruled(&says, over);
    loaded.switches.push(Switch { name: "features.hooks".to_owned(), value: json!(on), set_by, span, message });
    if let Some(only) = requirements.and_then(|r| r.get("allow_managed_hooks_only")) {
        let on = only.as_bool() == Some(true);
        let says = if on { "only the administrator's hooks run" } else { "hooks of all users may run" };
        loaded.switches.push(Switch {
            name: "allow_managed_hooks_only".to_owned(),
            value: only.to_value(),
            set_by: Some(loaded.sources.name(only.span.source).to_owned()),
            span: Some(only.span),
            message: says.to_owned(),
        });
    }
    // A common mistake: the key has no effect in these files.
    for config in configs {
        if let Some(entry) = config.entry("allow_managed_hooks_only") {
            let file = place.display_path(loaded.sources.path(entry.key_span.source));
            let says = format!("`allow_managed_hooks_only` has no effect in {file}");
            loaded.notes.push(
                Diagnostic::lowered(Code::HW702, Severity::Warning, says)
                    .at(entry.key_span)
                    .with_help("move it to requirements.toml"),
            );
        }
    }
}

/// Returns whether only the administrator's hooks run.
pub fn managed_only(requirements: Option<&ConfigNode>) -> bool {
    requirements.and_then(|r| r.get("allow_managed_hooks_only")).and_then(ConfigNode::as_bool) == Some(true)
}
