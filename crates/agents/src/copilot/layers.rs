//! The files with hooks: where they are and how each is read (spec §1, §2).

use std::path::Path;

use serde_json::Value;

use super::formats::FORMATS;
use super::json;
use crate::kernel::settings::{self, BrokenEffect, BrokenFile};
use crate::shared::files_above::report_files_above;
use crate::shared::javascript::is_within;
use hookbench_base::config::{Files, GivenFlag, LoadedConfig, Place};
use hookbench_base::hook::Layer;
use hookbench_base::text::{JsonError, JsonSyntax, Node, SourceId, parse_json, parse_with_surrogates};

/// The syntax that the agent accepts in every file: strict JSON.
pub const SYNTAX: JsonSyntax = JsonSyntax { comments: false, trailing_commas: false, bom: false };

/// The kind of a file with hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HooksFileKind {
    /// A file in a directory of hooks.
    Hooks,
    /// Settings of this agent.
    Settings,
    /// Settings of another agent, which must have no wrong entry.
    Foreign,
}

/// One file that may have hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksFile {
    pub layer: Layer,
    pub kind: HooksFileKind,
    pub path: String,
}

impl HooksFile {
    /// Whether the file belongs to the repository, so that it needs trust.
    pub fn is_of_project(&self) -> bool {
        !matches!(self.layer, Layer::User | Layer::Plugin)
    }

    /// The syntax of the file. Only the user's settings may have comments, trailing commas and a byte-order mark.
    fn syntax(&self) -> JsonSyntax {
        match (self.kind, self.is_of_project()) {
            (HooksFileKind::Settings, false) => JsonSyntax { comments: true, trailing_commas: true, bom: true },
            _ => SYNTAX,
        }
    }

    /// Whether the agent's parser of this file accepts a text that is valid JSON.
    fn is_accepted(&self, text: &str) -> bool {
        match (self.kind, self.is_of_project()) {
            (HooksFileKind::Hooks, _) => json::parse(text).is_some(),
            (_, true) => json::parse_any_depth(text).is_some(),
            (_, false) => parse_with_surrogates(text, self.syntax()).is_ok_and(|root| json::is_plain(&root.to_value())),
        }
    }
}

/// Files that look like configuration but that the agent does not read, each with the reason.
const IGNORED: [(&str, &str); 4] = [
    (".github/hooks.json", "Copilot CLI reads .github/hooks/*.json; move the file there"),
    (".copilot/hooks", "Copilot CLI reads .copilot/hooks only in the home directory; use .github/hooks"),
    (".github/copilot/hooks.json", "Copilot CLI reads hooks here from settings.json only"),
    ("hooks.json", "Copilot CLI reads .github/hooks/*.json; move the file there"),
];

/// Whether a path is that of a settings file, and not of a file in a directory of hooks.
pub fn is_settings(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    matches!(name, "settings.json" | "settings.local.json") && !directory.contains("/hooks")
}

/// Returns the directory of the user's files.
pub fn user_dir(place: &Place) -> String {
    match place.var("COPILOT_HOME").filter(|dir| !dir.is_empty()) {
        Some(dir) => place.absolute(&place.project, dir),
        None => format!("{}/.copilot", place.home),
    }
}

/// Returns the files in the order in which the agent takes their hooks.
pub fn hooks_files(place: &Place, files: &dyn Files) -> Vec<HooksFile> {
    let (user, project) = (user_dir(place), &place.project);
    let file = |layer, kind, path: String| HooksFile { layer, kind, path };
    let mut out = directory(&format!("{user}/hooks"), Layer::User, files, 0);
    out.push(file(Layer::User, HooksFileKind::Settings, format!("{user}/settings.json")));
    out.extend(directory(&format!("{project}/.github/hooks"), Layer::Project, files, 0));
    for (layer, kind, name) in [
        (Layer::Project, HooksFileKind::Foreign, ".claude/settings.json"),
        (Layer::Local, HooksFileKind::Foreign, ".claude/settings.local.json"),
        (Layer::Project, HooksFileKind::Settings, ".github/copilot/settings.json"),
        (Layer::Local, HooksFileKind::Settings, ".github/copilot/settings.local.json"),
    ] {
        out.push(file(layer, kind, format!("{project}/{name}")));
    }
    out.extend(plugin_files(place, files));
    out
}

/// The files of the plugins of `--plugin-dir`: its manifest may have the hooks or name their file; else the first of two
/// usual files counts (1.0.102).
fn plugin_files(place: &Place, files: &dyn Files) -> Vec<HooksFile> {
    let given = FORMATS.given(place);
    let file = |given: &GivenFlag| {
        let root = place.absolute(&place.project, given.value());
        let manifest = ["plugin.json", ".claude-plugin/plugin.json"].map(|name| format!("{root}/{name}"));
        let manifest = manifest.into_iter().find(|path| files.exists(path))?;
        let read: Option<Value> = files.read(&manifest).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let (kind, path) = match read.as_ref().and_then(|read| read.get("hooks")) {
            Some(Value::String(name)) => (HooksFileKind::Hooks, place.absolute(&root, name)),
            // The manifest has its own `version`.
            Some(Value::Object(_)) => (HooksFileKind::Settings, manifest),
            _ => {
                let usual = ["hooks.json", "hooks/hooks.json"].map(|name| format!("{root}/{name}"));
                (HooksFileKind::Hooks, usual.into_iter().find(|path| files.exists(path))?)
            }
        };
        Some(HooksFile { layer: Layer::Plugin, kind, path })
    };
    given.all("--plugin-dir").filter_map(file).collect()
}

/// Whether a file of the agent's own exists that may have hooks.
pub fn has_own_files(place: &Place, files: &dyn Files) -> bool {
    hooks_files(place, files).iter().any(|file| file.kind != HooksFileKind::Foreign && files.exists(&file.path))
}

/// The deepest directory that is searched, so that a loop of links ends.
const DEEPEST: usize = 16;

/// The files of a directory of hooks, in descending order of their names; those of subdirectories follow.
fn directory(path: &str, layer: Layer, files: &dyn Files, depth: usize) -> Vec<HooksFile> {
    let mut names: Vec<String> = files.list(path).into_iter().filter(|name| !name.starts_with('.')).collect();
    names.sort_by(|a, b| b.as_bytes().cmp(a.as_bytes()));
    let (below, beside): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| depth < DEEPEST && !files.list(&format!("{path}/{name}")).is_empty());
    let own = beside.into_iter().filter(|name| Path::new(name).extension().is_some_and(|end| end == "json"));
    let own = own.map(|name| HooksFile { layer, kind: HooksFileKind::Hooks, path: format!("{path}/{name}") });
    let others = below.into_iter().flat_map(|name| directory(&format!("{path}/{name}"), layer, files, depth + 1));
    own.chain(others).collect()
}

/// Why the agent trusts the project, or that it does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    Trusted(String),
    Untrusted,
}

/// Looks the project up in the agent's list of trusted directories.
pub fn look_up_trust(place: &Place, files: &dyn Files) -> Trust {
    if place.assumes_trust {
        return Trust::Trusted(Place::TRUST_ASSUMED.to_owned());
    }
    if FORMATS.given(place).last("--trust-folder").is_some() {
        return Trust::Trusted("the agent is started with --trust-folder".to_owned());
    }
    if place.var("COPILOT_ALLOW_ALL") == Some("true") {
        return Trust::Trusted("COPILOT_ALLOW_ALL is true".to_owned());
    }
    let path = format!("{}/config.json", user_dir(place));
    // The agent writes comments above the object.
    let text = files.read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let syntax = JsonSyntax { comments: true, ..SYNTAX };
    let config: Option<Value> = parse_json(SourceId(0), &text, syntax).ok().map(|node| node.to_value());
    let listed =
        ["trustedFolders", "trusted_folders"].into_iter().filter_map(|key| config.as_ref()?.get(key)?.as_array());
    let found = listed.flatten().filter_map(Value::as_str).find(|trusted| {
        let root = trusted.trim_end_matches('/');
        root.is_empty() && trusted.starts_with('/') || !root.is_empty() && is_within(&place.project, root)
    });
    found.map_or(Trust::Untrusted, |root| Trust::Trusted(format!("{root} is a trusted directory")))
}

/// Records files that look like configuration but are not read.
pub fn report_ignored(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) {
    for (name, message) in IGNORED {
        let path = format!("{}/{name}", place.project);
        if path != user_dir(place) + "/hooks" {
            settings::report_ignored(loaded, place, files, &path, message);
        }
    }
    let candidates = |above: &str| {
        let hooks = directory(&format!("{above}/.github/hooks"), Layer::Project, files, 0).into_iter();
        let settings = ["settings.json", "settings.local.json"];
        let settings = settings.iter().map(|name| format!("{above}/.github/copilot/{name}"));
        hooks.map(|file| file.path).chain(settings).collect()
    };
    let why = "the agent reads only the directory in which it starts, not its parent directories";
    report_files_above(place, files, candidates, why, loaded);
}

/// The fault of a value that is valid JSON, but that the agent's parser does not accept.
const REJECTED: &str = "Copilot CLI rejects half a surrogate pair, too large a number or too many levels";

/// Reads a file that must be an object. `None` if it is absent or not read; its state is recorded.
pub fn read_object(file: &HooksFile, place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) -> Option<Node> {
    let parse = |source, text: &str| {
        let rejected = JsonError { at: 0, message: REJECTED.to_owned(), help: Some("delete the value".to_owned()) };
        parse_json(source, text, file.syntax()).and_then(|root| file.is_accepted(text).then_some(root).ok_or(rejected))
    };
    let effect = |broken: BrokenFile| {
        let is_rejected = broken.detail == REJECTED;
        let effect = BrokenEffect::without_hooks(broken, "the file must be strict JSON, without comments");
        let rejected = || format!("{REJECTED}, so every hook of this file is ignored");
        BrokenEffect { message: if is_rejected { rejected() } else { effect.message }, ..effect }
    };
    settings::read_layer(place, files, (file.layer, &file.path), parse, effect, loaded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test::place;
    use hookbench_base::config::MemoryFiles;

    #[test]
    fn hooks_directories_are_read_from_the_end() {
        let mut files = MemoryFiles::default();
        for name in ["b.json", "z/a.json", "a/y.json", "a.json", "a/b/c.json", ".x.json", "n.txt", "10.json", "9.json"]
        {
            files.put(format!("/h/.copilot/hooks/{name}"), "{}");
        }
        let found: Vec<String> = hooks_files(&place(), &files)
            .into_iter()
            .filter(|file| file.kind == HooksFileKind::Hooks)
            .map(|file| file.path.trim_start_matches("/h/.copilot/hooks/").to_owned())
            .collect();
        assert_eq!(found, ["b.json", "a.json", "9.json", "10.json", "z/a.json", "a/y.json", "a/b/c.json"]);
    }

    #[test]
    fn a_directory_above_trusts_the_project() {
        for (config, variable, trusted) in [
            (r#"{"trustedFolders": ["/p"]}"#, None, true),
            (r#"{"trusted_folders": ["/p/"]}"#, None, true),
            (r#"{"trustedFolders": ["/"]}"#, None, true),
            (r#"{"trustedFolders": ["/p/sub", "/px"]}"#, None, false),
            ("{}", None, false),
            ("{", None, false),
            ("{}", Some("true"), true),
            ("{}", Some("1"), false),
        ] {
            let mut files = MemoryFiles::default();
            files.put("/h/.copilot/config.json", config);
            let mut place = place();
            place.env.extend(variable.map(|value| ("COPILOT_ALLOW_ALL".to_owned(), value.to_owned())));
            assert_eq!(look_up_trust(&place, &files) != Trust::Untrusted, trusted, "{config} {variable:?}");
        }
    }
}
