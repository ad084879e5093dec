//! Hooks that a settings file would have in vain, because the agent reads their event from another file of the directory.

use super::settings_edit::SettingsEditError;
use crate::config::{Files, OverlayFiles, Place};
use crate::diagnostic::Code;
use crate::port::AgentVersion;

/// Finds an event that the agent reads from another file than the one at `path`, among those for which hooks were added.
/// `after` is the new text of the file. `None` if the agent reads all of them.
pub fn find_replaced_event(
    agent: &AgentVersion,
    place: &Place,
    files: &dyn Files,
    (path, after): (&str, &str),
    events: &[&str],
) -> Option<SettingsEditError> {
    let files = OverlayFiles { files, replaced: vec![(path, after)] };
    let loaded = agent.dialect.load(&place.as_trusted(), &files, &agent.version);
    loaded.notes.iter().filter(|note| note.code == Code::HW714).find_map(|note| {
        let span = note.span.filter(|span| loaded.sources.path(span.source) == path)?;
        let event = after.get(span.start..span.end)?.trim_matches('"');
        let help = note.help.as_deref().unwrap_or_default();
        events.contains(&event).then(|| SettingsEditError::at(after, span.start, format!("{}; {help}", note.message)))
    })
}
