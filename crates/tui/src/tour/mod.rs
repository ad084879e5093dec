//! The guided tour of the demo: six steps, each in one line above the footer. A step ends when its action was done,
//! and Esc ends the tour.

pub mod layer;
mod state;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::events::EventsView;
use crate::keymap::UiCommand;
use crate::layer_keys::YES;
use crate::model::{Model, Tab};
use crate::page::Page;
use crate::popup::Popup;
use crate::widgets::{RowWriter, width};
use hookbench_app::live::LiveConnection;

pub use state::{Tour, TourStep};

/// The smallest screen that has room for the line.
const SMALLEST: (u16, u16) = (60, 15);
/// The command that starts it.
const TOUR_COMMAND: &str = ":tour";

/// Begins the tour at its first step.
pub fn begin(model: &mut Model) {
    if !model.demo {
        model.toast = Some(format!("the tour needs the sample project: run hookbench demo, then {TOUR_COMMAND}"));
        return;
    }
    if model.size.0 < SMALLEST.0 || model.size.1 < SMALLEST.1 {
        model.toast = Some(format!("the tour needs {} columns and {} rows", SMALLEST.0, SMALLEST.1));
        return;
    }
    model.tour = Some(Tour::begin());
}

/// Ends the tour. It was not finished, so the next demo begins it again.
pub fn leave(model: &mut Model) {
    if model.tour.take().is_some() {
        model.toast = Some(format!("the tour has ended; {TOUR_COMMAND} starts it again"));
    }
}

/// Goes on to the next step if the action of the current one was done.
pub fn advance(model: &mut Model) {
    let Some(Tour { step: Some(step), firing }) = model.tour else { return };
    let next = match step {
        TourStep::Fire if model.firing().is_some_and(|firing| firing.settled) => Some(TourStep::Why),
        // The fix may be written already.
        TourStep::Why if model.tab == Some(Tab::Why) && !skips_a_hook(model) => Some(TourStep::Replay),
        TourStep::Why if model.tab == Some(Tab::Why) => Some(TourStep::Fix),
        TourStep::Fix if firing_hooks(model) > firing => Some(TourStep::Replay),
        TourStep::Replay if model.events.can_replay() => Some(TourStep::Problems),
        TourStep::Problems if model.page == Page::Problems => Some(TourStep::Answer),
        TourStep::Answer if is_answered(model) => {
            model.tour = Some(Tour { step: None, firing });
            let key = model.key(UiCommand::Help);
            model.toast = Some(format!("The tour has ended. {key} lists the keys of a page."));
            return;
        }
        _ => return,
    };
    model.tour = Some(Tour { step: next, firing: firing_hooks(model) });
}

/// Whether the demo's event has its answer, or cannot get one.
fn is_answered(model: &Model) -> bool {
    let live = model.session.live();
    live.counts.answered > 0 || matches!(live.connection, LiveConnection::Refused { .. } | LiveConnection::Off)
}

/// The number of hooks that would run for the event on the bench.
fn firing_hooks(model: &Model) -> usize {
    model.session.bench().plan.as_ref().map_or(0, |plan| plan.firing().count())
}

/// Whether a hook of the event on the bench does not run.
fn skips_a_hook(model: &Model) -> bool {
    model.session.bench().plan.as_ref().is_some_and(|plan| plan.firing().count() < plan.entries.len())
}

/// The number and the sentence of the current step; `None` if nothing is shown.
pub fn line(model: &Model) -> Option<(&'static str, String)> {
    let step = model.tour?.step?;
    if model.size.0 < SMALLEST.0 || model.size.1 < SMALLEST.1 {
        return None;
    }
    let key = |command: UiCommand| model.key(command);
    if model.popups.last().is_some_and(Popup::needs_consent) {
        return Some((step.number(), format!("Read it. {YES} agrees, n cancels.")));
    }
    let on = |page: Page| model.page == page;
    let bench = |says: String| {
        if on(Page::Bench) { says } else { format!("Press {} to continue.", key(UiCommand::Page(Page::Bench))) }
    };
    Some(match step {
        TourStep::Fire => {
            (step.number(), bench(format!("This is an event. Press {} to run its hooks.", key(UiCommand::Fire))))
        }
        TourStep::Why => {
            (step.number(), bench(format!("Read the verdict above. Press {} to see why.", key(UiCommand::Why))))
        }
        TourStep::Fix => {
            (step.number(), bench(format!("One hook never runs. Press {} for its fix, then Y.", key(UiCommand::Fix))))
        }
        TourStep::Replay if on(Page::Events) => {
            (step.number(), format!("A recorded day. Press {}, then Enter to replay it.", key(UiCommand::Replay)))
        }
        TourStep::Replay => {
            (step.number(), format!("Press {} for a recorded day of work.", key(UiCommand::Page(Page::Events))))
        }
        TourStep::Problems => {
            let run = if on(Page::Events) && !EventsView::ran_hooks(&model.events) {
                format!("{} runs the hooks. ", key(UiCommand::RunAgain))
            } else {
                String::new()
            };
            (step.number(), format!("{run}Press {} for the problems.", key(UiCommand::Page(Page::Problems))))
        }
        TourStep::Answer if on(Page::Intercept) => {
            (step.number(), "Press d, then Enter to deny it. An agent would get the answer.".to_owned())
        }
        TourStep::Answer => (
            step.number(),
            format!("An event waits for you. Press {} to answer.", key(UiCommand::Page(Page::Intercept))),
        ),
    })
}

/// Splits the row of the tour off the bottom of the page.
pub fn split(model: &Model, area: Rect) -> (Rect, Option<Rect>) {
    if line(model).is_none() || area.height < SMALLEST.1 {
        return (area, None);
    }
    let page = Rect { height: area.height - 1, ..area };
    (page, Some(Rect { y: page.bottom(), height: 1, ..area }))
}

/// Draws the line. `ends` says whether Esc would end the tour.
pub fn draw(model: &Model, ends: bool, area: Rect, buf: &mut Buffer) {
    let Some((number, says)) = line(model) else { return };
    let theme = model.theme;
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(1).put(theme.name(), number).skip(2).put(theme.strong(), &says);
    let end = format!("{} end tour ", model.key(UiCommand::Back));
    if ends && cells.left() > width(&end) + 2 {
        cells.right(theme.quiet(), &end);
    }
}
