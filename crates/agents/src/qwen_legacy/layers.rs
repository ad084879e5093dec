//! The files: `hooks.yaml` in the project, and the settings of the project and of the user.

use crate::kernel::settings::record_layer;
use hookbench_base::config::{FileError, Files, LayerState, LoadedConfig, Place, read_settings};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::Layer;
use hookbench_base::text::{JsonError, JsonSyntax, Node, SourceId, Span, parse_json, parse_yaml};

/// The directory of the user's files: `$QWEN_HOME`, or `~/.qwen`.
pub fn user_dir(place: &Place) -> String {
    match place.var("QWEN_HOME").filter(|dir| !dir.is_empty()) {
        Some(dir) => place.absolute(&place.project, dir),
        None => format!("{}/.qwen", place.home),
    }
}

/// The syntax of settings files.
pub const SETTINGS: JsonSyntax = JsonSyntax { comments: true, trailing_commas: true, bom: true };

/// The paths of `hooks.yaml` in a project. Only the first has to be looked for; the others are listed if they exist.
const YAML_FILES: [&str; 6] = [
    "hooks.yaml",
    "hooks.yml",
    ".claude/hooks.yaml",
    ".claude/hooks.yml",
    ".claude/hooks/hooks.yaml",
    ".qwen/hooks.yaml",
];

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HooksFileFormat {
    Yaml,
    Settings,
}

/// A parsed file.
pub struct HooksFile {
    pub format: HooksFileFormat,
    pub layer: Layer,
    pub root: Node,
}

/// The user's settings file.
pub fn user_file(place: &Place) -> String {
    format!("{}/settings.json", user_dir(place))
}

/// The project's settings file.
pub fn project_file(place: &Place) -> String {
    format!("{}/.qwen/settings.json", place.project)
}

/// Reads all files, and records the state of each.
pub fn read(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) -> Vec<HooksFile> {
    let mut wanted = vec![
        (HooksFileFormat::Settings, Layer::User, user_file(place)),
        (HooksFileFormat::Settings, Layer::Project, project_file(place)),
    ];
    for (index, name) in YAML_FILES.iter().enumerate() {
        let path = format!("{}/{name}", place.project);
        if index == 0 || files.exists(&path) {
            wanted.push((HooksFileFormat::Yaml, Layer::Project, path));
        }
    }
    let mut out = Vec::new();
    for (format, layer, path) in wanted {
        let (state, message) = match read_file(place, files, format, &path, loaded) {
            Ok(None) => (LayerState::Absent, None),
            Ok(Some(root)) => {
                out.push(HooksFile { format, layer, root });
                (LayerState::Read, None)
            }
            Err(message) => (LayerState::Broken, Some(message)),
        };
        record_layer(loaded, place, layer, &path, state, message);
    }
    out
}

/// Parses a file that holds an object.
fn read_file(
    place: &Place,
    files: &dyn Files,
    format: HooksFileFormat,
    path: &str,
    loaded: &mut LoadedConfig,
) -> Result<Option<Node>, String> {
    let bytes = match read_settings(files, path) {
        Ok(bytes) => bytes,
        Err(FileError::Missing) => return Ok(None),
        Err(FileError::Unreadable { why, help }) => {
            let message = format!("the file cannot be read: {why}");
            let note = Diagnostic::new(Code::HW101, message.clone()).in_file(place.display_path(path));
            loaded.notes.push(note.with_help(help));
            return Err(message);
        }
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let source = loaded.add_source(place, path, &text);
    let (message, help, at) = match parse(format, source, &text) {
        Ok(root) if root.members().is_some() => return Ok(Some(root)),
        Ok(root) => (format!("the file contains {}, not an object", root.kind()), None, Span::new(source, 0, 0)),
        Err(error) => {
            let language = if format == HooksFileFormat::Yaml { "YAML" } else { "JSON" };
            let at = Span::new(source, error.at, error.at);
            (format!("not valid {language} ({})", error.message), error.help, at)
        }
    };
    let help = help.unwrap_or_else(|| "fix the file".to_owned());
    loaded.notes.push(Diagnostic::new(Code::HW101, message.clone()).at(at).with_help(help));
    Err(message)
}

fn parse(format: HooksFileFormat, source: SourceId, text: &str) -> Result<Node, JsonError> {
    match format {
        HooksFileFormat::Settings => parse_json(source, text, SETTINGS),
        HooksFileFormat::Yaml => parse_yaml(source, text, 0),
    }
}
