//! Turns keys and events into commands and changes of the model. Synchronous: it neither waits nor draws.

mod chosen;
mod command_page;
mod commands;
mod effects;
mod firing;
mod loop_request;
mod navigation;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent};

use crate::bench::streams;
use crate::choices::{agents, pick_template, tools};
use crate::consent::show_scripts;
use crate::edit_loop::{
    ask_what_if, compare_with, compare_with_previous, keep_as_test, leave_out, open_history, toggle_assumed_trust,
    toggle_auto_fire, toggle_containment, use_next_environment,
};
use crate::keymap::UiCommand;
use crate::layer_keys::YES;
use crate::model::{Focus, Model, Tab};
use crate::mouse::{self, on_mouse};
use crate::page::Page;
use crate::page_layout::popup_area;
use crate::page_registry::{refresh, screen_of};
use crate::popup::{self, HelpView, Popup, PopupResult};
use crate::widgets::StyledLine;
use crate::{calibration, crash, events, finder, guards, intercept, key_names, new_hook, problems, stress, tour};
use hookbench_app::live::LiveRequest;
use hookbench_app::{Command, Fact, SessionEffect, SessionUpdate};

pub(super) use chosen::choose;
pub use command_page::is_opened;
use command_page::{is_understood, lists};
pub(super) use commands::{command, run_command};
use effects::{last_started, show_effects};
use firing::{cancel_or_quit, edit_payload, open_editor, open_settings, quit, set_field, step_event, verify};
pub(super) use firing::{fire, open_script, runs_hooks};
pub use loop_request::LoopRequest;
use navigation::{ask_model, back, fix_hook, on_finding, open, reset_layout, resize, step_focus, step_tab, try_hook};
pub(super) use navigation::{choose_tab, drag, go_to_hook, move_by, open_page};

/// A message to the model.
#[derive(Debug)]
pub enum Msg {
    Key(KeyEvent),
    Paste(String),
    Mouse(MouseEvent),
    Fact(Fact),
    /// Fire the event on the bench, as announced.
    Fire,
    /// The text from the editor.
    Edited(String),
    /// The editor in which a file was open is closed.
    EditorClosed {
        changed: bool,
    },
    /// A message for the user from outside the model.
    Message(String),
}

/// Handles a message. `size` is the screen's width and height, used to scroll by a page.
pub fn update(model: &mut Model, msg: Msg, size: (u16, u16)) -> Vec<LoopRequest> {
    let mut asks = Vec::new();
    model.size = size;
    model.news.clear();
    let before = model.page;
    match msg {
        Msg::Key(key) if key.kind == KeyEventKind::Release => return asks,
        Msg::Key(key) => {
            model.toast = None;
            on_key(model, key, &mut asks);
        }
        Msg::Mouse(event) => on_mouse(model, event, &mut asks),
        Msg::Paste(text) => {
            model.toast = None;
            on_paste(model, &text, &mut asks);
        }
        Msg::Fact(fact @ Fact::Output { .. }) => {
            model.session.absorb(fact);
            model.refresh_stream();
            screen_of(model.page).on_output(model);
            return asks;
        }
        Msg::Fact(fact) => on_fact(model, fact, &mut asks),
        Msg::Fire => {
            model.toast = None;
            command(model, Command::Fire, &mut asks);
        }
        Msg::Edited(text) if intercept::inputs::on_edited(model, &text) => {}
        Msg::Edited(text) => command(model, Command::SetPayload(text), &mut asks),
        Msg::EditorClosed { changed } if model.page == Page::Bench => {
            command(model, Command::EditorClosed { changed }, &mut asks);
        }
        Msg::EditorClosed { .. } => {}
        Msg::Message(says) => {
            model.intercept.editing = None;
            model.toast = Some(says);
        }
    }
    intercept::close_stale(model);
    screen_of(model.page).on_open(model, before, &mut asks);
    model.show_news();
    refresh(model);
    note_verdict(model);
    tour::advance(model);
    intercept::hold_demo_event(model, &mut asks);
    asks
}

/// Lets the verdict of the shown firing flash if it differs from that of the run before.
fn note_verdict(model: &mut Model) {
    let shown = model.firing().and_then(|firing| Some((firing.id, firing.outcome.as_ref()?.verdict)));
    let Some((firing, verdict)) = shown else { return };
    let before = model.previous_run().and_then(|run| run.verdict());
    let changed = model.config.motion && before.is_some_and(|before| before != verdict);
    let now = model.now;
    model.flash.note(firing, changed, now);
}

fn on_fact(model: &mut Model, fact: Fact, asks: &mut Vec<LoopRequest>) {
    let written = fact.is_about_written_files();
    let SessionUpdate { jobs, effects } = model.session.absorb(fact);
    asks.push(LoopRequest::Jobs(jobs));
    if written {
        // Writing may have failed.
        let opens = model.opens_next.take().filter(|path| model.session.files().exists(path));
        asks.extend(opens.map(|path| LoopRequest::OpenFile { path, line: 1, column: 1 }));
    }
    let reload = effects.contains(&SessionEffect::SettingsLoaded);
    let started = last_started(&effects);
    let ended = effects.iter().find_map(|effect| match effect {
        SessionEffect::FiringSettled(id) if !effects.contains(&SessionEffect::FiringStarted(*id)) => {
            Some(*id).filter(|id| model.is_background(*id))
        }
        _ => None,
    });
    show_effects(model, effects);
    events::show_agent_sessions(model);
    let on_bench = |f: &&hookbench_app::FiringRecord| {
        f.agent == model.session.bench().payload.agent && Some(&f.input) == model.session.bench().payload.input.as_ref()
    };
    if let Some(id) = started.and_then(|id| model.session.firing(id)).filter(on_bench).map(|f| f.id) {
        // Auto-fire has fired the event on the bench.
        model.shown_firing = Some(id);
        model.started = Some(model.now);
        model.scroll = None;
    }
    if reload {
        // A running firing keeps its settings; a finished one that is out of date is replaced by the new plan.
        if model.firing().is_some_and(|f| f.settled) && model.outdated() {
            model.shown_firing = None;
        }
        model.payload_view.forget_scripts();
        model.derive_facts();
    }
    if let Some(done) = ended.and_then(|id| model.session.firing(id)).filter(|f| !f.superseded) {
        let word = done.outcome.as_ref().map_or("", |o| o.verdict.title()).to_lowercase();
        model.toast = Some(format!("run {} of {} ended: {word}", done.id.0, done.input.event));
    }
    let settled = model.firing().is_some_and(|f| f.settled);
    if settled && model.started.take().is_some() {
        refresh(model);
        model.select_decider();
    }
}

fn on_paste(model: &mut Model, text: &str, asks: &mut Vec<LoopRequest>) {
    if intercept::ignores(model, None) {
        return;
    }
    let line = text.lines().next().unwrap_or("");
    if model.popups.is_empty() && screen_of(model.page).on_paste(model, line, asks) {
        return;
    }
    if model.popups.is_empty() && model.page == Page::Events {
        events::import_pasted(model, text, asks);
        return;
    }
    match model.popups.last_mut() {
        Some(Popup::Input(input)) => input.text.insert(line),
        Some(Popup::Pick(pick) | Popup::Values { pick, .. }) => {
            pick.filter.push_str(line);
            pick.selected = 0;
        }
        Some(Popup::Find(finder)) => finder.push(line),
        Some(Popup::Help(help)) => help.push(line),
        Some(Popup::Runs(runs)) => runs.push(line, model.session.history()),
        Some(_) => {}
        // A JSON payload can be pasted directly.
        None if text.trim_start().starts_with('{') => command(model, Command::PastePayload(text.to_owned()), asks),
        None => model.toast = Some("the pasted text is not a JSON object".to_owned()),
    }
}

pub(super) fn on_key(model: &mut Model, key: KeyEvent, asks: &mut Vec<LoopRequest>) {
    if intercept::ignores(model, Some(key)) {
        return;
    }
    let quits = model.config.keys.command(key) == Some(UiCommand::Quit);
    if model.question_unseen.get()
        && model.popups.last().is_some_and(Popup::needs_consent)
        && !popup::declines(key)
        && !quits
    {
        // The question has not been drawn, so the key was not an answer to it.
        return;
    }
    if let Some(mut popup) = model.popups.pop() {
        let area = popup_area(model);
        match popup::key(&mut popup, key, model.session.history(), (area.width, area.height)) {
            PopupResult::Stay => model.popups.push(popup),
            PopupResult::Unknown if quits => {
                // The key that quits closes what is open, like Esc.
                model.popups.push(popup);
                on_key(model, KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE), asks);
            }
            PopupResult::Unknown => {
                // A question is answered with `Y` only after all of it has been shown.
                let too_early = popup.needs_consent() && key.code == KeyCode::Char(YES);
                model.popups.push(popup);
                model.toast = match key_names::name(key) {
                    Some(_) if too_early => Some("read the rest first".to_owned()),
                    name => name.map(|key| format!("{key} does nothing here")),
                };
            }
            PopupResult::Close => {}
            PopupResult::Calibration => {
                model.popups.push(popup);
                calibration::on_key(model, key, asks);
            }
            PopupResult::Stress => {
                model.popups.push(popup);
                stress::on_key(model, key, asks);
            }
            PopupResult::Compare(id) => {
                model.popups.push(popup);
                compare_with(model, id);
            }
            PopupResult::Run(commands) => {
                for each in commands {
                    command(model, each, asks);
                }
            }
            PopupResult::Write(files, then) => {
                model.opens_next = then.opens;
                let write = match then.hook {
                    Some(hook) => Some(Command::WriteHook(hook)),
                    None => (!files.is_empty()).then_some(Command::WriteFiles(files)),
                };
                for each in write.into_iter().chain(then.commands) {
                    command(model, each, asks);
                }
            }
            PopupResult::NewHook(choice) => {
                if new_hook::show_files(model, &choice) {
                    // The patch covers the page that will show the hook.
                    open_page(model, Page::Bench);
                } else {
                    model.popups.push(popup);
                }
            }
            PopupResult::ReadScripts => {
                let items = popup.consent_items().to_vec();
                model.popups.push(popup);
                show_scripts(model, &items);
            }
            PopupResult::EditAgain => {
                let text = model.session.bench().payload.refused.as_ref().map(|r| r.text.clone());
                asks.extend(text.map(LoopRequest::EditPayload));
            }
            PopupResult::ShowImpact(change) => {
                if !events::show_predicted_impact(model, &change) {
                    model.popups.push(popup);
                }
            }
            PopupResult::Copy(text) => asks.push(LoopRequest::Copy(text)),
            PopupResult::Choose(action) => choose(model, action, asks),
            PopupResult::Intercept(what, text) => intercept::inputs::apply(model, what, &text, asks),
            PopupResult::Reason(finding, text) => problems::allow_entry(model, &finding, &text),
            PopupResult::GuardReason(hit, text) => guards::allow_hit(model, &hit, &text),
            PopupResult::Quit => asks.push(LoopRequest::Quit),
        }
        return;
    }
    // Ctrl+C closes what Esc closes.
    let typing = screen_of(model.page).typing_keys(model).is_some();
    let ends = typing && model.config.keys.command(key) == Some(UiCommand::Cancel);
    let typed = if ends { KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE) } else { key };
    if screen_of(model.page).on_typing_key(model, typed, asks) {
        return;
    }
    if let Some(first) = model.first_key.take() {
        let second = key_names::name(key);
        let sequences = model.config.keys.sequences(first);
        match sequences.into_iter().find(|(name, _)| Some(name) == second.as_ref()) {
            Some((_, verb)) => perform(model, verb, asks),
            None if key.code == KeyCode::Esc => {}
            None => {
                let keys = [key_names::name(first), second].map(Option::unwrap_or_default).join(" ");
                model.toast = Some(format!("{keys} does nothing here"));
            }
        }
        return;
    }
    match model.config.keys.command(key) {
        Some(verb) => perform(model, verb, asks),
        // The footer lists the keys that can follow.
        None if !model.config.keys.sequences(key).is_empty() => model.first_key = Some(key),
        None => {
            let help = model.key(UiCommand::Help);
            model.toast = key_names::name(key).map(|key| format!("{key} does nothing here; {help} lists the keys"));
        }
    }
}

/// Performs a command from any source.
pub(super) fn perform(model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) {
    crash::note(verb.name());
    if verb == UiCommand::Back && !model.session.live().advice.is_empty() {
        // An advice in the banner is closed first.
        command(model, Command::Live(LiveRequest::DismissAdvice), asks);
        return;
    }
    if verb == UiCommand::Back && tour::layer::is_topmost(model) {
        tour::leave(model);
        return;
    }
    let page = screen_of(model.page);
    if !is_understood(page, verb) {
        let way = model.key(page.bench_command());
        let owner = Page::ALL.iter().find(|page| lists(screen_of(**page), verb));
        model.toast = owner.map(|owner| match owner {
            Page::Bench => format!("{} works on the bench; {way} goes there", verb.name()),
            owner => {
                format!("{} works on {}; {} goes there", verb.name(), owner.title(), model.key(UiCommand::Page(*owner)))
            }
        });
        return;
    }
    if page.on_command(model, verb, asks) {
        return;
    }
    match verb {
        UiCommand::Page(page) => open_page(model, page),
        UiCommand::Fire => fire(model, asks),
        UiCommand::Cancel => cancel_or_quit(model, asks),
        UiCommand::Edit => edit_payload(model, asks),
        UiCommand::OpenEditor => open_editor(model, asks),
        UiCommand::OpenSettings => open_settings(model, asks),
        UiCommand::SetField => model.popups.push(set_field(model)),
        UiCommand::Template => model.popups.push(pick_template(model)),
        UiCommand::Agent => model.popups.push(agents(model)),
        UiCommand::PreviousEvent => step_event(model, false, asks),
        UiCommand::NextEvent => step_event(model, true, asks),
        UiCommand::PreviousTab => step_tab(model, false),
        UiCommand::NextTab => step_tab(model, true),
        UiCommand::Pin => command(model, Command::TogglePin, asks),
        UiCommand::AutoFire => toggle_auto_fire(model, asks),
        UiCommand::Contain => toggle_containment(model, asks),
        UiCommand::AssumeTrust => toggle_assumed_trust(model, asks),
        UiCommand::Environment => use_next_environment(model, asks),
        UiCommand::History => open_history(model, asks),
        UiCommand::Diff => compare_with_previous(model),
        UiCommand::WhatIf => ask_what_if(model),
        UiCommand::NewHook => new_hook::open(model),
        UiCommand::SaveTest => keep_as_test(model),
        UiCommand::Stress => stress::toggle(model, asks),
        UiCommand::Verify => verify(model, asks),
        UiCommand::Calibrate => calibration::toggle(model, asks),
        UiCommand::AskModel => ask_model(model, asks),
        UiCommand::LeaveOut => leave_out(model, asks),
        UiCommand::Impact => events::show_impact(model),
        UiCommand::Capture => intercept::capture(model, asks),
        UiCommand::ReleaseAll => intercept::release_all(model, asks),
        UiCommand::PauseHolding => intercept::toggle_pause(model, asks),
        UiCommand::Import => {
            open_page(model, Page::Events);
            events::list_agent_sessions(model, asks);
        }
        // The pages that list these handle them.
        UiCommand::JudgeRight
        | UiCommand::JudgeWrong
        | UiCommand::GuardMode
        | UiCommand::Replay
        | UiCommand::ReplayAgainst
        | UiCommand::RunAgain
        | UiCommand::Comment
        | UiCommand::Follow
        | UiCommand::Scope
        | UiCommand::Stats
        | UiCommand::ToBench => {}
        UiCommand::Fix => fix_hook(model, asks),
        UiCommand::TryHook => try_hook(model, asks),
        UiCommand::Undo => command(model, Command::ShowUndo, asks),
        UiCommand::Explain => on_finding(model, problems::show_explanation),
        UiCommand::Allow => on_finding(model, problems::ask_reason),
        UiCommand::Why => {
            choose_tab(model, Tab::Why);
            command(model, Command::ReadDebugLogs, asks);
        }
        UiCommand::Up => page.step(model, -1, asks),
        UiCommand::Down => page.step(model, 1, asks),
        UiCommand::PageUp => page.turn_page(model, false, asks),
        UiCommand::PageDown => page.turn_page(model, true, asks),
        UiCommand::Top => page.step(model, isize::MIN / 2, asks),
        UiCommand::Bottom => page.step(model, isize::MAX / 2, asks),
        UiCommand::Left if streams::scroll_sideways(model, false) => {}
        UiCommand::Right if streams::scroll_sideways(model, true) => {}
        UiCommand::Left => model.focus = Focus::Hooks,
        UiCommand::Right => model.focus = Focus::Detail,
        UiCommand::Mode => streams::next_mode(model),
        UiCommand::Search => streams::begin_search(model),
        UiCommand::NextMatch => streams::step_match(model, true),
        UiCommand::PreviousMatch => streams::step_match(model, false),
        UiCommand::NextPane => step_focus(model, true),
        UiCommand::PreviousPane => step_focus(model, false),
        UiCommand::Open => open(model),
        UiCommand::Back => back(model),
        UiCommand::Zoom => model.zoomed = !model.zoomed,
        UiCommand::Grow => resize(model, 1),
        UiCommand::Shrink => resize(model, -1),
        UiCommand::ResetLayout => reset_layout(model),
        UiCommand::Copy => match screen_of(model.page).copy_items(model) {
            Ok(items) => model.popups.push(Popup::Copy(items)),
            Err(why) => model.toast = Some(why.to_owned()),
        },
        UiCommand::CopyCommand => match screen_of(model.page).command_line(model) {
            Ok(line) => asks.push(LoopRequest::Copy(line)),
            Err(why) => model.toast = Some(why.to_owned()),
        },
        UiCommand::UndoPayload => command(model, Command::UndoPayload, asks),
        UiCommand::RedoPayload => command(model, Command::RedoPayload, asks),
        UiCommand::Palette => model.popups.push(finder::palette(model)),
        UiCommand::Find => model.popups.push(finder::anything(model)),
        UiCommand::Tools => model.popups.push(tools(model)),
        UiCommand::Messages => {
            let line = |says: &String| vec![(model.theme.plain(), says.clone())];
            let mut lines: Vec<StyledLine> = model.messages.iter().rev().map(line).collect();
            if lines.is_empty() {
                lines.push(vec![(model.theme.quiet(), "no messages yet".to_owned())]);
            }
            model.popups.push(Popup::Lines { title: "Messages, newest first".to_owned(), lines, top: 0 });
        }
        UiCommand::Help => model.popups.push(Popup::Help(HelpView::default())),
        UiCommand::Tour => {
            open_page(model, Page::Bench);
            tour::begin(model);
        }
        UiCommand::NewSession => command(model, Command::NewSession, asks),
        UiCommand::Redraw => {
            asks.push(LoopRequest::Redraw);
            command(model, Command::Reload, asks);
        }
        UiCommand::Mouse => mouse::toggle(model, asks),
        UiCommand::Suspend => asks.push(LoopRequest::Suspend),
        UiCommand::Quit if is_opened(model) => perform(model, UiCommand::Back, asks),
        UiCommand::Quit => quit(model, asks),
    }
}
