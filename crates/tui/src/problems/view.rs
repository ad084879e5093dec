//! The layout below the band: the list with the selected finding below it, or the open finding alone.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::ProblemTab;
use super::detail::severity_style;
use crate::bench::SizeClass;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page_layout::frame_layout;
use crate::widgets::{ListWindow, Pane, RowWriter, StyledLine, hidden_words, width, wrap};
use hookbench_app::lint::FindingGroup;
use hookbench_core::diagnostic::Severity;
use hookbench_core::dialects;
use hookbench_core::names::AgentId;
use hookbench_core::text::pluralize;

/// Width of a code, in columns.
const CODE: usize = 5;
/// Maximum width of a place, in columns.
const PLACE: usize = 34;
/// Minimum width of a place: settings with the agent's directory.
const OWN: usize = 25;

/// The area of the list, and the area below it; `None` if the page is too small for both.
fn list_and_detail(model: &Model, area: Rect, size: SizeClass) -> (Pane, Option<Pane>) {
    if !size.has_two_panes() || area.height < 12 {
        return (size.pane(area), None);
    }
    let wanted = model.problems.counts().0.saturating_add(2);
    let rows = u16::try_from(wanted).unwrap_or(u16::MAX).clamp(3, area.height / 2);
    let below = Rect { y: area.y + rows, height: area.height - rows, ..area };
    (size.pane(Rect { height: rows, ..area }), Some(size.pane(below)))
}

/// The number of rows of the list.
pub fn room(model: &Model) -> usize {
    let at = frame_layout(model);
    usize::from(list_and_detail(model, at.shared, at.size).0.inner.height).max(1)
}

/// The number of rows of an open finding.
pub fn open_room(model: &Model) -> usize {
    let at = frame_layout(model);
    usize::from(at.size.pane(at.shared).with_title().height).saturating_sub(1).max(1)
}

/// The places of the rows with their indexes, used for drawing and for the mouse.
pub fn row_places(model: &Model, area: Rect, size: SizeClass) -> Vec<(usize, Rect)> {
    if model.problems.open.is_some() {
        return Vec::new();
    }
    let area = list_and_detail(model, area, size).0.inner;
    let (count, room) = (model.problems.counts().0, usize::from(area.height));
    let first = ListWindow::around(model.problems.selected, count, room).first;
    let place = |index: usize| Rect { y: area.y + u16::try_from(index).unwrap_or(0), height: 1, ..area };
    (first..count).take(room).map(|index| (index, place(index - first))).collect()
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let at = frame_layout(model);
    let (theme, free) = (model.theme, model.popups.is_empty());
    if model.problems.open.is_some() {
        let pane = at.size.pane(area);
        pane.draw_border(free, buf, theme);
        draw_open(model, pane.with_title(), buf);
        return;
    }
    if model.problems.counts().0 == 0 {
        let pane = at.size.pane(area);
        pane.draw((theme.strong(), "Problems"), "", free, buf, theme);
        draw_empty(model, pane.inner, buf);
        return;
    }
    let (pane, below) = list_and_detail(model, area, at.size);
    pane.draw((theme.strong(), "Problems"), "", free, buf, theme);
    for (index, place) in row_places(model, area, at.size) {
        if let Some(group) = model.problems.shown().nth(index) {
            row(model, group, index == model.problems.selected, place, buf);
        }
    }
    let Some(below) = below else { return };
    below.draw((theme.strong(), "Finding"), "", false, buf, theme);
    if draw_lines(model, below.inner, 0, buf) > 0 {
        let says = format!(" {} open ", model.key(UiCommand::Open));
        RowWriter::new(below.with_title(), buf, theme).right(theme.quiet(), &says);
    }
}

/// The agents, by the first words of their names.
fn agents(group: &FindingGroup) -> String {
    let first = |id: &AgentId| dialects::name_of(*id).split(' ').next();
    group.agents.iter().filter_map(first).collect::<Vec<&str>>().join(", ")
}

/// The place of a finding, shortened to the file's name if necessary.
fn place_of(group: &FindingGroup, columns: usize) -> String {
    let file = group.finding.file.as_deref().unwrap_or("");
    let line = group.finding.place.map(|(start, _)| format!(":{}", start.line)).unwrap_or_default();
    if width(file) + width(&line) <= columns {
        return format!("{file}{line}");
    }
    format!("{}{line}", file.rsplit('/').next().unwrap_or(file))
}

fn row(model: &Model, group: &FindingGroup, selected: bool, at: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let found = &group.finding;
    let mut cells = RowWriter::new(at, buf, theme);
    let wide = at.width >= 70;
    cells.put(theme.name(), if selected { theme.cursor() } else { " " });
    // The severity in full, or its first letter on a narrow screen.
    let word = found.severity.word();
    if wide {
        cells.cell(severity_style(theme, found.severity), word, 7);
    } else {
        cells.cell(severity_style(theme, found.severity), word.get(..1).unwrap_or(word), 1);
    }
    // A code outside the catalogue is shortened to its topic.
    cells.cell(theme.strong(), found.code.as_str().split('/').next().unwrap_or_default(), CODE);
    if wide {
        let agents = agents(group);
        let place = (usize::from(at.width) / 4).clamp(OWN, PLACE);
        if at.width >= 100 && !agents.is_empty() {
            cells.right(theme.quiet(), &agents);
        }
        cells.cell(theme.quiet(), &place_of(group, place), place);
    }
    if !group.other_places.is_empty() {
        cells.put(theme.quiet(), &format!("×{} ", group.other_places.len() + 1));
    }
    cells.put(theme.plain(), &found.message);
    if selected {
        buf.set_style(at, theme.selected());
    }
}

/// Draws the lines of the selected finding beginning with `from`, and returns the number of lines that do not fit.
fn draw_lines(model: &Model, area: Rect, from: usize, buf: &mut Buffer) -> usize {
    let all = model.problems.all_lines();
    let room = usize::from(area.height);
    for (index, line) in model.problems.all_lines().skip(from).take(room).enumerate() {
        let at = Rect { y: area.y + u16::try_from(index).unwrap_or(0), height: 1, ..area };
        let mut cells = RowWriter::new(at, buf, model.theme);
        cells.skip(1);
        for (style, text) in line {
            cells.put(*style, text);
        }
    }
    all.count().saturating_sub(from + room)
}

/// Draws the open finding below its tabs.
fn draw_open(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let title = Rect { height: 1, ..area };
    let below = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let shown = ListWindow::from(model.problems.scroll, model.problems.lines.len(), usize::from(below.height));
    draw_lines(model, below, shown.first, buf);
    let mut cells = RowWriter::new(title, buf, theme);
    cells.put(theme.plain(), " ");
    for (part, name) in [(ProblemTab::Finding, "finding"), (ProblemTab::Explanation, "explanation")] {
        let current = theme.strong().add_modifier(Modifier::UNDERLINED);
        cells.put(if model.problems.open == Some(part) { current } else { theme.quiet() }, name);
        cells.put(theme.plain(), "  ");
    }
    if shown.hidden() != (0, 0) {
        cells.right(theme.quiet(), &format!(" {} ", hidden_words(shown.first, shown.below)));
    }
}

/// Draws the page without findings.
fn draw_empty(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let key = model.key(UiCommand::NewHook);
    let says = match &model.session.problems().report {
        None => Vec::new(),
        Some(_) if model.problems.counts().1 > 0 => {
            vec!["no match".to_owned(), format!("{} clears the filter", model.key(UiCommand::Back))]
        }
        Some(report) if report.hooks == 0 => {
            vec![format!("This page lists the problems of hooks, and there are no hooks yet. {key} writes one.")]
        }
        Some(_) => {
            vec!["No problems found (static checks only).".to_owned()]
        }
    };
    let columns = usize::from(area.width).saturating_sub(2).max(8);
    let styles = [theme.plain(), theme.quiet()];
    let lines = styles.into_iter().zip(says).flat_map(|(style, text)| wrap(&[(style, text)], columns, 0));
    for (y, line) in (area.y + 1..area.bottom()).zip(lines) {
        let mut cells = RowWriter::new(Rect { y, height: 1, ..area }, buf, theme);
        cells.skip(1);
        for (style, text) in &line {
            cells.put(*style, text);
        }
    }
}

/// The page as sentences: the number of findings and the selected one.
pub fn page(model: &Model) -> Vec<String> {
    let Some(report) = &model.session.problems().report else { return Vec::new() };
    let (fits, all) = model.problems.counts();
    if all == 0 {
        return vec![format!("No problems found in {}.", pluralize(report.hooks, "hook"))];
    }
    let of = |severity| model.problems.all().iter().filter(|group| group.finding.severity == severity).count();
    let counts = [
        pluralize(of(Severity::Error), "error"),
        pluralize(of(Severity::Warning), "warning"),
        pluralize(of(Severity::Info), "remark"),
    ];
    let shown = if fits == all { String::new() } else { format!(" {fits} of them fit.") };
    let mut says = vec![format!("{}.{shown}", counts.join(", "))];
    says.extend(model.problems.group().map(finding));
    says
}

/// Every finding that matches the filter.
pub fn rows(model: &Model) -> Vec<String> {
    model.problems.shown().map(finding).collect()
}

/// A finding in a sentence.
fn finding(group: &FindingGroup) -> String {
    let found = &group.finding;
    let at = found.place.map(|(start, _)| format!(" line {}", start.line)).unwrap_or_default();
    let place = found.file.as_ref().map(|file| format!(", {file}{at}")).unwrap_or_default();
    let also = group.other_places_text().map(|also| format!(" Also at {also}.")).unwrap_or_default();
    format!("{} {}{place}: {}.{also}", found.severity.word(), found.code, found.message)
}

/// The selected finding in full.
pub fn full_finding(model: &Model) -> Vec<String> {
    let text = |line: &StyledLine| line.iter().map(|(_, text)| text.as_str()).collect::<String>();
    model.problems.lines.iter().map(text).filter(|line| !line.trim().is_empty()).collect()
}
