//! HW107: a file that looks like hook configuration, and that the agent does not read.

use crate::core::config::NotLoaded;
use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::{ALL, Whole, default_version};

/// What the agent's reader has come across. A file at the root in which no event is named may be about something else.
pub(super) fn look(at: &Whole<'_>) -> Vec<Diagnostic> {
    let agent = at.dialect.name();
    let of = |file: &NotLoaded| {
        Diagnostic::warning("HW107", format!("{agent} does not read this file: {}", file.says))
            .in_file(file.file.clone())
            .help("move the hooks into a file that it reads, or delete this one")
    };
    at.loaded.not_loaded.iter().filter(|file| about_hooks(at, file)).map(of).collect()
}

fn about_hooks(at: &Whole<'_>, file: &NotLoaded) -> bool {
    let path = at.place.absolute(&at.place.project, &file.file);
    if path.ends_with("/extensions") {
        // Of extensions those are of interest that bring hooks.
        let brings = |name: &String| at.files.exists(&format!("{path}/{name}/hooks/hooks.json"));
        return at.files.list(&path).iter().any(brings);
    }
    // What lies in an agent's own folder is its business; a folder, or what cannot be read, is judged by its name.
    if file.file.contains('/') {
        return true;
    }
    let Ok(bytes) = at.files.read(&path) else { return true };
    let text = String::from_utf8_lossy(&bytes);
    // Of one word alone ("Stop", "Setup") many a file speaks.
    let telling = |name: &str| name.chars().filter(char::is_ascii_uppercase).count() > 1;
    let mut events = ALL.iter().flat_map(|dialect| dialect.events(&default_version(*dialect))).map(|event| event.name);
    let named =
        events.any(|name| if telling(name) { text.contains(name) } else { text.contains(&format!("\"{name}\"")) });
    let listed = text.contains("\"event\"") || text.contains("event:");
    named || (listed && text.contains("command"))
}
