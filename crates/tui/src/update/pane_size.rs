//! The sizes of the panes: grow, shrink, drag, reset.

use ratatui::layout::Position;

use crate::bench::{PaneEdge, PaneSizes};
use crate::keymap::UiCommand;
use crate::model::{Focus, Model};
use crate::page_layout::frame_layout;

/// Columns that one step moves the bar; the other edges move by rows.
const COLUMNS: i32 = 2;

/// Grows or shrinks the focused pane.
pub(super) fn resize(model: &mut Model, by: i32) {
    let at = frame_layout(model);
    let wanted = match model.focus {
        Focus::Event => [Some(PaneEdge::Event), Some(PaneEdge::Rule), None],
        Focus::Hooks | Focus::Detail => [Some(PaneEdge::Bar), Some(PaneEdge::Rule), None],
    };
    let edge = wanted.into_iter().flatten().find(|edge| at.edges().iter().any(|(there, _)| there == edge));
    let Some(edge) = edge else {
        let says = if model.zoomed {
            format!("this pane is zoomed; {} shows all", model.key(UiCommand::Zoom))
        } else {
            "this size shows one pane at a time".to_owned()
        };
        model.toast = Some(says);
        return;
    };
    // The pane measured at the edge grows with its own focus and shrinks if the other pane grows.
    let measured = if edge == PaneEdge::Event { Focus::Event } else { Focus::Hooks };
    let by = if model.focus == measured { by } else { -by };
    let by = if edge == PaneEdge::Bar { by * COLUMNS } else { by };
    let (size, whole) = at.size_and_total(edge);
    let size = u16::try_from(i32::from(size) + by).unwrap_or(0);
    model.pane_sizes.set(edge, size, whole);
    if frame_layout(model).size_and_total(edge).0 == at.size_and_total(edge).0 {
        model.toast = Some("the pane cannot get larger or smaller".to_owned());
    }
}

/// Moves an edge to the mouse.
pub(crate) fn drag(model: &mut Model, edge: PaneEdge, to: Position) {
    let at = frame_layout(model);
    if at.edges().iter().any(|(there, _)| *there == edge) {
        let (_, whole) = at.size_and_total(edge);
        model.pane_sizes.set(edge, at.size_with_edge_at(edge, to), whole);
    }
}

/// Resets the layout to its defaults.
pub(super) fn reset_layout(model: &mut Model) {
    model.pane_sizes = PaneSizes::default();
    model.zoomed = false;
    model.tab = None;
    model.scroll = None;
    model.focus = Focus::Hooks;
    model.toast = Some("the panes have their default sizes".to_owned());
}
