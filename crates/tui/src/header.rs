//! The first row: the project, the pages, the active modes, the agent. Where room is short, the program's name and the
//! agent's version give way first, then the project: the names of the pages stay.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::intercept::banner;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::page_registry::screen_of;
use crate::widgets::{RowWriter, fit, width};

const NAME: &str = "hookbench";
const ARMED: &str = "auto-fire ARMED";
const CONTAINED: &str = "contained";
const LOST: &str = "watch lost";
/// Maximum width of a project's name, in columns.
const PROJECT: usize = 24;
/// How much the header shows, from everything to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// The program's name, the project, pages with spaces, the agent with its version.
    All,
    /// Without the program's name.
    Project,
    /// Also without the agent's version.
    Agent,
    /// Pages with spaces, and the agent's name.
    Pages,
    /// Pages without spaces between key and name.
    Dense,
    /// Like `Dense`, with the first word of the agent's name.
    ShortAgent,
    /// Without the agent: the names of the pages are worth more.
    NoAgent,
    /// Only the current page has its name.
    Current,
}

/// The texts of a header, and the detail at which they fit.
struct HeaderTexts {
    left: String,
    tabs: Vec<(Page, String)>,
    agent: String,
    air: usize,
}

impl HeaderTexts {
    /// The fullest texts that fit.
    fn fitting(model: &Model, columns: u16) -> HeaderTexts {
        let signs: usize = signs(model).iter().map(|(_, sign)| width(sign) + 2).sum();
        let fits = |texts: &HeaderTexts| {
            let tabs: usize = texts.tabs.iter().map(|(_, text)| width(text) + texts.air).sum();
            1 + width(&texts.left) + tabs + width(&texts.agent) + 2 + signs <= usize::from(columns)
        };
        [Detail::All, Detail::Project, Detail::Agent, Detail::Pages, Detail::Dense, Detail::ShortAgent, Detail::NoAgent]
            .into_iter()
            .map(|detail| HeaderTexts::new(model, detail))
            .find(fits)
            .unwrap_or_else(|| HeaderTexts::new(model, Detail::Current))
    }

    fn new(model: &Model, detail: Detail) -> HeaderTexts {
        let project = project_name(model);
        let left = match detail {
            Detail::All => format!("{NAME}  {project}    "),
            Detail::Project | Detail::Agent => format!("{project}   "),
            _ => String::new(),
        };
        let agent = model.session.current().map_or_else(String::new, |agent| {
            let words = model.theme.version(&agent.version_words());
            let name = agent.dialect.name();
            match detail {
                Detail::All | Detail::Project => format!("{name} {words} "),
                Detail::Agent | Detail::Pages | Detail::Dense | Detail::Current => format!("{name} "),
                Detail::NoAgent => String::new(),
                Detail::ShortAgent => format!("{} ", name.split(' ').next().unwrap_or(name)),
            }
        });
        let dense = matches!(detail, Detail::Dense | Detail::ShortAgent | Detail::NoAgent | Detail::Current);
        let tab = |page: Page| {
            let key = model.key(UiCommand::Page(page));
            let count = match screen_of(page).tab_count(model) {
                0 => String::new(),
                count if dense => format!("!{count}"),
                count => format!(" {count}"),
            };
            let name = if detail == Detail::Current && page != model.page { "" } else { page.title() };
            (page, if dense { format!("{key}{name}{count}") } else { format!("{key} {name}{count}") })
        };
        let tabs = Page::ALL.iter().copied().filter(|page| page.spec().has_tab || *page == model.page).map(tab);
        HeaderTexts { left, tabs: tabs.collect(), agent, air: if dense { 1 } else { 2 } }
    }
}

/// The project's name: the last part of its path.
fn project_name(model: &Model) -> String {
    if model.demo {
        return "demo project".to_owned();
    }
    let project = &model.session.place().project;
    let name = project.rsplit('/').find(|part| !part.is_empty()).unwrap_or(project);
    fit(name, PROJECT, model.theme)
}

/// The active modes, with their styles.
fn signs(model: &Model) -> Vec<(Style, String)> {
    let theme = model.theme;
    let watch = &model.session.auto_fire();
    let modes = [
        (watch.armed, theme.warn(), ARMED),
        (watch.lost.is_some(), theme.warn(), LOST),
        (model.session.is_contained(), theme.strong(), CONTAINED),
    ];
    let modes = modes.into_iter().filter(|(on, ..)| *on).map(|(_, style, sign)| (style, sign.to_owned()));
    modes.chain(banner::recording_sign(model)).collect()
}

/// Draws the header.
pub fn draw_header(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let theme = model.theme;
    let texts = HeaderTexts::fitting(model, area.width);
    let mut cells = RowWriter::new(area, buf, theme);
    cells.right(theme.quiet(), &texts.agent);
    for (style, sign) in signs(model) {
        cells.right(style, &sign);
    }
    if texts.left.starts_with(NAME) {
        cells.skip(1).put(theme.name(), NAME).put(theme.strong(), texts.left.strip_prefix(NAME).unwrap_or_default());
    } else {
        cells.skip(1).put(theme.strong(), &texts.left);
    }
    for (index, (page, text)) in texts.tabs.into_iter().enumerate() {
        let current = theme.name().add_modifier(Modifier::UNDERLINED);
        cells.skip(if index > 0 { texts.air } else { 0 });
        cells.put(if page == model.page { current } else { theme.quiet() }, &text);
    }
}

/// The places of the tabs, for the mouse.
pub fn page_places(model: &Model, area: Rect) -> Vec<(Page, Rect)> {
    if area.height == 0 {
        return Vec::new();
    }
    let texts = HeaderTexts::fitting(model, area.width);
    let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let mut x = usize::from(area.x) + 1 + width(&texts.left);
    let air = texts.air;
    let place = |(page, text): (Page, String)| {
        let wide = width(&text);
        let place = Rect { x: number(x), width: number(wide), ..area }.intersection(area);
        x += wide + air;
        (page, place)
    };
    texts.tabs.into_iter().map(place).collect()
}
