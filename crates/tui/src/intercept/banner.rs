//! The lines shown on every page: an agent waits for its user, or a handler's advice. Also the recording sign in
//! the header.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::held_band::{agent_name, clock, countdown, is_urgent};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::popup::row;
use crate::theme::Theme;
use crate::widgets::{RowWriter, StyledLine, width, wrap};
use hookbench_app::live::LiveConnection;
use hookbench_core::decide::Verdict;

/// Maximum rows of an advice.
const ADVICE: usize = 3;

/// Splits the screen into the page and the banner below it.
pub fn split(model: &Model, area: Rect) -> (Rect, Rect) {
    let held = u16::from(shows_held(model) && area.height > 3);
    // The page takes precedence over the advice.
    let room = usize::from(area.height.saturating_sub(held) / 3);
    let advice = advice(model, usize::from(area.width)).len().min(room);
    let rows = held + u16::try_from(advice).unwrap_or(0);
    let page = Rect { height: area.height - rows, ..area };
    (page, Rect { y: page.bottom(), height: rows, ..area })
}

fn shows_held(model: &Model) -> bool {
    !model.session.live().pending.is_empty() && model.page != Page::Intercept
}

/// Draws the banner.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let held = u16::from(shows_held(model)).min(area.height);
    let above = usize::from(area.height - held);
    for (index, line) in advice(model, usize::from(area.width)).into_iter().enumerate().take(above) {
        RowWriter::new(row(area, index), buf, model.theme).line(&line);
    }
    draw_held(model, Rect { y: area.bottom() - held, height: held, ..area }, buf);
}

/// The place of the line about held events; `None` if it is not shown.
pub fn place(model: &Model, screen: Rect) -> Option<Rect> {
    let (_, below) = split(model, screen);
    let shown = shows_held(model) && below.height > 0;
    shown.then(|| Rect { y: below.bottom() - 1, height: 1, ..below })
}

/// The newest advice in rows: its subject, its text, and the key that closes it.
fn advice(model: &Model, columns: usize) -> Vec<StyledLine> {
    let all = &model.session.live().advice;
    let Some(newest) = all.last() else { return Vec::new() };
    let theme = model.theme;
    let named = newest.about.as_ref().filter(|_| columns >= 60);
    let about = named.map(|about| format!(" {}:", agent_name(about))).unwrap_or_default();
    let more = if all.len() > 1 { format!("   +{}", all.len() - 1) } else { String::new() };
    let pieces = [
        (theme.verdict(Verdict::FailedOpen), " NOTE ".to_owned()),
        (theme.strong(), format!("{about} ")),
        (theme.plain(), format!("{}   ", newest.message)),
        (theme.name(), model.key(UiCommand::Back)),
        (theme.quiet(), format!(" closes{more}")),
    ];
    let mut rows = wrap(&pieces, columns, 1);
    rows.truncate(ADVICE);
    rows
}

/// The newest advice as a sentence.
pub fn advice_words(model: &Model) -> Option<String> {
    let newest = model.session.live().advice.last()?;
    let about = newest.about.as_ref().map(|about| format!("{}: ", agent_name(about))).unwrap_or_default();
    Some(format!("{about}{}", newest.message))
}

/// Draws the line of the held event: agent and event, remaining time, and the key.
fn draw_held(model: &Model, area: Rect, buf: &mut Buffer) {
    let Some(held) = model.session.live().pending.first().filter(|_| area.height > 0) else { return };
    let theme = model.theme;
    let arrived = &held.fact.arrived;
    let style = theme.verdict(Verdict::Ask);
    buf.set_string(area.x, area.y, " ".repeat(usize::from(area.width)), style);
    let mut cells = RowWriter::new(area, buf, theme);
    let narrow = area.width < 60;
    let key = model.key(UiCommand::Page(Page::Intercept));
    let live = model.session.live();
    let more = match live.pending.len() - 1 {
        0 => String::new(),
        n if narrow => format!(" +{n}"),
        n if live.counts.passed_full > 0 => format!("   +{n} more, {} passed", live.counts.passed_full),
        n => format!("   +{n} more"),
    };
    let opens = if narrow { key } else { format!("{key} answers") };
    let left = countdown(model, held);
    let after = if narrow { String::new() } else { format!(" then {}", held.fact.on_timeout) };
    let right = format!("{after}   {opens}{more} ");
    cells.put(style, " HELD ");
    let room = cells.left().saturating_sub(width(&left) + width(&right));
    let name = if narrow { String::new() } else { format!("{}  ", agent_name(arrived)) };
    let subject = arrived.subject.as_ref().map(|subject| format!("  {subject}")).unwrap_or_default();
    let what = arrived.what.as_ref().map(|what| format!("  {what}")).unwrap_or_default();
    let says = hookbench_core::text::one_line(&format!(" {name}{}{subject}{what}", arrived.event));
    cells.put(style, &crate::widgets::fit(&says, room.saturating_sub(2), theme));
    let air = cells.left().saturating_sub(width(&left) + width(&right));
    // On a reversed line, text that is not reversed stands out.
    let hurry = if is_urgent(model, held) { theme.bad().remove_modifier(Modifier::REVERSED) } else { style };
    cells.put(style, &" ".repeat(air)).put(hurry, &left).put(style, &right);
}

/// The recording sign of the header; `None` if nothing is captured. The short form has fewer words.
pub fn recording_sign(model: &Model, short: bool) -> Option<(Style, String)> {
    let live = model.session.live();
    let theme: Theme = model.theme;
    let trouble = if live.store_trouble.is_some() { " !" } else { "" };
    let paused = if live.paused { " paused" } else { "" };
    match &live.connection {
        LiveConnection::Off | LiveConnection::Starting => None,
        LiveConnection::Refused { .. } => Some((theme.warn(), "REC !".to_owned())),
        LiveConnection::Attached { pid, .. } => Some((theme.bad(), format!("REC @{pid}{trouble}"))),
        LiveConnection::Serving { .. } => {
            let seconds = (model.now_ms - model.intercept.capture_started.unwrap_or(model.now_ms)).max(0) / 1000;
            let time = if seconds < 600 { format!("0{}", clock(seconds)) } else { clock(seconds) };
            let silent = live.counts.arrived == 0 && !model.session.has_forwarding_hooks();
            let (style, missing) = if silent && short {
                (theme.warn(), " no agent")
            } else if silent {
                (theme.warn(), " no agent is connected")
            } else {
                (theme.bad(), "")
            };
            Some((style, format!("REC {time}{paused}{trouble}{missing}")))
        }
    }
}
