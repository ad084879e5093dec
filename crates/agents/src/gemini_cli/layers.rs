//! The settings files: where they are, how each is read, and what happens if one cannot be read (spec §1.1).

use super::{merge, substitution};
use hookbench_base::config::{
    FileError, Files, IgnoredFile, LayerFile, LayerState, LoadRefusal, LoadedConfig, Os, Place, read_settings,
};
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::hook::Layer;
use hookbench_base::text::{JsonError, JsonSyntax, Node, SourceId, Span, parse_json};

/// The syntax that the agent accepts in settings: comments, but no trailing commas and no byte-order mark.
pub const SETTINGS: JsonSyntax = JsonSyntax { comments: true, trailing_commas: false, bom: false };

/// Parses a file as the agent does: an unterminated comment ends at the end of the file.
pub fn parse(source: SourceId, text: &str) -> Result<Node, JsonError> {
    let found = parse_json(source, text, SETTINGS);
    match &found {
        Err(error) if text.get(error.at..).is_some_and(|rest| rest.starts_with("/*")) => {
            parse_json(source, &format!("{text}*/"), SETTINGS).or(found)
        }
        _ => found,
    }
}

/// A parsed settings file, with variables in its strings already replaced.
#[derive(Debug, Clone)]
pub struct SettingsFile {
    pub layer: Layer,
    pub path: String,
    pub root: Node,
}

/// Returns the home directory: `$GEMINI_CLI_HOME`, or the user's home.
pub fn home(place: &Place) -> String {
    match place.var("GEMINI_CLI_HOME").filter(|v| !v.is_empty()) {
        Some(dir) => place.absolute(&place.project, dir),
        None => place.home.clone(),
    }
}

/// Returns the directory of the user's files.
pub fn user_dir(place: &Place) -> String {
    format!("{}/.gemini", home(place))
}

/// Returns the project's settings file.
pub fn project_path(place: &Place) -> String {
    format!("{}/.gemini/settings.json", place.project)
}

/// Returns the settings file of the System layer.
fn system_path(place: &Place) -> String {
    if let Some(path) = place.var("GEMINI_CLI_SYSTEM_SETTINGS_PATH").filter(|v| !v.is_empty()) {
        return path.to_owned();
    }
    match place.os {
        Os::Linux => "/etc/gemini-cli/settings.json",
        Os::MacOs => "/Library/Application Support/GeminiCli/settings.json",
        Os::Windows => "C:/ProgramData/gemini-cli/settings.json",
    }
    .to_owned()
}

/// Returns the settings file of the System defaults, next to the System file by default.
fn defaults_path(place: &Place) -> String {
    if let Some(path) = place.var("GEMINI_CLI_SYSTEM_DEFAULTS_PATH").filter(|v| !v.is_empty()) {
        return path.to_owned();
    }
    let system = system_path(place);
    let folder = system.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{folder}/system-defaults.json")
}

/// Reads the four settings files, in the order in which later ones win, and records the state of each.
pub fn read(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) -> Vec<SettingsFile> {
    let mut out = Vec::new();
    for (layer, path) in [
        (Layer::SystemDefaults, defaults_path(place)),
        (Layer::User, format!("{}/settings.json", user_dir(place))),
        (Layer::Project, project_path(place)),
        (Layer::System, system_path(place)),
    ] {
        let (state, says) = match skip_reason(place, files, layer, &path) {
            Some(says) => (LayerState::Off, Some(says)),
            None => read_one(place, files, layer, &path, loaded, &mut out),
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
    not_loaded(place, files, loaded);
    out
}

/// Returns why the agent does not even open an existing file.
fn skip_reason(place: &Place, files: &dyn Files, layer: Layer, path: &str) -> Option<String> {
    if !files.exists(path) {
        return None;
    }
    match layer {
        Layer::Project => {
            let real = |dir: &str| files.canonical(dir).unwrap_or_else(|| dir.to_owned());
            (real(&place.project) == real(&home(place)))
                .then(|| "the agent reads no project settings when it is started in the home folder".to_owned())
        }
        Layer::System | Layer::SystemDefaults => (!files.is_admin_only(path)).then(|| {
            "skipped with a security warning: the file and all folders above it have to be root's and closed to others"
                .to_owned()
        }),
        _ => None,
    }
}

fn read_one(
    place: &Place,
    files: &dyn Files,
    layer: Layer,
    path: &str,
    loaded: &mut LoadedConfig,
    out: &mut Vec<SettingsFile>,
) -> (LayerState, Option<String>) {
    let ends = "the agent does not start";
    let bytes = match read_settings(files, path) {
        Ok(bytes) => bytes,
        Err(FileError::Missing) => return (LayerState::Absent, None),
        Err(FileError::Unreadable { why, help: cure }) => {
            let says = format!("the file cannot be read ({why}): {ends}");
            let note = Diagnostic::error("HW101", says.clone()).in_file(place.display_path(path));
            loaded.notes.push(note.with_help(cure));
            refuse(loaded, format!("{} cannot be read ({why})", place.display_path(path)), None);
            return (LayerState::Broken, Some(says));
        }
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let source = loaded.add_source(place, path, &text);
    let (span, message, help) = match parse(source, &text) {
        Ok(mut root) if root.members().is_some() => {
            substitution::expand_settings(place, &mut root);
            merge::coerce(&mut root);
            out.push(SettingsFile { layer, path: path.to_owned(), root });
            return (LayerState::Read, None);
        }
        Ok(root) => {
            let message = format!("the file holds {}, not an object", root.kind());
            (root.span, message, Some("put the settings into `{ … }`".to_owned()))
        }
        Err(error) => {
            (Span::new(source, error.at, error.at), format!("not valid JSON ({})", error.message), error.help)
        }
    };
    let says = format!("{message}: {ends}");
    let help = help.unwrap_or_else(|| "repair the JSON".to_owned());
    loaded.notes.push(Diagnostic::error("HW101", says.clone()).at(span).with_help(help));
    refuse(loaded, message, Some(span));
    (LayerState::Broken, Some(says))
}

/// Keeps the first reason why the agent does not start. The span, if any, names the file.
pub fn refuse(loaded: &mut LoadedConfig, says: String, span: Option<Span>) {
    loaded.refusal.get_or_insert(LoadRefusal { message: says, span });
}

/// Reports files that look like configuration but that the agent does not read.
fn not_loaded(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) {
    let user = user_dir(place);
    let candidates = [
        (
            format!("{}/.gemini/settings.local.json", place.project),
            "Gemini CLI has no local settings file; move the hooks to .gemini/settings.json",
        ),
        (
            format!("{user}/settings.local.json"),
            "Gemini CLI has no local settings file; move the hooks to settings.json beside it",
        ),
        (
            format!("{}/.gemini/hooks.json", place.project),
            "Gemini CLI reads hooks from settings.json only; move them there",
        ),
        (
            format!("{}/.gemini/hooks/hooks.json", place.project),
            "only extensions have a hooks.json; move the hooks to .gemini/settings.json",
        ),
        (format!("{}/.gemini/extensions", place.project), "extensions are read from the home folder only"),
        (format!("{}/.claude/settings.json", place.project), "Gemini CLI does not read Claude Code's settings"),
        (format!("{}/.claude/settings.local.json", place.project), "Gemini CLI does not read Claude Code's settings"),
        (format!("{}/.qwen/settings.json", place.project), "Gemini CLI does not read Qwen Code's settings"),
    ];
    // Settings of another agent are not a mistake if Gemini CLI has its own.
    let own = files.exists(&project_path(place));
    for (path, says) in candidates {
        let foreign = !path.contains("/.gemini/");
        if files.exists(&path) && !(own && foreign) {
            loaded.ignored_files.push(IgnoredFile { file: place.display_path(&path), message: says.to_owned() });
        }
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
    use hookbench_base::config::MemoryFiles;

    fn place() -> Place {
        Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() }
    }

    #[test]
    fn paths_follow_the_environment() {
        let mut place = place();
        let all = |place: &Place| [user_dir(place), system_path(place), defaults_path(place)];
        assert_eq!(
            all(&place),
            ["/h/.gemini", "/etc/gemini-cli/settings.json", "/etc/gemini-cli/system-defaults.json"]
        );
        place.env.insert("GEMINI_CLI_HOME".to_owned(), "/g".to_owned());
        place.env.insert("GEMINI_CLI_SYSTEM_SETTINGS_PATH".to_owned(), "/s/x.json".to_owned());
        assert_eq!(all(&place), ["/g/.gemini", "/s/x.json", "/s/system-defaults.json"]);
    }

    #[test]
    fn what_becomes_of_a_file() {
        let state = |path: &str, text: &str, project: &str| {
            let mut files = MemoryFiles::default();
            files.put(path, text);
            let mut loaded = LoadedConfig::default();
            let place = Place { project: project.to_owned(), ..place() };
            read(&place, &files, &mut loaded);
            let layer = loaded.layers.iter().find(|l| l.path == path).map(|l| l.state);
            (layer, loaded.refusal.is_some())
        };
        for (path, text, want) in [
            ("/p/.gemini/settings.json", "{} // c", (Some(LayerState::Read), false)),
            ("/p/.gemini/settings.json", "{} /* c", (Some(LayerState::Read), false)),
            ("/p/.gemini/settings.json", "{ /* c", (Some(LayerState::Broken), true)),
            ("/p/.gemini/settings.json", "\u{feff}{}", (Some(LayerState::Broken), true)),
            ("/h/.gemini/settings.json", "{,}", (Some(LayerState::Broken), true)),
            ("/h/.gemini/settings.json", "[]", (Some(LayerState::Broken), true)),
            ("/etc/gemini-cli/settings.json", "{}", (Some(LayerState::Read), false)),
            ("/etc/gemini-cli/system-defaults.json", "{}", (Some(LayerState::Read), false)),
        ] {
            assert_eq!(state(path, text, "/p"), want, "{path} {text}");
        }
        assert_eq!(state("/h/.gemini/settings.json", "{}", "/h").0, Some(LayerState::Read), "as the user's");
    }
}
