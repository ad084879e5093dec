//! The placed lines of the page, computed once for drawing and for the mouse.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::state::{MatchPane, MatchView, MatcherLineChange};
use super::table::{self, MatchColumns};
use crate::bench::SizeClass;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page_layout::frame_layout;
use crate::widgets::{ListWindow, Pane, PlacedLine, StyledLine, hidden_words, row_of, wrap};

/// The target of a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchTarget {
    /// A row of the table.
    Row(usize),
    /// The pane of interpretations.
    Interpretation,
}

/// Everything on the page below the band.
#[derive(Default)]
pub struct MatchSheet {
    lines: Vec<PlacedLine>,
    pub hits: Vec<(MatchTarget, Rect)>,
}

/// Least and greatest width of the table beside another pane, in columns. At the greatest, no name is cut.
const TABLE: (u16, u16) = (68, 80);
/// The columns of a pane's border.
const BORDER: usize = 2;
/// Height of the change in rows: its border, its place, and two lines.
const CHANGE: u16 = 5;

/// The places of the panes. A hidden pane has height 0.
#[derive(Default)]
pub struct MatchPanes {
    pub table: Pane,
    pub interpretation: Pane,
    change: Pane,
}

/// Computes the places of the panes.
pub fn panes(model: &Model, area: Rect, size: SizeClass) -> MatchPanes {
    let matching = &model.matching;
    let mut out = MatchPanes::default();
    let tall = match (size, &matching.change) {
        (SizeClass::Wide, Some(_)) if area.height > 18 => CHANGE,
        (SizeClass::Medium, Some(_)) if area.height > 15 => CHANGE - 1,
        _ => 0,
    };
    let rest = Rect { height: area.height - tall, ..area };
    if tall > 0 {
        out.change = size.pane(Rect { y: rest.bottom(), height: tall, ..area });
    }
    let alone = matching.zoomed || !size.has_two_panes();
    match (size, alone, matching.pane) {
        (_, true, MatchPane::Values) => out.table = size.pane(rest),
        (_, true, MatchPane::Interpretation) => out.interpretation = size.pane(rest),
        (SizeClass::Wide, ..) => {
            let needed = matching.board.as_ref().map_or(0, MatchColumns::needed) + BORDER;
            let least = u16::try_from(needed).unwrap_or(TABLE.1).clamp(TABLE.0, TABLE.1);
            let left = (rest.width / 2).clamp(least, TABLE.1).min(rest.width);
            out.table = size.pane(Rect { width: left, ..rest });
            out.interpretation = size.pane(Rect { x: rest.x + left, width: rest.width - left, ..rest });
        }
        _ => {
            let upper = (rest.height / 2).max(4).min(rest.height);
            out.table = size.pane(Rect { height: upper, ..rest });
            let below = Rect { y: rest.y + upper, height: rest.height - upper, ..rest };
            out.interpretation = size.pane(below);
        }
    }
    out
}

/// Lays the page out.
pub fn sheet(model: &Model, area: Rect) -> MatchSheet {
    let mut sheet = MatchSheet::default();
    let at = panes(model, area, frame_layout(model).size);
    values(model, &model.matching, at.table.inner, &mut sheet);
    read(model, at.interpretation.inner, &mut sheet);
    change(model, at.change.inner, &mut sheet);
    sheet
}

fn values(model: &Model, matching: &MatchView, area: Rect, sheet: &mut MatchSheet) {
    let (Some(board), true) = (&matching.board, area.height > 0) else { return };
    let columns = MatchColumns::of(board, usize::from(area.width));
    if let Some(at) = row_of(area, 0) {
        sheet.lines.push(PlacedLine::new(at, table::head(model, board, &columns)));
    }
    let below = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let room = usize::from(below.height);
    if matching.rows.is_empty() {
        let says = " no name contains this; Enter adds it".to_owned();
        let line = vec![(model.theme.quiet(), says)];
        sheet.lines.extend(row_of(below, 0).map(|at| PlacedLine::new(at, line)));
        return;
    }
    let cursor = matching.row();
    let top = (cursor + 1).saturating_sub(room).min(matching.rows.len().saturating_sub(room));
    let shown = matching.rows.iter().enumerate().skip(top).take(room);
    for (y, (number, index)) in shown.enumerate() {
        let Some((at, (_, cells))) = row_of(below, y).zip(table::row(model, matching, *index, &columns)) else {
            continue;
        };
        let here = number == cursor;
        let mut line = vec![(model.theme.name(), if here { model.theme.cursor() } else { " " }.to_owned())];
        line.extend(cells);
        let selected = here && matching.pane == MatchPane::Values && matching.typing.is_none();
        sheet.hits.push((MatchTarget::Row(number), at));
        sheet.lines.push(PlacedLine { at, line, selected });
    }
}

/// The interpretations, wrapped.
pub fn interpretation_rows(model: &Model, columns: usize) -> Vec<StyledLine> {
    model.matching.lines.iter().flat_map(|line| wrap(line, columns, 6)).collect()
}

fn read(model: &Model, area: Rect, sheet: &mut MatchSheet) {
    if area.height == 0 {
        return;
    }
    sheet.hits.push((MatchTarget::Interpretation, area));
    let rows = interpretation_rows(model, usize::from(area.width).saturating_sub(2));
    let room = usize::from(area.height);
    let (top, below) = ListWindow::from(model.matching.scroll, rows.len(), room).hidden();
    let shown = if below > 0 { room - 1 } else { room };
    for (y, line) in rows.into_iter().skip(top).take(shown).enumerate() {
        let mut whole = vec![(model.theme.plain(), " ".to_owned())];
        whole.extend(line);
        sheet.lines.extend(row_of(area, y).map(|at| PlacedLine::new(at, whole)));
    }
    if below > 0 {
        let key = model.key(UiCommand::NextPane);
        let go = if model.matching.pane == MatchPane::Interpretation { "" } else { "; Tab goes there" };
        let go = go.replace("Tab", &key);
        let line = vec![(model.theme.quiet(), format!(" {}{go}", hidden_words(top, below + 1)))];
        sheet.lines.extend(row_of(area, room - 1).map(|at| PlacedLine::new(at, line)));
    }
}

/// Adds the line of the file before and after the change.
fn change(model: &Model, area: Rect, sheet: &mut MatchSheet) {
    let theme = model.theme;
    let (Some(change), Some(_)) = (&model.matching.change, row_of(area, 0)) else { return };
    let definition = model.matching.owner.as_ref().and_then(|whose| whose.definition(model));
    let file = definition.map_or("", |definition| definition.provenance.file.as_str());
    let mut lines: Vec<StyledLine> = Vec::new();
    match change {
        Err(why) => lines.push(vec![(theme.warn(), format!(" cannot be written: {why}"))]),
        Ok(MatcherLineChange { line, before, after }) => {
            if area.height >= CHANGE - 2 {
                let key = model.key(UiCommand::Fix);
                let says = format!("   {key} write to file");
                lines.push(vec![(theme.plain(), format!(" {file}:{line}")), (theme.quiet(), says)]);
            }
            let signed = |sign: &str, text: &str| format!(" {line:>4} {sign} {}", text.trim_start());
            lines.extend(before.iter().map(|text| vec![(theme.bad(), signed("-", text))]));
            lines.extend(after.iter().map(|text| vec![(theme.good(), signed("+", text))]));
        }
    }
    for (index, line) in lines.into_iter().enumerate() {
        sheet.lines.extend(row_of(area, index).map(|at| PlacedLine::new(at, line)));
    }
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let at = panes(model, area, frame_layout(model).size);
    let focused = |pane: MatchPane| model.matching.pane == pane && model.popups.is_empty();
    at.table.draw((theme.strong(), "Names"), ". unknown to the agent", focused(MatchPane::Values), buf, theme);
    let read = focused(MatchPane::Interpretation);
    at.interpretation.draw((theme.strong(), "Details"), "", read, buf, theme);
    at.change.draw((theme.strong(), "Change"), "", false, buf, theme);
    for put in sheet(model, area).lines {
        put.draw(buf, theme);
    }
}
