//! The change of a file as it would be written. It is written by a letter, and by no other key.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Rematch;
use crate::tui::compare::Line;
use crate::tui::keymap::Verb;
use crate::tui::model::Model;
use crate::tui::popup::{Popup, frame, row};
use crate::tui::theme::Theme;
use crate::tui::widgets::{Cells, wrap};

/// Asks whether a change is to be written.
pub fn write(model: &Model, change: Rematch) -> Popup {
    Popup::Write { undo: model.key(Verb::Undo), change: Box::new(change) }
}

fn lines(change: &Rematch, theme: Theme) -> Vec<Line> {
    let diff = change.diff.lines().skip_while(|line| !line.starts_with("@@"));
    let mut out: Vec<Line> = diff
        .map(|line| {
            let style = match line.chars().next() {
                Some('+') => theme.good(),
                Some('-') => theme.bad(),
                Some('@') => theme.quiet(),
                _ => theme.plain(),
            };
            vec![(style, line.to_owned())]
        })
        .collect();
    if !change.also.is_empty() {
        let says = format!("{} has the same matcher, and gets this one too", change.also.join(", "));
        out.push(vec![(theme.warn(), says)]);
    }
    if let Some(waits) = &change.waits {
        out.push(vec![(theme.warn(), format!("then {waits}"))]);
    }
    out
}

/// Draws it.
pub fn draw(change: &Rematch, undo: &str, area: Rect, buf: &mut Buffer, theme: Theme) {
    let wide = area.width.saturating_sub(4).min(100);
    let rows: Vec<Line> =
        lines(change, theme).iter().flat_map(|line| wrap(line, usize::from(wide.saturating_sub(4)), 2)).collect();
    let tall = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(4);
    let inner = frame(area, buf, theme, &format!("Write {}?", change.file), wide, tall);
    let room = usize::from(inner.height).saturating_sub(2);
    // What changes is in the middle: lines around it are the first to go.
    let skip = rows.len().saturating_sub(room) / 2;
    for (index, line) in rows.iter().skip(skip).take(room).enumerate() {
        let mut cells = Cells::new(row(inner, index), buf, theme);
        for (style, text) in line {
            cells.put(*style, text);
        }
    }
    let keys = row(inner, usize::from(inner.height).saturating_sub(1));
    let mut cells = Cells::new(keys, buf, theme);
    cells.put(theme.name(), "y").put(theme.plain(), " writes it   ").put(theme.name(), "Esc");
    cells.put(theme.plain(), " does not   ").put(theme.name(), undo).put(theme.quiet(), " takes it back later");
}
