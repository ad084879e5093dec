//! The commands of the Intercept page, and the commands for live events that work on every page.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Position;

use super::choices::{diff, why_not};
use super::draft::{KINDS, input_of, letter, pretty};
use super::draw::{InterceptTarget, click_targets};
use super::held_band::default_action;
use super::input_kind::InterceptInput;
use super::inputs;
use super::state::InterceptFocus;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::popup::{InputPurpose, PickItem, PickList, Popup, diff_lines};
use crate::update::{LoopRequest, command, fire, open_page, run_command};
use crate::widgets::WHEEL_LINES;
use crate::widgets::{self, TreeAction};
use hookbench_app::Command;
use hookbench_app::live::{LiveConnection, LiveRequest, PendingPayload};
use hookbench_core::live::DecisionKind;
use hookbench_core::text::{one_line, pluralize};

/// Number of held events that the question before the end names.
const QUIT_EVENTS: usize = 3;

fn send(model: &mut Model, what: LiveRequest, asks: &mut Vec<LoopRequest>) {
    command(model, Command::Live(what), asks);
}

/// Starts capturing events; while events are captured, offers what can be done with them.
pub fn capture(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let live = model.session.live();
    if matches!(live.connection, LiveConnection::Off | LiveConnection::Refused { .. }) {
        send(model, LiveRequest::Start, asks);
        return;
    }
    let item = |label: &str, about: String, what| PickItem {
        label: label.to_owned(),
        about,
        commands: vec![Command::Live(what)],
    };
    let held = live.pending.len();
    let mut items = Vec::new();
    if held > 0 {
        let about = format!("{} continue as without hookbench", pluralize(held, "held event"));
        items.push(item("release all", about, LiveRequest::ReleaseAll));
    }
    // The server answers the held events, so it does not stop before.
    if held == 0 || matches!(live.connection, LiveConnection::Attached { .. }) {
        items.push(item("stop capture", "agents run without hookbench".to_owned(), LiveRequest::Stop));
    }
    items.push(if live.paused {
        item("resume holding", "breakpoints hold events again".to_owned(), LiveRequest::Pause(false))
    } else {
        item("pause holding", "new events pass; held events stay held".to_owned(), LiveRequest::Pause(true))
    });
    model.popups.push(Popup::Pick(PickList { title: "Capture", items, filter: String::new(), selected: 0 }));
}

/// Requests the demo's own event when the page is opened or the tour speaks of it, so that its time does not run out
/// before.
pub fn hold_demo_event(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let wanted = model.page == Page::Intercept || model.tour.is_some_and(|tour| tour.needs_held_event());
    if model.demo && wanted && !model.intercept.demo_event_requested {
        model.intercept.demo_event_requested = true;
        send(model, LiveRequest::HoldDemoEvent, asks);
    }
}

/// Releases all held events.
pub fn release_all(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    send(model, LiveRequest::ReleaseAll, asks);
}

/// Pauses or resumes holding events.
pub fn toggle_pause(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let paused = !model.session.live().paused;
    send(model, LiveRequest::Pause(paused), asks);
}

/// Returns to the page before when the user goes back. If an event is held, the user probably wants to answer it.
pub fn on_open(model: &mut Model, before: Page, _: &mut Vec<LoopRequest>) {
    if before != Page::Intercept {
        model.intercept.previous_page = before;
        model.intercept.focus = InterceptFocus::Choices;
    }
}

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_command(model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
    let held = model.intercept.held(model).is_some();
    match verb {
        UiCommand::Page(Page::Intercept) | UiCommand::Back => go_back(model),
        UiCommand::NextPane => next_part(model, true),
        UiCommand::PreviousPane => next_part(model, false),
        UiCommand::NextEvent => next_held(model, true),
        UiCommand::PreviousEvent => next_held(model, false),
        UiCommand::Left if model.intercept.focus == InterceptFocus::Payload => _ = fold(model, TreeAction::Leave),
        UiCommand::Right if model.intercept.focus == InterceptFocus::Payload => _ = fold(model, TreeAction::Enter),
        UiCommand::LeaveOut | UiCommand::Open if model.intercept.focus == InterceptFocus::Points => {
            send(model, LiveRequest::ToggleBreakpoint(model.intercept.breakpoint), asks);
        }
        UiCommand::LeaveOut | UiCommand::Open if model.intercept.focus == InterceptFocus::Payload => {
            _ = fold(model, TreeAction::Toggle);
        }
        UiCommand::Open if held => answer_chosen(model),
        UiCommand::Edit if model.intercept.focus == InterceptFocus::Points => {
            model.popups.push(inputs::ask_breakpoint());
        }
        UiCommand::Fix if model.intercept.focus == InterceptFocus::Points => remove_breakpoint(model, asks),
        UiCommand::Edit if held => inputs::ask_text(model),
        UiCommand::OpenEditor if held => edit_input(model, asks),
        UiCommand::SetField if held => ask_token(model),
        UiCommand::ToBench | UiCommand::Fire if held => to_bench(model, verb, asks),
        UiCommand::Fire | UiCommand::ToBench | UiCommand::SetField | UiCommand::OpenEditor => {
            model.toast = Some("nothing is held".to_owned());
        }
        _ => return false,
    }
    true
}

fn go_back(model: &mut Model) {
    if model.intercept.focus == InterceptFocus::Payload
        || (model.intercept.focus == InterceptFocus::Points && has_held(model))
    {
        model.intercept.focus = InterceptFocus::Choices;
        return;
    }
    open_page(model, model.intercept.previous_page);
}

fn has_held(model: &Model) -> bool {
    !model.session.live().pending.is_empty()
}

/// Moves up or down in the focused part.
pub fn step(model: &mut Model, by: isize) {
    let view = &mut model.intercept;
    match view.focus {
        InterceptFocus::Payload => view.cursor = widgets::step(view.cursor, by, view.lines.len()),
        InterceptFocus::Points => {
            view.breakpoint = widgets::step(view.breakpoint, by, model.session.live().breakpoints.len());
        }
        InterceptFocus::Choices => choose(model, by),
    }
}

/// Selects the next possible answer in that direction.
fn choose(model: &mut Model, by: isize) {
    let Some(held) = model.intercept.held(model) else { return };
    let possible: Vec<DecisionKind> = KINDS.into_iter().filter(|kind| why_not(held, *kind).is_none()).collect();
    let now = model.intercept.draft().kind.and_then(|kind| possible.iter().position(|other| *other == kind));
    let last = possible.len().saturating_sub(1);
    let next = match now {
        Some(now) => widgets::step(now, by, possible.len()),
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
    if !has_held(model) {
        return;
    }
    model.intercept.focus = match (model.intercept.focus, forward) {
        (InterceptFocus::Choices, true) | (InterceptFocus::Points, false) => InterceptFocus::Payload,
        (InterceptFocus::Payload, true) | (InterceptFocus::Choices, false)
            if !model.session.live().breakpoints.is_empty() =>
        {
            InterceptFocus::Points
        }
        _ => InterceptFocus::Choices,
    };
}

fn next_held(model: &mut Model, forward: bool) {
    let all = &model.session.live().pending;
    let now = all.iter().position(|held| Some(&held.fact.arrived.id) == model.intercept.selected.as_ref());
    let Some(now) = now else { return };
    let next = if forward { (now + 1) % all.len() } else { (now + all.len() - 1) % all.len() };
    model.intercept.selected = all.get(next).map(|held| held.fact.arrived.id.clone());
}

fn fold(model: &mut Model, what: TreeAction) -> bool {
    model.with_part(|model| &mut model.intercept, |view, model| view.fold(model, what))
}

/// Handles the letter of an answer; returns `false` if the key is a command.
pub fn on_letter(model: &mut Model, key: KeyEvent) -> bool {
    let KeyCode::Char(c) = key.code else { return false };
    let plain = key.modifiers.is_empty() && model.first_key.is_none();
    let listed = plain && model.intercept.focus == InterceptFocus::Choices;
    let Some(kind) = KINDS.into_iter().find(|kind| letter(*kind) == Some(c)).filter(|_| listed) else { return false };
    let Some(held) = model.intercept.held(model) else { return false };
    match why_not(held, kind) {
        Some(why) => model.toast = Some(format!("{} cannot be answered: {why}", kind.word())),
        None => {
            // The cursor stays on the safest answer. A new input has a draft that Enter shows.
            if let Some(draft) = model.intercept.draft_mut().filter(|_| kind == DecisionKind::Modify) {
                draft.kind = Some(kind);
            }
            answer(model, kind);
        }
    }
    true
}

/// Begins the chosen answer.
fn answer_chosen(model: &mut Model) {
    match model.intercept.draft().kind {
        Some(kind) => answer(model, kind),
        None => model.toast = Some("choose an answer first, with its letter or the arrows".to_owned()),
    }
}

/// Begins an answer: a line takes its reason, and the next Enter sends it. What lets the event continue without a line
/// is first asked.
fn answer(model: &mut Model, kind: DecisionKind) {
    if model.session.live().why_not_decide().is_some() {
        ask_token(model);
        return;
    }
    let Some(held) = model.intercept.held(model) else { return };
    if held.deciding {
        return;
    }
    let draft = model.intercept.draft();
    let id = held.fact.arrived.id.clone();
    match draft.decision(kind) {
        Err(_) if kind == DecisionKind::Modify => inputs::ask_text(model),
        Ok(decision) if kind == DecisionKind::Observe => {
            let arrived = &held.fact.arrived;
            let texts = [&arrived.subject, &arrived.what].into_iter().flatten().map(|text| format!("  {text}"));
            let event = format!("{}{}", arrived.event, texts.collect::<String>());
            let lines = vec![vec![(model.theme.strong(), one_line(&event))]];
            model.ask_question(Popup::SendInput { id, decision, lines, top: 0 });
        }
        Ok(decision) if kind == DecisionKind::Modify => {
            let lines = diff(held, &draft).unwrap_or_default();
            if !lines.iter().any(|line| line.starts_with(['+', '-'])) {
                let key = model.key(UiCommand::Edit);
                model.toast = Some(format!("the input is unchanged; {key} edits it"));
                return;
            }
            let lines = diff_lines(&lines.join("\n"), model.theme);
            model.ask_question(Popup::SendInput { id, decision, lines, top: 0 });
        }
        Ok(_) | Err(_) => inputs::ask_answer(model, kind),
    }
}

/// Asks for the token of the serving process if one is needed.
fn ask_token(model: &mut Model) {
    match model.session.live().why_not_decide() {
        Some(says) => model.popups.push(inputs::ask_token(&says)),
        None => model.toast = Some(format!("{} edits the answer", model.key(UiCommand::Edit))),
    }
}

fn edit_input(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let Some(held) = model.intercept.held(model) else { return };
    if let Some(why) = why_not(held, DecisionKind::Modify) {
        model.toast = Some(format!("the input cannot be changed: {why}"));
        return;
    }
    let PendingPayload::Available(payload) = &held.payload else {
        model.toast = Some("its payload has not arrived yet".to_owned());
        return;
    };
    let now = model.intercept.draft().input.or_else(|| input_of(payload)).unwrap_or_else(|| "{}".to_owned());
    asks.push(LoopRequest::EditPayload(format!("{}\n", pretty(&now))));
    model.intercept.editing = Some(held.fact.arrived.id.clone());
}

fn remove_breakpoint(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if model.session.live().breakpoints.is_empty() {
        model.toast = Some("no breakpoint".to_owned());
        return;
    }
    send(model, LiveRequest::RemoveBreakpoint(model.intercept.breakpoint), asks);
    model.toast = Some("removed for this session; config.toml is unchanged".to_owned());
}

/// Puts the held event on the bench. If it is to be fired, consent is requested as usual.
fn to_bench(model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) {
    let Some(id) = model.intercept.selected.clone() else { return };
    if !run_command(model, Command::Live(LiveRequest::ToBench(id)), asks) {
        return;
    }
    open_page(model, Page::Bench);
    if verb == UiCommand::Fire {
        fire(model, asks);
    }
}

fn target_at(model: &Model, at: Position) -> Option<InterceptTarget> {
    let frame = frame_layout(model);
    widgets::target_at(click_targets(model, frame.event_line, frame.shared, frame.size), at)
}

/// Handles a click, which only selects; it never answers or toggles.
pub fn on_click(model: &mut Model, at: Position) {
    let Some(target) = target_at(model, at) else { return };
    match target {
        InterceptTarget::Held => next_held(model, true),
        InterceptTarget::Choice(kind) => {
            model.intercept.focus = InterceptFocus::Choices;
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
        InterceptTarget::Payload(line) => {
            model.intercept.focus = InterceptFocus::Payload;
            model.intercept.cursor = line.unwrap_or(model.intercept.cursor);
        }
        InterceptTarget::Point(point) => {
            model.intercept.focus = InterceptFocus::Points;
            model.intercept.breakpoint = point.unwrap_or(model.intercept.breakpoint);
        }
        InterceptTarget::Event(at) => {
            let live = model.session.live();
            let id = live.recent.get(at).map(|event| event.arrived.id.clone());
            // A held event is opened.
            if let Some(id) = id.filter(|id| live.pending_event(id).is_some()) {
                model.intercept.selected = Some(id);
                model.intercept.focus = InterceptFocus::Choices;
            }
        }
    }
}

/// Scrolls the part under the pointer. The wheel never changes the chosen answer.
pub fn on_wheel(model: &mut Model, at: Position, by: isize) {
    let part = match target_at(model, at) {
        Some(InterceptTarget::Payload(_)) => InterceptFocus::Payload,
        Some(InterceptTarget::Point(_)) => InterceptFocus::Points,
        _ => return,
    };
    let focus = std::mem::replace(&mut model.intercept.focus, part);
    step(model, by * WHEEL_LINES);
    model.intercept.focus = focus;
}

/// Whether a key comes too soon after an event was answered or another one took its place. Such a key was meant for
/// something else; keys count again when none was pressed for half a second.
pub fn ignores(model: &mut Model, key: Option<KeyEvent>) -> bool {
    let commands = key.is_some_and(|key| key.modifiers.contains(KeyModifiers::CONTROL));
    let here = model.page == Page::Intercept && model.popups.is_empty() && !commands;
    let ignored = here && model.intercept.ignores_keys_for(model.now).is_some();
    if ignored {
        model.intercept.ignore_keys(model.now);
        model.toast = Some("ignored: this key came too soon after another event was answered or held".to_owned());
    }
    ignored
}

/// Closes what is typed or asked about an event that is no longer held. What follows is not taken for commands.
pub fn close_stale(model: &mut Model) {
    let gone = |id: &str| model.session.live().pending_event(id).is_none();
    let stale = match model.popups.last() {
        Some(Popup::SendInput { id, .. }) => gone(id),
        Some(Popup::Input(input)) => {
            let about_event = matches!(input.what, InputPurpose::Live(what) if !matches!(what, InterceptInput::Breakpoint | InterceptInput::Token));
            about_event && model.intercept.typing_for.as_deref().is_none_or(gone)
        }
        _ => false,
    };
    if stale {
        model.popups.pop();
        model.intercept.typing_for = None;
        model.intercept.ignore_keys(model.now);
    }
}

/// The held events that this process answers when it ends, each with its answer, as lines. Empty if there are none.
pub fn quit_lines(model: &Model) -> Vec<String> {
    let live = model.session.live();
    if !matches!(live.connection, LiveConnection::Serving { .. }) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for held in live.pending.iter().take(QUIT_EVENTS) {
        let arrived = &held.fact.arrived;
        let texts = [&arrived.subject, &arrived.what].into_iter().flatten().map(|text| format!("  {text}"));
        lines.push(one_line(&format!("held: {}{}", arrived.event, texts.collect::<String>())));
        lines.push(format!("quitting answers {}", default_action(held)));
    }
    let more = live.pending.len().saturating_sub(QUIT_EVENTS);
    if more > 0 {
        lines.push(format!("and {}, each with its announced answer", pluralize(more as u64, "more held event")));
    }
    lines
}
