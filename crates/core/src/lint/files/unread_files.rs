//! HW107: files that look like hook configuration or hooks but that the agent does not read or run.

use serde_json::{Map, Value};

use crate::config::{IgnoredFile, UnreadCure};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::{ALL, Agent, AgentContext, SPECIFIED, default_version};
use crate::hook::Layer;
use crate::lint::is_json;

/// Reports the unread files that the agent's reader found. A file in the project root that mentions no event may
/// have another purpose.
pub(super) fn check(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let agent = at.dialect.name();
    let of = |file: &IgnoredFile| {
        let message = format!("{agent} does not read this file: {}", file.message);
        let found = match &file.cure {
            // The author of a plugin edits it without loading it.
            Some(cure @ (UnreadCure::LoadPlugin(_) | UnreadCure::InstallPlugin(_))) => {
                Diagnostic::lowered(Code::HW107, Severity::Info, message).with_help(cure.advice())
            }
            _ => Diagnostic::new(Code::HW107, message).with_help(
                conversion(at, file)
                    .or_else(|| start_above(at, file))
                    .unwrap_or_else(|| "move the hooks into a file that it reads, or delete this one".to_owned()),
            ),
        };
        found.in_file(file.file.clone())
    };
    let mut found: Vec<Diagnostic> =
        at.loaded.ignored_files.iter().filter(|file| about_hooks(at, file)).map(of).collect();
    found.extend(unknown_files(at).iter().map(of));
    found
}

/// The command that converts a file in the format of an agent that was never released.
fn conversion(at: &AgentContext<'_>, file: &IgnoredFile) -> Option<String> {
    let reads = |dialect: &&&Agent| {
        let loaded = dialect.load(at.place, at.files, &default_version(dialect));
        loaded.definitions.iter().any(|definition| definition.provenance.file == file.file)
    };
    let yaml = file.file.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "yaml" | "yml"));
    let from = SPECIFIED.iter().filter(|_| yaml).find(reads)?.id();
    let to = at.dialect.id();
    Some(format!(
        "hookbench convert --from {from} --to {to} --yes adds its hooks to a file that {} reads",
        at.dialect.name()
    ))
}

/// The help for a file of a directory above the project: the directory in which the agent would read it.
fn start_above(at: &AgentContext<'_>, file: &IgnoredFile) -> Option<String> {
    let path = at.place.absolute(&at.place.project, &file.file);
    let above = directory_above(&at.place.project, &path)?;
    let agent = at.dialect.name();
    Some(format!("start {agent} in {above}; `hookbench lint --project {above}` checks its hooks"))
}

/// The directory above the project in which a file or its agent's directory lies. `None` if the file lies elsewhere.
pub fn directory_above<'p>(project: &'p str, path: &str) -> Option<&'p str> {
    let mut above =
        std::iter::successors(Some(project), |directory| directory.rsplit_once('/').map(|(above, _)| above));
    let inside = |directory: &str| path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
    above.find(|directory| inside(directory)).filter(|directory| !directory.is_empty() && *directory != project)
}

/// Words in names of files that are clearly not meant to be read.
const INACTIVE_NAMES: [&str; 14] = [
    "example", "sample", "template", "backup", "bak", "old", "disabled", "default", "schema", "unix", "linux", "macos",
    "darwin", "windows",
];

/// Returns files next to the settings that contain events with hooks but have a name that the agent does not know.
fn unknown_files(at: &AgentContext<'_>) -> Vec<IgnoredFile> {
    let Some(settings) = (at.dialect.settings_format().layer_file)(at.place, Layer::Project) else { return Vec::new() };
    let Some((directory, _)) = settings.rsplit_once('/') else { return Vec::new() };
    let events = at.dialect.events(at.version);
    let mut found = Vec::new();
    for name in at.files.list(directory) {
        let path = format!("{directory}/{name}");
        let shown = at.place.display_path(&path);
        let lower = name.to_lowercase();
        let known = at.loaded.layers.iter().any(|layer| layer.path == path)
            || at.loaded.ignored_files.iter().any(|file| at.place.absolute(&at.place.project, &file.file) == path);
        if !is_json(&lower) || known || INACTIVE_NAMES.iter().any(|word| lower.contains(word)) {
            continue;
        }
        let Ok(bytes) = at.files.read(&path) else { continue };
        let Ok(root) = serde_json::from_slice::<Value>(&bytes) else { continue };
        let Some(hooks) = root.get("hooks").and_then(Value::as_object) else { continue };
        let brings = |(name, groups): (&String, &Value)| {
            events.iter().any(|event| event.name == name)
                && groups.as_array().is_some_and(|groups| groups.iter().any(|group| group.get("hooks").is_some()))
        };
        if hooks.iter().any(brings) {
            let says = format!("it reads {}", settings.rsplit('/').next().unwrap_or_default());
            found.push(IgnoredFile { file: shown, message: says, cure: None });
        }
    }
    found
}

fn about_hooks(at: &AgentContext<'_>, file: &IgnoredFile) -> bool {
    let path = at.place.absolute(&at.place.project, &file.file);
    if path.ends_with("/extensions") {
        // Only extensions with hooks are of interest.
        let brings = |name: &String| at.files.exists(&format!("{path}/{name}/hooks/hooks.json"));
        return at.files.list(&path).iter().any(brings);
    }
    // Files in an agent's own directory are always reported, and so are directories and unreadable files.
    let Ok(bytes) = at.files.read(&path) else { return true };
    let json = || serde_json::from_slice::<Value>(&bytes).ok().filter(|_| is_json(&path));
    let empty = |root: Value| root.get("hooks").is_some_and(|hooks| hooks.as_object().is_some_and(Map::is_empty));
    // Parsing a large file takes long, and few files have an object without keys.
    let visible = || bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
    let has_empty_object = visible().zip(visible().skip(1)).any(|pair| pair == (&b'{', &b'}'));
    if has_empty_object && json().is_some_and(empty) {
        return false;
    }
    if file.file.contains('/') {
        return true;
    }
    let text = String::from_utf8_lossy(&bytes);
    // One-word names such as "Stop" and "Setup" occur in many files.
    let telling = |name: &str| name.chars().filter(char::is_ascii_uppercase).count() > 1;
    let mut events = ALL.iter().flat_map(|dialect| dialect.events(&default_version(dialect))).map(|event| event.name);
    let named =
        events.any(|name| if telling(name) { text.contains(name) } else { text.contains(&format!("\"{name}\"")) });
    let listed = text.contains("\"event\"") || text.contains("event:");
    named || (listed && text.contains("command"))
}

/// HW107: a script that is named after an event but that no hook runs.
/// Checks the files in the hooks directory that are named after an event, if no hook of that event is configured and
/// no settings file mentions them.
pub(super) fn check_unused_scripts(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let settings = (at.dialect.settings_format().layer_file)(at.place, Layer::Project);
    let Some((directory, _)) = settings.as_deref().and_then(|file| file.rsplit_once('/')) else { return Vec::new() };
    let directory = format!("{directory}/hooks");
    let events = at.dialect.events(at.version);
    let mut found = Vec::new();
    for name in at.files.list(&directory) {
        let stem = name.split('.').next().unwrap_or("");
        let Some(event) = events.iter().find(|event| is_named_after(stem, event.name)) else { continue };
        let path = format!("{directory}/{name}");
        let program = at.files.executable(&path) == Some(true)
            || [".sh", ".py", ".js", ".mjs", ".ts", ".rb"].iter().any(|end| name.ends_with(end));
        let used = at.loaded.definitions.iter().any(|definition| definition.event == event.name)
            || at.sources.texts().any(|(_, text)| text.contains(name.as_str()));
        if program && !used {
            let agent = at.dialect.name();
            let says = format!(
                "{agent} does not run a file because of its name, and no hook for {} is configured",
                event.name
            );
            let file = at.place.display_path(settings.as_deref().unwrap_or(""));
            let help = format!("add it as the command of a hook for {} in {file}", event.name);
            let one = Diagnostic::new(Code::HW107, says).in_file(at.place.display_path(&path)).with_help(help);
            found.push(one.with_cause(format!("files without a hook in {directory}")));
        }
    }
    found
}

/// Whether a file is named after an event. One-word names such as `stop` and `setup` must match exactly.
fn is_named_after(stem: &str, event: &str) -> bool {
    let words = event.chars().filter(char::is_ascii_uppercase).count();
    stem == event || words > 1 && folded(stem) == folded(event)
}

fn folded(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::directory_above;

    #[test]
    fn the_directory_above_that_holds_a_file() {
        let of = |path: &str| directory_above("/work/app/src", path);
        assert_eq!(of("/work/.agent/settings.json"), Some("/work"));
        assert_eq!(of("/work/app/.agent/settings.json"), Some("/work/app"));
        assert_eq!(of("/work/app/src/.agent/hooks.json"), None, "a file of the project itself");
        assert_eq!(of("/work/application/settings.json"), Some("/work"));
        assert_eq!(of("/etc/settings.json"), None);
    }
}
