//! The first row: the project, the pages, the active modes, the agent. Where room is short, the program's name and the
//! words of the agent's version give way first, then the project: the names of the pages stay. While a mode is active,
//! the mode and the agent stay instead: both decide what a key does.

use hookbench_core::config::EnvironmentSource;
use hookbench_core::dialects::NEVER_RELEASED;
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
/// The signs of the modes, and their short forms.
const ARMED: [&str; 2] = ["auto-fire ARMED", "ARMED"];
const CONTAINED: [&str; 2] = ["contained", "contained"];
const AS_TRUSTED: [&str; 2] = ["as if trusted", "trusted"];
const WITH_ARGUMENTS: [&str; 2] = ["with agent arguments", "args"];
const LOGIN_ENVIRONMENT: [&str; 2] = ["login env", "login env"];
const AGENT_ENVIRONMENT: [&str; 2] = ["agent env", "agent env"];
const LOST: [&str; 2] = ["watch lost", "watch lost"];
/// Maximum width of a project's name, in columns.
const PROJECT: usize = 24;
/// Columns for the number of a tab: a sign and two digits.
const COUNT: usize = 3;
/// How much the header shows, from everything to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// The program's name, the project, pages with spaces, the agent with its version.
    All,
    /// Without the program's name.
    Project,
    /// The agent's version as a number and a sign.
    ShortVersion,
    /// Without the agent's version.
    Agent,
    /// Without the project: pages with spaces, the first word of the agent's name, and the short version.
    Pages,
    /// Pages with spaces, and the agent's name.
    PagesOnly,
    /// Pages without spaces between key and name, the agent with its short version.
    Dense,
    /// Like `Dense`, without the version.
    DenseAgent,
    /// Like `Dense`, with the first word of the agent's name.
    ShortAgent,
    /// Without the agent: the names of the pages are worth more.
    NoAgent,
    /// Only the current page has its name.
    Current,
    /// Like `Current`, with the first word of the agent's name.
    CurrentShort,
}

impl Detail {
    /// The steps while no mode is active.
    const STEPS: [Detail; 12] = [
        Detail::All,
        Detail::Project,
        Detail::ShortVersion,
        Detail::Agent,
        Detail::Pages,
        Detail::PagesOnly,
        Detail::Dense,
        Detail::DenseAgent,
        Detail::ShortAgent,
        Detail::NoAgent,
        Detail::Current,
        Detail::CurrentShort,
    ];

    /// The steps, and whether the signs are short.
    fn steps(has_mode: bool) -> impl Iterator<Item = (Detail, bool)> {
        let steps = Detail::STEPS.into_iter().filter(move |step| !has_mode || *step != Detail::NoAgent);
        steps.flat_map(move |step| {
            let shortens = matches!(step, Detail::ShortAgent | Detail::Current | Detail::CurrentShort);
            [(step, false), (step, true)].into_iter().filter(move |(_, short)| !short || has_mode && shortens)
        })
    }

    fn is_dense(self) -> bool {
        matches!(self, Detail::Dense | Detail::DenseAgent | Detail::ShortAgent | Detail::NoAgent) || self.is_current()
    }

    fn is_current(self) -> bool {
        matches!(self, Detail::Current | Detail::CurrentShort)
    }
}

/// How the tabs of rarely opened pages are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RareTabs {
    Named,
    Keys,
    Hidden,
}

/// One tab: its key and name, its number with a style, and the empty columns that a number will need.
struct TabTexts {
    page: Page,
    name: String,
    count: Option<(Style, String)>,
    reserved: usize,
}

impl TabTexts {
    fn wide(&self) -> usize {
        width(&self.name) + self.count.as_ref().map_or(0, |(_, text)| width(text)) + self.reserved
    }
}

/// The texts of a header, and the detail at which they fit.
struct HeaderTexts {
    left: String,
    tabs: Vec<TabTexts>,
    agent: String,
    signs: Vec<(Style, String)>,
    air: usize,
}

impl HeaderTexts {
    /// The fullest texts that fit.
    fn fitting(model: &Model, columns: u16) -> HeaderTexts {
        let fits = |texts: &HeaderTexts| {
            let tabs: usize = texts.tabs.iter().map(|tab| tab.wide() + texts.air).sum();
            let agent = if texts.agent.is_empty() { 0 } else { width(&texts.agent) + 2 };
            let signs: usize = texts.signs.iter().map(|(_, sign)| width(sign) + 2).sum();
            1 + width(&texts.left) + tabs.saturating_sub(texts.air) + agent + signs <= usize::from(columns)
        };
        let mode = has_mode(model);
        let with = |rare: RareTabs, holds: fn(Detail) -> bool| {
            let steps = Detail::steps(mode).filter(move |(detail, _)| holds(*detail));
            steps.map(move |(detail, short)| HeaderTexts::new(model, detail, short, rare))
        };
        let is_spaced = |detail: Detail| !detail.is_dense();
        let is_dense = |detail: Detail| detail.is_dense() && !detail.is_current();
        with(RareTabs::Named, is_spaced)
            .chain(with(RareTabs::Keys, is_spaced))
            .chain(with(RareTabs::Named, |detail| {
                detail.is_dense() && !detail.is_current() && detail != Detail::NoAgent
            }))
            .chain(with(RareTabs::Keys, is_dense))
            .chain(with(RareTabs::Hidden, is_dense))
            .chain(with(RareTabs::Keys, Detail::is_current))
            .find(fits)
            .unwrap_or_else(|| HeaderTexts::new(model, Detail::CurrentShort, true, RareTabs::Keys))
    }

    fn new(model: &Model, detail: Detail, short_signs: bool, rare: RareTabs) -> HeaderTexts {
        let project = project_name(model);
        let left = match detail {
            Detail::All => format!("{NAME}  {project}    "),
            Detail::Project | Detail::ShortVersion | Detail::Agent => format!("{project}   "),
            _ => String::new(),
        };
        let agent = model.session.current().map_or_else(String::new, |agent| {
            let full = model.theme.version(&agent.version_words());
            let short = model.theme.version(&agent.short_version_words());
            let name = agent.dialect.name();
            let first = name.split(' ').next().unwrap_or(name);
            let is_released = agent.dialect.is_released();
            match detail {
                Detail::All | Detail::Project => format!("{name} {full} "),
                // The label of such an agent is always visible.
                Detail::ShortVersion | Detail::Agent | Detail::Pages | Detail::PagesOnly | Detail::Current
                    if !is_released =>
                {
                    format!("{name}, {NEVER_RELEASED} ")
                }
                _ if !is_released => format!("{name}, unreleased "),
                Detail::ShortVersion | Detail::Dense => format!("{name} {short} "),
                Detail::Agent | Detail::PagesOnly | Detail::DenseAgent | Detail::Current => format!("{name} "),
                Detail::Pages => format!("{first} {short} "),
                Detail::NoAgent => String::new(),
                Detail::ShortAgent | Detail::CurrentShort => format!("{first} "),
            }
        });
        let dense = detail.is_dense();
        let tab = |page: Page| {
            let key = model.key(UiCommand::Page(page));
            let is_bare =
                page != model.page && (detail.is_current() || rare != RareTabs::Named && !is_named(model, page));
            let name = if is_bare { "" } else { page.title() };
            let name = if dense || is_bare { format!("{key}{name}") } else { format!("{key} {name}") };
            let number = screen_of(page).tab_count(model);
            // The number comes later and may grow a digit; the tabs beside it stay where they are.
            let room = if number.is_some() && !detail.is_current() { COUNT } else { 0 };
            let sign = if dense { "!" } else { " " };
            let count = number.filter(|(count, _)| *count > 0).map(|(count, style)| (style, format!("{sign}{count}")));
            let reserved = room.saturating_sub(count.as_ref().map_or(0, |(_, text)| width(text)));
            TabTexts { page, name, count, reserved }
        };
        let is_shown = |page: &Page| rare != RareTabs::Hidden || *page == model.page || is_named(model, *page);
        let tabs = Page::ALL.iter().copied().filter(is_shown).map(tab);
        let signs = signs(model, short_signs);
        HeaderTexts { left, tabs: tabs.collect(), agent, signs, air: if dense { 1 } else { 2 } }
    }
}

/// Whether the tab of a page keeps its name: always, or while it has something to answer.
fn is_named(model: &Model, page: Page) -> bool {
    let waits = page == Page::Intercept && !model.session.live().pending.is_empty();
    page.spec().has_tab || waits
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
fn signs(model: &Model, short: bool) -> Vec<(Style, String)> {
    let theme = model.theme;
    let watch = &model.session.auto_fire();
    let source = model.session.place().env_source;
    let modes = [
        (watch.armed, theme.warn(), ARMED),
        (watch.lost.is_some(), theme.warn(), LOST),
        (model.session.is_contained(), theme.strong(), CONTAINED),
        (model.session.place().assumes_trust, theme.warn(), AS_TRUSTED),
        (model.session.place().arguments.is_some(), theme.warn(), WITH_ARGUMENTS),
        (source == EnvironmentSource::Login, theme.warn(), LOGIN_ENVIRONMENT),
        (source == EnvironmentSource::Agent, theme.warn(), AGENT_ENVIRONMENT),
    ];
    let modes = modes.into_iter().filter(|(on, ..)| *on);
    let modes = modes.map(|(_, style, [long, brief])| (style, if short { brief } else { long }.to_owned()));
    modes.chain(banner::recording_sign(model, short)).collect()
}

/// Whether a mode is active that decides how hooks run.
fn has_mode(model: &Model) -> bool {
    let watch = model.session.auto_fire();
    let place = model.session.place();
    let chosen = place.assumes_trust || place.arguments.is_some() || place.env_source != EnvironmentSource::Shell;
    watch.armed || watch.lost.is_some() || model.session.is_contained() || chosen
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
    for (style, sign) in &texts.signs {
        cells.right(*style, sign);
    }
    if texts.left.starts_with(NAME) {
        cells.skip(1).put(theme.name(), NAME).put(theme.strong(), texts.left.strip_prefix(NAME).unwrap_or_default());
    } else {
        cells.skip(1).put(theme.strong(), &texts.left);
    }
    for (index, tab) in texts.tabs.into_iter().enumerate() {
        let current = theme.name().add_modifier(Modifier::UNDERLINED);
        cells.skip(if index > 0 { texts.air } else { 0 });
        cells.put(if tab.page == model.page { current } else { theme.quiet() }, &tab.name);
        if let Some((style, count)) = &tab.count {
            cells.put(*style, count);
        }
        cells.skip(tab.reserved);
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
    let place = |tab: TabTexts| {
        let wide = tab.wide();
        let place = Rect { x: number(x), width: number(wide - tab.reserved), ..area }.intersection(area);
        x += wide + air;
        (tab.page, place)
    };
    texts.tabs.into_iter().map(place).collect()
}
