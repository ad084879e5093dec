//! The pane of the selected hook: its streams, how the agent interprets its answer, its process, its ladder.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::detail_rows::rows_for_height;
use super::streams;
use crate::hook_list::HookListRow;
use crate::model::{Focus, Model, Tab};
use crate::widgets::{Pane, RowWriter, StyledLine, fit, hidden_words, width};
use hookbench_core::run::Stream;

/// Draws the pane: the title with its tabs, the lines, the search, and for a process the elapsed time against the
/// timeout.
pub fn draw_detail(model: &Model, pane: Pane, buf: &mut Buffer) {
    if !pane.is_shown() {
        return;
    }
    let theme = model.theme;
    pane.draw_border(model.focus == Focus::Detail && model.popups.is_empty(), buf, theme);
    let area = pane.with_title();
    let tab = model.current_tab();
    let pane = streams::area_for(model, area.height, area.width);
    let of_run = matches!(tab, Tab::Stdin | Tab::Stdout | Tab::Stderr) && model.selected_run().is_some();
    let (lines, hidden) = if of_run || model.stream().is_some() {
        (streams::rows(model, pane), String::new())
    } else {
        visible_rows(model, tab, pane.rows)
    };
    let lines = if hidden.is_empty() { add_further_tabs(model, tab, lines, pane.rows) } else { lines };
    title(model, &hidden, Rect { height: 1, ..area }, buf);
    let rows = (area.y + 1..area.bottom()).zip(&lines);
    let below = streams::lines_below(model);
    let first = area.bottom().saturating_sub(u16::try_from(below.len()).unwrap_or(0)).max(area.y + 1);
    for (y, line) in rows.chain((first..area.bottom()).zip(&below)) {
        RowWriter::new(Rect { y, height: 1, ..area }, buf, theme).skip(1).line(line);
    }
}

/// The visible rows of a tab other than a stream, and the counts of rows above and below them.
fn visible_rows(model: &Model, tab: Tab, room: usize) -> (Vec<StyledLine>, String) {
    let all = rows_for_height(model, tab, room);
    let top = model.scroll.unwrap_or(0).min(all.len().saturating_sub(room));
    let hidden = hidden_words(top, all.len().saturating_sub(top + room));
    (all.into_iter().skip(top).take(room).collect(), hidden)
}

/// Rows that another tab needs below the current one: a free row, its title, and some of its content.
const FURTHER: usize = 5;

/// Adds the other output of an ended run, and how the agent interprets it, below the current tab if there is room.
fn add_further_tabs(model: &Model, tab: Tab, mut lines: Vec<StyledLine>, room: usize) -> Vec<StyledLine> {
    let theme = model.theme;
    let Some(run) = model.selected_run().filter(|run| run.ended().is_some()) else { return lines };
    let further: &[Tab] = match tab {
        Tab::Stdout => &[Tab::Stderr, Tab::Decision],
        Tab::Stderr => &[Tab::Stdout, Tab::Decision],
        Tab::Decision => &[Tab::Stderr, Tab::Stdout],
        Tab::Stdin | Tab::Process | Tab::Why | Tab::Script => &[],
    };
    for other in further {
        let free = room.saturating_sub(lines.len());
        if free < FURTHER {
            break;
        }
        let mut rows = match other {
            Tab::Stdout => streams::first_rows(model, run.stream(Stream::Stdout), free),
            Tab::Stderr => streams::first_rows(model, run.stream(Stream::Stderr), free),
            other => rows_for_height(model, *other, free),
        };
        if rows.is_empty() {
            continue;
        }
        let whole = rows.len() + 2 <= free;
        rows.truncate(free - 2);
        if let Some(last) = rows.last_mut().filter(|_| !whole) {
            *last = vec![(theme.quiet(), format!("more in {}", other.title()))];
        }
        lines.push(StyledLine::new());
        lines.push(vec![(theme.quiet().add_modifier(Modifier::UNDERLINED), other.title().to_owned())]);
        lines.extend(rows);
    }
    lines
}

/// Width of a name in the list of hooks, in columns.
const LISTED: usize = 22;

/// The hook's name, and its place if another hook in the list has the same name.
fn name(model: &Model) -> (String, Option<String>) {
    if let Some(HookListRow::NotLoaded(_)) = model.rows.get(model.selected) {
        return ("not loaded".to_owned(), None);
    }
    let Some(definition) = model.definition() else { return ("Details".to_owned(), None) };
    let label = definition.label();
    let cut = |label: &str| fit(label, LISTED, model.theme);
    let called_so = |row: &HookListRow| match row {
        HookListRow::Hook(id) => {
            model.loaded().and_then(|l| l.definition(id)).is_some_and(|d| cut(&d.label()) == cut(&label))
        }
        _ => false,
    };
    let from = &definition.provenance;
    let twins = model.rows.iter().filter(|row| called_so(row)).count() > 1;
    let place = twins.then(|| format!("{}:{}", from.layer.word(), from.line));
    (label, place)
}

/// Minimum width of a name that is cut to make room for the tabs, in columns.
const NAME: usize = 4;

/// The parts of the title. The name is shortened first; if the tabs still do not fit, only the current one is
/// shown.
struct DetailTitle {
    name: String,
    place: Option<String>,
    /// The columns between the tabs; 0 if only the current one is shown.
    gap: usize,
    /// The byte mode, or the counts of hidden rows.
    right: Option<String>,
}

impl DetailTitle {
    fn of(model: &Model, hidden: &str, area: Rect) -> DetailTitle {
        let (name, place) = name(model);
        let mode = streams::mode_words(model).filter(|_| model.definition().is_some());
        let right = mode.or_else(|| Some(hidden.to_owned()).filter(|h| !h.is_empty()));
        let tabs = |gap: usize| Tab::ALL.iter().map(|t| width(t.title()) + gap).sum::<usize>();
        let one = width(model.current_tab().title()) + 2 + "7 of 7".len();
        let room = |tabs: usize, place: &Option<String>, right: &Option<String>| {
            let beside = right.as_ref().map_or(0, |r| width(r) + 4) + place.as_ref().map_or(0, |p| width(p) + 1);
            usize::from(area.width).saturating_sub(1 + 2 + tabs + beside)
        };
        // Removed first to last: space between the tabs, the end of the name, the name of a hook that has a namesake, the
        // byte mode.
        let named = place.clone().map_or((name.clone(), NAME), |place| (place.clone(), width(&place)));
        let ways = [
            (name.clone(), width(&name), place.clone(), right.clone(), 2),
            (name.clone(), NAME, place.clone(), right.clone(), 1),
            (named.0.clone(), named.1, None, right.clone(), 1),
            (named.0, named.1, None, None, 1),
        ];
        for (name, least, place, right, gap) in ways {
            let columns = room(tabs(gap), &place, &right);
            if columns >= width(&name).min(least) {
                return DetailTitle { name: fit(&name, columns, model.theme), place, gap, right };
            }
        }
        let name = fit(&name, room(one, &place, &right).max(NAME), model.theme);
        DetailTitle { name, place, gap: 0, right }
    }

    /// The column in which the first tab begins.
    fn first_tab_column(&self) -> usize {
        1 + width(&self.name) + self.place.as_ref().map_or(0, |p| width(p) + 1) + 2
    }
}

/// The places of the tabs in the title; empty unless all tabs are shown.
pub fn tab_places(model: &Model, area: Rect) -> Vec<(Tab, Rect)> {
    let room = streams::current_area(model).rows;
    let title = DetailTitle::of(model, &visible_rows(model, model.current_tab(), room).1, area);
    if model.definition().is_none() || title.gap == 0 {
        return Vec::new();
    }
    let mut x = usize::from(area.x) + title.first_tab_column();
    let place = |tab: Tab| {
        let wide = width(tab.title());
        let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        let place = Rect { x: number(x), width: number(wide), ..area };
        x += wide + title.gap;
        (tab, place)
    };
    Tab::ALL.into_iter().map(place).collect()
}

fn title(model: &Model, hidden: &str, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = RowWriter::new(area, buf, theme);
    let title = DetailTitle::of(model, hidden, area);
    if let Some(right) = &title.right {
        cells.right(theme.quiet(), &format!(" {right} "));
    }
    let focused = model.focus == Focus::Detail;
    let named = if focused { theme.name() } else { theme.strong() };
    cells.put(named, &format!(" {}", title.name));
    if let Some(place) = &title.place {
        cells.put(theme.quiet(), &format!(" {place}"));
    }
    if model.definition().is_none() {
        cells.put(theme.plain(), " ");
        return;
    }
    cells.put(theme.plain(), "  ");
    let space = if title.gap == 1 { " " } else { "  " };
    for (index, tab) in Tab::ALL.into_iter().enumerate() {
        if tab == model.current_tab() {
            let style = if focused { theme.selected() } else { theme.strong().add_modifier(Modifier::UNDERLINED) };
            cells.put(style, tab.title()).put(theme.plain(), space);
            if title.gap == 0 {
                cells.put(theme.quiet(), &format!("{} of {} ", index + 1, Tab::ALL.len()));
            }
        } else if title.gap > 0 {
            cells.put(theme.quiet(), tab.title()).put(theme.plain(), space);
        }
    }
    if streams::mode_words(model).is_none() {
        match cells.left() {
            7.. => cells.right(theme.quiet(), " [ ] "),
            3.. => cells.put(theme.quiet(), "[ ]"),
            _ => &mut cells,
        };
    }
}
