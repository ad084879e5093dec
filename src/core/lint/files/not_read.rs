//! HW107: a file that looks like hook configuration, and that the agent does not read.

use crate::core::config::NotLoaded;
use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::{ALL, Whole, default_version};

/// What the agent's reader has come across. A file of that name in which no event is named is about something else.
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
    // A folder, or what cannot be read, is judged by its name.
    let Ok(bytes) = at.files.read(&at.place.absolute(&at.place.project, &file.file)) else { return true };
    let text = String::from_utf8_lossy(&bytes);
    let events = ALL.iter().flat_map(|dialect| dialect.events(&default_version(*dialect)));
    text.contains("hooks") && events.into_iter().any(|event| text.contains(event.name))
        || text.contains("\"event\"")
        || text.contains("event:")
}
