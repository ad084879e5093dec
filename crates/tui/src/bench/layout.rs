//! The layout of the bench at every size. The verdict band always has its place; everything else is hidden or
//! shrunk first.

use ratatui::layout::Rect;

use super::pane_sizes::{PaneEdge, PaneSizes};
use crate::page::Page;
use crate::widgets::Pane;

/// The size class of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeClass {
    /// Three panes.
    Wide,
    /// The list above one pane.
    Medium,
    /// The list only; Enter opens the pane in the same space.
    Narrow,
    /// Plain rows.
    Tiny,
}

impl SizeClass {
    /// A pane in an area: with a border, except in a tiny terminal.
    pub fn pane(self, area: Rect) -> Pane {
        if self == SizeClass::Tiny || area.height < 3 { Pane::plain(area) } else { Pane::bordered(area) }
    }

    /// Whether a list and its detail are shown at the same time.
    pub fn has_two_panes(self) -> bool {
        matches!(self, SizeClass::Wide | SizeClass::Medium)
    }
}

/// The pane that fills the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zoom {
    List,
    Pane,
}

/// The areas of one frame. A hidden part has height 0.
#[derive(Debug, Clone, Copy)]
pub struct FrameLayout {
    pub size: SizeClass,
    pub header: Rect,
    pub event_line: Rect,
    pub band: Rect,
    pub hooks: Pane,
    pub detail: Pane,
    pub event: Pane,
    /// The payload in one line, where it has no pane.
    pub payload_line: Rect,
    /// The area shared by list, detail and event.
    pub shared: Rect,
    /// The strip of pinned events.
    pub pins: Rect,
    pub footer: Rect,
}

/// The heights that the contents ask for, in rows.
#[derive(Debug, Clone, Copy)]
pub struct RequestedRows {
    pub band: u16,
    /// Height of the list in rows; `u16::MAX` takes all of the space.
    pub hooks: u16,
    pub event: u16,
    /// Whether the payload is shown in one line where it has no pane.
    pub payload_line: bool,
    /// 1 if events are pinned, otherwise 0.
    pub pins: u16,
    /// The sizes chosen by the user.
    pub split: PaneSizes,
}

/// Rows of a wide terminal in which the parts above the panes are separated by empty rows.
const ROOMY: u16 = 30;

/// Rows of the panes of which the payload may take half.
const TALL: u16 = 36;

/// Rows of the panes that leave one for the payload.
const PAYLOAD_LINE: u16 = 5;

/// Minimum width of a list above its detail, in columns. Where the detail is hidden, the band has a row for the reason.
const TWO_PANES: u16 = 80;

const NONE: Rect = Rect { x: 0, y: 0, width: 0, height: 0 };

fn size_of(width: u16, height: u16) -> SizeClass {
    match (width, height) {
        (w, h) if w < 60 || h < 15 => SizeClass::Tiny,
        (w, _) if w >= 110 => SizeClass::Wide,
        (w, _) if w >= TWO_PANES => SizeClass::Medium,
        _ => SizeClass::Narrow,
    }
}

/// Height of the band of a page in rows. It depends on the terminal only, so that nothing below the band moves. Rows that
/// are not used hold the end of sentences that are too long for one row.
pub fn band_height(page: Page, (width, height): (u16, u16)) -> u16 {
    match (page, height) {
        (Page::Bench, 36..) | (Page::Match, 30..) => 5,
        (Page::Bench, 20..) if width < TWO_PANES => 5,
        (Page::Bench | Page::Match, 20..) => 4,
        (Page::Problems, _) => 2,
        (Page::Bench, _) | (_, 20..) => 3,
        _ => 2,
    }
}

/// Whether list and detail are both visible at this size.
pub fn has_detail(size: (u16, u16)) -> bool {
    size_of(size.0, size.1).has_two_panes()
}

/// Computes the layout of a frame.
pub fn layout(area: Rect, wants: RequestedRows, zoom: Option<Zoom>, pane_open: bool) -> FrameLayout {
    let size = size_of(area.width, area.height);
    let mut rest = area;
    let mut take = |rows: u16| {
        let rows = rows.min(rest.height);
        let taken = Rect { height: rows, ..rest };
        rest = Rect { y: rest.y + rows, height: rest.height - rows, ..rest };
        taken
    };
    let tiny = size == SizeClass::Tiny;
    // Space separates the parts where there is room for it.
    let air = u16::from(size == SizeClass::Wide && area.height >= ROOMY);
    let header = if tiny { NONE } else { take(1) };
    take(air);
    let event_line = take(1);
    take(air);
    let band = take(wants.band);
    take(air);
    let footer_rows = u16::from(rest.height >= 4);
    let footer = take_below(&mut rest, footer_rows);
    let pin_rows = wants.pins.min(u16::from(rest.height >= 6));
    let pins = take_below(&mut rest, pin_rows);
    let mut out = FrameLayout {
        size,
        header,
        event_line,
        band,
        hooks: Pane::default(),
        detail: Pane::default(),
        event: Pane::default(),
        payload_line: NONE,
        shared: rest,
        pins,
        footer,
    };
    let pane = |area: Rect| size.pane(area);
    if wants.payload_line && zoom.is_none() && size != SizeClass::Wide && rest.height >= PAYLOAD_LINE {
        out.payload_line = take_below(&mut rest, 1);
        out.shared = rest;
    }
    match size {
        _ if zoom == Some(Zoom::List) => out.hooks = pane(rest),
        _ if zoom == Some(Zoom::Pane) => out.detail = pane(rest),
        SizeClass::Tiny | SizeClass::Narrow if pane_open => out.detail = pane(rest),
        SizeClass::Tiny | SizeClass::Narrow => out.hooks = pane(rest),
        SizeClass::Medium => {
            let rows = if wants.hooks == u16::MAX {
                rest.height
            } else {
                let asked = (wants.hooks + 2).clamp(4, (rest.height / 2).max(4)).min(rest.height);
                PaneEdge::Rule.size(wants.split, rest.height, asked)
            };
            out.hooks = pane(Rect { height: rows, ..rest });
            out.detail = pane(Rect { y: rest.y + rows, height: rest.height - rows, ..rest });
        }
        SizeClass::Wide => wide(&mut out, rest, wants),
    }
    out
}

/// Takes rows from the lower end of an area.
fn take_below(rest: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(rest.height);
    rest.height -= rows;
    Rect { y: rest.bottom(), height: rows, ..*rest }
}

/// The layout of a page without the panes of the bench: [`FrameLayout::shared`] is one area.
pub fn single_area_layout(area: Rect, band: u16) -> FrameLayout {
    let wants =
        RequestedRows { band, hooks: u16::MAX, event: 0, payload_line: false, pins: 0, split: PaneSizes::default() };
    let mut out = layout(area, wants, Some(Zoom::List), false);
    out.hooks = Pane::default();
    out
}

fn wide(out: &mut FrameLayout, rest: Rect, wants: RequestedRows) {
    let most = if rest.height >= TALL { rest.height / 2 } else { rest.height * 2 / 5 };
    let asked = (wants.event + 2).min(most);
    let event = PaneEdge::Event.size(wants.split, rest.height, asked).min(rest.height);
    let upper = Rect { height: rest.height - event, ..rest };
    out.event = Pane::bordered(Rect { y: upper.bottom(), height: event, ..rest });
    // Without hooks there are no details.
    if wants.hooks == u16::MAX {
        out.hooks = Pane::bordered(upper);
        return;
    }
    let left = PaneEdge::Bar.size(wants.split, rest.width, (rest.width * 2 / 5).clamp(44, 68));
    out.hooks = Pane::bordered(Rect { width: left, ..upper });
    out.detail = Pane::bordered(Rect { x: rest.x + left, width: rest.width - left, ..upper });
}

/// The layout with typical contents, for sizes that are needed before a frame is laid out.
fn typical_layout(size: (u16, u16), zoomed: bool, split: PaneSizes, event: u16) -> FrameLayout {
    let wants = RequestedRows { band: 4, hooks: 6, event, payload_line: true, pins: 0, split };
    layout(Rect::new(0, 0, size.0, size.1), wants, zoomed.then_some(Zoom::Pane), true)
}

/// Approximate height of the detail's text in rows, used to scroll by a page.
pub fn detail_height(size: (u16, u16), split: PaneSizes) -> u16 {
    typical_layout(size, false, split, 8).detail.with_title().height.saturating_sub(2)
}

/// Width of the detail's text, in columns.
pub fn detail_width(size: (u16, u16), zoomed: bool, split: PaneSizes) -> usize {
    usize::from(typical_layout(size, zoomed, split, 8).detail.inner.width).saturating_sub(2)
}

/// Height available for the payload below the pane's title, in rows.
pub fn event_room(size: (u16, u16), zoomed: bool, split: PaneSizes) -> usize {
    let at = typical_layout(size, zoomed, split, size.1);
    let pane = if at.event.is_shown() { at.event } else { at.detail };
    usize::from(pane.with_title().height).saturating_sub(1)
}
