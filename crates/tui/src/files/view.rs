//! The layout: the list, and the selected row in full beside or below it.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{FilesRow, FilesView, detail};
use crate::bench::{Band, BandPart, BandRow, SizeClass, band_height, band_row};
use crate::list_detail::{ListDetailLayout, ListDetailSizes};
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::theme::Theme;
use crate::widgets::{RowWriter, StyledLine, fit, width};
use hookbench_app::inventory::{AgentFiles, HookRow, InstalledHookCounts, LayerRow, state_word};
use hookbench_core::config::LayerState;
use hookbench_core::decide::Verdict;
use hookbench_core::text::{self, one_line, pluralize};

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
        for (style, text) in line(&model.files, *item, usize::from(place.width), theme) {
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

/// Width of the label before a switch, in columns.
const SWITCH: usize = 8;
/// Columns between the cells of a file's row.
const SPACES: usize = 7;
/// Width of a state, in columns.
const STATE: usize = 9;

/// Renders a row for `columns` columns.
pub fn line(view: &FilesView, item: FilesRow, columns: usize, theme: Theme) -> StyledLine {
    let selected = view.item() == Some(item);
    let mark = (theme.plain(), if selected { theme.cursor() } else { " " }.to_owned());
    let mut line = vec![mark];
    match item {
        FilesRow::Agent(a) => line.extend(view.agents.get(a).map(|agent| agent_line(agent, theme)).unwrap_or_default()),
        FilesRow::Layer(a, l) => {
            if let Some((agent, layer)) = view.layer(a, l) {
                let open = view.items.iter().any(|item| matches!(item, FilesRow::Hook(x, y, _) if (*x, *y) == (a, l)));
                line.extend(layer_line(agent, layer, open, columns, theme));
            }
        }
        FilesRow::Hook(a, l, h) => {
            line.extend(
                view.hook(a, l, h).map(|(_, layer, hook)| hook_line(layer, hook, columns, theme)).unwrap_or_default(),
            );
        }
        FilesRow::Switch(a, s) => {
            if let Some((_, switch)) = view.switch(a, s) {
                line.push((theme.quiet(), format!("  {:<SWITCH$} ", "switch")));
                line.push((theme.plain(), format!("{} = {}", switch.name, one_line(&switch.value))));
                let by = switch.set_by.as_deref().unwrap_or("default");
                line.push((theme.quiet(), format!("   {by}")));
            }
        }
        FilesRow::NotRead(a, n) => {
            if let Some((_, file)) = view.not_read(a, n) {
                line.push((theme.warn(), format!("  {:<SWITCH$} ", "not read")));
                line.push((theme.plain(), file.file.clone()));
                line.push((theme.quiet(), format!("   {}", one_line(&file.message))));
            }
        }
    }
    line
}

fn agent_line(agent: &AgentFiles, theme: Theme) -> StyledLine {
    let mut line = vec![(theme.strong(), agent.name.to_owned()), (theme.plain(), "  ".to_owned())];
    line.extend(counted(agent, theme));
    if agent.refused.is_some() {
        line.push((theme.bad(), "   it does not start".to_owned()));
    }
    line.push((theme.quiet(), format!("   {}", theme.version(&agent.version))));
    line
}

/// The counts of an agent: `11 hooks, 8 active, 3 to review`.
fn counted(agent: &AgentFiles, theme: Theme) -> StyledLine {
    let counts = agent.counts;
    let mut line =
        vec![(theme.plain(), format!("{}, {} active", text::pluralize(counts.installed, "hook"), counts.active))];
    if counts.review > 0 {
        line.push((theme.plain(), ", ".to_owned()));
        line.push((theme.warn(), format!("{} to review", counts.review)));
    }
    line
}

fn layer_line(agent: &AgentFiles, layer: &LayerRow, open: bool, columns: usize, theme: Theme) -> StyledLine {
    let there = layer.state != LayerState::Absent;
    let plain = if there { theme.plain() } else { theme.quiet() };
    let fold = if layer.hooks.is_empty() { " " } else { theme.fold(open) };
    let short = columns < 60;
    let widest = agent.layers.iter().map(|layer| width(&layer.file)).max().unwrap_or(0);
    let layers = agent.layers.iter().map(|layer| width(layer.layer)).max().unwrap_or(0);
    let counts = agent
        .layers
        .iter()
        .map(|layer| contributes(layer, theme).iter().map(|(_, text)| width(text)).sum())
        .max()
        .unwrap_or(0);
    let taken = if short { STATE + 7 } else { layers + STATE + counts + SPACES };
    let files = widest.min(columns.saturating_sub(taken).max(12));
    let mut line = vec![(theme.quiet(), format!("{fold} "))];
    if !short {
        line.push((theme.quiet(), format!("{:<layers$} ", layer.layer)));
    }
    let file = fit(&layer.file, files, theme);
    let air = " ".repeat((files + 2).saturating_sub(width(&file)));
    line.push((plain, format!("{file}{air}")));
    let (style, state) = state(layer, theme);
    line.push((style, if short { state.to_owned() } else { format!("{state:<STATE$} ") }));
    if !short {
        line.extend(contributes(layer, theme));
    }
    line
}

/// The word and style for the state of a file.
pub fn state(layer: &LayerRow, theme: Theme) -> (Style, &'static str) {
    let style = match layer.state {
        LayerState::Read => theme.plain(),
        LayerState::Absent => theme.quiet(),
        LayerState::Broken => theme.bad(),
        LayerState::Untrusted | LayerState::Off => theme.warn(),
    };
    // The agent skips a file that it cannot use; the JSON of the file may still be valid.
    (style, if layer.state == LayerState::Broken { "skipped" } else { state_word(layer.state) })
}

/// The number of hooks in a file, and of those that are ignored.
pub fn contributes(layer: &LayerRow, theme: Theme) -> StyledLine {
    let all = layer.hooks.len();
    let dropped = layer.hooks.iter().filter(|hook| hook.drop_reason.is_some()).count();
    let mut line = StyledLine::new();
    if all == 0 {
        if layer.state == LayerState::Read {
            line.push((theme.quiet(), "no hooks".to_owned()));
        }
        return line;
    }
    line.push((theme.plain(), text::pluralize(all, "hook")));
    if dropped > 0 {
        let says = if dropped == all { "none runs".to_owned() } else { format!("{dropped} dropped") };
        line.push((theme.warn(), format!(", {says}")));
    }
    line
}

fn hook_line(layer: &LayerRow, hook: &HookRow, columns: usize, theme: Theme) -> StyledLine {
    let widest = |of: fn(&HookRow) -> &str, most: usize| {
        layer.hooks.iter().map(|hook| width(of(hook))).max().unwrap_or(0).min(most)
    };
    let short = columns < 60;
    let events = widest(|hook| &hook.event, 20);
    let matchers = widest(|hook| &hook.matcher, if short { 10 } else { 24 });
    let cell = |text: &str, wide: usize| {
        let text = fit(&one_line(text), wide, theme);
        let air = " ".repeat((wide + 2).saturating_sub(width(&text)));
        format!("{text}{air}")
    };
    let quiet = if hook.drop_reason.is_some() { theme.quiet() } else { theme.plain() };
    let mut line = vec![(theme.plain(), "    ".to_owned()), (quiet, cell(&hook.event, events))];
    line.push((theme.name(), cell(&hook.matcher, matchers)));
    line.push((quiet, one_line(&hook.label)));
    line.push((theme.quiet(), format!("  :{}", hook.location.line)));
    match (&hook.drop_reason, hook.needs_review) {
        (Some(_), true) => line.push((theme.warn(), "  needs review".to_owned())),
        (Some(_), false) => line.push((theme.warn(), "  dropped".to_owned())),
        (None, _) => {}
    }
    line
}
