//! Styles by meaning. A style carries a [`ColourRole`] in place of a colour; the last step of a frame replaces it. No
//! meaning is expressed by colour alone.

mod choice;
mod palette;

use ratatui::style::{Modifier, Style};

use hookbench_app::document::BARS;
use hookbench_core::decide::Verdict;

pub use choice::{ThemeChoice, ThemePreview};
pub use palette::{ColourRole, Palette, Shades};

/// Whether colours and Unicode borders are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    pub colour: bool,
    pub unicode: bool,
}

/// The characters of a border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BorderLines {
    /// Top left, top right, bottom left, bottom right.
    pub corners: [&'static str; 4],
    pub rule: &'static str,
    pub bar: &'static str,
}

/// The states of a hook that have a sign in lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// It ran and decided nothing.
    Silent,
    /// It never runs for this event.
    Never,
    /// It fails, or will fail.
    #[default]
    Failed,
    /// It decided.
    Decided,
    /// It does not take part.
    Skipped,
    /// Its part is not known.
    Unknown,
    /// It will run, or is running.
    Waits,
}

impl Theme {
    /// The theme of this environment: `NO_COLOR`, `TERM=dumb`, and a locale without UTF-8.
    pub fn from_env(var: &dyn Fn(&str) -> Option<String>) -> Theme {
        let set = |name: &str| var(name).is_some_and(|v| !v.is_empty());
        let colour = !set("NO_COLOR") && var("TERM").as_deref() != Some("dumb");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|n| var(n).filter(|v| !v.is_empty()));
        let unicode = locale.is_none_or(|l| {
            let l = l.to_uppercase();
            let encoding = l.split_once('.').map(|(_, encoding)| encoding);
            !(l == "C" || l == "POSIX") && encoding.is_none_or(|e| e.starts_with("UTF-8") || e.starts_with("UTF8"))
        });
        Theme { colour, unicode }
    }

    fn fg(self, role: ColourRole) -> Style {
        if self.colour { Style::reset().fg(role.colour()) } else { Style::reset() }
    }

    /// Normal text.
    pub fn plain(self) -> Style {
        Style::reset()
    }

    /// Important text.
    pub fn strong(self) -> Style {
        Style::reset().add_modifier(Modifier::BOLD)
    }

    /// Less important text.
    pub fn quiet(self) -> Style {
        if self.colour { self.fg(ColourRole::Dim) } else { Style::reset().add_modifier(Modifier::DIM) }
    }

    /// Blocked or broken.
    pub fn bad(self) -> Style {
        self.fg(ColourRole::Deny).add_modifier(Modifier::BOLD)
    }

    /// Allowed or correct.
    pub fn good(self) -> Style {
        self.fg(ColourRole::Ok)
    }

    /// Warnings: something does not protect as it seems to.
    pub fn warn(self) -> Style {
        self.fg(ColourRole::Danger)
    }

    /// Questions to the user, and results that are not known.
    pub fn ask(self) -> Style {
        self.fg(ColourRole::Ask)
    }

    /// Keys to press, and names.
    pub fn name(self) -> Style {
        self.fg(ColourRole::Accent).add_modifier(Modifier::BOLD)
    }

    /// The border of a pane.
    pub fn border(self, focused: bool) -> Style {
        match (focused, self.colour) {
            (true, _) => self.name(),
            (false, true) => self.fg(ColourRole::Border),
            (false, false) => Style::reset().add_modifier(Modifier::DIM),
        }
    }

    /// Keys of an object, which matter less than their values.
    pub fn key(self) -> Style {
        self.quiet()
    }

    /// The selected row of the focused pane. A palette keeps the colours of its words; without one the row is reversed.
    pub fn selected(self) -> Style {
        if self.colour { Style::new().bg(palette::SELECTED) } else { Style::reset().add_modifier(Modifier::REVERSED) }
    }

    /// A verdict's word within text.
    pub fn verdict_text(self, verdict: Verdict) -> Style {
        self.verdict(verdict).remove_modifier(Modifier::REVERSED)
    }

    /// A verdict's word as a block.
    pub fn verdict(self, verdict: Verdict) -> Style {
        match verdict {
            Verdict::Deny | Verdict::FailedClosed => self.bad().add_modifier(Modifier::REVERSED),
            Verdict::Allow => self.good().add_modifier(Modifier::BOLD | Modifier::REVERSED),
            Verdict::FailedOpen => self.warn().add_modifier(Modifier::BOLD | Modifier::REVERSED),
            Verdict::Ask | Verdict::Unknown => self.ask().add_modifier(Modifier::BOLD | Modifier::REVERSED),
            Verdict::NotRun | Verdict::NoObjection => self.strong().add_modifier(Modifier::REVERSED),
        }
    }

    /// The character of a horizontal line.
    pub fn rule(self) -> &'static str {
        if self.unicode { "─" } else { "-" }
    }

    /// The character of a vertical line.
    pub fn bar(self) -> &'static str {
        if self.unicode { "│" } else { "|" }
    }

    /// The lines of a pane's border. Without colour, the border of the focused pane has heavy lines.
    pub fn border_lines(self, focused: bool) -> BorderLines {
        match (self.unicode, focused && !self.colour) {
            (true, true) => BorderLines { corners: ["┏", "┓", "┗", "┛"], rule: "━", bar: "┃" },
            (true, false) => BorderLines { corners: ["╭", "╮", "╰", "╯"], rule: self.rule(), bar: self.bar() },
            (false, true) => BorderLines { corners: ["+"; 4], rule: "=", bar: self.bar() },
            (false, false) => BorderLines { corners: ["+"; 4], rule: self.rule(), bar: self.bar() },
        }
    }

    /// The bar beside the verdict.
    pub fn edge(self) -> &'static str {
        if self.unicode { "▌" } else { "|" }
    }

    /// The mark beside the selected row.
    pub fn cursor(self) -> &'static str {
        if self.unicode { "❯" } else { ">" }
    }

    /// A bar of `cells` cells, of which `filled` are full.
    pub fn meter(self, filled: usize, cells: usize) -> String {
        let (full, empty) = if self.unicode { ("━", "─") } else { ("=", "-") };
        format!("{}{}", full.repeat(filled.min(cells)), empty.repeat(cells - filled.min(cells)))
    }

    /// The heights of a bar in a line.
    pub fn bars(self) -> [char; 8] {
        if self.unicode { BARS } else { ['_', '.', ',', '-', '=', '+', '*', '#'] }
    }

    /// The mark of something that can be folded or unfolded.
    pub fn fold(self, open: bool) -> &'static str {
        match (self.unicode, open) {
            (true, true) => "▾",
            (true, false) => "▸",
            (false, true) => "v",
            (false, false) => ">",
        }
    }

    /// The sign for the state of a hook.
    pub fn mark(self, mark: Mark) -> &'static str {
        let (sign, ascii) = match mark {
            Mark::Silent => ("✓", "+"),
            Mark::Never => ("✕", "x"),
            Mark::Failed => ("!", "!"),
            Mark::Decided => ("■", "#"),
            Mark::Skipped => ("·", "."),
            Mark::Unknown => ("?", "?"),
            Mark::Waits => ("○", "o"),
        };
        if self.unicode { sign } else { ascii }
    }

    /// The signs of hooks with their meanings.
    pub fn mark_legend(self) -> Vec<(String, String)> {
        let legend = [
            (Mark::Decided, "decided"),
            (Mark::Silent, "ran, no objection"),
            (Mark::Waits, "will run, or runs"),
            (Mark::Never, "never runs"),
            (Mark::Failed, "fails, or will fail"),
            (Mark::Unknown, "unknown"),
            (Mark::Skipped, "takes no part"),
        ];
        legend.map(|(mark, meaning)| (self.mark(mark).to_owned(), meaning.to_owned())).to_vec()
    }

    /// The tick.
    pub fn tick(self) -> &'static str {
        if self.unicode { "✓" } else { "+" }
    }

    /// The style of everything behind a popup.
    pub fn behind_popup(self) -> Style {
        if self.colour {
            Style::reset().fg(ColourRole::Border.colour())
        } else {
            Style::reset().add_modifier(Modifier::DIM)
        }
    }

    /// The matched part of a text.
    pub fn highlight(self) -> Style {
        self.fg(ColourRole::Ask).add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// The line to something that belongs to the row above.
    pub fn branch(self) -> &'static str {
        if self.unicode { "└ " } else { "`-" }
    }

    /// The mark for cut text.
    pub fn ellipsis(self) -> &'static str {
        if self.unicode { "…" } else { "~" }
    }

    /// A version; its sign for "assumed" is replaced if Unicode is off.
    pub fn version(self, words: &str) -> String {
        if self.unicode { words.to_owned() } else { words.replace('≈', "~").replace('✓', "+") }
    }
}
