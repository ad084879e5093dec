//! The files with hooks: where they are and how each is read (spec §2). In every scope, three files can have hooks; for
//! each event, the first that has the event counts.

use crate::kernel::settings::{BrokenEffect, read_layer, refuse, report_ignored};
use crate::shared::files_above::report_files_above;
use hookbench_base::config::{Files, LayerState, LoadedConfig, Place};
use hookbench_base::dialects::settings_format::{FileForm, HookFile};
use hookbench_base::hook::Layer;
use hookbench_base::text::{JsonSyntax, Node, parse_json};

use super::formats::FORMATS;
use crate::shared::javascript::parent;

/// The syntax that the agent accepts: comments, but no trailing commas and no byte-order mark.
pub const SYNTAX: JsonSyntax = JsonSyntax { comments: true, trailing_commas: false, bom: false };

/// Files that look like configuration but that the agent does not read, each with the reason.
const IGNORED: [(&str, &str); 5] = [
    (
        ".factory/settings.local.json",
        "Droid does not read settings.local.json; move the hooks to .factory/settings.json",
    ),
    (".factory/hooks.local.json", "Droid does not read hooks.local.json; move the hooks to .factory/hooks.json"),
    (".factory/config.json", "Droid reads hooks from hooks.json and settings.json only"),
    (".claude/settings.json", "Droid does not read Claude Code's settings"),
    (".claude/settings.local.json", "Droid does not read Claude Code's settings"),
];

/// One file with hooks.
#[derive(Debug, Clone)]
pub struct HooksFile {
    pub layer: Layer,
    pub path: String,
    /// The object with events as keys. `None` if the file has none.
    pub hooks: Option<Node>,
    /// Whether the events are at top level, not under `hooks`.
    pub is_top_level: bool,
}

/// The files of one scope, in the order in which they are asked for an event.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    pub files: Vec<HooksFile>,
}

/// Returns the directory of the user's files.
pub fn user_dir(place: &Place) -> String {
    format!("{}/.factory", place.home)
}

/// Returns the directory of a layer that users can edit.
pub fn layer_dir(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(user_dir(place)),
        Layer::Project => Some(format!("{}/.factory", place.project)),
        _ => None,
    }
}

/// Returns the files of a layer to which hooks can be added, the settings first.
pub fn hook_files(place: &Place, layer: Layer) -> Vec<HookFile> {
    let Some(directory) = layer_dir(place, layer) else { return Vec::new() };
    let file = |(name, is_top_level)| HookFile {
        path: format!("{directory}/{name}"),
        form: FileForm { is_top_level, ..FileForm::of_settings(SYNTAX) },
    };
    NAMES.into_iter().rev().map(file).collect()
}

/// Returns the directories with the project's files: that of the session, then that of the git repository. The order
/// of the two was not observed.
fn project_dirs(place: &Place, files: &dyn Files) -> Vec<String> {
    let own = format!("{}/.factory", place.project);
    let mut directory = place.project.clone();
    while !files.exists(&format!("{directory}/.git")) {
        let above = parent(&directory);
        if above == directory {
            return vec![own];
        }
        directory = above;
    }
    let root = format!("{}/.factory", directory.trim_end_matches('/'));
    if root == own || root == user_dir(place) { vec![own] } else { vec![own, root] }
}

/// The files of a scope: their names, and whether their events are at top level. The first that has an event counts for it.
const NAMES: [(&str, bool); 3] = [(OWN, true), (LEGACY, true), (SETTINGS, false)];
pub const SETTINGS: &str = "settings.json";
const OWN: &str = "hooks.json";
/// Read only if there is no [`OWN`], not even a broken one.
const LEGACY: &str = "hooks/hooks.json";

/// Returns the directory of each scope, in the order in which their hooks are configured: the project before the user.
fn scope_dirs(place: &Place, files: &dyn Files) -> Vec<(Layer, String)> {
    let mut directories: Vec<(Layer, String)> =
        project_dirs(place, files).into_iter().map(|directory| (Layer::Project, directory)).collect();
    if directories.iter().all(|(_, directory)| *directory != user_dir(place)) {
        directories.push((Layer::User, user_dir(place)));
    }
    directories
}

/// Whether a file exists that may have hooks.
pub fn has_files(place: &Place, files: &dyn Files) -> bool {
    let exists = |directory: &str| NAMES.iter().any(|(name, _)| files.exists(&format!("{directory}/{name}")));
    scope_dirs(place, files).iter().any(|(_, directory)| exists(directory))
}

/// Reads every file with hooks, and records the state of each.
pub fn read(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) -> Vec<Scope> {
    let mut scopes: Vec<Scope> = scope_dirs(place, files)
        .iter()
        .map(|(layer, directory)| read_scope(*layer, directory, place, files, loaded))
        .collect();
    scopes.extend(read_given(place, files, loaded));
    for (name, message) in IGNORED {
        for root in [&place.project, &place.home] {
            let path = format!("{root}/{name}");
            report_ignored(loaded, place, files, &path, message);
        }
    }
    let candidates = |above: &str| NAMES.iter().map(|(name, _)| format!("{above}/.factory/{name}")).collect();
    let why = "Droid reads .factory in the directory in which it starts and in the root of the git repository";
    report_files_above(place, files, candidates, why, loaded);
    scopes
}

/// Reads the settings of `--settings`. Without the file the agent does not start; a broken file is ignored (0.225.2).
fn read_given(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) -> Option<Scope> {
    let given = FORMATS.given(place);
    let given = given.last("--settings")?;
    let path = place.absolute(&place.project, given.value());
    let root = read_object(Layer::Flag, &path, place, files, loaded);
    let layer = loaded.layers.last_mut().filter(|layer| layer.path == path)?;
    if layer.state == LayerState::Absent {
        let message = format!("the agent does not start: the file of `{}` does not exist", given.shown);
        refuse(loaded, message, None);
    } else if layer.state == LayerState::Read {
        layer.message = Some("an argument of the agent gives it: --settings".to_owned());
    }
    let hooks = root?.get("hooks").cloned();
    Some(Scope { files: vec![HooksFile { layer: Layer::Flag, path, hooks, is_top_level: false }] })
}

/// Reads the files of one directory, and records the state of each.
pub fn read_scope(layer: Layer, directory: &str, place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) -> Scope {
    let has_own = files.exists(&format!("{directory}/{OWN}"));
    let read = NAMES.into_iter().filter_map(|(name, is_top_level)| {
        let path = format!("{directory}/{name}");
        if name == LEGACY && has_own {
            let message = "Droid does not read hooks/hooks.json beside hooks.json; move the hooks to hooks.json";
            report_ignored(loaded, place, files, &path, message);
            return None;
        }
        let root = read_object(layer, &path, place, files, loaded)?;
        let hooks = if is_top_level { Some(root) } else { root.get("hooks").cloned() };
        Some(HooksFile { layer, path, hooks, is_top_level })
    });
    Scope { files: read.collect() }
}

/// Reads a file that must be an object. `None` if it is absent or not read; its state is recorded.
fn read_object(layer: Layer, path: &str, place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) -> Option<Node> {
    let syntax = "correct the JSON; comments are allowed, trailing commas are not";
    let parse = |source, text: &str| parse_json(source, text, SYNTAX);
    read_layer(place, files, (layer, path), parse, |broken| BrokenEffect::without_hooks(broken, syntax), loaded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::MemoryFiles;

    fn place() -> Place {
        Place { project: "/r/p".to_owned(), home: "/h".to_owned(), ..Place::default() }
    }

    #[test]
    fn the_directories_of_a_project() {
        let mut files = MemoryFiles::default();
        assert_eq!(project_dirs(&place(), &files), ["/r/p/.factory"]);
        files.put("/r/.git/HEAD", "ref: refs/heads/main");
        assert_eq!(project_dirs(&place(), &files), ["/r/p/.factory", "/r/.factory"]);
        files.put("/r/p/.git", "gitdir: elsewhere");
        assert_eq!(project_dirs(&place(), &files), ["/r/p/.factory"]);
    }

    #[test]
    fn what_becomes_of_a_file() {
        for (text, want) in [
            ("{} // c", LayerState::Read),
            ("/* c */ {}", LayerState::Read),
            ("{,}", LayerState::Broken),
            ("\u{feff}{}", LayerState::Broken),
            ("", LayerState::Broken),
            ("[]", LayerState::Broken),
        ] {
            let mut files = MemoryFiles::default();
            files.put("/h/.factory/settings.json", text);
            let mut loaded = LoadedConfig::default();
            read(&place(), &files, &mut loaded);
            let state = loaded.layers.iter().find(|l| l.path == "/h/.factory/settings.json").map(|l| l.state);
            assert_eq!(state, Some(want), "{text}");
            assert_eq!(loaded.notes.is_empty(), want == LayerState::Read, "{text}");
        }
    }
}
