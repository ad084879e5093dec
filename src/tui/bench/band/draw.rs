//! The band, drawn: what has no room is said shorter, before anything is cut.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Band, BandRow, NEVER_WORD};
use crate::tui::model::Model;
use crate::tui::widgets::{Cells, width};

/// Below so many columns the right parts are gone, and the cause stands before the name.
const NARROW: u16 = 60;

/// Draws the band.
pub fn band(model: &Model, band: &Band, area: Rect, buf: &mut Buffer) {
    for (index, row) in band.rows.iter().enumerate() {
        let Ok(offset) = u16::try_from(index) else { return };
        if offset >= area.height {
            return;
        }
        let line = Rect { y: area.y + offset, height: 1, ..area };
        let first = index == 0;
        // The verdict's word stands out as a block; the words below line up with its text.
        let word = if first { format!(" {} ", row.word) } else { format!(" {}", row.word) };
        let column = if area.width >= NARROW { 11 } else { 8 };
        let lead = column.max(width(&word) + 1);
        let mut cells = Cells::new(line, buf, model.theme);
        cells.skip(1);
        let (parts, with_right) = fitted(row, usize::from(area.width).saturating_sub(1 + lead), first);
        if with_right && area.width >= NARROW {
            cells.right(model.theme.quiet(), &format!("{} ", row.right));
        }
        cells.put(row.style, &word).skip(lead - width(&word));
        let turned = area.width < NARROW && row.word == NEVER_WORD;
        let parts: Vec<(Style, &str)> = if turned { parts.into_iter().rev().collect() } else { parts };
        for (index, (style, text)) in parts.into_iter().enumerate() {
            let text = if turned { text.trim_start() } else { text };
            cells.skip(if turned && index > 0 { 2 } else { 0 }).put(style, text);
        }
    }
}

/// The pieces that have room in so many columns, and whether the right part stands beside them.
fn fitted(row: &BandRow, room: usize, first: bool) -> (Vec<(Style, &str)>, bool) {
    let long: Vec<(Style, &str)> = row.parts.iter().map(|p| (p.style, p.text.as_str())).collect();
    let short = || row.parts.iter().map(|p| (p.style, p.short.as_deref().unwrap_or(&p.text))).collect::<Vec<_>>();
    let wide = |parts: &[(Style, &str)]| parts.iter().map(|(_, text)| width(text)).sum::<usize>();
    let right = if row.right.is_empty() { 0 } else { width(&row.right) + 3 };
    let stays = first || row.right_stays;
    if wide(&long) + right <= room {
        (long, true)
    } else if !stays && wide(&long) <= room {
        (long, false)
    } else {
        (short(), stays)
    }
}
