//! The strip of pinned events: the last verdict of each, and the verdict before it if it changed.

use std::iter;
use std::ops::RangeInclusive;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::model::Model;
use crate::theme::Theme;
use crate::widgets::{RowWriter, fit, width};
use hookbench_app::Pin;
use hookbench_core::text::one_line;

/// The amount of detail shown for each pin. `strip` chooses the largest with which all pins fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PinDetail {
    /// The event, the label in at most this many columns, and the previous and current verdict.
    Event(usize),
    /// The same without the event.
    Named(usize),
    /// The verdicts.
    Words,
    /// The verdict's mark.
    Marks,
}

/// The columns that a label may have.
const LABEL_COLUMNS: RangeInclusive<usize> = 8..=18;

/// The amounts of detail, the largest first.
fn details() -> impl Iterator<Item = PinDetail> {
    let named = LABEL_COLUMNS.rev().map(PinDetail::Named);
    iter::once(PinDetail::Event(*LABEL_COLUMNS.end())).chain(named).chain([PinDetail::Words, PinDetail::Marks])
}

/// The label of a pin: the first string of its tool input, otherwise its subject. A path is cut at the beginning.
fn pin_label(pin: &Pin, columns: usize, theme: Theme) -> String {
    let subject = pin.input.subject.value.clone().unwrap_or_else(|| pin.input.event.clone());
    let text = pin.input.body.get("tool_input").and_then(|i| i.as_object()?.values().find_map(|v| v.as_str()));
    let label = text.map_or(subject, str::to_owned).lines().next().unwrap_or("").trim_end().to_owned();
    if label.starts_with('/') && !label.contains(' ') {
        fit_end(&label, columns, theme)
    } else {
        fit(&label, columns, theme)
    }
}

/// Cuts a text at the beginning and marks the cut with an ellipsis.
fn fit_end(text: &str, columns: usize, theme: Theme) -> String {
    let starts = iter::once(0).chain(text.char_indices().skip(1).map(|(at, _)| at));
    let room =
        |rest: &str| if rest.len() == text.len() { columns } else { columns.saturating_sub(width(theme.ellipsis())) };
    let rest = starts.filter_map(|at| text.get(at..)).find(|rest| width(rest) <= room(rest)).unwrap_or("");
    if rest.len() == text.len() { text.to_owned() } else { format!("{}{rest}", theme.ellipsis()) }
}

/// Draws the strip on one row.
pub fn draw_pins(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let mut cells = RowWriter::new(area, buf, model.theme);
    cells.skip(1).put(model.theme.quiet(), title(area));
    for (style, text) in strip(model, area).into_iter().flatten() {
        cells.put(style, &text);
    }
}

fn title(area: Rect) -> &'static str {
    if area.width < 60 { "" } else { "Pinned" }
}

/// The pins as styled pieces, with the largest amount of detail that fits.
fn strip(model: &Model, area: Rect) -> Vec<Vec<(Style, String)>> {
    let pieces = |detail| -> Vec<Vec<(Style, String)>> {
        let pins = model.session.auto_fire().pins.iter().enumerate();
        pins.map(|(index, pin)| pin_pieces(model, index, pin, detail)).collect()
    };
    let room = usize::from(area.width).saturating_sub(1 + width(title(area)));
    let fits = |detail: &PinDetail| pieces(*detail).iter().map(|pin| pin_width(pin)).sum::<usize>() <= room;
    pieces(details().find(fits).unwrap_or(PinDetail::Marks))
}

/// Width of a pin including the space before it, in columns.
fn pin_width(pieces: &[(Style, String)]) -> usize {
    pieces.iter().map(|(_, text)| width(&one_line(text))).sum()
}

/// The place of each pin on the row, for the mouse.
pub fn pin_places(model: &Model, area: Rect) -> Vec<(usize, Rect)> {
    let mut x = usize::from(area.x) + 1 + width(title(area));
    let place = |(index, pieces): (usize, Vec<(Style, String)>)| {
        let wide = pin_width(&pieces);
        let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        let place = Rect { x: number(x), width: number(wide), ..area }.intersection(area);
        x += wide;
        (index, place)
    };
    strip(model, area).into_iter().enumerate().map(place).collect()
}

fn pin_pieces(model: &Model, index: usize, pin: &Pin, detail: PinDetail) -> Vec<(Style, String)> {
    let theme = model.theme;
    let here = model.session.pinned() == Some(index);
    let name = if here { theme.strong() } else { theme.plain() };
    let mut out = vec![(theme.plain(), "  ".to_owned()), (theme.name(), format!("{} ", index + 1))];
    let event = &pin.input.event;
    if matches!(detail, PinDetail::Event(_))
        && model.session.auto_fire().pins.iter().any(|other| other.input.event != *event)
    {
        out.push((theme.quiet(), format!("{event} ")));
    }
    if let PinDetail::Event(columns) | PinDetail::Named(columns) = detail {
        out.push((name, format!("{}  ", pin_label(pin, columns, theme))));
    }
    out.extend(verdict(pin, detail, theme));
    out
}

fn verdict(pin: &Pin, detail: PinDetail, theme: Theme) -> Vec<(Style, String)> {
    let short = detail == PinDetail::Marks;
    if pin.needs_consent {
        let says =
            if matches!(detail, PinDetail::Event(_) | PinDetail::Named(_)) { "waits for consent" } else { "waits" };
        return vec![(theme.warn(), says.to_owned())];
    }
    let Some(verdict) = pin.verdict else {
        return vec![(theme.quiet(), if short { "-" } else { "not fired" }.to_owned())];
    };
    let mut out = Vec::new();
    if let Some(before) = pin.before.filter(|before| *before != verdict) {
        let arrow = if theme.unicode { "→" } else { "->" };
        let before = before.title().to_lowercase();
        out.push((theme.quiet(), if short { arrow.to_owned() } else { format!("{before} {arrow} ") }));
    }
    let word = if short { verdict.mark().to_string() } else { verdict.title().to_owned() };
    out.push((theme.verdict(verdict), word));
    out
}
