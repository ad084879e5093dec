//! Moving on the screen: rows, panes, tabs, opening and going back.

use ratatui::layout::Position;

use super::{LoopRequest, command};
use crate::bench::{PaneEdge, PaneSizes, streams, trial_target};
use crate::hook_list::HookListRow;
use crate::keymap::UiCommand;
use crate::model::{Focus, Model, Tab};
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::popup::{InputPopup, InputPurpose, Popup};
use crate::{payload_keys, problems, widgets};
use hookbench_app::Command;
use hookbench_app::lint::Finding;
use hookbench_core::run::{Exit, Launch};

/// Selects a hook, with its event on the bench.
pub(crate) fn go_to_hook(model: &mut Model, event: &str, id: &str, asks: &mut Vec<LoopRequest>) {
    model.page = Page::Bench;
    if model.session.bench().payload.event.is_none_or(|e| e.name != event) {
        command(model, Command::ChooseEvent(event.to_owned()), asks);
    }
    model.refresh_shared();
    let is_hook = |row: &HookListRow| matches!(row, HookListRow::Hook(hook) | HookListRow::Other(hook) if hook == id);
    let place = |model: &Model| model.rows.iter().position(is_hook);
    if place(model).is_none() {
        // The agent has no such event, so the hook is listed below those of the event on the bench.
        model.unfolded = true;
        let file = model.session.loaded().and_then(|loaded| Some(loaded.definition(id)?.provenance.file.clone()));
        model.unfolded_own.extend(file);
        model.refresh_shared();
    }
    if let Some(row) = place(model) {
        model.selected = row;
        model.focus = Focus::Hooks;
        model.tab = None;
        model.scroll = None;
    }
}

/// Opens a page.
pub(crate) fn open_page(model: &mut Model, page: Page) {
    model.page = page;
    model.close_pages();
    model.refresh_shared();
}

/// Applies a function to a finding about the selected hook, otherwise about a hook named in the band.
pub(super) fn on_finding(model: &mut Model, act: fn(&mut Model, &Finding)) {
    let hooks = problems::hooks_in_view(model);
    match hooks.iter().find_map(|hook| problems::finding_of_hook(model, hook)).cloned() {
        Some(finding) => act(model, &finding),
        None => {
            let key = model.key(UiCommand::Page(Page::Problems));
            model.toast = Some(format!("no problem found for this hook; {key} lists all problems"));
        }
    }
}

/// Runs the selected hook once, in a copy of the project.
pub(super) fn try_hook(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    match model.rows.get(model.selected) {
        Some(HookListRow::Hook(hook)) => command(model, Command::TryHook(hook.clone()), asks),
        _ => model.toast = Some("select a hook to try".to_owned()),
    }
}

/// Shows the fix that is offered on the bench, or tries a hook of which something is unknown.
pub(super) fn fix_hook(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    match problems::fix_target(model).cloned() {
        Some(finding) => problems::show_fix(model, &finding),
        None if trial_target(model).is_some() => try_hook(model, asks),
        None if model.session.problems().report.is_none() => {
            model.toast = Some("hookbench is still checking the hooks; try again".to_owned());
        }
        None => {
            let key = model.key(UiCommand::Page(Page::Problems));
            model.toast = Some(format!("no automatic fix; {key} lists all problems"));
        }
    }
}

pub(super) fn step_tab(model: &mut Model, forward: bool) {
    let now = Tab::ALL.iter().position(|t| *t == model.current_tab()).unwrap_or(0);
    let count = Tab::ALL.len();
    let next = if forward { (now + 1) % count } else { (now + count - 1) % count };
    if let Some(tab) = Tab::ALL.get(next) {
        choose_tab(model, *tab);
    }
}

pub(crate) fn choose_tab(model: &mut Model, tab: Tab) {
    model.tab = Some(tab);
    model.scroll = None;
    // If the pane is not beside the list, it gets the focus to become visible.
    if model.focus == Focus::Event || !crate::bench::has_detail(model.size) {
        model.focus = Focus::Detail;
    }
}

/// Moves the selection or the scroll position of the focused pane of the bench.
pub(crate) fn move_by(model: &mut Model, by: isize) {
    match model.focus {
        Focus::Hooks => {
            let next = widgets::step(model.selected, by, model.rows.len());
            if next != model.selected {
                model.selected = next;
                model.scroll = None;
            }
        }
        Focus::Detail => streams::scroll(model, by),
        Focus::Event => {
            if payload_keys::move_by(model, by) {
                return;
            }
            model.event_scroll = widgets::step(model.event_scroll, by, model.event_lines.len());
        }
    }
}

pub(super) fn step_focus(model: &mut Model, forward: bool) {
    model.focus = match (model.focus, forward) {
        (Focus::Hooks, true) | (Focus::Event, false) => Focus::Detail,
        (Focus::Detail, true) | (Focus::Hooks, false) => Focus::Event,
        (Focus::Event, true) | (Focus::Detail, false) => Focus::Hooks,
    };
}

pub(super) fn open(model: &mut Model) {
    match model.rows.get(model.selected) {
        Some(HookListRow::Others(_)) => model.unfolded = !model.unfolded,
        Some(HookListRow::Own { file, .. }) => {
            let file = file.clone();
            if !model.unfolded_own.remove(&file) {
                model.unfolded_own.insert(file);
            }
        }
        Some(HookListRow::Hook(_)) => match by_hand(model) {
            Some(popup) => model.popups.push(popup),
            None => model.focus = Focus::Detail,
        },
        Some(_) => model.focus = Focus::Detail,
        None => {}
    }
}

/// The input for an answer that only the agent could give; `None` if the selected run does not need one.
fn by_hand(model: &Model) -> Option<Popup> {
    let firing = model.firing()?;
    let run = model.selected_run()?;
    let Launch::ByHand(question) = &run.launch else { return None };
    let open = run.ended().is_some_and(|r| matches!(r.report.exit, Exit::Unanswered | Exit::Answered { .. }));
    open.then(|| {
        Popup::Input(InputPopup {
            prefix: String::new(),
            title: format!("What would the model answer? ({})", question.requires),
            hint: "the answer as the model would print it".to_owned(),
            text: hookbench_core::text::stringify(&question.template).into(),
            form: "",
            what: InputPurpose::Answer { firing: firing.id, run: run.run },
            error: None,
        })
    })
}

/// Lets the user's model answer for the agent's, at the selected hook.
pub(super) fn ask_model(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    match by_hand(model) {
        Some(Popup::Input(InputPopup { what: InputPurpose::Answer { firing, run }, .. })) => {
            model.toast = Some("asking your model".to_owned());
            command(model, Command::AskModel { firing, run, allowed: false }, asks);
        }
        _ => model.toast = Some("select a hook that only the agent's model can answer, and fire it".to_owned()),
    }
}

pub(super) fn back(model: &mut Model) {
    if model.focus == Focus::Detail && model.stream_view.clear_search() {
        return;
    }
    if model.zoomed {
        model.zoomed = false;
    } else if model.focus != Focus::Hooks {
        model.focus = Focus::Hooks;
    } else {
        model.tab = None;
        model.scroll = None;
    }
}

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
