//! The commands of the Events page.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Position;

use super::refresh::replay_orders;
use super::{draw, replay_target, report};
use crate::finder;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::popup::{InputPopup, InputPurpose, PickItem, PickList, Popup};
use crate::update::{LoopRequest, command, open_page, run_command};
use crate::widgets::{self, TreeAction};
use hookbench_app::document::stats_doc;
use hookbench_app::impact::Impact;
use hookbench_app::{
    Command, EventListCommand, EventListScope, EventStoreState, HookStats, MatcherChange, ReplayOrder, ReplayResult,
    ReplaySelection, SessionRow,
};
use hookbench_core::filter::parse;

fn ask(model: &mut Model, what: EventListCommand, asks: &mut Vec<LoopRequest>) {
    command(model, Command::EventList(what), asks);
}

/// Reads the list after the page was opened.
pub fn on_open(model: &mut Model, before: Page, asks: &mut Vec<LoopRequest>) {
    if before != Page::Events || model.session.event_list().store == EventStoreState::Unknown {
        ask(model, EventListCommand::Refresh, asks);
    }
}

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_command(model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
    if report::on_command(model, verb, asks) {
        return true;
    }
    let events = model.session.event_list().store == EventStoreState::Events;
    let in_list = events && !model.events.open && model.events.report.is_none();
    match verb {
        UiCommand::Top if in_list => ask(model, EventListCommand::Oldest, asks),
        UiCommand::Bottom if in_list => ask(model, EventListCommand::Newest, asks),
        UiCommand::Open if !events => import_selected(model, asks),
        UiCommand::Left if model.events.open => _ = fold(model, TreeAction::Leave),
        UiCommand::Right if model.events.open => _ = fold(model, TreeAction::Enter),
        UiCommand::LeaveOut if model.events.open && fold(model, TreeAction::Toggle) => {}
        UiCommand::Open if model.events.open && fold(model, TreeAction::Toggle) => {}
        UiCommand::Open if model.events.open => to_bench(model, asks),
        UiCommand::Open => model.events.open = model.session.event_list().window.row().is_some(),
        UiCommand::Back => go_back(model, asks),
        UiCommand::Search => {
            model.events.open = false;
            let now = model.session.event_list().filter.clone();
            model.events.typing = Some((widgets::InputLine::from(now.clone()), now));
            ask(model, EventListCommand::Counts, asks);
        }
        UiCommand::Help => {
            if events {
                ask(model, EventListCommand::Counts, asks);
            }
            return false;
        }
        UiCommand::Stats => {
            model.toast = Some("counting the runs of hooks".to_owned());
            ask(model, EventListCommand::HookStats, asks);
        }
        UiCommand::Follow => ask(model, EventListCommand::Follow, asks),
        UiCommand::Scope => {
            model.events.open = false;
            ask(model, EventListCommand::NextScope, asks);
        }
        UiCommand::LeaveOut => ask(model, EventListCommand::Mark, asks),
        UiCommand::Comment => comment(model),
        UiCommand::PreviousTab => ask(model, EventListCommand::Sessions, asks),
        UiCommand::NextTab => {
            let session =
                model.session.event_list().window.row().map(|row| EventListScope::Session(row.session.clone()));
            if let Some(session) = session {
                ask(model, EventListCommand::Scope(session), asks);
            }
        }
        UiCommand::Import => list_agent_sessions(model, asks),
        UiCommand::ToBench => to_bench(model, asks),
        UiCommand::Replay => match replay_choices(model) {
            Some(popup) => model.popups.push(popup),
            None => model.toast = Some("no event is selected".to_owned()),
        },
        UiCommand::ReplayAgainst => match selected(model) {
            Some(which) => model.popups.push(replay_target::ask_target(which)),
            None => model.toast = Some("no event is selected".to_owned()),
        },
        UiCommand::RunAgain => {
            let contain = model.session.is_contained();
            let order = selected(model).map(|which| ReplayOrder { run: true, contain, ..ReplayOrder::planned(which) });
            replay(model, order, asks);
        }
        _ => return false,
    }
    true
}

/// Lists the agents' own sessions, to import one.
pub fn list_agent_sessions(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    model.events.sessions_requested = true;
    ask(model, EventListCommand::AgentSessions, asks);
}

/// The list of events to replay.
fn replay_choices(model: &Model) -> Option<Popup> {
    let item = |(label, about, which): (&str, String, ReplaySelection)| PickItem {
        label: label.to_owned(),
        about,
        commands: vec![Command::EventList(EventListCommand::Replay(ReplayOrder::planned(which)))],
    };
    let items: Vec<PickItem> = replay_orders(model).into_iter().map(item).collect();
    let list = model.session.event_list();
    // Marks choose events, and so does moving away from the newest one.
    let marked = list.window.rows.iter().any(|row| row.marked);
    let selected = if marked { 1 } else { 2 * usize::from(list.follow) };
    let title = "Replay which events? No hook runs";
    (!items.is_empty()).then(|| Popup::Pick(PickList { title, items, filter: String::new(), selected }))
}

/// Folds or unfolds the row under the cursor in the open event. Returns `false` if the row cannot be folded.
fn fold(model: &mut Model, what: TreeAction) -> bool {
    model.with_part(|model| &mut model.events, |view, model| view.fold(model, what))
}

/// The selected event.
fn selected(model: &Model) -> Option<ReplaySelection> {
    model.session.event_list().window.row().map(|row| ReplaySelection::One(row.seq))
}

fn replay(model: &mut Model, order: Option<ReplayOrder>, asks: &mut Vec<LoopRequest>) {
    match order {
        Some(order) => ask(model, EventListCommand::Replay(order), asks),
        None => model.toast = Some("no event is selected".to_owned()),
    }
}

/// Opens the effect of the last settings change, preferably for the agent on the bench.
pub fn show_impact(model: &mut Model) {
    let here = model.session.bench().payload.agent;
    let told =
        |agent: &&hookbench_app::AgentState| agent.impact.as_ref().is_some_and(|impact| impact.words().is_some());
    let mut all = model.session.agents().iter().filter(told);
    let found = all.clone().find(|agent| agent.dialect.id() == here).or_else(|| all.next());
    let Some((name, impact)) = found.and_then(|agent| Some((agent.dialect.name(), agent.impact.clone()?))) else {
        model.toast = Some("no recorded event is affected by a change of the settings".to_owned());
        return;
    };
    open_impact(model, name, impact);
}

/// Opens the predicted effect of a change that is not written yet; returns `false` if there is nothing to open.
pub fn show_predicted_impact(model: &mut Model, change: &MatcherChange) -> bool {
    let state = model.session.agent(change.agent.as_str());
    let known = state.and_then(|agent| Some((agent.dialect.name(), agent.preview.clone()?)));
    let (name, impact) = match known.filter(|(_, (after, _))| *after == change.after) {
        Some((name, (_, Some(impact)))) if impact.words().is_some() => (name, impact),
        known => {
            let unknown = known.is_none_or(|(_, (_, impact))| impact.is_none());
            let says = if unknown { "the affected events are not known yet" } else { "no event is affected" };
            model.toast = Some(says.to_owned());
            return false;
        }
    };
    open_impact(model, name, impact);
    true
}

fn open_impact(model: &mut Model, agent: &'static str, impact: Impact) {
    let report = report::EventsReport::new(model, report::ReportSubject::Impact(agent, Box::new(impact)));
    (model.events.open, model.events.typing) = (false, None);
    model.events.report = Some(report);
    open_page(model, Page::Events);
}

/// Moves up or down: in the open report or event, otherwise in the list, otherwise in the agents' own sessions.
pub fn step(model: &mut Model, by: isize, asks: &mut Vec<LoopRequest>) {
    if let Some(report) = &mut model.events.report {
        report.step(by);
    } else if model.session.event_list().store != EventStoreState::Events {
        let sessions = model.session.event_list().agent_sessions.as_ref().map_or(0, Vec::len);
        model.events.selected_session = widgets::step(model.events.selected_session, by, sessions);
    } else if model.events.open {
        model.events.cursor = widgets::step(model.events.cursor, by, model.events.lines.len());
    } else {
        ask(model, EventListCommand::Step(by), asks);
    }
}

/// Goes back one level; from the list itself to the bench.
fn go_back(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if model.events.open {
        model.events.open = false;
    } else if let Some((report, typed_filter)) = take_times(model) {
        ask(model, EventListCommand::Filter(typed_filter), asks);
        model.events.report = Some(report);
    } else if !model.session.event_list().filter.is_empty() {
        ask(model, EventListCommand::Filter(String::new()), asks);
    } else if matches!(model.session.event_list().scope, EventListScope::Session(_)) {
        ask(model, EventListCommand::Scope(EventListScope::Project), asks);
    } else {
        open_page(model, Page::Bench);
    }
}

/// The times of hooks to go back to, and the filter of their events: if the runs of one of these hooks are listed.
fn take_times(model: &mut Model) -> Option<(report::EventsReport, String)> {
    let (report, runs) = model.events.times_before.take()?;
    let report::ReportSubject::Stats { typed_filter, .. } = &report.subject else { return None };
    let typed_filter = typed_filter.clone();
    (model.session.event_list().filter == runs).then_some((report, typed_filter))
}

fn to_bench(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if run_command(model, Command::EventList(EventListCommand::ToBench), asks) {
        model.events.open = false;
        open_page(model, Page::Bench);
    }
}

fn import_selected(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let own = model.session.event_list().agent_sessions.as_ref().and_then(|own| own.get(model.events.selected_session));
    match own.map(|own| own.file.clone()).filter(|_| model.session.event_list().store == EventStoreState::Empty) {
        Some(file) => ask(model, EventListCommand::Import(file), asks),
        None => model.toast = Some("nothing to open here".to_owned()),
    }
}

fn comment(model: &mut Model) {
    let Some(row) = model.session.event_list().window.row() else { return };
    model.popups.push(Popup::Input(InputPopup {
        prefix: String::new(),
        title: format!("Comment on #{}", row.seq),
        hint: "an empty comment deletes it".to_owned(),
        text: row.comment.clone().unwrap_or_default().into(),
        form: "",
        what: InputPurpose::Comment(row.seq),
        error: None,
    }));
}

/// Handles a key while the filter is typed; returns `false` if the key is a command.
pub fn on_typing_key(model: &mut Model, key: KeyEvent, asks: &mut Vec<LoopRequest>) -> bool {
    let Some((line, before)) = &mut model.events.typing else { return false };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => {
            let before = std::mem::take(before);
            (model.events.typing, model.events.filter_error) = (None, None);
            if before != model.session.event_list().filter {
                ask(model, EventListCommand::Filter(before), asks);
            }
        }
        KeyCode::Char('c') if control => return false,
        KeyCode::Enter if model.events.filter_error.is_some() => {}
        KeyCode::Enter => model.events.typing = None,
        KeyCode::Up => step(model, -1, asks),
        KeyCode::Down => step(model, 1, asks),
        code => {
            if line.key(code, control) {
                apply_typed_filter(model, asks);
            }
        }
    }
    true
}

/// Applies the typed filter if it can be parsed.
fn apply_typed_filter(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let Some(text) = model.events.typing.as_ref().map(|(line, _)| line.text()) else { return };
    match parse(&text) {
        Err(wrong) => model.events.filter_error = Some(wrong),
        Ok(_) => {
            model.events.filter_error = None;
            ask(model, EventListCommand::Filter(text), asks);
        }
    }
}

/// Adds pasted text to the filter; returns `false` if no filter is being typed.
pub fn on_paste(model: &mut Model, text: &str, asks: &mut Vec<LoopRequest>) -> bool {
    let Some((line, _)) = &mut model.events.typing else { return false };
    line.insert(text);
    apply_typed_filter(model, asks);
    true
}

/// Imports pasted events, or offers to import the file with the pasted path.
pub fn import_pasted(model: &mut Model, text: &str, asks: &mut Vec<LoopRequest>) {
    let text = text.trim();
    if text.starts_with(['{', '[']) {
        ask(model, EventListCommand::ImportText(text.to_owned()), asks);
        return;
    }
    match pasted_path(text, Path::new(&model.session.place().home)) {
        Some(path) => model.popups.push(finder::import_of(model, &path.to_string_lossy())),
        None => {
            model.toast = Some(
                "the pasted text has no events. Accepted: the path of a file, payloads, event lines of hookbench"
                    .into(),
            );
        }
    }
}

/// The file or directory of a pasted path. A terminal may quote a dropped file, or escape its spaces.
fn pasted_path(text: &str, home: &Path) -> Option<PathBuf> {
    if text.is_empty() || text.contains('\n') {
        return None;
    }
    let text = text.strip_prefix("file://").unwrap_or(text);
    let quoted = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    let text = quoted('\'').or_else(|| quoted('"')).map_or_else(|| text.replace("\\ ", " "), str::to_owned);
    let path = text.strip_prefix("~/").map_or_else(|| PathBuf::from(&text), |rest| home.join(rest));
    (path.is_absolute() && path.exists()).then_some(path)
}

/// Shows the result of a replay.
pub fn show_replay(model: &mut Model, result: Arc<ReplayResult>) {
    // The replay has ended, so the message about cancelling it is removed.
    model.toast = None;
    if result.order.run && model.page != Page::Events {
        let key = model.key(UiCommand::Page(Page::Events));
        model.toast = Some(format!("{} replayed; {key} shows the result", result.summary.events));
    }
    model.events.report = Some(report::EventsReport::new(model, report::ReportSubject::Replay(result)));
    (model.events.open, model.events.typing, model.events.filter_error) = (false, None, None);
}

/// Shows the times of the hooks that ran on the listed events.
pub fn show_stats(model: &mut Model, stats: Vec<HookStats>) {
    let list = model.session.event_list();
    let stats = Arc::new(stats_doc(&list.combined_filter().to_string(), stats));
    let subject = report::ReportSubject::Stats { stats, typed_filter: list.filter.clone() };
    model.events.report = Some(report::EventsReport::new(model, subject));
    model.events.close();
    model.toast = None;
}

/// Offers the sessions of the recorded events to choose from.
pub fn show_sessions(model: &mut Model, sessions: Vec<SessionRow>) {
    let item = |session: SessionRow| {
        let id = session.session.agent.as_str();
        let name = hookbench_core::dialects::by_id(id).map_or(id, |dialect| dialect.name());
        let title = session.session.title.clone().unwrap_or_default();
        let at = session.last.and_then(hookbench_core::recorded::format_time);
        let at = at.and_then(|at| at.get(..16).map(|at| at.replace('T', " "))).unwrap_or_default();
        PickItem {
            label: format!("{name}  {at}"),
            about: format!("{} events   {}  {title}", session.events, session.session.session),
            commands: vec![Command::EventList(EventListCommand::Scope(EventListScope::Session(
                session.session.session.clone(),
            )))],
        }
    };
    let items = sessions.into_iter().map(item).collect();
    model.popups.push(Popup::Pick(PickList { title: "Sessions", items, filter: String::new(), selected: 0 }));
}

/// Offers the agents' own sessions, once they were listed for the user.
pub fn show_agent_sessions(model: &mut Model) {
    if let Some(own) = model.session.event_list().agent_sessions.as_ref().filter(|_| model.events.sessions_requested) {
        model.events.sessions_requested = false;
        if own.is_empty() {
            model.toast = Some("no agent sessions found for this project; type :import FILE".into());
            return;
        }
        let item = |own: &hookbench_app::AgentSession| {
            let (label, about) = draw::words(own);
            PickItem { label, about, commands: vec![Command::EventList(EventListCommand::Import(own.file.clone()))] }
        };
        let items = own.iter().map(item).collect();
        let title = "Import a session of this project";
        model.popups.push(Popup::Pick(PickList { title, items, filter: String::new(), selected: 0 }));
    }
}

/// Handles a click on a row.
pub fn on_click(model: &mut Model, at: Position, asks: &mut Vec<LoopRequest>) {
    let frame = frame_layout(model);
    let Some(row) = widgets::target_at(draw::row_places(model, frame.shared, frame.size), at) else { return };
    if model.events.report.is_some() {
        report::on_click(model, row, asks);
        return;
    }
    ask(model, EventListCommand::Select(row), asks);
}
