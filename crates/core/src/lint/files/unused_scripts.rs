//! HW107: a script that is named after an event but that no hook runs.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::AgentContext;
use crate::hook::Layer;

/// Checks the files in the hooks directory that are named after an event, if no hook of that event is configured and
/// no settings file mentions them.
pub(super) fn check(at: &AgentContext<'_>) -> Vec<Diagnostic> {
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
