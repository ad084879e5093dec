//! HW107: a file that looks like hook configuration but that the agent does not read.

use serde_json::{Map, Value};

use crate::config::NotLoaded;
use crate::diagnostic::Diagnostic;
use crate::dialects::{ALL, Whole, default_version};
use crate::hook::Layer;
use crate::lint::is_json;

/// Reports the unread files that the agent's reader found. A file in the project root that mentions no event may
/// have another purpose.
pub(super) fn look(at: &Whole<'_>) -> Vec<Diagnostic> {
    let agent = at.dialect.name();
    let of = |file: &NotLoaded| {
        Diagnostic::warning("HW107", format!("{agent} does not read this file: {}", file.says))
            .in_file(file.file.clone())
            .help("move the hooks into a file that it reads, or delete this one")
    };
    let mut found: Vec<Diagnostic> = at.loaded.not_loaded.iter().filter(|file| about_hooks(at, file)).map(of).collect();
    found.extend(strangers(at).iter().map(of));
    found
}

/// Words in names of files that are clearly not meant to be read.
const KEPT_ASIDE: [&str; 14] = [
    "example", "sample", "template", "backup", "bak", "old", "disabled", "default", "schema", "unix", "linux", "macos",
    "darwin", "windows",
];

/// Returns files next to the settings that contain events with hooks but have a name that the agent does not know.
fn strangers(at: &Whole<'_>) -> Vec<NotLoaded> {
    let Some(settings) = (at.dialect.form().file)(at.place, Layer::Project) else { return Vec::new() };
    let Some((folder, _)) = settings.rsplit_once('/') else { return Vec::new() };
    let events = at.dialect.events(at.version);
    let mut found = Vec::new();
    for name in at.files.list(folder) {
        let path = format!("{folder}/{name}");
        let shown = at.place.show(&path);
        let lower = name.to_lowercase();
        let known = at.loaded.layers.iter().any(|layer| layer.path == path)
            || at.loaded.not_loaded.iter().any(|file| at.place.absolute(&at.place.project, &file.file) == path);
        if !is_json(&lower) || known || KEPT_ASIDE.iter().any(|word| lower.contains(word)) {
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
            let says = format!("{} is the name that it reads", settings.rsplit('/').next().unwrap_or_default());
            found.push(NotLoaded { file: shown, says });
        }
    }
    found
}

fn about_hooks(at: &Whole<'_>, file: &NotLoaded) -> bool {
    let path = at.place.absolute(&at.place.project, &file.file);
    if path.ends_with("/extensions") {
        // Only extensions with hooks are of interest.
        let brings = |name: &String| at.files.exists(&format!("{path}/{name}/hooks/hooks.json"));
        return at.files.list(&path).iter().any(brings);
    }
    // Files in an agent's own folder are always reported, and so are folders and unreadable files.
    let Ok(bytes) = at.files.read(&path) else { return true };
    let json = || serde_json::from_slice::<Value>(&bytes).ok().filter(|_| is_json(&path));
    let empty = |root: Value| root.get("hooks").is_some_and(|hooks| hooks.as_object().is_some_and(Map::is_empty));
    if json().is_some_and(empty) {
        return false;
    }
    if file.file.contains('/') {
        return true;
    }
    let text = String::from_utf8_lossy(&bytes);
    // One-word names such as "Stop" and "Setup" occur in many files.
    let telling = |name: &str| name.chars().filter(char::is_ascii_uppercase).count() > 1;
    let mut events = ALL.iter().flat_map(|dialect| dialect.events(&default_version(*dialect))).map(|event| event.name);
    let named =
        events.any(|name| if telling(name) { text.contains(name) } else { text.contains(&format!("\"{name}\"")) });
    let listed = text.contains("\"event\"") || text.contains("event:");
    named || (listed && text.contains("command"))
}
