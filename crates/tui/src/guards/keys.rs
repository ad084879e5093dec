//! The commands of the page.

use ratatui::layout::Position;

use super::draw::{current_detail, row_places};
use crate::bench::has_detail;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::popup::{InputPopup, InputPurpose, Popup, show_patch};
use crate::update::{LoopRequest, command, open_page};
use crate::widgets;
use hookbench_app::guards::{GuardsRequest, Judgement, allowance_of, with_allowance};
use hookbench_app::lint::FileChange;
use hookbench_app::{Command, config_file};
use hookbench_core::guard::{GUARD_SECTIONS, GuardHit, guard_page};

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_command(model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
    match verb {
        UiCommand::JudgeRight => judge(model, Judgement::Right, asks),
        UiCommand::JudgeWrong => judge(model, Judgement::Wrong, asks),
        UiCommand::Allow => ask_reason(model),
        UiCommand::Explain => explain(model),
        UiCommand::Open if !has_detail(model.size) => {
            model.guards.detail_open = !model.guards.detail_open;
            model.guards.scroll = 0;
        }
        UiCommand::Open => {}
        UiCommand::Back if model.guards.detail_open && !has_detail(model.size) => model.guards.detail_open = false,
        UiCommand::Back => open_page(model, Page::Events),
        _ => return false,
    }
    true
}

/// Keeps the judgement of the selected finding, or forgets it if it is the same, and goes to the next one.
fn judge(model: &mut Model, judged: Judgement, asks: &mut Vec<LoopRequest>) {
    let Some(one) = model.guards.hit() else {
        model.toast = Some("select a finding to judge it".to_owned());
        return;
    };
    let judged = Some(judged).filter(|judged| one.judged != Some(*judged));
    let request = GuardsRequest::Judge { id: one.hit.id.clone(), judged };
    command(model, Command::Guards(request), asks);
}

fn ask_reason(model: &mut Model) {
    let Some(hit) = model.guards.hit().map(|one| one.hit.clone()) else {
        model.toast = Some("select a finding to allow it".to_owned());
        return;
    };
    model.popups.push(Popup::Input(InputPopup {
        title: format!("Why is {} right here?", hit.rule),
        hint: "an entry in the configuration, shown before it is written".to_owned(),
        text: String::new().into(),
        form: "the reason, for the next reader",
        what: InputPurpose::GuardReason(Box::new(hit)),
        error: None,
    }));
}

/// Shows the entry that allows a finding as a patch; `Y` writes it.
pub fn allow_hit(model: &mut Model, hit: &GuardHit, reason: &str) {
    let place = model.session.place();
    let Some(path) = config_file(&|name| place.var(name).map(str::to_owned)) else {
        model.toast = Some("there is no home directory, so there is no configuration".to_owned());
        return;
    };
    let path = path.to_string_lossy().into_owned();
    let before = model.session.files().read(&path).ok();
    let text = before.as_ref().and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    match with_allowance(text, &allowance_of(hit, reason)) {
        Ok(after) => {
            let file = place.display_path(&path);
            let change = FileChange { file, path, before, after: after.into_bytes(), executable: false };
            show_patch(model, format!("Allow {} here", hit.rule), vec![change]);
        }
        Err(why) => model.toast = Some(why),
    }
}

/// Shows the page of the selected finding's rule.
fn explain(model: &mut Model) {
    let Some(page) = model.guards.hit().and_then(|one| guard_page(&one.hit.rule)) else { return };
    let theme = model.theme;
    let mut lines = Vec::new();
    for (title, text) in GUARD_SECTIONS.iter().zip(page.sections) {
        lines.push(vec![(theme.strong(), (*title).to_owned())]);
        let shown = text.lines().filter(|line| !line.starts_with("```"));
        let columns = crate::popup::lines_columns(model.size.0);
        lines.extend(shown.flat_map(|line| widgets::wrap(&[(theme.plain(), format!("  {line}"))], columns, 2)));
        lines.push(Vec::new());
    }
    model.popups.push(Popup::Lines { title: format!("{}: {}", page.rule.id, page.title), lines, top: 0 });
}

/// Moves up or down in the rows, or scrolls the detail if it fills the page.
pub fn step(model: &mut Model, by: isize) {
    if model.guards.detail_open && !has_detail(model.size) {
        let (lines, rows) = current_detail(model);
        model.guards.scroll = widgets::scroll(model.guards.scroll, by, lines.len(), rows);
        return;
    }
    model.guards.selected = widgets::step(model.guards.selected, by, model.guards.rows.len());
    model.guards.scroll = 0;
}

/// Handles a click: selects a row.
pub fn on_click(model: &mut Model, at: Position) {
    let frame = frame_layout(model);
    let Some(row) = widgets::target_at(row_places(model, frame.shared, frame.size), at) else { return };
    model.guards.selected = row.min(model.guards.rows.len().saturating_sub(1));
    model.guards.scroll = 0;
}

/// Reads the findings again when the page is opened.
pub fn on_open(model: &mut Model, before: Page, asks: &mut Vec<LoopRequest>) {
    if before != Page::Guards {
        command(model, Command::Guards(GuardsRequest::Read), asks);
    }
}
