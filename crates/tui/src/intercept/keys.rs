//! The commands of the Intercept page, and the commands for live events that work on every page.

use super::choices::{diff, why_not};
use super::draft::{KINDS, input_of, pretty};
use super::draw::Hit;
use super::state::Part;
use super::typed;
use crate::keymap::Verb;
use crate::model::Model;
use crate::page::Page;
use crate::popup::Popup;
use crate::update::{Ask, act, command, open_page};
use crate::widgets::TreeMove;
use hookbench_app::Command;
use hookbench_app::live::{HeldPayload, LiveWish, Reach};
use hookbench_core::live::DecisionKind;

fn wish(model: &mut Model, what: LiveWish, asks: &mut Vec<Ask>) {
    command(model, Command::Live(what), asks);
}

/// Starts or stops capturing events.
pub fn capture(model: &mut Model, asks: &mut Vec<Ask>) {
    let held = model.session.live().held.len();
    let what = match &model.session.live().reach {
        Reach::Serving { .. } | Reach::Starting if held > 0 => {
            let key = model.key(Verb::ReleaseAll);
            model.toast =
                Some(format!("{held} held; answer them, or {key} lets them all go on, before it is switched off"));
            return;
        }
        Reach::Serving { .. } | Reach::Attached { .. } | Reach::Starting => LiveWish::Stop,
        Reach::Off | Reach::Refused { .. } => LiveWish::Start,
    };
    if what == LiveWish::Stop {
        model.toast = Some("events of running agents are no longer taken in".to_owned());
    }
    wish(model, what, asks);
}

/// Releases all held events.
pub fn release_all(model: &mut Model, asks: &mut Vec<Ask>) {
    wish(model, LiveWish::ReleaseAll, asks);
}

/// Pauses or resumes holding events.
pub fn pause(model: &mut Model, asks: &mut Vec<Ask>) {
    let paused = !model.session.live().paused;
    wish(model, LiveWish::Pause(paused), asks);
}

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_verb(model: &mut Model, verb: Verb, asks: &mut Vec<Ask>) -> bool {
    let held = model.intercept.held(model).is_some();
    match verb {
        Verb::Page(Page::Intercept) | Verb::Back | Verb::Quit => back(model),
        Verb::Up => step(model, -1),
        Verb::Down => step(model, 1),
        Verb::PageUp => step(model, -10),
        Verb::PageDown => step(model, 10),
        Verb::Top => step(model, isize::MIN / 2),
        Verb::Bottom => step(model, isize::MAX / 2),
        Verb::NextPane => next_part(model, true),
        Verb::PreviousPane => next_part(model, false),
        Verb::NextEvent => next_held(model, true),
        Verb::PreviousEvent => next_held(model, false),
        Verb::Left if model.intercept.part == Part::Payload => _ = fold(model, TreeMove::Out),
        Verb::Right if model.intercept.part == Part::Payload => _ = fold(model, TreeMove::In),
        Verb::LeaveOut | Verb::Open if model.intercept.part == Part::Points => {
            wish(model, LiveWish::Toggle(model.intercept.point), asks);
        }
        Verb::LeaveOut | Verb::Open if model.intercept.part == Part::Payload => _ = fold(model, TreeMove::Toggle),
        Verb::Open if held => decide(model, asks),
        Verb::Edit if model.intercept.part == Part::Points => model.popups.push(typed::breakpoint()),
        Verb::Fix if model.intercept.part == Part::Points => remove(model, asks),
        Verb::Edit if held => typed::write(model),
        Verb::OpenEditor if held => in_editor(model, asks),
        Verb::SetField if held => token(model),
        Verb::ToBench | Verb::Fire if held => to_bench(model, verb, asks),
        Verb::Fire | Verb::ToBench | Verb::SetField | Verb::OpenEditor => {
            model.toast = Some("nothing is held".to_owned());
        }
        Verb::Edit
        | Verb::Fix
        | Verb::LeaveOut
        | Verb::Open
        | Verb::Template
        | Verb::Why
        | Verb::Diff
        | Verb::WhatIf
        | Verb::Mode
        | Verb::Zoom
        | Verb::Grow
        | Verb::Shrink
        | Verb::Search
        | Verb::NextMatch
        | Verb::PreviousMatch
        | Verb::PreviousTab
        | Verb::NextTab
        | Verb::Left
        | Verb::Right
        | Verb::Copy
        | Verb::CopyCommand => {
            let key = model.key(Verb::ToBench);
            model.toast = Some(format!("{} is about the bench; {key} puts what is held there", verb.name()));
        }
        _ => return false,
    }
    true
}

fn back(model: &mut Model) {
    if model.intercept.part == Part::Payload || (model.intercept.part == Part::Points && held(model)) {
        model.intercept.part = Part::Choices;
        return;
    }
    let from = if model.intercept.from == Page::Intercept { Page::Bench } else { model.intercept.from };
    open_page(model, from);
}

fn held(model: &Model) -> bool {
    !model.session.live().held.is_empty()
}

fn step(model: &mut Model, by: isize) {
    let moved = |at: usize, last: usize| at.saturating_add_signed(by).min(last);
    let view = &mut model.intercept;
    match view.part {
        Part::Payload => view.at = moved(view.at, view.lines.len().saturating_sub(1)),
        Part::Points => view.point = moved(view.point, model.session.live().breakpoints.len().saturating_sub(1)),
        Part::Choices => choose(model, by),
    }
}

/// Selects the next possible answer in that direction.
fn choose(model: &mut Model, by: isize) {
    let Some(held) = model.intercept.held(model) else { return };
    let possible: Vec<DecisionKind> = KINDS.into_iter().filter(|kind| why_not(held, *kind).is_none()).collect();
    let now = model.intercept.draft().kind.and_then(|kind| possible.iter().position(|other| *other == kind));
    let last = possible.len().saturating_sub(1);
    let next = match now {
        Some(now) => now.saturating_add_signed(by).min(last),
        // The first step selects the first answer, or the last.
        None if by > 0 => 0,
        None => last,
    };
    let kind = possible.get(next).copied();
    if let Some(draft) = model.intercept.draft_mut() {
        draft.kind = kind;
    }
}

fn next_part(model: &mut Model, forward: bool) {
    if !held(model) {
        return;
    }
    model.intercept.part = match (model.intercept.part, forward) {
        (Part::Choices, true) | (Part::Points, false) => Part::Payload,
        (Part::Payload, true) | (Part::Choices, false) if !model.session.live().breakpoints.is_empty() => Part::Points,
        _ => Part::Choices,
    };
}

fn next_held(model: &mut Model, forward: bool) {
    let all = &model.session.live().held;
    let now = all.iter().position(|held| Some(&held.fact.arrived.id) == model.intercept.selected.as_ref());
    let Some(now) = now else { return };
    let next = if forward { (now + 1) % all.len() } else { (now + all.len() - 1) % all.len() };
    model.intercept.selected = all.get(next).map(|held| held.fact.arrived.id.clone());
}

fn fold(model: &mut Model, what: TreeMove) -> bool {
    let mut view = std::mem::take(&mut model.intercept);
    let done = view.fold(model, what);
    model.intercept = view;
    done
}

/// Sends the chosen answer. A changed input is first shown as a diff.
fn decide(model: &mut Model, asks: &mut Vec<Ask>) {
    if model.session.live().why_not_decide().is_some() {
        token(model);
        return;
    }
    let Some(held) = model.intercept.held(model) else { return };
    let draft = model.intercept.draft();
    let Some(kind) = draft.kind else {
        model.toast = Some("choose an answer first: arrows lead to it".to_owned());
        return;
    };
    let id = held.fact.arrived.id.clone();
    match draft.decision(kind) {
        Err(missing) => {
            let key = model.key(Verb::Edit);
            model.toast = Some(format!("{} needs {missing}; {key} writes it", kind.word()));
        }
        Ok(decision) if kind == DecisionKind::Modify => {
            let lines = diff(held, &draft).unwrap_or_default();
            if !lines.iter().any(|line| line.starts_with(['+', '-'])) {
                let key = model.key(Verb::Edit);
                model.toast = Some(format!("the input is the same as before; {key} changes it"));
                return;
            }
            model.ask(Popup::Send { id, decision, lines, top: 0 });
        }
        Ok(decision) => wish(model, LiveWish::Decide { id, decision }, asks),
    }
}

/// Asks for the token of the serving process if one is needed.
fn token(model: &mut Model) {
    match model.session.live().why_not_decide() {
        Some(says) => model.popups.push(typed::token(&says)),
        None => model.toast = Some(format!("{} writes what belongs to the answer", model.key(Verb::Edit))),
    }
}

fn in_editor(model: &mut Model, asks: &mut Vec<Ask>) {
    let Some(held) = model.intercept.held(model) else { return };
    if let Some(why) = why_not(held, DecisionKind::Modify) {
        model.toast = Some(format!("the input cannot be another one: {why}"));
        return;
    }
    let HeldPayload::Here(payload) = &held.payload else {
        model.toast = Some("its payload is not here yet".to_owned());
        return;
    };
    let now = model.intercept.draft().input.or_else(|| input_of(payload)).unwrap_or_else(|| "{}".to_owned());
    asks.push(Ask::EditPayload(format!("{}\n", pretty(&now))));
    model.intercept.editing = Some(held.fact.arrived.id.clone());
}

fn remove(model: &mut Model, asks: &mut Vec<Ask>) {
    if model.session.live().breakpoints.is_empty() {
        model.toast = Some("there is no breakpoint".to_owned());
        return;
    }
    wish(model, LiveWish::Remove(model.intercept.point), asks);
    model.toast = Some("removed for this session; config.toml is as it was".to_owned());
}

/// Puts the held event on the bench. If it is to be fired, consent is requested as usual.
fn to_bench(model: &mut Model, verb: Verb, asks: &mut Vec<Ask>) {
    let Some(id) = model.intercept.selected.clone() else { return };
    let before = model.session.payload_revision;
    wish(model, LiveWish::ToBench(id), asks);
    if model.session.payload_revision == before {
        return;
    }
    open_page(model, Page::Bench);
    if verb == Verb::Fire {
        act(model, Verb::Fire, asks);
    }
}

/// Handles a click, which only selects; it never answers or toggles.
pub fn click(model: &mut Model, hit: Hit) {
    match hit {
        Hit::Held => next_held(model, true),
        Hit::Choice(kind) => {
            model.intercept.part = Part::Choices;
            let Some(held) = model.intercept.held(model) else { return };
            match why_not(held, kind) {
                Some(why) => model.toast = Some(format!("{} cannot be answered: {why}", kind.word())),
                None => {
                    if let Some(draft) = model.intercept.draft_mut() {
                        draft.kind = Some(kind);
                    }
                }
            }
        }
        Hit::Payload(line) => {
            model.intercept.part = Part::Payload;
            model.intercept.at = line.unwrap_or(model.intercept.at);
        }
        Hit::Point(point) => {
            model.intercept.part = Part::Points;
            model.intercept.point = point.unwrap_or(model.intercept.point);
        }
        Hit::Event(at) => {
            let live = model.session.live();
            let id = live.recent.get(at).map(|event| event.arrived.id.clone());
            // A held event is opened.
            if let Some(id) = id.filter(|id| live.held(id).is_some()) {
                model.intercept.selected = Some(id);
                model.intercept.part = Part::Choices;
            }
        }
    }
}

/// Scrolls the part under the pointer. The wheel never changes the chosen answer.
pub fn turn(model: &mut Model, under: Option<Hit>, by: isize) {
    let part = match under {
        Some(Hit::Payload(_)) => Part::Payload,
        Some(Hit::Point(_)) => Part::Points,
        _ => return,
    };
    let focus = std::mem::replace(&mut model.intercept.part, part);
    step(model, by);
    model.intercept.part = focus;
}
