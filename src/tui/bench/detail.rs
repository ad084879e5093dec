//! The selected hook: its streams, what the agent makes of its answer, its process, its ladder.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::{answer, climb, process, streams};
use crate::core::hook::HookDefinition;
use crate::core::run::Launch;
use crate::tui::keymap::Verb;
use crate::tui::model::{Focus, Model, Row, Tab};
use crate::tui::widgets::{Cells, json_line, width, wrap};

/// A line in pieces.
pub type Line = Vec<(Style, String)>;

/// A line, and the column in which it goes on where it has to be broken.
#[derive(Debug, Clone)]
pub struct Block {
    pub indent: usize,
    pub line: Line,
}

impl Block {
    /// A line.
    pub fn new(indent: usize, line: Line) -> Block {
        Block { indent, line }
    }
}

/// Draws the pane: title with tabs, the lines, the search, and for a process its clock against the timeout.
pub fn detail(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let theme = model.theme;
    title(model, Rect { height: 1, ..area }, buf);
    let tab = model.current_tab();
    let pane = streams::pane(model, area.height, area.width);
    let lines: Vec<Line> = if is_stream(tab) && model.selected_run().is_some() {
        streams::rows(model, pane)
    } else {
        let all = detail_rows(model, tab);
        let top = model.scroll.unwrap_or(0).min(all.len().saturating_sub(pane.rows));
        all.into_iter().skip(top).take(pane.rows).collect()
    };
    let rows = (area.y + 1..area.bottom()).zip(&lines);
    let below: Vec<Line> = streams::foot(model).into_iter().chain(clock_line(model)).collect();
    let first = area.bottom().saturating_sub(u16::try_from(below.len()).unwrap_or(0)).max(area.y + 1);
    for (y, line) in rows.chain((first..area.bottom()).zip(&below)) {
        let mut cells = Cells::new(Rect { y, height: 1, ..area }, buf, theme);
        cells.skip(1);
        for (style, text) in line {
            cells.put(*style, text);
        }
    }
}

fn is_stream(tab: Tab) -> bool {
    matches!(tab, Tab::Stdin | Tab::Stdout | Tab::Stderr)
}

/// What the pane is about.
fn name(model: &Model) -> String {
    match model.rows.get(model.selected) {
        Some(Row::NotLoaded(_)) => "not loaded".to_owned(),
        _ => model.definition().map_or_else(String::new, HookDefinition::label),
    }
}

/// Else only the current one is named.
fn all_tabs_fit(model: &Model, area: Rect) -> bool {
    let mode = streams::mode_words(model).filter(|_| model.definition().is_some());
    let tabs: usize = Tab::ALL.iter().map(|t| width(t.title()) + 2).sum();
    let needed = 1 + width(&name(model)) + 2 + tabs + mode.map_or(0, |m| width(&m) + 3);
    needed <= usize::from(area.width)
}

/// Where the names of the tabs stand in the title, when all of them do.
pub fn tab_places(model: &Model, area: Rect) -> Vec<(Tab, Rect)> {
    if model.definition().is_none() || !all_tabs_fit(model, area) {
        return Vec::new();
    }
    let mut x = usize::from(area.x) + 1 + width(&name(model)) + 2;
    let place = |tab: Tab| {
        let wide = width(tab.title());
        let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        let place = Rect { x: number(x), width: number(wide), ..area };
        x += wide + 2;
        (tab, place)
    };
    Tab::ALL.into_iter().map(place).collect()
}

fn title(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = Cells::new(area, buf, theme);
    let name = name(model);
    let has_tabs = model.definition().is_some();
    let mode = streams::mode_words(model).filter(|_| has_tabs);
    let whole = all_tabs_fit(model, area);
    if let Some(mode) = &mode {
        cells.right(theme.quiet(), &format!("{mode} "));
    }
    cells.skip(1).put(theme.strong(), &name).skip(2);
    if !has_tabs {
        return;
    }
    let focused = model.focus == Focus::Detail;
    for (index, tab) in Tab::ALL.into_iter().enumerate() {
        if tab == model.current_tab() {
            let style = if focused { theme.selected() } else { theme.strong().add_modifier(Modifier::UNDERLINED) };
            cells.put(style, tab.title()).skip(2);
            if !whole {
                cells.put(theme.quiet(), &format!("{} of {}", index + 1, Tab::ALL.len()));
            }
        } else if whole {
            cells.put(theme.quiet(), tab.title()).skip(2);
        }
    }
    if mode.is_none() {
        cells.right(theme.quiet(), "[ ] ");
    }
}

/// The lines of a tab that is no stream, broken where the pane ends.
pub fn detail_rows(model: &Model, tab: Tab) -> Vec<Line> {
    let columns = super::detail_width(model.size, model.zoomed, model.split);
    detail_lines(model, tab).iter().flat_map(|block| wrap(&block.line, columns, block.indent)).collect()
}

fn detail_lines(model: &Model, tab: Tab) -> Vec<Block> {
    let theme = model.theme;
    let one = |style: Style, text: &str| Block::new(0, vec![(style, text.to_owned())]);
    if let Some(Row::NotLoaded(_)) = model.rows.get(model.selected) {
        return climb::lines(model);
    }
    let Some(definition) = model.definition() else {
        let says = format!("{} shows the hooks of other events", model.key(Verb::Open));
        return vec![one(theme.quiet(), if model.rows.is_empty() { "" } else { &says })];
    };
    match tab {
        Tab::Stdin => {
            let json = |text: &String| {
                let (indent, key, value) = json_line(text);
                let line = vec![
                    (theme.plain(), indent.to_owned()),
                    (theme.key(), key.to_owned()),
                    (theme.plain(), value.to_owned()),
                ];
                Block::new(indent.len() + 2, line)
            };
            let says = one(theme.quiet(), "it would be given this, as one line");
            std::iter::once(says).chain(model.event_lines.iter().map(json)).collect()
        }
        Tab::Stdout | Tab::Stderr => {
            let key = model.key(Verb::Fire);
            let says = model.gone().map(|run| run.gone_words(&key));
            vec![one(theme.quiet(), &says.unwrap_or_else(|| format!("not run yet; {key} fires the event")))]
        }
        Tab::Decision => answer::lines(model),
        Tab::Process => process::lines(model, definition),
        Tab::Why => climb::lines(model),
    }
}

/// `600 s`, `1.5 s`, `38 ms`.
pub fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(1) && !time.is_zero() {
        return format!("{} ms", time.as_millis());
    }
    let text = format!("{:.1}", time.as_secs_f64());
    format!("{} s", text.strip_suffix(".0").unwrap_or(&text))
}

/// The limit that a run is under.
pub fn limit(launch: &Launch) -> Option<Duration> {
    match launch {
        Launch::Process(spec) => spec.timeout,
        Launch::Http(spec) => spec.timeout,
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => None,
    }
}

/// Cells of the clock.
const CLOCK: usize = 10;

/// How long it ran or has run, against its timeout, and what running out of time means.
pub fn clock_line(model: &Model) -> Option<Line> {
    let theme = model.theme;
    let run = model.selected_run()?;
    let limit = limit(&run.launch)?;
    let used = match run.ended() {
        Some(ended) => ended.report.timing.duration(),
        None => model.started.map(|s| s.elapsed()).unwrap_or_default(),
    };
    let share = (used.as_secs_f64() / limit.as_secs_f64().max(1e-9)).clamp(0.0, 1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of ten cells")]
    let filled = (share * 10.0).ceil() as usize;
    let bar = format!("|{}{}|", "=".repeat(filled), " ".repeat(CLOCK - filled.min(CLOCK)));
    let used =
        if used.as_secs() < 1 { format!("{} ms", used.as_millis()) } else { format!("{:.1} s", used.as_secs_f64()) };
    let style = if share >= 1.0 { theme.warn() } else { theme.quiet() };
    let mut line = vec![(theme.plain(), format!("{used} of {}  ", seconds(limit)))];
    let narrow = model.size.0 < 60;
    if !narrow {
        line.push((style, format!("{bar}  ")));
    }
    let means = model.known.as_ref().and_then(|k| k.prospect.as_ref()).map(|p| p.timeout_means.as_str());
    if let Some(first) = means.and_then(|m| m.split(", ").next()) {
        let short = first.strip_prefix("a timeout here ").filter(|_| narrow);
        line.push((style, short.map_or_else(|| first.to_owned(), |rest| format!("timeout {rest}"))));
    }
    Some(line)
}
