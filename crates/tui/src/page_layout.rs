//! The layout of the open page, and the area of popups.

use ratatui::layout::Rect;

use crate::bench::{FrameLayout, RequestedRows, Zoom, band_height, layout, single_area_layout};
use crate::hook_list::HookListRow;
use crate::intercept::banner;
use crate::model::{Focus, Model};
use crate::page::Page;
use crate::tour;

/// The current layout, for scrolling and for the mouse.
pub fn frame_layout(model: &Model) -> FrameLayout {
    page_layout(model, page_area(model))
}

/// The layout of the open page in an area.
pub fn page_layout(model: &Model, area: Rect) -> FrameLayout {
    let band = band_height(model.page, model.size);
    match model.page {
        Page::Bench => bench_layout(model, area, band),
        _ => single_area_layout(area, band),
    }
}

/// The area of popups: everything but the footer, which shows the keys of the popup.
pub fn popup_area(model: &Model) -> Rect {
    above_footer(page_area(model))
}

/// An area of the page without the footer.
pub fn above_footer(area: Rect) -> Rect {
    Rect { height: area.height.saturating_sub(1), ..area }
}

/// The screen without the banner and the line of the tour.
fn page_area(model: &Model) -> Rect {
    let (width, height) = model.size;
    let (above, _) = banner::split(model, Rect::new(0, 0, width, height));
    tour::split(model, above).0
}

fn bench_layout(model: &Model, area: Rect, band: u16) -> FrameLayout {
    let rows = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let hook_rows = model.rows.iter().filter(|r| !matches!(r, HookListRow::EventName(_))).count();
    let wants = RequestedRows {
        band,
        hooks: if model.rows.is_empty() { u16::MAX } else { rows(hook_rows) },
        event: rows(model.payload_view.wanted_rows()),
        payload_line: model.session.bench().payload.event.is_some(),
        pins: u16::from(!model.session.auto_fire().pins.is_empty()),
        split: model.pane_sizes,
    };
    let zoom = model.zoomed.then_some(if model.focus == Focus::Hooks { Zoom::List } else { Zoom::Pane });
    layout(area, wants, zoom, model.focus != Focus::Hooks)
}
