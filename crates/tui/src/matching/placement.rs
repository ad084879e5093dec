//! The placed lines of the page, computed once for drawing and for the mouse.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::state::{MatchPane, MatchView, MatcherLineChange};
use super::table::{self, MatchColumns};
use crate::bench::{SizeClass, hidden_words};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::view::frame_layout;
use crate::widgets::{ListWindow, PlacedLine, StyledLine, row_of, rule, wrap};

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
    rules: Vec<Rect>,
    bars: Vec<Rect>,
    pub hits: Vec<(MatchTarget, Rect)>,
}

/// Width of the table beside another pane, in columns.
const TABLE: u16 = 68;
/// Height of the change in rows: its rule, its place, and two lines.
const CHANGE: u16 = 4;

/// The places of the panes.
pub struct MatchPanes {
    pub table: Rect,
    pub interpretation: Rect,
    change: Rect,
    bar: Rect,
    between: Rect,
}

const NONE: Rect = Rect { x: 0, y: 0, width: 0, height: 0 };

/// Computes the places of the panes. A hidden pane has height 0.
pub fn panes(model: &Model, area: Rect, size: SizeClass) -> MatchPanes {
    let matching = &model.matching;
    let mut out = MatchPanes { table: NONE, interpretation: NONE, change: NONE, bar: NONE, between: NONE };
    let tall = match (size, &matching.change) {
        (SizeClass::Wide, Some(_)) if area.height > 16 => CHANGE,
        (SizeClass::Medium, Some(_)) if area.height > 12 => CHANGE - 1,
        _ => 0,
    };
    let rest = Rect { height: area.height - tall, ..area };
    out.change = Rect { y: rest.bottom(), height: tall, ..area };
    let alone = matching.zoomed || matches!(size, SizeClass::Narrow | SizeClass::Tiny);
    match (size, alone, matching.pane) {
        (_, true, MatchPane::Values) => out.table = rest,
        (_, true, MatchPane::Interpretation) => out.interpretation = rest,
        (SizeClass::Wide, ..) => {
            out.table = Rect { width: TABLE.min(rest.width), ..rest };
            out.bar = Rect { x: rest.x + out.table.width, width: 1, ..rest };
            let x = out.bar.x + 2;
            out.interpretation = Rect { x, width: rest.right().saturating_sub(x), ..rest };
        }
        _ => {
            let upper = (rest.height / 2).max(3).min(rest.height);
            out.table = Rect { height: upper, ..rest };
            out.between = Rect { y: rest.y + upper, height: 1.min(rest.height - upper), ..rest };
            let below = rest.height.saturating_sub(upper + 1);
            out.interpretation = Rect { y: out.between.bottom(), height: below, ..rest };
        }
    }
    out
}

/// Lays the page out.
pub fn sheet(model: &Model, area: Rect) -> MatchSheet {
    let mut sheet = MatchSheet::default();
    let at = panes(model, area, frame_layout(model).size);
    for line in [at.between].into_iter().filter(|line| line.height > 0) {
        sheet.rules.push(line);
    }
    if at.bar.height > 0 {
        sheet.bars.push(at.bar);
    }
    values(model, &model.matching, at.table, &mut sheet);
    read(model, at.interpretation, &mut sheet);
    change(model, at.change, &mut sheet);
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
        let mut line = vec![(model.theme.plain(), if here { ">" } else { " " }.to_owned())];
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
    let rows = interpretation_rows(model, usize::from(area.width).saturating_sub(1));
    let room = usize::from(area.height);
    let (top, below) = ListWindow::from(model.matching.scroll, rows.len(), room).hidden();
    let shown = if below > 0 { room - 1 } else { room };
    for (y, line) in rows.into_iter().skip(top).take(shown).enumerate() {
        let mut whole = vec![(model.theme.plain(), String::new())];
        whole.extend(line);
        sheet.lines.extend(row_of(area, y).map(|at| PlacedLine::new(at, whole)));
    }
    if below > 0 {
        let key = model.key(UiCommand::NextPane);
        let go = if model.matching.pane == MatchPane::Interpretation { "" } else { "; Tab goes there" };
        let go = go.replace("Tab", &key);
        let line = vec![(model.theme.quiet(), format!("{}{go}", hidden_words(top, below + 1)))];
        sheet.lines.extend(row_of(area, room - 1).map(|at| PlacedLine::new(at, line)));
    }
}

/// Adds the line of the file before and after the change.
fn change(model: &Model, area: Rect, sheet: &mut MatchSheet) {
    let theme = model.theme;
    let (Some(change), Some(first)) = (&model.matching.change, row_of(area, 0)) else { return };
    sheet.rules.push(first);
    let definition = model.matching.owner.as_ref().and_then(|whose| whose.definition(model));
    let file = definition.map_or("", |definition| definition.provenance.file.as_str());
    let mut lines: Vec<StyledLine> = Vec::new();
    match change {
        Err(why) => lines.push(vec![(theme.warn(), format!(" cannot be written: {why}"))]),
        Ok(MatcherLineChange { line, before, after }) => {
            if area.height >= CHANGE {
                let key = model.key(UiCommand::Fix);
                let says = format!("   {key} shows the change, y then writes it");
                lines.push(vec![(theme.plain(), format!(" {file}:{line}")), (theme.quiet(), says)]);
            }
            let signed = |sign: &str, text: &str| format!(" {line:>4} {sign} {}", text.trim_start());
            lines.extend(before.iter().map(|text| vec![(theme.bad(), signed("-", text))]));
            lines.extend(after.iter().map(|text| vec![(theme.good(), signed("+", text))]));
        }
    }
    for (index, line) in lines.into_iter().enumerate() {
        sheet.lines.extend(row_of(area, index + 1).map(|at| PlacedLine::new(at, line)));
    }
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let sheet = sheet(model, area);
    for line in sheet.rules {
        rule(line, buf, model.theme);
    }
    for bar in sheet.bars {
        for y in bar.top()..bar.bottom() {
            buf.set_string(bar.x, y, model.theme.bar(), model.theme.quiet());
        }
    }
    for put in sheet.lines {
        put.draw(buf, model.theme);
    }
}
