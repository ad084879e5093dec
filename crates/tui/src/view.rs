//! One frame, composed of the panes. Drawing does not change the model, except that an open question is marked as
//! drawn.

use ratatui::Frame;

use crate::bench::draw_band;
use crate::footer::draw_footer;
use crate::header::draw_header;
use crate::intercept::banner;
use crate::model::Model;
use crate::page_layout::{above_footer, page_layout};
use crate::page_registry::screen_of;
use crate::{popup, tour};

/// Draws the whole screen.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width == 0 || area.height == 0 {
        return;
    }
    let buf = frame.buffer_mut();
    let text = screen_of(model.page).band(model);
    let (above, below) = banner::split(model, area);
    let (page, tour_line) = tour::split(model, above);
    let mut at = page_layout(model, page);
    draw_header(model, at.header, buf);
    let screen = screen_of(model.page);
    let typed = screen.draw_top_line(model, at.event_line, buf);
    draw_band(model, &text, at.band, buf);
    screen.draw(model, &at, buf);
    let cursor = match model.popups.last() {
        Some(top) => {
            model.question_unseen.set(false);
            buf.set_style(area, model.theme.behind_popup());
            popup::draw(top, above_footer(page), buf, model)
        }
        None => typed,
    };
    if tour_line.is_some() {
        // The tour takes the row of the footer, which moves down.
        tour::draw(model, tour::layer::is_topmost(model), at.footer, buf);
        at.footer.y += 1;
    }
    draw_footer(model, above, &at, buf);
    banner::draw(model, below, buf);
    model.shades.apply(buf);
    if let Some((x, y)) = cursor {
        frame.set_cursor_position((x, y));
    }
}
