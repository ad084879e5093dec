//! The commands of the Problems page.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Part, draw, fix};
use crate::keymap::Verb;
use crate::model::{Model, Tab};
use crate::page::Page;
use crate::popup::Popup;
use crate::twin::quoted;
use crate::update::{Ask, choose_tab, command, go_to, open_page};
use crate::widgets;
use crate::yank::Yank;
use hookbench_app::Command;
use hookbench_app::lint::Finding;
use hookbench_core::text::visible;

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_verb(model: &mut Model, verb: Verb, asks: &mut Vec<Ask>) -> bool {
    match verb {
        Verb::Up => step(model, -1),
        Verb::Down => step(model, 1),
        Verb::PageUp => step(model, -page(model)),
        Verb::PageDown => step(model, page(model)),
        Verb::Top => step(model, isize::MIN / 2),
        Verb::Bottom => step(model, isize::MAX / 2),
        Verb::Open if model.problems.open.is_some() => in_editor(model, asks),
        Verb::Open => open(model, Some(Part::Finding)),
        Verb::Explain if model.problems.open == Some(Part::Explained) => open(model, Some(Part::Finding)),
        Verb::Explain => open(model, Some(Part::Explained)),
        Verb::PreviousTab | Verb::NextTab | Verb::NextPane | Verb::PreviousPane | Verb::Left | Verb::Right => {
            let other = if model.problems.open == Some(Part::Finding) { Part::Explained } else { Part::Finding };
            open(model, Some(other));
        }
        Verb::Back | Verb::Quit => back(model),
        Verb::Search => {
            open(model, None);
            let now = model.problems.filter.clone();
            model.problems.typing = Some((widgets::Line::from(now.clone()), now));
        }
        Verb::Fix => on_selected(model, fix::fix_shown),
        Verb::Allow => on_selected(model, fix::ask_reason),
        Verb::OpenEditor | Verb::Edit => in_editor(model, asks),
        Verb::Why | Verb::ToBench => to_bench(model, asks),
        Verb::Copy => match yanks(model) {
            Some(popup) => model.popups.push(popup),
            None => model.toast = Some("nothing is selected".to_owned()),
        },
        Verb::Fire
        | Verb::SetField
        | Verb::Template
        | Verb::Diff
        | Verb::WhatIf
        | Verb::LeaveOut
        | Verb::Mode
        | Verb::Zoom
        | Verb::Grow
        | Verb::Shrink
        | Verb::NextMatch
        | Verb::PreviousMatch => {
            let (name, key) = (verb.name(), model.key(Verb::Why));
            model.toast = Some(format!("{name} is about the bench; {key} takes the finding's hook there"));
        }
        _ => return false,
    }
    true
}

fn selected(model: &Model) -> Option<Finding> {
    model.problems.group().map(|group| group.finding.clone())
}

fn on_selected(model: &mut Model, does: fn(&mut Model, &Finding)) {
    match selected(model) {
        Some(finding) => does(model, &finding),
        None => model.toast = Some("nothing is selected".to_owned()),
    }
}

fn open(model: &mut Model, part: Option<Part>) {
    model.problems.scroll = 0;
    model.problems.open = part.filter(|_| model.problems.group().is_some());
}

fn page(model: &Model) -> isize {
    let rows = if model.problems.open.is_some() { draw::open_room(model) } else { draw::room(model) };
    isize::try_from(rows).unwrap_or(10).max(2) - 1
}

/// Moves up or down: in the open finding, otherwise in the list.
fn step(model: &mut Model, by: isize) {
    let moved = |at: usize, last: usize| at.saturating_add_signed(by).min(last);
    if model.problems.open.is_some() {
        let last = model.problems.lines.len().saturating_sub(draw::open_room(model));
        model.problems.scroll = moved(model.problems.scroll, last);
    } else {
        let last = model.problems.counts().0.saturating_sub(1);
        model.problems.selected = moved(model.problems.selected, last);
    }
}

/// Goes back one level; from the list itself to the bench.
fn back(model: &mut Model) {
    if model.problems.open.is_some() {
        open(model, None);
    } else if model.problems.filter.is_empty() {
        open_page(model, Page::Bench);
    } else {
        model.problems.filter.clear();
        model.problems.find();
    }
}

/// Opens the file at the finding's line and column.
fn in_editor(model: &mut Model, asks: &mut Vec<Ask>) {
    let finding = selected(model);
    let Some((path, place)) = finding.and_then(|finding| Some((finding.path?, finding.place))) else {
        model.toast = Some("this is about no file".to_owned());
        return;
    };
    let (line, column) = place.map_or((1, 1), |(start, _)| (start.line, start.column));
    asks.push(Ask::OpenFile { path, line, column });
}

/// Opens the ladder of the finding's hook on the bench.
fn to_bench(model: &mut Model, asks: &mut Vec<Ask>) {
    let about = selected(model).and_then(|finding| Some((finding.agent, finding.hook?)));
    let Some((agent, hook)) = about else {
        model.toast = Some("this is about no single hook".to_owned());
        return;
    };
    open_page(model, Page::Bench);
    if model.session.bench.agent != agent {
        command(model, Command::ChooseAgent(agent), asks);
    }
    go_to(model, &hook.event, &hook.id, asks);
    choose_tab(model, Tab::Why);
}

/// The command line that shows the selected finding.
pub fn line_of(model: &Model) -> String {
    let mut words = vec!["hookbench".to_owned(), "lint".to_owned()];
    if let Some(finding) = selected(model) {
        words.extend(finding.path.as_deref().map(quoted));
        words.extend(["--select".to_owned(), finding.code.to_owned()]);
        if finding.agent != "all" {
            words.extend(["--agent".to_owned(), finding.agent.to_owned()]);
        }
    }
    words.extend(crate::twin::place(model));
    words.join(" ")
}

/// The texts that can be copied from the selected finding.
pub fn yanks(model: &Model) -> Option<Popup> {
    let finding = selected(model)?;
    let mut all = Vec::new();
    let mut add = |key, name, text: String| all.push(Yank { key, name, text });
    let at = finding.place.map(|(start, _)| format!(":{}:{}", start.line, start.column)).unwrap_or_default();
    let shown = super::said::whole(model).iter().map(|line| visible(line)).collect::<Vec<_>>().join("\n");
    add('v', "the finding in full", shown);
    add('m', "its message", format!("{}: {}", finding.code, finding.message));
    add('p', "its place", format!("{}{at}", finding.file.clone().unwrap_or_default()));
    add('c', "the command line that does this", line_of(model));
    Some(Popup::Yank(all))
}

/// Handles a key while the filter is typed; returns `false` if the key is a command.
pub fn filter_key(model: &mut Model, key: KeyEvent) -> bool {
    let Some((line, before)) = &mut model.problems.typing else { return false };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => {
            model.problems.filter = std::mem::take(before);
            model.problems.typing = None;
        }
        KeyCode::Char('c') if control => return false,
        KeyCode::Enter => model.problems.typing = None,
        KeyCode::Up => step(model, -1),
        KeyCode::Down => step(model, 1),
        code => {
            line.key(code, control);
            model.problems.filter = line.text();
        }
    }
    model.problems.find();
    true
}

/// Adds pasted text to the filter; returns `false` if no filter is being typed.
pub fn paste(model: &mut Model, text: &str) -> bool {
    let Some((line, _)) = &mut model.problems.typing else { return false };
    line.insert(text);
    model.problems.filter = line.text();
    model.problems.find();
    true
}

/// Handles a click on a row.
pub fn click(model: &mut Model, row: usize) {
    model.problems.selected = row;
}

/// Handles the wheel.
pub fn turn(model: &mut Model, by: isize) {
    step(model, by);
}
