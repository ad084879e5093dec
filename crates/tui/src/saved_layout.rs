//! The state of the screen that is saved on exit and restored at the next start. The program always starts on the bench,
//! which says why a hook does not run.

use crate::bench::PaneSizes;
use crate::model::{Focus, Model, Tab};
use hookbench_app::{Command, SavedLayout, StateDir};
use hookbench_core::dialects;

/// The panes and their names.
const PANES: [(&str, Focus); 3] = [("hooks", Focus::Hooks), ("detail", Focus::Detail), ("event", Focus::Event)];

/// The state to save.
fn snapshot(model: &Model) -> SavedLayout {
    let bench = model.session.bench();
    let pane = PANES.iter().find(|(_, focus)| *focus == model.focus).map(|(name, _)| (*name).to_owned());
    SavedLayout {
        agent: Some(bench.payload.agent.to_string()),
        event: bench.payload.event.map(|e| e.name.to_owned()),
        template: bench.payload.template,
        tab: model.tab.map(|tab| tab.title().to_owned()),
        zoomed: pane.filter(|_| model.zoomed),
        list_columns: model.pane_sizes.beside,
        list_rows: model.pane_sizes.above,
        event_rows: model.pane_sizes.event,
        excluded_agents: model.session.excluded_agents().iter().map(ToString::to_string).collect(),
    }
}

/// Restores the saved state; unknown names are ignored. Agent and event are restored by the session.
pub fn restore(model: &mut Model, left: &SavedLayout) {
    model.pane_sizes = PaneSizes { beside: left.list_columns, above: left.list_rows, event: left.event_rows };
    for dialect in left.excluded_agents.iter().filter_map(|id| dialects::by_id(id)) {
        // The agent on the bench cannot be excluded, and may be another one than before.
        if model.session.compares(dialect.id().as_str()) && model.session.bench().payload.agent != dialect.id() {
            model.session.apply(Command::ToggleCompared(dialect.id()));
        }
    }
    model.tab = Tab::ALL.into_iter().find(|tab| left.tab.as_deref() == Some(tab.title()));
    if let Some((_, focus)) = PANES.iter().find(|(name, _)| left.zoomed.as_deref() == Some(name)) {
        model.zoomed = true;
        model.focus = *focus;
    }
}

/// Saves the state of the screen.
pub fn save(model: &Model) -> Result<(), String> {
    let place = model.session.place();
    snapshot(model).save(&StateDir::of(place), &place.project).map_err(|why| format!("the layout was not saved: {why}"))
}
