//! The commands of the Match page.

use ratatui::layout::Position;

use super::owners;
use super::placement::{MatchTarget, interpretation_rows, panes, sheet};
use super::state::MatcherOwner;
use super::state::{MatchPane, TypingTarget};
use super::typing;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::popup::{PickItem, PickList, Popup};
use crate::update::{LoopRequest, command, open_page};
use crate::widgets;
use hookbench_app::{Command, EventListCommand};

/// Prepares the page when it is opened, or when the program starts on it: selects the matcher of the hook on the
/// bench and counts the recorded events.
pub fn on_open(model: &mut Model, before: Page, asks: &mut Vec<LoopRequest>) {
    if before == Page::Match && model.matching.counts_requested {
        return;
    }
    model.matching.counts_requested = true;
    command(model, Command::EventList(EventListCommand::SubjectCounts), asks);
    let now = owners::initial(model);
    if model.matching.owner != now || !model.matching.differs(model) {
        load_matcher(model, now);
    }
}

fn load_matcher(model: &mut Model, whose: Option<MatcherOwner>) {
    model.with_part(|model| &mut model.matching, |view, model| view.load(model, whose));
}

/// Tests another matcher for the hook that the page would show.
pub fn replace_matcher(model: &mut Model, text: &str) {
    let owner = owners::initial(model);
    load_matcher(model, owner);
    typing::replace(model, text);
}

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_command(model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
    match verb {
        UiCommand::Edit => {
            model.matching.text_before = model.matching.text.text();
            model.matching.typing = Some(TypingTarget::Matcher);
        }
        UiCommand::Search => {
            (model.matching.typing, model.matching.pane) = (Some(TypingTarget::Filter), MatchPane::Values);
        }
        UiCommand::Open => apply_suggestion(model),
        UiCommand::Fix => ask_write(model, asks),
        UiCommand::Agent => model.popups.push(agents(model)),
        UiCommand::Why => {
            model.matching.pane = MatchPane::Interpretation;
            model.matching.scroll = 0;
        }
        UiCommand::NextMatch => step_finding(model, true),
        UiCommand::PreviousMatch => step_finding(model, false),
        UiCommand::NextEvent => step_hook(model, true),
        UiCommand::PreviousEvent => step_hook(model, false),
        UiCommand::NextPane | UiCommand::PreviousPane => {
            let next =
                if model.matching.pane == MatchPane::Values { MatchPane::Interpretation } else { MatchPane::Values };
            model.matching.pane = next;
        }
        UiCommand::Left => model.matching.pane = MatchPane::Values,
        UiCommand::Right => model.matching.pane = MatchPane::Interpretation,
        UiCommand::Zoom => model.matching.zoomed = !model.matching.zoomed,
        UiCommand::Back => go_back(model),
        UiCommand::OpenEditor => open_settings(model, asks),
        _ => return false,
    }
    true
}

/// Applies the best suggestion.
fn apply_suggestion(model: &mut Model) {
    let better = model.matching.result.as_ref().and_then(|asked| asked.suggestions.first());
    match better.map(|better| better.suggestion.text.clone()) {
        Some(text) => {
            model.toast = Some(format!("{} took the suggestion {text}", model.key(UiCommand::Open)));
            model.matching.text = text.into();
        }
        None => model.toast = Some("no suggestion".to_owned()),
    }
}

/// Shows the change of the file and asks whether to write it.
fn ask_write(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let matching = &model.matching;
    let Some(whose) = matching.owner.clone() else {
        model.toast = Some("no hook has this matcher, so there is nothing to write".to_owned());
        return;
    };
    if !matching.differs(model) {
        model.toast = Some(format!("the hook already has this matcher; {} edits it", model.key(UiCommand::Edit)));
        return;
    }
    match model.session.change_matcher(whose.agent.as_str(), &whose.hook, &matching.text.text()) {
        Ok(change) => {
            command(model, Command::PreviewMatcher(Box::new(change.clone())), asks);
            model.ask_question(Popup::WriteMatcher { change: Box::new(change) });
        }
        Err(why) => model.toast = Some(why.to_string()),
    }
}

/// The list of agents, to show or hide each.
fn agents(model: &Model) -> Popup {
    let own = model.matching.owner.as_ref().map_or(model.session.bench().payload.agent, |whose| whose.agent);
    let items = model.session.agents().iter().map(|agent| {
        let id = agent.dialect.id();
        let about = match (id == own, model.session.compares(id.as_str())) {
            (true, _) => "agent of this matcher",
            (false, true) => "shown; Enter hide, also on Compare",
            (false, false) => "hidden; Enter show",
        };
        let label = agent.dialect.name().to_owned();
        PickItem { label, about: about.to_owned(), commands: vec![Command::ToggleCompared(id)] }
    });
    Popup::Pick(PickList { title: "Agents to show", items: items.collect(), filter: String::new(), selected: 0 })
}

/// Selects the next hook whose matcher has a finding.
fn step_finding(model: &mut Model, forward: bool) {
    let all = owners::with_problem(model);
    match owners::neighbour(&all, model.matching.owner.as_ref(), forward) {
        Some(next) if Some(&next) != model.matching.owner.as_ref() => load_matcher(model, Some(next)),
        Some(_) => model.toast = Some("no other matcher has a problem".to_owned()),
        None => model.toast = Some("no matcher has a problem".to_owned()),
    }
}

/// Selects the next hook.
fn step_hook(model: &mut Model, forward: bool) {
    let all = owners::all(model);
    if let Some(next) = owners::neighbour(&all, model.matching.owner.as_ref(), forward) {
        load_matcher(model, Some(next));
    }
}

/// The number of names that fit below the titles.
pub fn visible_rows(model: &Model) -> usize {
    let at = frame_layout(model);
    usize::from(panes(model, at.shared, at.size).table.inner.height).saturating_sub(1)
}

/// Moves up or down in the focused pane.
pub fn step(model: &mut Model, by: isize) {
    if model.matching.pane == MatchPane::Values {
        let row = model.matching.row().saturating_add_signed(by);
        model.matching.select(row);
        return;
    }
    let at = frame_layout(model);
    let area = panes(model, at.shared, at.size).interpretation.inner;
    let rows = interpretation_rows(model, usize::from(area.width).saturating_sub(2)).len();
    model.matching.scroll = widgets::scroll(model.matching.scroll, by, rows, usize::from(area.height));
}

/// Goes back one level: to the matcher of the file if it was changed, and from the page itself to the bench.
fn go_back(model: &mut Model) {
    let changed = model.matching.owner.clone().filter(|_| model.matching.differs(model));
    let matching = &mut model.matching;
    if matching.zoomed {
        matching.zoomed = false;
    } else if matching.pane == MatchPane::Interpretation {
        matching.pane = MatchPane::Values;
    } else if !matching.filter.text().is_empty() {
        matching.filter = widgets::InputLine::default();
    } else if changed.is_some() {
        load_matcher(model, changed);
        model.toast = Some("the matcher is that of the file again".to_owned());
    } else {
        open_page(model, Page::Bench);
    }
}

fn open_settings(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let whose = model.matching.owner.as_ref();
    let place = whose.and_then(|whose| {
        let definition = whose.definition(model)?;
        let loaded = model.session.agent(whose.agent.as_str())?.loaded.as_ref()?;
        let source = definition.provenance.span.source;
        let span = definition.matcher_span.unwrap_or(definition.provenance.span);
        Some((loaded.sources.path(source).to_owned(), loaded.sources.start(span).line))
    });
    match place {
        Some((path, line)) => asks.push(LoopRequest::OpenFile { path, line, column: 1 }),
        None => model.toast = Some("no hook has this matcher, so no file can be opened".to_owned()),
    }
}

/// Handles a click.
pub fn on_click(model: &mut Model, at: Position) {
    let targets = sheet(model, frame_layout(model).shared).hits;
    match widgets::target_at(targets, at) {
        Some(MatchTarget::Row(row)) => {
            model.matching.pane = MatchPane::Values;
            model.matching.select(row);
        }
        Some(MatchTarget::Interpretation) => model.matching.pane = MatchPane::Interpretation,
        None => {}
    }
}
