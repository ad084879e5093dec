//! The commands of the Match page.

use super::question;
use super::sheet::{Hit, panes, read_rows};
use super::state::{Pane, Typing};
use super::whose::{self, Whose};
use crate::keymap::Verb;
use crate::model::Model;
use crate::page::Page;
use crate::popup::{Item, Pick, Popup};
use crate::update::{Ask, command, open_page};
use crate::view::frame_layout;
use hookbench_app::{Command, ShelfCommand};

/// Prepares the page when it is opened, or when the program starts on it: selects the matcher of the hook on the
/// bench and counts the recorded events.
pub fn arrive(model: &mut Model, before: Page, asks: &mut Vec<Ask>) {
    if model.page != Page::Match || before == Page::Match && model.matching.counted {
        return;
    }
    model.matching.counted = true;
    command(model, Command::Shelf(ShelfCommand::Kinds), asks);
    let now = whose::begin(model);
    if model.matching.whose != now || !model.matching.differs(model) {
        take(model, now);
    }
}

fn take(model: &mut Model, whose: Option<Whose>) {
    let mut matching = std::mem::take(&mut model.matching);
    matching.take(model, whose);
    model.matching = matching;
}

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_verb(model: &mut Model, verb: Verb, asks: &mut Vec<Ask>) -> bool {
    match verb {
        Verb::Edit => {
            model.matching.before = model.matching.text.text();
            model.matching.typing = Some(Typing::Matcher);
        }
        Verb::Search => {
            (model.matching.typing, model.matching.pane) = (Some(Typing::Filter), Pane::Values);
        }
        Verb::Open => suggestion(model),
        Verb::Fix => fix(model, asks),
        Verb::Agent => model.popups.push(agents(model)),
        Verb::Why => {
            model.matching.pane = Pane::Read;
            model.matching.scroll = 0;
        }
        Verb::NextMatch => problem(model, true),
        Verb::PreviousMatch => problem(model, false),
        Verb::NextEvent => hook(model, true),
        Verb::PreviousEvent => hook(model, false),
        Verb::Up => step(model, -1),
        Verb::Down => step(model, 1),
        Verb::PageUp => step(model, -page(model)),
        Verb::PageDown => step(model, page(model)),
        Verb::Top => step(model, isize::MIN / 2),
        Verb::Bottom => step(model, isize::MAX / 2),
        Verb::NextPane | Verb::PreviousPane => {
            let next = if model.matching.pane == Pane::Values { Pane::Read } else { Pane::Values };
            model.matching.pane = next;
        }
        Verb::Left => model.matching.pane = Pane::Values,
        Verb::Right => model.matching.pane = Pane::Read,
        Verb::Zoom => model.matching.zoomed = !model.matching.zoomed,
        Verb::Back | Verb::Quit => back(model),
        Verb::OpenEditor => open_settings(model, asks),
        Verb::Fire
        | Verb::Template
        | Verb::SetField
        | Verb::PreviousTab
        | Verb::NextTab
        | Verb::Diff
        | Verb::WhatIf
        | Verb::LeaveOut
        | Verb::Mode
        | Verb::Grow
        | Verb::Shrink => {
            let key = model.key(Page::Bench.verb());
            model.toast = Some(format!("{} is about the bench; {key} goes there", verb.name()));
        }
        _ => return false,
    }
    true
}

/// Applies the best suggestion.
fn suggestion(model: &mut Model) {
    let matching = &mut model.matching;
    let better = matching.asked.as_ref().and_then(|asked| asked.better.first());
    match better.map(|better| better.suggestion.text.clone()) {
        Some(text) => matching.text = text.into(),
        None => model.toast = Some("there is nothing better to suggest".to_owned()),
    }
}

/// Shows the change of the file and asks whether to write it.
fn fix(model: &mut Model, asks: &mut Vec<Ask>) {
    let matching = &model.matching;
    let Some(whose) = matching.whose.clone() else {
        model.toast = Some("no hook has this matcher: there is nothing to write".to_owned());
        return;
    };
    if !matching.differs(model) {
        model.toast = Some(format!("the hook has this matcher already; {} changes it", model.key(Verb::Edit)));
        return;
    }
    match model.session.rematch(whose.agent, &whose.hook, &matching.text.text()) {
        Ok(change) => {
            command(model, Command::Foresee(Box::new(change.clone())), asks);
            let question = question::write(model, change);
            model.ask(question);
        }
        Err(why) => model.toast = Some(why.to_string()),
    }
}

/// The list of agents, to show or hide each.
fn agents(model: &Model) -> Popup {
    let own = model.matching.whose.as_ref().map_or(model.session.bench.agent, |whose| whose.agent);
    let items = model.session.agents.iter().map(|agent| {
        let id = agent.dialect.id();
        let about = match (id == own, model.session.compares(id)) {
            (true, _) => "whose matcher it is",
            (false, true) => "shown; Enter leaves it out, on Compare too",
            (false, false) => "left out; Enter takes it in",
        };
        let label = agent.dialect.name().to_owned();
        Item { label, about: about.to_owned(), commands: vec![Command::ToggleCompared(id)] }
    });
    Popup::Pick(Pick { title: "Agents to show", items: items.collect(), filter: String::new(), selected: 0 })
}

/// Selects the next hook whose matcher has a finding.
fn problem(model: &mut Model, forward: bool) {
    let all = whose::with_problem(model);
    match whose::beside(&all, model.matching.whose.as_ref(), forward) {
        Some(next) if Some(&next) != model.matching.whose.as_ref() => take(model, Some(next)),
        Some(_) => model.toast = Some("no other matcher has a problem".to_owned()),
        None => model.toast = Some("no matcher has a problem".to_owned()),
    }
}

/// Selects the next hook.
fn hook(model: &mut Model, forward: bool) {
    let all = whose::all(model);
    if let Some(next) = whose::beside(&all, model.matching.whose.as_ref(), forward) {
        take(model, Some(next));
    }
}

fn page(model: &Model) -> isize {
    let at = frame_layout(model);
    isize::try_from(panes(model, at.shared, at.size).table.height).unwrap_or(10).max(3) - 2
}

/// Moves up or down in the focused pane.
fn step(model: &mut Model, by: isize) {
    if model.matching.pane == Pane::Values {
        let row = model.matching.row().saturating_add_signed(by);
        model.matching.select(row);
        return;
    }
    let at = frame_layout(model);
    let area = panes(model, at.shared, at.size).read;
    let rows = read_rows(model, usize::from(area.width).saturating_sub(1)).len();
    let last = rows.saturating_sub(usize::from(area.height));
    model.matching.scroll = model.matching.scroll.min(last).saturating_add_signed(by).min(last);
}

/// Goes back one level; from the page itself to the bench. The edited matcher is kept.
fn back(model: &mut Model) {
    let matching = &mut model.matching;
    if matching.zoomed {
        matching.zoomed = false;
    } else if matching.pane == Pane::Read {
        matching.pane = Pane::Values;
    } else if !matching.filter.text().is_empty() {
        matching.filter = crate::widgets::Line::default();
    } else {
        open_page(model, Page::Bench);
    }
}

fn open_settings(model: &mut Model, asks: &mut Vec<Ask>) {
    let whose = model.matching.whose.as_ref();
    let place = whose.and_then(|whose| {
        let definition = whose.definition(model)?;
        let loaded = model.session.agent(whose.agent)?.loaded.as_ref()?;
        let source = definition.from.span.source;
        let span = definition.matcher_span.unwrap_or(definition.from.span);
        Some((loaded.sources.path(source).to_owned(), loaded.sources.start(span).line))
    });
    match place {
        Some((path, line)) => asks.push(Ask::OpenFile { path, line, column: 1 }),
        None => model.toast = Some("no hook has this matcher: there is no file to open".to_owned()),
    }
}

/// Handles a click.
pub fn click(model: &mut Model, hit: Hit) {
    match hit {
        Hit::Row(row) => {
            model.matching.pane = Pane::Values;
            model.matching.select(row);
        }
        Hit::Read => model.matching.pane = Pane::Read,
    }
}

/// Handles the wheel.
pub fn turn(model: &mut Model, by: isize) {
    step(model, by);
}
