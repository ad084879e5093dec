//! Draws the band. A part that does not fit is first shortened, then continued in a free row, and only then cut.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::rows::{Band, BandRow, NARROW};
use crate::model::Model;
use crate::theme::Theme;
use crate::widgets::{RowWriter, StyledLine, fit, width, wrap};

/// Columns before the words: a space, the bar, and a space.
const BAR: usize = 3;

/// Minimum width of a sentence beside a number, in columns.
const SENTENCE: usize = 18;

/// Columns in which a text that continues in the next row leaves space on its right.
const BESIDE_TEXT: usize = 66;

/// Between two facts about a run.
const BETWEEN: &str = " · ";

/// A row after layout.
struct LaidOutRow {
    lines: Vec<StyledLine>,
    right: String,
}

/// Draws the band.
pub fn draw_band(model: &Model, band: &Band, area: Rect, buf: &mut Buffer) {
    let mut y = area.y;
    // The bar has the colour of the verdict along the whole band, so that the band is seen as one thing.
    let bar = band.rows.first().map_or(model.theme.plain(), |row| row.style.remove_modifier(Modifier::REVERSED));
    let used: usize = lay_out(band, area).iter().map(|laid| laid.lines.len()).sum();
    for row in (area.top()..area.bottom()).take(used) {
        RowWriter::new(Rect { y: row, height: 1, ..area }, buf, model.theme).skip(1).put(bar, model.theme.edge());
    }
    for (index, (row, laid)) in band.rows.iter().zip(lay_out(band, area)).enumerate() {
        // The verdict's word is drawn as a block; the words below line up with its text.
        let word = word(row, index == 0);
        for (number, line) in laid.lines.into_iter().enumerate() {
            if y >= area.bottom() {
                return;
            }
            let mut cells = RowWriter::new(Rect { y, height: 1, ..area }, buf, model.theme);
            cells.skip(BAR);
            if number == 0 {
                cells.right_parts(&keys_apart(row, &laid.right, model.theme));
                cells.put(row.style, &word).skip(sentence_column(&word, area) - width(&word));
            } else {
                cells.skip(sentence_column(&word, area));
            }
            cells.line(&cut(line, cells.left(), model.theme));
            if index == 0 && number == 0 && model.flash.left(model.now).is_some() {
                buf.set_style(Rect { x: area.x + 1, y, width: area.width.saturating_sub(1), height: 1 }, row.style);
            }
            y += 1;
        }
    }
}

/// The words at the right end. A key stands out, because it is what the user can do.
fn keys_apart(row: &BandRow, right: &str, theme: Theme) -> Vec<(Style, String)> {
    let style = row.right_style.unwrap_or(theme.quiet());
    let mut parts: Vec<(Style, String)> = Vec::new();
    for (index, part) in right.split("   ").enumerate() {
        let gap = if index > 0 { "   " } else { "" };
        match part.split_once(' ').filter(|(key, _)| is_key(key)) {
            Some((key, label)) => {
                parts.extend([(style, gap.to_owned()), (theme.name(), key.to_owned()), (style, format!(" {label}"))]);
            }
            None => parts.push((style, format!("{gap}{part}"))),
        }
    }
    parts
}

/// Whether a word is the name of a key. Digits are numbers here.
fn is_key(word: &str) -> bool {
    let mut letters = word.trim_start_matches(',').chars();
    let single = letters.next().is_some_and(|letter| letter.is_alphabetic()) && letters.next().is_none();
    single || word == "Enter" || word.starts_with("Ctrl+")
}

/// Cuts a line that is too long; an ellipsis shows it even if a part ends in the last column.
fn cut(line: StyledLine, columns: usize, theme: Theme) -> StyledLine {
    if line.iter().map(|(_, text)| width(text)).sum::<usize>() <= columns {
        return line;
    }
    let mut left = columns;
    let mut kept = Vec::new();
    for (style, text) in line {
        if width(&text) >= left {
            kept.push((style, fit(&format!("{text} "), left, theme)));
            break;
        }
        left -= width(&text);
        kept.push((style, text));
    }
    kept
}

/// The screen lines of each row of the band, for the mouse.
pub fn band_places(band: &Band, area: Rect) -> Vec<(usize, Rect)> {
    let lines = lay_out(band, area).into_iter().enumerate();
    let rows = lines.flat_map(|(index, laid)| std::iter::repeat_n(index, laid.lines.len()));
    rows.zip(area.top()..area.bottom()).map(|(index, y)| (index, Rect { y, height: 1, ..area })).collect()
}

fn word(row: &BandRow, first: bool) -> String {
    if first { format!(" {} ", row.word) } else { row.word.clone() }
}

/// The column in which the sentence begins.
fn sentence_column(word: &str, area: Rect) -> usize {
    let column = if area.width >= NARROW { 10 } else { 7 };
    column.max(width(word) + 1)
}

/// Lays out all rows; free rows go to the sentences that need them: first to the text of a hook, then from the top.
fn lay_out(band: &Band, area: Rect) -> Vec<LaidOutRow> {
    let mut free = usize::from(area.height).saturating_sub(band.rows.len());
    let mut lay_out_at = |index: usize, row: &BandRow| {
        let room = usize::from(area.width).saturating_sub(BAR + sentence_column(&word(row, index == 0), area));
        let laid = lay_out_row(row, room, area.width < NARROW, index == 0, free);
        free -= laid.lines.len() - 1;
        laid
    };
    let rows = || band.rows.iter().enumerate();
    let texts: Vec<Option<LaidOutRow>> =
        rows().map(|(index, row)| row.is_text.then(|| lay_out_at(index, row))).collect();
    rows().zip(texts).map(|((index, row), text)| text.unwrap_or_else(|| lay_out_at(index, row))).collect()
}

/// Lays out one row in `room` columns and at most `free` additional rows.
fn lay_out_row(row: &BandRow, room: usize, narrow: bool, first: bool, free: usize) -> LaidOutRow {
    let ends = |texts: [&str; 2]| {
        let text = texts.into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(", ");
        if text.is_empty() || narrow { text } else { format!("{text} ") }
    };
    let (both, count) = (ends([if narrow { "" } else { &row.right }, &row.count]), ends(["", &row.count]));
    let wide = |parts: &StyledLine| parts.iter().map(|(_, text)| width(text)).sum::<usize>();
    let takes = |right: &str| if right.is_empty() { 0 } else { width(right) + 2 };
    let long: StyledLine = row.parts.iter().map(|p| (p.style, p.text.clone())).collect();
    let mut right = if first || row.keep_right || wide(&long) + takes(&both) <= room { both } else { count.clone() };
    let short = row.parts.iter().map(|p| (p.style, p.short.clone().unwrap_or_else(|| p.text.clone())));
    let short: StyledLine = short.filter(|(_, text)| !text.is_empty()).collect();
    // Of several facts about a run, those stay beside a long sentence that matter: a changed verdict, else the run.
    while first && wide(&short) + takes(&right) > room {
        let changed = row.right_style.is_some();
        let Some(at) = (if changed { right.find(BETWEEN) } else { right.rfind(BETWEEN) }) else { break };
        if changed {
            right.drain(..at + BETWEEN.len());
        } else {
            right.truncate(at);
        }
    }
    if row.is_text && (free == 0 || room < BESIDE_TEXT) && wide(&short) + takes(&right) > room {
        right = count;
    }
    // A number without its sentence means nothing, and a sentence of a few columns cannot be read.
    let right = if takes(&right) + SENTENCE > room { String::new() } else { right };
    let beside = room.saturating_sub(takes(&right));
    if wide(&long) <= beside {
        return LaidOutRow { lines: vec![long], right };
    }
    if wide(&short) <= beside || free == 0 {
        return LaidOutRow { lines: vec![short], right };
    }
    // A last part that fits on a separate line is not broken.
    if let Some(((style, says), before)) = short.split_last()
        && wide(&before.to_vec()) <= beside
        && width(says.trim_start()) <= room
        && !before.is_empty()
    {
        let says = vec![(*style, says.trim_start().to_owned())];
        return LaidOutRow { lines: vec![before.to_vec(), says], right };
    }
    let mut lines = wrap(&short, beside, 0);
    // What is still too long is cut at the end of the last line.
    let rest: Vec<StyledLine> = lines.drain((free + 1).min(lines.len())..).collect();
    if let Some(last) = lines.last_mut() {
        for line in rest {
            let style = line.first().map_or(Style::default(), |(style, _)| *style);
            let ends = last.last().is_some_and(|(_, text)| text.ends_with(' '));
            last.extend((!ends).then(|| (style, " ".to_owned())));
            last.extend(line);
        }
    }
    LaidOutRow { lines, right }
}
