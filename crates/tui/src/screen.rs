//! The trait of a page. The state of a page is a part of the model, because commands of other pages change it too, so the
//! methods receive the model.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::bench::{Band, FrameLayout, bench_items, draw_event_line};
use crate::command_lines::bench_line;
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::layer_keys::LayerKey;
use crate::model::Model;
use crate::page::Page;
use crate::theme::Theme;
use crate::update::LoopRequest;

/// A command in the footer and its label; an empty label means the label of the table of commands.
pub type FooterKey = (UiCommand, &'static str);

/// Commands that share a row of the help, and the label of the row.
pub type PageKeys = (&'static [UiCommand], &'static str);

/// A row of the help: keys and their meaning.
pub type HelpRow = (String, String);

/// The list of a page in plain mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageList {
    /// The name of the list. It is printed once when the page shows another list.
    pub title: String,
    /// A number to select each row by, and the row as a sentence, in the order in which `step` moves.
    pub rows: Vec<(usize, String)>,
    /// The index of the selected row.
    pub selected: usize,
}

impl PageList {
    /// A list whose rows are numbered from 1.
    pub fn new(title: impl Into<String>, rows: impl IntoIterator<Item = String>, selected: usize) -> PageList {
        PageList { title: title.into(), rows: (1..).zip(rows).collect(), selected }
    }
}

/// A page. The default methods describe a page with a tab that shows nothing but the event on the bench.
pub trait Screen: Sync {
    /// A number in the tab and its style; 0 is not shown. `None` if the tab never has a number.
    fn tab_count(&self, _: &Model) -> Option<(usize, Style)> {
        None
    }

    /// Updates the page's state while it is open.
    fn refresh(&self, _: &mut Model) {}

    /// Whether `refresh` is also called while another page is open.
    fn always_fresh(&self) -> bool {
        false
    }

    /// Reacts to a message after which the page is open; `before` is the page that was open before the message.
    fn on_open(&self, _: &mut Model, _before: Page, _: &mut Vec<LoopRequest>) {}

    /// Reacts to new output of a running hook.
    fn on_output(&self, _: &mut Model) {}

    /// Handles a command; returns `false` if it has its general meaning.
    fn on_command(&self, _: &mut Model, _: UiCommand, _: &mut Vec<LoopRequest>) -> bool {
        false
    }

    /// Handles a key while text is typed; returns `false` if the key is a command.
    fn on_typing_key(&self, _: &mut Model, _: KeyEvent, _: &mut Vec<LoopRequest>) -> bool {
        false
    }

    /// Handles a pasted line; returns `false` if no text is being typed.
    fn on_paste(&self, _: &mut Model, _text: &str, _: &mut Vec<LoopRequest>) -> bool {
        false
    }

    /// Handles a click.
    fn on_click(&self, _: &mut Model, _: Position, _: &mut Vec<LoopRequest>) {}

    /// Moves up or down in the focused list or text.
    fn step(&self, _: &mut Model, _by: isize, _: &mut Vec<LoopRequest>) {}

    /// The number of visible rows of that list or text.
    fn visible_rows(&self, _: &Model) -> usize {
        0
    }

    /// The number of rows that a page up or down moves.
    fn page_rows(&self, model: &Model) -> isize {
        isize::try_from(self.visible_rows(model)).unwrap_or(10).max(2) - 1
    }

    /// Moves the cursor by a page.
    fn turn_page(&self, model: &mut Model, forward: bool, asks: &mut Vec<LoopRequest>) {
        let rows = self.page_rows(model);
        self.step(model, if forward { rows } else { -rows }, asks);
    }

    /// Handles a turn of the wheel by -1 or 1.
    fn on_wheel(&self, model: &mut Model, _: Position, by: isize, asks: &mut Vec<LoopRequest>) {
        self.step(model, by, asks);
    }

    fn band(&self, model: &Model) -> Band {
        Band::of(model)
    }

    /// Draws the line above the band. Returns the cursor's position while text is typed there.
    fn draw_top_line(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
        draw_event_line(model, area, buf);
        None
    }

    /// Draws everything below the band.
    fn draw(&self, model: &Model, at: &FrameLayout, buf: &mut Buffer);

    /// The keys while text is typed on the page; `None` if no text is typed.
    fn typing_keys(&self, _: &Model) -> Option<Vec<LayerKey>> {
        None
    }

    /// The commands in the footer, the most important first. Help and quit follow on every page.
    fn footer(&self, model: &Model, at: &FrameLayout) -> Vec<FooterKey>;

    /// The commands of the page in the order of the help. A command that is not here and not general belongs to
    /// another page.
    fn keys(&self) -> &'static [PageKeys];

    /// The command that puts what is selected on the bench.
    fn bench_command(&self) -> UiCommand {
        UiCommand::Page(Page::Bench)
    }

    /// The words of the page's filter, for the help.
    fn filter_words(&self, _: &Model) -> Vec<HelpRow> {
        Vec::new()
    }

    /// The signs of the page and their meanings, for the help.
    fn signs(&self, _: Theme) -> Vec<HelpRow> {
        Vec::new()
    }

    /// The texts that can be copied, or the reason why there are none.
    fn copy_items(&self, model: &Model) -> Result<Vec<CopyItem>, &'static str> {
        Ok(bench_items(model, self.command_line(model).ok()))
    }

    /// The equivalent command line, or the reason why it is missing.
    fn command_line(&self, model: &Model) -> Result<String, &'static str> {
        Ok(bench_line(model))
    }

    /// The page in plain mode.
    fn sentences(&self, model: &Model) -> Vec<String>;

    /// The list of the page in plain mode; `None` if the page has none or something opened covers it.
    fn page_list(&self, _: &Model) -> Option<PageList> {
        None
    }

    /// The open detail in plain mode; `None` if no detail is open.
    fn open_sentences(&self, _: &Model) -> Option<Vec<String>> {
        None
    }
}
