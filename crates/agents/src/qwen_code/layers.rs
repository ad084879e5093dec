//! The settings files: where they are, how each is read, and what happens if one cannot be read (spec §1.1).

use serde_json::Value;

use super::substitution::VariableValues;
use super::version_behaviour::LayerRule;
use hookbench_base::config::{
    FileError, Files, IgnoredFile, LayerFile, LayerState, LoadRefusal, LoadedConfig, Os, Place, read_settings,
};
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::hook::Layer;
use hookbench_base::text::{JsonSyntax, Node, Span, parse_json};

/// The syntax that the agent accepts in settings: comments and a byte-order mark, but no trailing commas.
pub const SETTINGS: JsonSyntax = JsonSyntax { comments: true, trailing_commas: false, bom: true };

/// A parsed settings file, with variables in its strings already replaced.
#[derive(Debug, Clone)]
pub struct SettingsFile {
    pub layer: Layer,
    pub path: String,
    pub root: Node,
}

/// Returns the directory of the user's files: `$QWEN_HOME`, or `~/.qwen`.
pub fn user_dir(place: &Place) -> String {
    match place.var("QWEN_HOME").filter(|v| !v.is_empty()) {
        Some(dir) => place.absolute(&place.project, dir),
        None => format!("{}/.qwen", place.home),
    }
}

/// Returns the settings file of the System layer.
pub fn system_path(place: &Place) -> String {
    if let Some(path) = place.var("QWEN_CODE_SYSTEM_SETTINGS_PATH").filter(|v| !v.is_empty()) {
        return path.to_owned();
    }
    match place.os {
        Os::Linux => "/etc/qwen-code/settings.json",
        Os::MacOs => "/Library/Application Support/QwenCode/settings.json",
        Os::Windows => "C:/ProgramData/qwen-code/settings.json",
    }
    .to_owned()
}

/// Returns the settings file of the System defaults, next to the System file by default.
fn defaults_path(place: &Place) -> String {
    if let Some(path) = place.var("QWEN_CODE_SYSTEM_DEFAULTS_PATH").filter(|v| !v.is_empty()) {
        return path.to_owned();
    }
    let system = system_path(place);
    let folder = system.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{folder}/system-defaults.json")
}

/// Returns the project's settings file.
pub fn project_path(place: &Place) -> String {
    format!("{}/.qwen/settings.json", place.project)
}

/// Reads the four settings files, in the order in which later ones win, and records the state of each.
pub fn read(place: &Place, files: &dyn Files, rule: LayerRule, loaded: &mut LoadedConfig) -> Vec<SettingsFile> {
    let user = user_dir(place);
    let values = VariableValues::read(place, files, &user);
    let mut out = Vec::new();
    let mut layers = vec![
        (Layer::SystemDefaults, defaults_path(place)),
        (Layer::User, format!("{user}/settings.json")),
        (Layer::Project, project_path(place)),
        (Layer::System, system_path(place)),
    ];
    if rule == LayerRule::UserAndProject {
        // The settings of all four apply, but before 0.24 only user and project hooks were read.
        layers.rotate_left(1);
    }
    for (layer, path) in layers {
        let (state, says) = match skip_reason(place, files, layer, &path) {
            Some(says) => (LayerState::Off, Some(says)),
            None => read_one(place, files, &values, layer, &path, loaded, &mut out),
        };
        loaded.layers.push(LayerFile {
            layer,
            file: place.display_path(&path),
            path,
            state,
            message: says,
            bundle: None,
        });
    }
    out.sort_by_key(|settings| precedence(settings.layer));
    not_loaded(place, files, loaded);
    out
}

/// Returns the precedence of a layer; later wins: SystemDefaults < User < Project < System.
fn precedence(layer: Layer) -> u8 {
    match layer {
        Layer::SystemDefaults => 0,
        Layer::User => 1,
        Layer::Project => 2,
        _ => 3,
    }
}

/// Returns why the project file is not read: the agent was started in the home folder.
fn skip_reason(place: &Place, files: &dyn Files, layer: Layer, path: &str) -> Option<String> {
    if layer != Layer::Project || !files.exists(path) {
        return None;
    }
    let real = |dir: &str| files.canonical(dir).unwrap_or_else(|| dir.to_owned());
    (real(&place.project) == real(&place.home))
        .then(|| "the agent reads no project settings when it is started in the home folder".to_owned())
}

fn read_one(
    place: &Place,
    files: &dyn Files,
    values: &VariableValues<'_>,
    layer: Layer,
    path: &str,
    loaded: &mut LoadedConfig,
    out: &mut Vec<SettingsFile>,
) -> (LayerState, Option<String>) {
    let bytes = match read_settings(files, path) {
        Ok(bytes) => bytes,
        Err(FileError::Missing) => return (LayerState::Absent, None),
        Err(FileError::Unreadable { why, help: cure }) => {
            let says = format!("the file cannot be read: {why}");
            loaded
                .notes
                .push(Diagnostic::error("HW101", says.clone()).in_file(place.display_path(path)).with_help(cure));
            return (LayerState::Broken, Some(says));
        }
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let source = loaded.add_source(place, path, &text);
    let mut root = match parse_json(source, &text, SETTINGS) {
        Ok(root) => root,
        Err(error) => {
            let span = Span::new(source, error.at, error.at);
            let says = invalid_json_message(layer, &error.message);
            let help = match (layer, error.help) {
                (Layer::Project, Some(help)) => format!("{help}; do so before the agent is started here"),
                (_, help) => help.unwrap_or_else(|| "repair the JSON".to_owned()),
            };
            loaded.notes.push(Diagnostic::error("HW101", says.clone()).at(span).with_help(help));
            if layer != Layer::Project {
                refuse(
                    loaded,
                    format!("{} is no valid JSON: the agent ends with exit status 1", place.display_path(path)),
                    span,
                );
            }
            return (LayerState::Broken, Some(says));
        }
    };
    if root.members().is_none() {
        let says = format!("the file holds {}, not an object: the agent ends with exit status 52", root.kind());
        loaded
            .notes
            .push(Diagnostic::error("HW101", says.clone()).at(root.span).with_help("put the settings into `{ … }`"));
        refuse(loaded, format!("{}: {says}", place.display_path(path)), root.span);
        return (LayerState::Broken, Some(says));
    }
    values.expand_node(&mut root);
    out.push(SettingsFile { layer, path: path.to_owned(), root });
    (LayerState::Read, None)
}

fn invalid_json_message(layer: Layer, message: &str) -> String {
    if layer == Layer::Project {
        format!(
            "not valid JSON ({message}): when the agent starts it copies this file to settings.json.corrupted, overwrites \
             it with an empty object, and runs without project hooks"
        )
    } else {
        format!("not valid JSON ({message}): the agent does not start, it ends with exit status 1")
    }
}

/// Keeps the first reason why the agent does not start.
pub fn refuse(loaded: &mut LoadedConfig, says: String, span: Span) {
    loaded.refusal.get_or_insert(LoadRefusal { message: says, span: Some(span) });
}

/// Reports files that look like configuration but that the agent does not read.
fn not_loaded(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) {
    let user = user_dir(place);
    let candidates = [
        (
            format!("{}/.qwen/settings.local.json", place.project),
            "Qwen Code has no local settings file; move the hooks to .qwen/settings.json",
        ),
        (
            format!("{user}/settings.local.json"),
            "Qwen Code has no local settings file; move the hooks to settings.json beside it",
        ),
        (
            format!("{}/.qwen/hooks.json", place.project),
            "Qwen Code reads hooks from settings.json only; move them there",
        ),
        (
            format!("{}/.qwen/hooks.yaml", place.project),
            "Qwen Code reads hooks from settings.json only; move them there",
        ),
        (
            format!("{}/.qwen/hooks/hooks.json", place.project),
            "only extensions have a hooks.json; move the hooks to .qwen/settings.json",
        ),
        (format!("{}/.claude/settings.json", place.project), "Qwen Code does not read Claude Code's settings"),
        (format!("{}/.claude/settings.local.json", place.project), "Qwen Code does not read Claude Code's settings"),
        (format!("{}/.gemini/settings.json", place.project), "Qwen Code does not read Gemini CLI's settings"),
        (format!("{}/.qwen/extensions", place.project), "extensions are read from the home folder only"),
    ];
    // Settings of another agent are not a mistake if Qwen Code has its own.
    let own = files.exists(&project_path(place));
    for (path, says) in candidates {
        let foreign = !path.contains("/.qwen/");
        if files.exists(&path) && !(own && foreign) {
            loaded.ignored_files.push(IgnoredFile { file: place.display_path(&path), message: says.to_owned() });
        }
    }
}

/// Merges settings as the agent does: objects key by key, everything else by replacement.
pub fn merge<'a>(settings: impl Iterator<Item = &'a SettingsFile>) -> Value {
    let mut merged = Value::Object(serde_json::Map::new());
    for one in settings {
        overlay(&mut merged, one.root.to_value());
    }
    merged
}

fn overlay(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                match base.get_mut(&key) {
                    Some(below @ Value::Object(_)) if value.is_object() => overlay(below, value),
                    _ => {
                        base.insert(key, value);
                    }
                }
            }
        }
        (base, over) => *base = over,
    }
}

/// Returns the settings file that a merged setting comes from, with the position of the value.
pub fn set_by<'a>(settings: &'a [SettingsFile], keys: &[&str]) -> Option<(&'a SettingsFile, Span)> {
    settings.iter().rev().find_map(|one| {
        let mut node = &one.root;
        for key in keys {
            node = node.get(key)?;
        }
        Some((one, node.span))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::text::SourceId;
    use serde_json::json;

    #[test]
    fn later_layers_win_key_by_key() {
        let settings = |layer, text| SettingsFile {
            layer,
            path: String::new(),
            root: parse_json(SourceId(0), text, SETTINGS).unwrap(),
        };
        let all = [
            settings(Layer::User, r#"{"a": true, "s": {"x": 1, "l": [1]}}"#),
            settings(Layer::Project, r#"{"a": null, "s": {"y": 2, "l": [2]}}"#),
        ];
        assert_eq!(merge(all.iter()), json!({"a": null, "s": {"x": 1, "l": [2], "y": 2}}));
        assert_eq!(set_by(&all, &["s", "x"]).map(|(s, _)| s.layer), Some(Layer::User));
        assert_eq!(set_by(&all, &["a"]).map(|(s, _)| s.layer), Some(Layer::Project));
    }

    #[test]
    fn paths_follow_the_environment() {
        let mut place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
        assert_eq!(
            (user_dir(&place), defaults_path(&place)),
            ("/h/.qwen".to_owned(), "/etc/qwen-code/system-defaults.json".to_owned())
        );
        place.env.insert("QWEN_HOME".to_owned(), "/q".to_owned());
        place.env.insert("QWEN_CODE_SYSTEM_SETTINGS_PATH".to_owned(), "/s/x.json".to_owned());
        assert_eq!((user_dir(&place), defaults_path(&place)), ("/q".to_owned(), "/s/system-defaults.json".to_owned()));
    }
}
