//! The layout of the bench at every size. The verdict band always has its place; everything else is hidden or
//! shrunk first.

use ratatui::layout::Rect;

use super::pane_sizes::{PaneEdge, PaneSizes};

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

/// The pane that fills the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zoom {
    List,
    Pane,
}

/// The rectangles of one frame. A hidden part has height 0.
#[derive(Debug, Clone, Copy)]
pub struct FrameLayout {
    pub size: SizeClass,
    pub header: Rect,
    pub event_line: Rect,
    pub band: Rect,
    /// The horizontal rules: two around the band, the others above the event line and above the event.
    pub rules: [Rect; 4],
    pub hooks: Rect,
    /// The bar between list and detail if they are side by side.
    pub bar: Rect,
    /// The rule between list and detail if the list is above.
    pub between: Rect,
    pub detail: Rect,
    pub event: Rect,
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
    /// 1 if events are pinned, otherwise 0.
    pub pins: u16,
    /// The sizes chosen by the user.
    pub split: PaneSizes,
}

const NONE: Rect = Rect { x: 0, y: 0, width: 0, height: 0 };

fn size_of(width: u16, height: u16) -> SizeClass {
    match (width, height) {
        (w, h) if w < 60 || h < 15 => SizeClass::Tiny,
        (w, _) if w >= 110 => SizeClass::Wide,
        (w, _) if w >= 80 => SizeClass::Medium,
        _ => SizeClass::Narrow,
    }
}

/// Whether list and detail are both visible at this size.
pub fn has_detail(size: (u16, u16)) -> bool {
    matches!(size_of(size.0, size.1), SizeClass::Wide | SizeClass::Medium)
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
    let header = if tiny { NONE } else { take(1) };
    let top_rule = if size == SizeClass::Wide { take(1) } else { NONE };
    let event_line = take(1);
    let above = if tiny { NONE } else { take(1) };
    let band = take(wants.band);
    let below = if tiny { NONE } else { take(1) };
    let footer_rows = u16::from(rest.height >= 4);
    let footer = Rect { y: rest.bottom() - footer_rows, height: footer_rows, ..rest };
    rest.height -= footer_rows;
    let pin_rows = wants.pins.min(u16::from(rest.height >= 6));
    let pins = Rect { y: rest.bottom() - pin_rows, height: pin_rows, ..rest };
    rest.height -= pin_rows;
    let mut out = FrameLayout {
        size,
        header,
        event_line,
        band,
        rules: [top_rule, above, below, NONE],
        hooks: rest,
        bar: NONE,
        between: NONE,
        detail: NONE,
        event: NONE,
        shared: rest,
        pins,
        footer,
    };
    match size {
        _ if zoom == Some(Zoom::List) => {}
        _ if zoom == Some(Zoom::Pane) => {
            out.hooks = NONE;
            out.detail = rest;
        }
        SizeClass::Tiny | SizeClass::Narrow if pane_open => {
            out.hooks = NONE;
            out.detail = rest;
        }
        SizeClass::Tiny | SizeClass::Narrow => {}
        SizeClass::Medium => {
            let rows = if wants.hooks == u16::MAX {
                rest.height
            } else {
                let asked = wants.hooks.clamp(3, (rest.height / 2).max(3)).min(rest.height);
                PaneEdge::Rule.size(wants.split, rest.height, asked)
            };
            out.hooks = Rect { height: rows, ..rest };
            let below = Rect { y: rest.y + rows, height: rest.height - rows, ..rest };
            out.between = Rect { height: below.height.min(1), ..below };
            out.detail = Rect { y: below.y + out.between.height, height: below.height - out.between.height, ..below };
        }
        SizeClass::Wide => wide(&mut out, rest, wants),
    }
    out
}

/// The layout of a page without the panes of the bench: [`FrameLayout::shared`] is one area.
pub fn single_area_layout(area: Rect, band: u16) -> FrameLayout {
    let wants = RequestedRows { band, hooks: u16::MAX, event: 0, pins: 0, split: PaneSizes::default() };
    let mut out = layout(area, wants, Some(Zoom::List), false);
    out.hooks = NONE;
    out
}

fn wide(out: &mut FrameLayout, rest: Rect, wants: RequestedRows) {
    let asked = (wants.event + 1).min(rest.height * 2 / 5);
    let event = PaneEdge::Event.size(wants.split, rest.height, asked);
    let upper = Rect { height: rest.height.saturating_sub(event + 1), ..rest };
    out.rules[3] = Rect { y: upper.bottom(), height: 1.min(rest.height), ..rest };
    out.event = Rect { y: upper.bottom() + 1, height: event.min(rest.height.saturating_sub(upper.height + 1)), ..rest };
    let left = PaneEdge::Bar.size(wants.split, rest.width, (rest.width * 2 / 5).clamp(44, 64));
    out.hooks = Rect { width: left, ..upper };
    out.bar = Rect { x: rest.x + left, width: 1, ..upper };
    out.detail = Rect { x: rest.x + left + 2, width: rest.width - left - 2, ..upper };
}

/// The layout with typical contents, for sizes that are needed before a frame is laid out.
fn typical_layout(size: (u16, u16), zoomed: bool, split: PaneSizes, event: u16) -> FrameLayout {
    let wants = RequestedRows { band: 4, hooks: 6, event, pins: 0, split };
    layout(Rect::new(0, 0, size.0, size.1), wants, zoomed.then_some(Zoom::Pane), true)
}

/// Approximate height of the detail's text in rows, used to scroll by a page.
pub fn detail_height(size: (u16, u16), split: PaneSizes) -> u16 {
    typical_layout(size, false, split, 8).detail.height.saturating_sub(2)
}

/// Width of the detail's text, in columns.
pub fn detail_width(size: (u16, u16), zoomed: bool, split: PaneSizes) -> usize {
    usize::from(typical_layout(size, zoomed, split, 8).detail.width).saturating_sub(2)
}

/// Height available for the payload below the pane's title, in rows.
pub fn event_room(size: (u16, u16), zoomed: bool, split: PaneSizes) -> usize {
    let at = typical_layout(size, zoomed, split, size.1);
    let height = if at.event.height > 0 { at.event.height } else { at.detail.height };
    usize::from(height).saturating_sub(1)
}
