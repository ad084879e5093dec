//! The parts of a page, which everything outside its folder calls. A page has no value of its own: its state is a
//! part of the model, because commands of other pages change it too. So its parts are functions of the model.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::bench::{Band, FrameLayout, draw_event_line, single_area_layout};
use crate::command_lines::bench_line;
use crate::copy_items::{CopyItem, bench_items};
use crate::keymap::{KeyBinding, UiCommand};
use crate::model::Model;
use crate::page::Page;
use crate::plain::PlainSession;
use crate::update::LoopRequest;

/// A command in the footer and its label; an empty label stands for the one in the table of commands.
pub type FooterKey = (UiCommand, &'static str);

/// A row of the help: keys and their meaning.
pub type HelpRow = (String, String);

/// The parts of a page.
pub struct Screen {
    /// The display name.
    pub title: &'static str,
    /// The command that opens the page.
    pub binding: KeyBinding,
    pub has_tab: bool,
    /// A number in the tab; 0 is not shown.
    pub tab_count: fn(&Model) -> usize,
    /// Updates the page's state while it is open.
    pub refresh: fn(&mut Model),
    /// Whether `refresh` is also called while another page is open.
    pub always_fresh: bool,
    /// Reacts to a message after which the page is open; the other page is the one before the message.
    pub on_open: fn(&mut Model, Page, &mut Vec<LoopRequest>),
    /// Closes what was opened or typed on the page, because a page is being opened.
    pub close: fn(&mut Model),
    /// Reacts to new output of a running hook.
    pub on_output: fn(&mut Model),
    /// Handles a command; returns `false` if it has its general meaning.
    pub on_command: fn(&mut Model, UiCommand, &mut Vec<LoopRequest>) -> bool,
    /// Handles a key while text is typed; returns `false` if the key is a command.
    pub on_typing_key: fn(&mut Model, KeyEvent, &mut Vec<LoopRequest>) -> bool,
    /// Handles a pasted line; returns `false` if no text is being typed.
    pub on_paste: fn(&mut Model, &str, &mut Vec<LoopRequest>) -> bool,
    /// Handles a click.
    pub on_click: fn(&mut Model, Position, &mut Vec<LoopRequest>),
    /// Moves up or down in the focused list or text.
    pub step: fn(&mut Model, isize, &mut Vec<LoopRequest>),
    /// The number of visible rows of that list or text.
    pub visible_rows: fn(&Model) -> usize,
    /// Handles a turn of the wheel by -1 or 1; returns `false` if it is a step.
    pub on_wheel: fn(&mut Model, Position, isize, &mut Vec<LoopRequest>) -> bool,
    /// Lays the page out; the number is the height of its band.
    pub layout: fn(&Model, Rect, u16) -> FrameLayout,
    pub band: fn(&Model) -> Band,
    /// Draws the line above the band. Returns the cursor's position while text is typed there.
    pub draw_top_line: fn(&Model, Rect, &mut Buffer) -> Option<(u16, u16)>,
    /// Draws everything below the band.
    pub draw: fn(&Model, &FrameLayout, &mut Buffer),
    /// The commands in the footer, the most important first. Help and quit follow on every page.
    pub footer: fn(&Model, &FrameLayout) -> Vec<FooterKey>,
    /// The title of the help, and the rows before the keys.
    pub help: fn(&Model) -> (&'static str, Vec<HelpRow>),
    /// The texts that can be copied, or the reason why there are none.
    pub copy_items: fn(&Model) -> Result<Vec<CopyItem>, &'static str>,
    /// The equivalent command line, or the reason why there is none.
    pub command_line: fn(&Model) -> Result<String, &'static str>,
    /// The page in plain mode.
    pub sentences: fn(&Model) -> Vec<String>,
    /// The open detail in plain mode; `None` if no detail is open.
    pub open_sentences: fn(&Model) -> Option<Vec<String>>,
    /// Handles a command of plain mode with its argument; returns `false` if it has its general meaning.
    pub plain_command: fn(&mut PlainSession, UiCommand, &str) -> std::io::Result<bool>,
}

impl Screen {
    /// A page with a tab that is about the event on the bench and has nothing of its own.
    pub const fn new(title: &'static str, binding: KeyBinding) -> Screen {
        Screen {
            title,
            binding,
            has_tab: true,
            tab_count: |_| 0,
            refresh: |_| {},
            always_fresh: false,
            on_open: |_, _, _| {},
            close: |_| {},
            on_output: |_| {},
            on_command: |_, _, _| false,
            on_typing_key: |_, _, _| false,
            on_paste: |_, _, _| false,
            on_click: |_, _, _| {},
            step: |_, _, _| {},
            visible_rows: |_| 0,
            on_wheel: |_, _, _, _| false,
            layout: |_, area, band| single_area_layout(area, band),
            band: Band::of,
            draw_top_line: |model, area, buf| {
                draw_event_line(model, area, buf);
                None
            },
            draw: |_, _, _| {},
            footer: |_, _| Vec::new(),
            help: |_| ("Keys", Vec::new()),
            copy_items: |model| Ok(bench_items(model)),
            command_line: |model| Ok(bench_line(model)),
            sentences: |_| Vec::new(),
            open_sentences: |_| None,
            plain_command: |_, _, _| Ok(false),
        }
    }
}
