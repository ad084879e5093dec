//! The events that can be replayed.

use crate::keymap::UiCommand;
use crate::model::Model;
use hookbench_app::ReplaySelection;
use hookbench_core::text::pluralize;

/// The events that can be replayed: the selected one, the marked ones, all that match the filter. No hook runs.
pub fn replay_orders(model: &Model) -> Vec<(&'static str, String, ReplaySelection)> {
    let list = model.session.event_list();
    let Some(row) = list.window.row() else { return Vec::new() };
    let filter = current_filter(model);
    let marked = if filter.is_empty() { "~marked".to_owned() } else { format!("~marked {filter}") };
    let shown = list.matching.map_or_else(|| "the listed events".to_owned(), |count| pluralize(count, "listed event"));
    vec![
        ("selected", format!("event {}", row.seq), ReplaySelection::One(row.seq)),
        ("marked", format!("{} marks events", model.key(UiCommand::LeaveOut)), ReplaySelection::Matching(marked)),
        ("listed", shown, ReplaySelection::Matching(filter)),
    ]
}

/// The current filter as text; empty if all events are listed.
fn current_filter(model: &Model) -> String {
    let shelf = model.session.event_list();
    shelf.combined_filter().to_string()
}
