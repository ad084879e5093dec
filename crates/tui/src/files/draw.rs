//! The layout: the list, and the selected row in full beside or below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{FilesRow, FilesView, detail, rows};
use crate::bench::{Band, BandPart, BandRow, SizeClass, band_row};
use crate::model::Model;
use crate::view::frame_layout;
use crate::widgets::{ListWindow, RowWriter, StyledLine, rule};
use hookbench_app::inventory::InstalledHookCounts;
use hookbench_core::decide::Verdict;
use hookbench_core::text::pluralize;

/// Minimum height of the detail below the list, in rows.
const BELOW: u16 = 7;

/// The places of list and detail.
struct FilesLayout {
    list: Rect,
    /// The bar between them.
    bar: Rect,
    rule: Rect,
    detail: Rect,
}

const NONE: Rect = Rect { x: 0, y: 0, width: 0, height: 0 };

fn places(view: &FilesView, area: Rect, size: SizeClass) -> FilesLayout {
    match size {
        SizeClass::Wide => {
            let left = area.width * 5 / 8;
            let right = Rect { x: area.x + left + 2, width: area.width - left - 2, ..area };
            let bar = Rect { x: area.x + left, width: 1, ..area };
            FilesLayout { list: Rect { width: left, ..area }, bar, rule: NONE, detail: right }
        }
        SizeClass::Medium => {
            let below = (area.height / 3).max(BELOW).min(area.height);
            let above = area.height - below;
            let split = Rect { y: area.y + above, height: below.min(1), ..area };
            let detail = Rect { y: split.bottom(), height: below.saturating_sub(1), ..area };
            FilesLayout { list: Rect { height: above, ..area }, bar: NONE, rule: split, detail }
        }
        _ if view.detail_open => FilesLayout { list: NONE, bar: NONE, rule: NONE, detail: area },
        _ => FilesLayout { list: area, bar: NONE, rule: NONE, detail: NONE },
    }
}

/// The visible rows and their places.
pub fn row_places(model: &Model, area: Rect, size: SizeClass) -> Vec<(usize, Rect)> {
    let list = places(&model.files, area, size).list;
    let first = ListWindow::around(model.files.selected, model.files.items.len(), usize::from(list.height)).first;
    let row = |at: u16| Rect { y: list.y + at, height: 1, ..list };
    (first..model.files.items.len()).zip((0..list.height).map(row)).collect()
}

/// The height of the list, used to scroll by a page.
pub fn room(model: &Model) -> usize {
    let at = frame_layout(model);
    let places = places(&model.files, at.shared, at.size);
    usize::from(if places.list.height > 0 { places.list.height } else { places.detail.height })
}

/// The wrapped lines of the detail, and the number of rows for them.
pub fn current_detail(model: &Model) -> (Vec<StyledLine>, usize) {
    let at = frame_layout(model);
    let area = places(&model.files, at.shared, at.size).detail;
    let columns = usize::from(area.width).saturating_sub(2).max(20);
    (detail::lines(&model.files, columns, model.theme), usize::from(area.height))
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let size = frame_layout(model).size;
    let at = places(&model.files, area, size);
    if model.files.items.is_empty() {
        let says =
            if model.files.filter.is_empty() { "reading the files of every agent" } else { "nothing is called so" };
        RowWriter::new(Rect { height: at.list.height.min(1), ..at.list }, buf, theme).skip(2).put(theme.quiet(), says);
    }
    for (index, place) in row_places(model, area, size) {
        let Some(item) = model.files.items.get(index) else { continue };
        let mut cells = RowWriter::new(place, buf, theme);
        for (style, text) in rows::line(&model.files, *item, usize::from(place.width), theme) {
            cells.put(style, &text);
        }
        if index == model.files.selected {
            buf.set_style(place, theme.selected());
        }
    }
    if at.rule.height > 0 {
        rule(at.rule, buf, theme);
    }
    for y in at.bar.top()..at.bar.bottom() {
        buf.set_string(at.bar.x, y, theme.bar(), theme.quiet());
    }
    let columns = usize::from(at.detail.width).saturating_sub(2).max(20);
    let lines = detail::lines(&model.files, columns, theme);
    let scroll = ListWindow::from(model.files.scroll, lines.len(), usize::from(at.detail.height)).first;
    for (y, line) in (0..at.detail.height).zip(lines.iter().skip(scroll)) {
        let mut cells = RowWriter::new(Rect { y: at.detail.y + y, height: 1, ..at.detail }, buf, theme);
        cells.skip(1);
        for (style, text) in line {
            cells.put(*style, text);
        }
    }
}

/// Draws the line above the band: the meaning of the list, or the filter.
pub fn draw_top_line(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = RowWriter::new(Rect { height: area.height.min(1), ..area }, buf, theme);
    cells.skip(1);
    let view = &model.files;
    if view.typing || !view.filter.is_empty() {
        let cursor = if view.typing { "_" } else { "" };
        cells.put(theme.name(), "/ ").put(theme.strong(), &format!("{}{cursor}", view.filter));
        let found = view.items.iter().filter(|item| !matches!(item, FilesRow::Agent(_))).count();
        cells.right(theme.quiet(), &format!("{found} found"));
    } else {
        cells.put(theme.plain(), "what every agent looks at, in the order in which it reads");
    }
}

/// Builds the band: the number of installed and active hooks over all agents, and the most important problem.
pub fn build_band(model: &Model) -> Band {
    let theme = model.theme;
    let view = &model.files;
    let sum = |of: fn(&hookbench_app::inventory::InstalledHookCounts) -> usize| -> usize {
        view.agents.iter().map(|a| of(&a.counts)).sum()
    };
    let (installed, active, review) = (sum(|c| c.installed), sum(|c| c.active), sum(|c| c.review));
    let files = view.agents.iter().flat_map(|a| &a.layers).filter(|l| !l.hooks.is_empty()).count();
    let says = format!("{} in {}, {active} active", pluralize(installed, "hook"), pluralize(files, "file"));
    let row = band_row("FILES", theme.verdict(Verdict::NoObjection), vec![(theme.strong(), says)]);
    let reserved = if model.size.1 >= 20 { 3 } else { 2 };
    let mut all = vec![row];
    if reserved == 3 {
        all.extend(each_agent(view, model));
    }
    let broken: Vec<&str> = view
        .agents
        .iter()
        .flat_map(|a| &a.layers)
        .filter(|l| l.state == hookbench_core::config::LayerState::Broken)
        .map(|l| l.file.as_str())
        .collect();
    let refuses: Vec<&str> = view.agents.iter().filter(|a| a.refused.is_some()).map(|a| a.name).collect();
    let not_read = view.agents.iter().map(|a| a.ignored_files.len()).sum::<usize>();
    if !refuses.is_empty() {
        let would = format!("{} would not start with these files", refuses.join(", "));
        all.push(band_row("refuses", theme.bad(), vec![(theme.plain(), would)]));
    } else if !broken.is_empty() {
        all.push(band_row("broken", theme.bad(), vec![(theme.plain(), broken.join(", "))]));
    } else if review > 0 {
        let names: Vec<&str> = view.agents.iter().filter(|a| a.counts.review > 0).map(|a| a.name).collect();
        let says = format!(
            "{} not run until you trust them in {}",
            if review == 1 { "1 hook does".to_owned() } else { format!("{review} hooks do") },
            names.join(", ")
        );
        all.push(band_row("review", theme.warn(), vec![(theme.plain(), says)]));
    } else if not_read > 0 {
        let says = format!(
            "{} like settings and {} not read",
            if not_read == 1 { "1 file looks".to_owned() } else { format!("{not_read} files look") },
            if not_read == 1 { "is" } else { "are" }
        );
        all.push(band_row("unread", theme.warn(), vec![(theme.plain(), says)]));
    }
    Band { rows: all, reserved }
}

/// The row with the number of active hooks, and of those to review, for each agent.
fn each_agent(view: &FilesView, model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    let mut parts: Vec<BandPart> = Vec::new();
    for agent in view.agents.iter().filter(|agent| agent.counts.installed > 0) {
        let InstalledHookCounts { installed, active, review } = agent.counts;
        let air = if parts.is_empty() { "" } else { "   " };
        parts.push((theme.plain(), format!("{air}{} ", agent.name)).into());
        let style = if active < installed { theme.warn() } else { theme.plain() };
        let long = if review > 0 {
            format!("{active} of {installed}, {review} to review")
        } else {
            format!("{active} of {installed}")
        };
        parts.push(BandPart { style, text: long, short: Some(format!("{active}/{installed}")) });
    }
    (!parts.is_empty()).then(|| BandRow { parts, ..band_row("active", theme.quiet(), Vec::new()) })
}
