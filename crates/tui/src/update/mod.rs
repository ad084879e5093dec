//! Turns keys and events into commands and changes of the model. Synchronous: it neither waits nor draws.

mod firing;
mod payload;
mod size;
mod walk;

use crossterm::event::{KeyEvent, KeyEventKind, MouseEvent};

use crate::author::{arm, compare, compare_with, contain, history, leave_out, pin, what_if};
use crate::bench::streams;
use crate::choices::{agents, pick_template, tools};
use crate::compare;
use crate::crash;
use crate::event_keys;
use crate::events;
use crate::files;
use crate::finder::{self, Choice};
use crate::intercept;
use crate::keymap::Verb;
use crate::matching;
use crate::model::{Focus, Model, Tab};
use crate::mouse::{self, on_mouse};
use crate::page::Page;
use crate::popup::{self, Answer, Popup};
use crate::problems;
use crate::twin::command_line;
use crate::yank::yanks;
use hookbench_app::live::LiveWish;
use hookbench_app::{Command, Fact, Job, Origin, ShelfCommand};

use firing::{cancel, fire, quit};
use payload::{come_back, edit_payload, open_editor, set_field, step_event};
pub(super) use size::drag;
use size::{reset, resize};
use walk::{back, fix_hook, open, step_focus, step_tab};
pub(super) use walk::{choose_tab, move_by, page};
pub(super) use walk::{go_to, open_page};

/// A message to the model.
#[derive(Debug)]
pub enum Msg {
    Key(KeyEvent),
    Paste(String),
    Mouse(MouseEvent),
    Fact(Fact),
    /// The text from the editor.
    Edited(String),
    /// A message for the user from outside the model.
    Told(String),
}

/// A request to the loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    Jobs(Vec<Job>),
    /// Edit this text and return it with `Msg::Edited`.
    EditPayload(String),
    /// Open this file at this place.
    OpenFile {
        path: String,
        line: u32,
        column: u32,
    },
    Copy(String),
    /// Turn mouse capture on or off.
    Mouse(bool),
    Suspend,
    Redraw,
    Kill,
    Quit,
}

/// Handles a message. `size` is the screen's width and height, used to scroll by a page.
pub fn update(model: &mut Model, msg: Msg, size: (u16, u16)) -> Vec<Ask> {
    let mut asks = Vec::new();
    model.size = size;
    let before = model.page;
    match msg {
        Msg::Key(key) if key.kind == KeyEventKind::Release => return asks,
        Msg::Key(key) => {
            model.toast = None;
            on_key(model, key, size, &mut asks);
        }
        Msg::Mouse(event) => on_mouse(model, event, &mut asks),
        Msg::Paste(text) => on_paste(model, &text, &mut asks),
        Msg::Fact(fact @ Fact::Grew { .. }) => {
            model.session.absorb(fact);
            model.refresh_stream();
            model.refresh_compared_runs();
            return asks;
        }
        Msg::Fact(fact) => on_fact(model, fact, &mut asks),
        Msg::Edited(text) if intercept::typed::edited(model, &text) => {}
        Msg::Edited(text) => command(model, Command::SetPayload(text), &mut asks),
        Msg::Told(says) => {
            model.intercept.editing = None;
            model.toast = Some(says);
        }
    }
    events::arrive(model, before, &mut asks);
    matching::arrive(model, before, &mut asks);
    if let Some(says) = model.session.messages.drain(..).next_back() {
        model.toast = Some(says);
    }
    model.keep_toast();
    model.refresh();
    asks
}

fn on_fact(model: &mut Model, fact: Fact, asks: &mut Vec<Ask>) {
    let reload = matches!(fact, Fact::Loaded { .. } | Fact::FilesChanged { .. });
    let impact = matches!(fact, Fact::Impact { .. });
    let behind = model.behind().map(|f| f.id);
    let before = model.session.history.newest().map(|run| run.id);
    let jobs = model.session.absorb(fact);
    asks.push(Ask::Jobs(jobs));
    let key = model.key(Verb::Impact);
    if let Some(says) = model.session.messages.last_mut().filter(|_| impact) {
        says.push_str(&format!("   {key} lists them"));
    }
    events::on_news(model);
    let fresh = model.session.history.newest_record().filter(|f| Some(f.id) != before);
    let on_bench = |f: &&hookbench_app::FiringRecord| {
        f.agent == model.session.bench.agent && Some(&f.input) == model.session.bench.input.as_ref()
    };
    if let Some(id) = fresh.filter(on_bench).map(|f| f.id) {
        // Auto-fire has fired the event on the bench.
        model.shown = Some(id);
        model.started = Some(model.now);
        model.scroll = None;
    }
    if reload {
        // A running firing keeps its settings; a finished one that is out of date is replaced by the new plan.
        if model.firing().is_some_and(|f| f.settled) && model.outdated() {
            model.shown = None;
        }
        model.event.forget_scripts();
        model.judge();
    }
    if !model.session.busy() {
        model.cancelled_once = false;
    }
    if let Some(done) = behind.and_then(|id| model.session.firing(id)).filter(|f| f.settled && !f.superseded) {
        let word = done.outcome.as_ref().map_or("", |o| o.verdict.title()).to_lowercase();
        model.toast = Some(format!("run {} of {} ended: {word}", done.id.0, done.input.event));
    }
    let settled = model.firing().is_some_and(|f| f.settled);
    if settled && model.started.take().is_some() {
        model.refresh();
        model.select_answer();
    }
}

/// Runs a command and shows its consequences.
pub(super) fn command(model: &mut Model, command: Command, asks: &mut Vec<Ask>) {
    crash::note(command.name());
    let changes_bench = matches!(
        command,
        Command::ChooseAgent(_)
            | Command::ChooseEvent(_)
            | Command::TakeTemplate(_)
            | Command::SetField { .. }
            | Command::SetPayload(_)
            | Command::UndoPayload
            | Command::RedoPayload
            | Command::UsePin(_)
            | Command::TakeThere(_)
            | Command::Shelf(ShelfCommand::ToBench)
    );
    let pin = matches!(command, Command::UsePin(_));
    let recalled = if let Command::Recall(id) = &command { Some(*id) } else { None };
    let before = model.session.history.newest().map(|run| run.id);
    let jobs = model.session.apply(command);
    asks.push(Ask::Jobs(jobs));
    let last = model.session.history.newest().map(|run| run.id);
    if last != before {
        let together = model.session.compared.as_ref().filter(|all| last.is_some_and(|id| all.has(id)));
        // For a firing in every agent, the bench shows its own agent's.
        let own = together.and_then(|all| all.firing_in(model.session.bench.agent));
        model.compare.started = own.map(|_| model.now);
        model.shown = own.or(last);
        model.tab = None;
        model.scroll = None;
        let running = model.firing().is_some_and(|f| !f.settled);
        model.started = running.then_some(model.now);
        if !running {
            model.refresh();
            model.select_answer();
        }
    } else if let Some(id) = recalled {
        model.shown = Some(id);
        model.tab = None;
        model.scroll = None;
        model.started = None;
        model.judge();
    } else if changes_bench {
        // The shown firing is of another event.
        model.shown = None;
        model.tab = None;
        model.scroll = None;
        model.judge();
        if pin {
            come_back(model);
        }
    }
    if let Some(items) = model.session.bench.consent.clone() {
        model.ask(Popup::Consent { items, top: 0 });
    }
    if let Some(refused) = &model.session.bench.refused {
        model.popups.push(Popup::Refused(refused.why.clone()));
    }
}

fn on_paste(model: &mut Model, text: &str, asks: &mut Vec<Ask>) {
    let line = text.lines().next().unwrap_or("");
    if model.popups.is_empty() && model.page == Page::Bench && streams::paste(model, line) {
        return;
    }
    if model.popups.is_empty() && model.page == Page::Match && matching::paste(model, line) {
        return;
    }
    if model.popups.is_empty() && model.page == Page::Events && events::paste(model, line, asks) {
        return;
    }
    if model.popups.is_empty() && model.page == Page::Problems && problems::paste(model, line) {
        return;
    }
    match model.popups.last_mut() {
        Some(Popup::Input(input)) => input.text.insert(line),
        Some(Popup::Pick(pick) | Popup::Values { pick, .. }) => {
            pick.filter.push_str(line);
            pick.selected = 0;
        }
        Some(Popup::Find(finder)) => finder.push(line),
        Some(Popup::Runs(runs)) => runs.push(line, &model.session.history),
        Some(_) => {}
        // A JSON payload can be pasted directly.
        None if text.trim_start().starts_with('{') => {
            command(model, Command::SetPayload(text.to_owned()), asks);
            let bench = &mut model.session.bench;
            if bench.refused.is_none() {
                bench.origin = Origin::Pasted;
            }
        }
        None => model.toast = Some("pasted text is no JSON object, so nothing was taken".to_owned()),
    }
}

pub(super) fn on_key(model: &mut Model, key: KeyEvent, size: (u16, u16), asks: &mut Vec<Ask>) {
    if model.unseen.get() && model.popups.last().is_some_and(Popup::asks) && !popup::declines(key) {
        // The question has not been drawn, so the key was not an answer to it.
        return;
    }
    if let Some(mut popup) = model.popups.pop() {
        match popup::key(&mut popup, key, &model.session.history, size) {
            Answer::Stay => model.popups.push(popup),
            Answer::Close => {}
            Answer::Compare(id) => {
                model.popups.push(popup);
                compare_with(model, id);
            }
            Answer::Do(commands) => {
                for each in commands {
                    command(model, each, asks);
                }
            }
            Answer::EditAgain => {
                let text = model.session.bench.refused.as_ref().map(|r| r.text.clone());
                asks.extend(text.map(Ask::EditPayload));
            }
            Answer::Foreseen(change) => {
                if !events::show_foreseen(model, &change) {
                    model.popups.push(popup);
                }
            }
            Answer::Copy(text) => asks.push(Ask::Copy(text)),
            Answer::Choose(Choice::Verb(verb)) => act(model, verb, asks),
            Answer::Choose(Choice::Hook { event, id }) => go_to(model, &event, &id, asks),
            Answer::Choose(Choice::Do(commands)) => commands.into_iter().for_each(|each| command(model, each, asks)),
            Answer::Live(what, text) => intercept::typed::take(model, what, &text, asks),
            Answer::Reason(text) => problems::allow_entry(model, &text),
            Answer::Quit => asks.push(Ask::Quit),
        }
        return;
    }
    let typed = match model.page {
        Page::Bench => streams::search_key(model, key) || event_keys::search_key(model, key),
        Page::Match => matching::typed_key(model, key),
        Page::Events => events::filter_key(model, key, asks),
        Page::Problems => problems::filter_key(model, key),
        Page::Compare => compare::search_key(model, key),
        Page::Files => files::search_key(model, key),
        Page::Intercept => false,
    };
    if typed {
        return;
    }
    if let Some(verb) = model.config.keys.verb(key) {
        act(model, verb, asks);
    }
}

/// Performs a command from any source.
pub(super) fn act(model: &mut Model, verb: Verb, asks: &mut Vec<Ask>) {
    crash::note(verb.name());
    if verb == Verb::Back && !model.session.live().advice.is_empty() {
        // An advice in the banner is closed first.
        command(model, Command::Live(LiveWish::PutAway), asks);
        return;
    }
    if model.page == Page::Compare && compare::on_verb(model, verb, asks) {
        return;
    }
    if model.page == Page::Match && matching::on_verb(model, verb, asks) {
        return;
    }
    if model.page == Page::Events && events::on_verb(model, verb, asks) {
        return;
    }
    if model.page == Page::Problems && problems::on_verb(model, verb, asks) {
        return;
    }
    if model.page == Page::Intercept && intercept::on_verb(model, verb, asks) {
        return;
    }
    if model.page == Page::Files && files::on_verb(model, verb, asks) {
        return;
    }
    if model.page == Page::Bench && model.focus == Focus::Event && event_keys::on_verb(model, verb, page(model)) {
        return;
    }
    match verb {
        Verb::Page(page) => open_page(model, page),
        Verb::Fire => fire(model, asks),
        Verb::Cancel => cancel(model, asks),
        Verb::Edit => edit_payload(model, asks),
        Verb::OpenEditor => open_editor(model, asks),
        Verb::SetField => model.popups.push(set_field(model)),
        Verb::Template => model.popups.push(pick_template(model)),
        Verb::Agent => model.popups.push(agents(model)),
        Verb::PreviousEvent => step_event(model, false, asks),
        Verb::NextEvent => step_event(model, true, asks),
        Verb::PreviousTab => step_tab(model, false),
        Verb::NextTab => step_tab(model, true),
        Verb::Pin => pin(model, asks),
        Verb::AutoFire => arm(model, asks),
        Verb::Contain => contain(model, asks),
        Verb::History => history(model),
        Verb::Diff => compare(model),
        Verb::WhatIf => what_if(model),
        Verb::LeaveOut => leave_out(model, asks),
        Verb::Impact => events::show_impact(model),
        Verb::Capture => intercept::capture(model, asks),
        Verb::ReleaseAll => intercept::release_all(model, asks),
        Verb::PauseHolding => intercept::pause(model, asks),
        Verb::Replay
        | Verb::ReplayMarked
        | Verb::ReplayShown
        | Verb::ReplayAgainst
        | Verb::RunAgain
        | Verb::Comment
        | Verb::Follow
        | Verb::Import
        | Verb::ToBench => {
            let key = model.key(Page::Events.verb());
            model.toast = Some(format!("{} is about recorded events; {key} goes there", verb.name()));
        }
        Verb::Fix => fix_hook(model),
        Verb::Undo => command(model, Command::UndoWrite, asks),
        Verb::Explain | Verb::Allow => {
            let key = model.key(Page::Problems.verb());
            model.toast = Some(format!("{} is about problems; {key} lists them", verb.name()));
        }
        Verb::Why => choose_tab(model, Tab::Why),
        Verb::Up => move_by(model, -1),
        Verb::Down => move_by(model, 1),
        Verb::PageUp => move_by(model, -page(model)),
        Verb::PageDown => move_by(model, page(model)),
        Verb::Top => move_by(model, isize::MIN / 2),
        Verb::Bottom => move_by(model, isize::MAX / 2),
        Verb::Left if streams::side(model, false) => {}
        Verb::Right if streams::side(model, true) => {}
        Verb::Left => model.focus = Focus::Hooks,
        Verb::Right => model.focus = Focus::Detail,
        Verb::Mode => streams::cycle(model),
        Verb::Search => streams::begin_search(model),
        Verb::NextMatch => streams::step(model, true),
        Verb::PreviousMatch => streams::step(model, false),
        Verb::NextPane => step_focus(model, true),
        Verb::PreviousPane => step_focus(model, false),
        Verb::Open => open(model),
        Verb::Back => back(model),
        Verb::Zoom => model.zoomed = !model.zoomed,
        Verb::Grow => resize(model, 1),
        Verb::Shrink => resize(model, -1),
        Verb::ResetLayout => reset(model),
        Verb::Copy => model.popups.push(yanks(model)),
        Verb::CopyCommand => asks.push(Ask::Copy(command_line(model))),
        Verb::UndoPayload => command(model, Command::UndoPayload, asks),
        Verb::RedoPayload => command(model, Command::RedoPayload, asks),
        Verb::Palette => model.popups.push(finder::palette(model)),
        Verb::Find => model.popups.push(finder::anything(model)),
        Verb::Tools => model.popups.push(tools(model)),
        Verb::Messages => {
            let line = |says: &String| vec![(model.theme.plain(), says.clone())];
            let lines = model.told.iter().rev().map(line).collect();
            model.popups.push(Popup::Lines { title: "Messages, newest first".to_owned(), lines, top: 0 });
        }
        Verb::Help => model.popups.push(Popup::Help { filter: String::new(), top: 0 }),
        Verb::NewSession => command(model, Command::NewSession, asks),
        Verb::Redraw => {
            asks.push(Ask::Redraw);
            command(model, Command::Reload, asks);
        }
        Verb::Mouse => mouse::toggle(model, asks),
        Verb::Suspend => asks.push(Ask::Suspend),
        Verb::Quit => quit(model, asks),
    }
}
