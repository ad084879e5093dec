//! The help: the keys of the open page in three groups and the signs on it, and after Tab all keys with a search.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{HelpView, foot, frame, row};
use crate::keymap::UiCommand as Ui;
use crate::model::Model;
use crate::page::Page;
use crate::page_registry::screen_of;
use crate::screen::{HelpRow, PageKeys};
use crate::widgets::{ListWindow, RowWriter, width};

/// The keys that move on every page.
const MOVE: &[PageKeys] = &[
    (&[Ui::Up, Ui::Down], "move"),
    (&[Ui::PageUp, Ui::PageDown, Ui::Top, Ui::Bottom], "page, first, last"),
    (&[Ui::NextPane, Ui::Open, Ui::Back], "pane, open, back"),
];

/// The other keys of every page. The keys of the pages come before them.
const EVERYWHERE: &[PageKeys] = &[
    (&[Ui::Palette, Ui::Find], "run command, find"),
    (&[Ui::Copy, Ui::CopyCommand], "copy text, command"),
    (&[Ui::Agent, Ui::NewHook, Ui::Capture], "agent, new, capture"),
    (&[Ui::Quit, Ui::Cancel], "quit, cancel run"),
];

/// Columns of the popup.
const WIDE: u16 = 96;
/// Columns of the list of all keys: the longest sentence fits.
const ALL_WIDE: u16 = 112;
/// Columns below which the groups are below each other.
const TWO_COLUMNS: u16 = 70;

impl HelpView {
    /// Draws the help.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, model: &Model) {
        if self.all {
            self.draw_all(area, buf, model);
        } else {
            self.draw_page(area, buf, model);
        }
    }

    fn draw_page(&self, area: Rect, buf: &mut Buffer, model: &Model) {
        let theme = model.theme;
        let groups = groups(model);
        let height = |groups: &[KeyGroup]| groups.iter().map(|(_, rows)| rows.len() + 2).sum::<usize>().max(1) - 1;
        let beside = area.width >= TWO_COLUMNS;
        let (left, right) = groups.split_at(if beside { 1 } else { groups.len() });
        let rows = height(left).max(height(right));
        let tall = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2);
        let inner = frame(area, buf, theme, &format!("{} keys", model.page.title()), WIDE, tall);
        let room = usize::from(inner.height);
        let (top, below) = ListWindow::from(self.top, rows, room).hidden();
        foot(inner, buf, theme, (top, below));
        let half = inner.width / 2;
        let columns = [
            Rect { width: if beside { half - 1 } else { inner.width }, ..inner },
            Rect { x: inner.x + half + 1, width: inner.width.saturating_sub(half + 1), ..inner },
        ];
        for (groups, column) in [left, right].into_iter().zip(columns) {
            let keys = groups.iter().flat_map(|(_, rows)| rows).map(|(keys, _)| width(keys)).max().unwrap_or(0);
            let mut at = 0;
            for (title, rows) in groups {
                let lines =
                    std::iter::once((title.as_str(), "")).chain(rows.iter().map(|(k, l)| (k.as_str(), l.as_str())));
                for (index, (key, label)) in lines.enumerate() {
                    if let Some(y) = (at + index).checked_sub(top) {
                        let mut cells = RowWriter::new(row(column, y), buf, theme);
                        if index == 0 {
                            cells.put(theme.strong(), key);
                        } else {
                            cells.cell(theme.name(), key, keys).put(theme.plain(), label);
                        }
                    }
                }
                at += rows.len() + 2;
            }
        }
    }

    fn draw_all(&self, area: Rect, buf: &mut Buffer, model: &Model) {
        let theme = model.theme;
        let words = screen_of(model.page).filter_words(model);
        let title = if words.is_empty() { "All keys" } else { "Words of the filter, all keys" };
        let inner = frame(area, buf, theme, title, ALL_WIDE, area.height.saturating_sub(2).max(8));
        let mut cells = RowWriter::new(row(inner, 0), buf, theme);
        cells.put(theme.name(), "/ ").put(theme.strong(), &self.filter);
        let wanted = self.filter.to_lowercase();
        let keys = model.config.keys.rows().map(|(binding, chords)| {
            let key = if chords.is_empty() { format!(":{}", binding.name) } else { chords.join(" ") };
            (key, binding.help.to_owned())
        });
        let rows = words.into_iter().chain(keys);
        let shown: Vec<_> =
            rows.filter(|(keys, help)| format!("{keys} {help}").to_lowercase().contains(&wanted)).collect();
        let room = usize::from(inner.height.saturating_sub(2));
        let (top, below) = ListWindow::from(self.top, shown.len(), room).hidden();
        foot(inner, buf, theme, (top, below));
        let wide = shown.iter().map(|(keys, _)| width(keys)).max().unwrap_or(0).min(usize::from(inner.width) / 3);
        for (index, (keys, help)) in shown.iter().skip(top).take(room).enumerate() {
            RowWriter::new(row(inner, index + 2), buf, theme)
                .cell(theme.name(), keys, wide)
                .sentence(theme.plain(), help);
        }
        if shown.is_empty() {
            RowWriter::new(row(inner, 2), buf, theme).put(theme.quiet(), "no match");
        }
    }
}

/// A title and its rows.
type KeyGroup = (String, Vec<HelpRow>);

/// The keys of the open page in three groups, and the signs on the screen.
fn groups(model: &Model) -> [KeyGroup; 4] {
    let row = |(commands, label): &PageKeys| -> Option<HelpRow> {
        let keys: Vec<&str> = commands.iter().map(|command| model.config.keys.first_key(*command)).collect();
        let keys = keys.into_iter().filter(|key| !key.is_empty()).collect::<Vec<_>>().join(" ");
        (!keys.is_empty()).then(|| (keys, (*label).to_owned()))
    };
    let rows = |all: &[PageKeys]| all.iter().filter_map(row).collect::<Vec<_>>();
    let pages: Vec<&str> = Page::ALL.iter().map(|page| model.config.keys.first_key(Ui::Page(*page))).collect();
    let mut everywhere = vec![(pages.join(" "), "open a page".to_owned())];
    everywhere.extend(rows(EVERYWHERE));
    let mut signs = screen_of(model.page).signs(model.theme);
    signs.push((model.theme.version("≈"), "version not measured".to_owned()));
    [
        (model.page.title().to_owned(), rows(screen_of(model.page).keys())),
        ("Move".to_owned(), rows(MOVE)),
        ("Everywhere".to_owned(), everywhere),
        ("Signs".to_owned(), signs),
    ]
}
