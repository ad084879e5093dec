//! The layout: the list, and the selected row in full beside or below it.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{FilesRow, FilesView, detail, rows};
use crate::bench::{Band, BandPart, BandRow, SizeClass, band_height, band_row};
use crate::list_detail::{ListDetailLayout, ListDetailSizes};
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::widgets::{RowWriter, StyledLine};
use hookbench_app::inventory::InstalledHookCounts;
use hookbench_core::decide::Verdict;
use hookbench_core::text::pluralize;

const SIZES: ListDetailSizes = ListDetailSizes { list_eighths: 5, below: 7 };

fn places(view: &FilesView, area: Rect, size: SizeClass) -> ListDetailLayout {
    ListDetailLayout::new(&SIZES, area, size, view.detail_open)
}

/// The visible rows and their places.
pub fn row_places(model: &Model, area: Rect, size: SizeClass) -> Vec<(usize, Rect)> {
    let view = &model.files;
    places(view, area, size).row_places(view.selected, view.items.len())
}

/// The height of the list, used to scroll by a page.
pub fn room(model: &Model) -> usize {
    let at = frame_layout(model);
    places(&model.files, at.shared, at.size).room()
}

/// The lines of the detail, and the number of rows for them.
pub fn current_detail(model: &Model) -> (Vec<StyledLine>, usize) {
    let at = frame_layout(model);
    let (columns, rows) = places(&model.files, at.shared, at.size).detail_size();
    (detail::lines(&model.files, columns, model.theme), rows)
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let size = frame_layout(model).size;
    let layout = places(&model.files, area, size);
    layout.draw_frames("Files", model.popups.is_empty(), buf, theme);
    let list = layout.list.inner;
    if model.files.items.is_empty() {
        let says = if model.files.filter.is_empty() { "reading settings files" } else { "no match" };
        RowWriter::new(Rect { height: list.height.min(1), ..list }, buf, theme).skip(2).put(theme.quiet(), says);
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
    let (lines, _) = current_detail(model);
    layout.draw_detail(&lines, model.files.scroll, buf, theme);
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
        cells.put(theme.plain(), "settings files in the order in which each agent reads them");
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
    // A file that several agents read is one file.
    let with_hooks = view.agents.iter().flat_map(|a| &a.layers).filter(|l| !l.hooks.is_empty());
    let files: BTreeSet<&str> = with_hooks.map(|l| l.path.as_str()).collect();
    let says = format!("{} in {}, {active} active", pluralize(installed, "hook"), pluralize(files.len(), "file"));
    let row = band_row("FILES", theme.verdict(Verdict::NoObjection), vec![(theme.strong(), says)]);
    let reserved = usize::from(band_height(Page::Files, model.size));
    let mut all = vec![row];
    if reserved == 3 {
        all.extend(each_agent(view, model));
    }
    let skipped: Vec<&str> = view
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
    } else if !skipped.is_empty() {
        all.push(band_row("skipped", theme.bad(), vec![(theme.plain(), skipped.join(", "))]));
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
            "{} like settings but {} not read",
            if not_read == 1 { "1 file looks".to_owned() } else { format!("{not_read} files look") },
            if not_read == 1 { "is" } else { "are" }
        );
        all.push(band_row("unread", theme.warn(), vec![(theme.plain(), says)]));
    }
    Band { rows: all }
}

/// The row with the number of active hooks, and of those to review, for each agent.
fn each_agent(view: &FilesView, model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    let mut parts: Vec<BandPart> = Vec::new();
    for agent in view.agents.iter().filter(|agent| agent.counts.installed > 0) {
        let InstalledHookCounts { installed, active, review } = agent.counts;
        let name = |air: &str| format!("{}{} ", if parts.is_empty() { "" } else { air }, agent.name);
        parts.push(BandPart { style: theme.plain(), text: name("   "), short: Some(name("  ")) });
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
