//! The first row: the pages, the project, the agent, the active modes. The tabs keep their places.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::intercept::banner;
use crate::model::Model;
use crate::page::Page;
use crate::widgets::{RowWriter, width};

const NAME: &str = "hookbench";
const OFF: &str = "auto-fire off";
const ARMED: &str = "auto-fire ARMED";
const CONTAINED: &str = "contained";
const LOST: &str = "watch lost";
/// Minimum width of a project's name, in columns.
const PROJECT: usize = 12;
/// Columns between tabs.
const AIR: usize = 2;

/// Draws the header.
pub fn draw_header(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let theme = model.theme;
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(1).put(theme.strong(), NAME).skip(AIR);
    for (index, (page, text)) in tabs(model, area).into_iter().enumerate() {
        let current = theme.strong().add_modifier(Modifier::UNDERLINED);
        cells.skip(if index > 0 { AIR } else { 0 });
        cells.put(if page == model.page { current } else { theme.quiet() }, &text);
    }
    cells.skip(AIR);
    let place = model.session.place();
    let project = if model.demo {
        "demo project".to_owned()
    } else {
        place.project.strip_prefix(&place.home).map_or_else(|| place.project.clone(), |rest| format!("~{rest}"))
    };
    let rec = banner::recording_sign(model);
    if let Some(agent) = model.session.current() {
        let name = agent.dialect.name();
        let words = format!("{name} {} ", theme.version(&agent.version_words()));
        // The active modes take precedence over the agent's version.
        let watch = model.session.auto_fire();
        let signs = [(watch.armed, ARMED), (watch.lost.is_some(), LOST), (model.session.is_contained(), CONTAINED)];
        let taken: usize = signs.iter().filter(|(on, _)| *on).map(|(_, sign)| width(sign) + 2).sum();
        let taken = taken + rec.as_ref().map_or(0, |(_, sign)| width(sign) + 2);
        let fits = cells.left() >= width(&words) + width(&project).min(PROJECT) + 2 + taken;
        cells.right(theme.plain(), &if fits { words } else { format!("{name} ") });
    }
    // The project and the active modes take precedence over inactive ones.
    let others = [(model.session.auto_fire().lost.is_some(), LOST), (model.session.is_contained(), CONTAINED)];
    let others: usize = others.iter().filter(|(on, _)| *on).map(|(_, sign)| width(sign) + 2).sum();
    let others = others + rec.as_ref().map_or(0, |(_, sign)| width(sign) + 2);
    if model.session.auto_fire().armed {
        cells.right(theme.warn(), ARMED);
    } else if cells.left() >= width(&project) + 2 + width(OFF) + 2 + others {
        cells.right(theme.quiet(), OFF);
    }
    if model.session.auto_fire().lost.is_some() {
        cells.right(theme.warn(), LOST);
    }
    if model.session.is_contained() {
        cells.right(theme.strong(), CONTAINED);
    }
    match rec {
        Some((style, sign)) => _ = cells.right(style, &sign),
        None if cells.left() >= width(&project) + 2 + width(banner::OFF) + 2 => {
            cells.right(theme.quiet(), banner::OFF);
        }
        None => {}
    }
    cells.put(theme.plain(), &project);
}

/// Every page with its tab: the key and the name. If the names do not fit, only the current page is named.
fn tabs(model: &Model, area: Rect) -> Vec<(Page, String)> {
    let count = |page: Page, mark: &str| match page.screen().tab_count(model) {
        0 => String::new(),
        count => format!("{mark}{count}"),
    };
    let key = |page: Page| model.key(page.command());
    let whole: Vec<(Page, String)> =
        Page::with_tab().map(|page| (page, format!("{} {}{}", key(page), page.title(), count(page, " ")))).collect();
    let wide: usize = whole.iter().map(|(_, text)| width(text) + AIR).sum();
    // A lost watch takes precedence over the names of pages.
    let lost = if model.session.auto_fire().lost.is_some() { width(LOST) + width(ARMED) + 4 } else { 0 };
    let lost = lost + banner::recording_sign(model).map_or(0, |(_, sign)| width(&sign) + 2);
    if 1 + width(NAME) + wide + PROJECT + lost <= usize::from(area.width) {
        return whole;
    }
    let short = |(page, text)| {
        // The number is always shown.
        (page, if page == model.page { text } else { format!("{}{}", key(page), count(page, "!")) })
    };
    whole.into_iter().map(short).collect()
}

/// The places of the tabs, for the mouse.
pub fn page_places(model: &Model, area: Rect) -> Vec<(Page, Rect)> {
    if area.height == 0 {
        return Vec::new();
    }
    let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let mut x = usize::from(area.x) + 1 + width(NAME) + AIR;
    let place = |(page, text): (Page, String)| {
        let wide = width(&text);
        let place = Rect { x: number(x), width: number(wide), ..area }.intersection(area);
        x += wide + AIR;
        (page, place)
    };
    tabs(model, area).into_iter().map(place).collect()
}
