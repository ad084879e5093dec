//! The line that says on every page that an agent waits for its user, and the sign in the header.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::top::{agent_name, clock, countdown};
use crate::app::live::Reach;
use crate::core::decide::Verdict;
use crate::tui::model::Model;
use crate::tui::page::Page;
use crate::tui::theme::Theme;
use crate::tui::widgets::{Cells, width};

/// What the header says while nothing is taken in; only where there is room.
pub const OFF: &str = "rec off";

/// The page's share of the screen, and the line below it.
pub fn split(model: &Model, area: Rect) -> (Rect, Rect) {
    let shown = !model.session.live().held.is_empty() && model.page != Page::Intercept && area.height > 3;
    let rows = u16::from(shown);
    let page = Rect { height: area.height - rows, ..area };
    (page, Rect { y: page.bottom(), height: rows, ..area })
}

/// Draws the line: who waits for what, how long, and the key.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let Some(held) = model.session.live().held.first().filter(|_| area.height > 0) else { return };
    let theme = model.theme;
    let arrived = &held.fact.arrived;
    let style = theme.verdict(Verdict::Ask);
    buf.set_string(area.x, area.y, " ".repeat(usize::from(area.width)), style);
    let mut cells = Cells::new(area, buf, theme);
    let narrow = area.width < 60;
    let key = model.key(Page::Intercept.verb());
    let more = match model.session.live().held.len() - 1 {
        0 => String::new(),
        n if narrow => format!(" +{n}"),
        n => format!("   +{n} more"),
    };
    let opens = if narrow { key } else { format!("{key} answers") };
    let left = countdown(model, held);
    let after = if narrow { left } else { format!("{left} then {}", held.fact.on_timeout) };
    let right = format!("{after}   {opens}{more} ");
    cells.put(style, " HELD ");
    let room = cells.left().saturating_sub(width(&right));
    let name = if narrow { String::new() } else { format!("{}  ", agent_name(arrived)) };
    let subject = arrived.subject.as_ref().map(|subject| format!("  {subject}")).unwrap_or_default();
    let what = arrived.what.as_ref().map(|what| format!("  {what}")).unwrap_or_default();
    let says = crate::core::text::one_line(&format!(" {name}{}{subject}{what}", arrived.event));
    cells.put(style, &crate::tui::widgets::fit(&says, room.saturating_sub(2), theme));
    let air = cells.left().saturating_sub(width(&right));
    cells.put(style, &" ".repeat(air)).put(style, &right);
}

/// What the header says of taking events in; none: it is off.
pub fn sign(model: &Model) -> Option<(Style, String)> {
    let live = model.session.live();
    let theme: Theme = model.theme;
    let trouble = if live.trouble.is_some() { " !" } else { "" };
    let paused = if live.paused { " paused" } else { "" };
    match &live.reach {
        Reach::Off | Reach::Starting => None,
        Reach::Refused { .. } => Some((theme.warn(), "REC !".to_owned())),
        Reach::Attached { pid, .. } => Some((theme.bad(), format!("REC @{pid}{trouble}"))),
        Reach::Serving { .. } => {
            let seconds = (model.now_ms - model.intercept.began.unwrap_or(model.now_ms)).max(0) / 1000;
            let time = if seconds < 600 { format!("0{}", clock(seconds)) } else { clock(seconds) };
            Some((theme.bad(), format!("REC {time}{paused}{trouble}")))
        }
    }
}
