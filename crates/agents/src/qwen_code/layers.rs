//! The settings files: where they are, how each is read, and what happens if one cannot be read (spec §1.1).

use serde_json::Value;

use super::substitution::VariableValues;
use super::version_behaviour::LayerRule;
use crate::kernel::settings::{BrokenCause, BrokenEffect, BrokenFile, read_object};
pub use crate::shared::gemini_fork::layers::SettingsFile;
use crate::shared::gemini_fork::layers::{FileNames, is_home, read_layers};
use hookbench_base::config::{Files, LoadedConfig, Place, read_settings};
use hookbench_base::hook::Layer;
use hookbench_base::text::{JsonError, JsonSyntax, Node, SourceId, parse_json};

/// The names by which the agent finds its files.
pub const NAMES: FileNames = FileNames {
    agent: "Qwen Code",
    directory: ".qwen",
    variables: "QWEN_CODE",
    system: [
        "/etc/qwen-code/settings.json",
        "/Library/Application Support/QwenCode/settings.json",
        "C:/ProgramData/qwen-code/settings.json",
    ],
};

/// Files in a project that look like configuration but that the agent does not read, each with the reason.
const IGNORED: [(&str, &str); 7] = [
    (".qwen/hooks.json", "Qwen Code reads hooks from settings.json only; move them there"),
    (".qwen/hooks.yaml", "Qwen Code reads hooks from settings.json only; move them there"),
    (".qwen/hooks/hooks.json", "only extensions have a hooks.json; move the hooks to .qwen/settings.json"),
    (".claude/settings.json", "Qwen Code does not read Claude Code's settings"),
    (".claude/settings.local.json", "Qwen Code does not read Claude Code's settings"),
    (".gemini/settings.json", "Qwen Code does not read Gemini CLI's settings"),
    (".qwen/extensions", "extensions are read only from the home directory"),
];

/// The syntax that the agent accepts in settings: comments and a byte-order mark, but no trailing commas.
pub const SETTINGS: JsonSyntax = JsonSyntax { comments: true, trailing_commas: false, bom: true };

/// Parses a file of settings or trust.
pub fn parse(source: SourceId, text: &str) -> Result<Node, JsonError> {
    parse_json(source, text, SETTINGS)
}

/// Returns the directory of the user's files: `$QWEN_HOME`, or `~/.qwen`.
pub fn user_dir(place: &Place) -> String {
    match place.var("QWEN_HOME").filter(|v| !v.is_empty()) {
        Some(dir) => place.absolute(&place.project, dir),
        None => format!("{}/.qwen", place.home),
    }
}

/// Reads the four settings files, in the order in which later ones win, and records the state of each.
pub fn read(place: &Place, files: &dyn Files, rule: LayerRule, loaded: &mut LoadedConfig) -> Vec<SettingsFile> {
    let user = user_dir(place);
    let values = VariableValues::read(place, files, &user);
    let mut paths = NAMES.settings_paths(place, &user);
    if rule == LayerRule::UserAndProject {
        // The settings of all four apply, but before 0.24 only user and project hooks were read.
        paths.rotate_left(1);
    }
    let skip = |layer, path: &str| {
        (layer == Layer::Project && files.exists(path)).then(|| is_home(place, files, &place.home)).flatten()
    };
    let read = |layer, path: &str, loaded: &mut LoadedConfig| {
        let effect = |broken| broken_effect(place, layer, path, broken);
        read_object(place, path, read_settings(files, path), parse, effect, loaded)
    };
    let mut out = read_layers(place, paths, loaded, skip, read);
    for file in &mut out {
        values.expand_node(&mut file.root);
    }
    out.sort_by_key(|settings| precedence(settings.layer));
    NAMES.report_ignored(place, files, &user, &IGNORED, loaded);
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

/// Returns the effect of a broken settings file.
fn broken_effect(place: &Place, layer: Layer, path: &str, broken: BrokenFile) -> BrokenEffect {
    let problem = broken.problem();
    let BrokenFile { cause, help, .. } = broken;
    let path = place.display_path(path);
    match cause {
        BrokenCause::Unreadable => {
            BrokenEffect { message: format!("the file cannot be read: {problem}"), help, refusal: None }
        }
        BrokenCause::NotObject => {
            let message = format!("{problem}: the agent exits with 52");
            let refusal = Some(format!("{path}: {message}"));
            BrokenEffect { message, help, refusal }
        }
        BrokenCause::Invalid if layer == Layer::Project => {
            let message = format!(
                "{problem}: when the agent starts it copies this file to settings.json.corrupted, overwrites it with an \
                 empty object, and runs without project hooks"
            );
            let help = help.map(|help| format!("{help}; do this before you start the agent here"));
            BrokenEffect { message, help, refusal: None }
        }
        BrokenCause::Invalid => {
            let message = format!("{problem}: the agent does not start, it exits with 1");
            let refusal = Some(format!("{path} is not valid JSON: the agent exits with 1"));
            BrokenEffect { message, help, refusal }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::gemini_fork::layers::set_by;
    use serde_json::json;

    #[test]
    fn later_layers_win_key_by_key() {
        let settings =
            |layer, text| SettingsFile { layer, path: String::new(), root: parse(SourceId(0), text).unwrap() };
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
            (user_dir(&place), NAMES.defaults_path(&place)),
            ("/h/.qwen".to_owned(), "/etc/qwen-code/system-defaults.json".to_owned())
        );
        place.env.insert("QWEN_HOME".to_owned(), "/q".to_owned());
        place.env.insert("QWEN_CODE_SYSTEM_SETTINGS_PATH".to_owned(), "/s/x.json".to_owned());
        assert_eq!(
            (user_dir(&place), NAMES.defaults_path(&place)),
            ("/q".to_owned(), "/s/system-defaults.json".to_owned())
        );
    }
}
