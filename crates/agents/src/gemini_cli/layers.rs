//! The settings files: where they are, how each is read, and what happens if one cannot be read (spec §1.1).

use super::{merge, substitution};
use crate::kernel::settings::{BrokenCause, BrokenEffect, BrokenFile, read_object};
pub use crate::shared::gemini_fork::layers::SettingsFile;
use crate::shared::gemini_fork::layers::{FileNames, is_home, read_layers};
use hookbench_base::config::{Files, LoadedConfig, Place, read_settings};
use hookbench_base::hook::Layer;
use hookbench_base::text::{JsonError, JsonSyntax, Node, SourceId, parse_json};

/// The names by which the agent finds its files.
pub const NAMES: FileNames = FileNames {
    agent: "Gemini CLI",
    directory: ".gemini",
    variables: "GEMINI_CLI",
    system: [
        "/etc/gemini-cli/settings.json",
        "/Library/Application Support/GeminiCli/settings.json",
        "C:/ProgramData/gemini-cli/settings.json",
    ],
};

/// Files in a project that look like configuration but that the agent does not read, each with the reason.
const IGNORED: [(&str, &str); 6] = [
    (".gemini/hooks.json", "Gemini CLI reads hooks from settings.json only; move them there"),
    (".gemini/hooks/hooks.json", "only extensions have a hooks.json; move the hooks to .gemini/settings.json"),
    (".gemini/extensions", "extensions are read only from the home directory"),
    (".claude/settings.json", "Gemini CLI does not read Claude Code's settings"),
    (".claude/settings.local.json", "Gemini CLI does not read Claude Code's settings"),
    (".qwen/settings.json", "Gemini CLI does not read Qwen Code's settings"),
];

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

/// Reads the four settings files, in the order in which later ones win, and records the state of each.
pub fn read(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) -> Vec<SettingsFile> {
    let user = user_dir(place);
    let skip = |layer, path: &str| skip_reason(place, files, layer, path);
    let read = |_, path: &str, loaded: &mut LoadedConfig| {
        read_object(place, path, read_settings(files, path), parse, |broken| broken_effect(place, path, broken), loaded)
    };
    let mut out = read_layers(place, NAMES.settings_paths(place, &user), loaded, skip, read);
    for file in &mut out {
        substitution::expand_settings(place, &mut file.root);
        merge::coerce(&mut file.root);
    }
    NAMES.report_ignored(place, files, &user, &IGNORED, loaded);
    out
}

/// Returns why the agent does not even open an existing file.
fn skip_reason(place: &Place, files: &dyn Files, layer: Layer, path: &str) -> Option<String> {
    if !files.exists(path) {
        return None;
    }
    match layer {
        Layer::Project => is_home(place, files, &home(place)),
        Layer::System | Layer::SystemDefaults => (!files.is_admin_only(path)).then(|| {
            "skipped with a security warning: the file and all directories above it must belong to root and not be writable by others"
                .to_owned()
        }),
        _ => None,
    }
}

/// Returns the effect of a broken file of settings or trust: the agent does not start.
pub fn broken_effect(place: &Place, path: &str, broken: BrokenFile) -> BrokenEffect {
    let problem = broken.problem();
    let BrokenFile { cause, help, .. } = broken;
    let (problem, refusal) = match cause {
        BrokenCause::Unreadable => (
            format!("the file cannot be read ({problem})"),
            format!("{} cannot be read ({problem})", place.display_path(path)),
        ),
        _ => (problem.clone(), problem),
    };
    BrokenEffect { message: format!("{problem}: the agent does not start"), help, refusal: Some(refusal) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test::place;
    use hookbench_base::config::{LayerState, MemoryFiles};

    #[test]
    fn paths_follow_the_environment() {
        let mut place = place();
        let all = |place: &Place| [user_dir(place), NAMES.system_path(place), NAMES.defaults_path(place)];
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
