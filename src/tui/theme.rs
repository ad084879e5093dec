//! Colours. Only the terminal's own sixteen and its attributes, so that dark, light and bare terminals all stay readable;
//! no meaning is in a colour alone.

use ratatui::style::{Color, Modifier, Style};

use crate::core::decide::Verdict;

/// Whether colours are used, and how borders are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    pub colour: bool,
    pub unicode: bool,
}

impl Theme {
    /// What this environment asks for: `NO_COLOR`, `TERM=dumb`, and a locale without UTF-8.
    pub fn from_env(var: &dyn Fn(&str) -> Option<String>) -> Theme {
        let set = |name: &str| var(name).is_some_and(|v| !v.is_empty());
        let colour = !set("NO_COLOR") && var("TERM").as_deref() != Some("dumb");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|n| var(n).filter(|v| !v.is_empty()));
        let unicode = locale.is_none_or(|l| {
            let l = l.to_uppercase();
            !(l == "C" || l == "POSIX")
        });
        Theme { colour, unicode }
    }

    fn fg(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    /// Ordinary text.
    pub fn plain(self) -> Style {
        Style::new()
    }

    /// What the eye should find first.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What may be passed over.
    pub fn quiet(self) -> Style {
        if self.colour { Style::new().fg(Color::DarkGray) } else { Style::new().add_modifier(Modifier::DIM) }
    }

    /// Blocked, broken.
    pub fn bad(self) -> Style {
        self.fg(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// Allowed, fine.
    pub fn good(self) -> Style {
        self.fg(Color::Green)
    }

    /// Worth a look. Magenta, since yellow cannot be read on white.
    pub fn warn(self) -> Style {
        self.fg(Color::Magenta)
    }

    /// Names: keys of an object, keys to press.
    pub fn name(self) -> Style {
        self.fg(Color::Cyan)
    }

    /// The selected row of the pane that has the focus.
    pub fn selected(self) -> Style {
        Style::reset().add_modifier(Modifier::REVERSED)
    }

    /// The verdict's word.
    pub fn verdict(self, verdict: Verdict) -> Style {
        match verdict {
            Verdict::Deny | Verdict::FailedClosed => self.bad().add_modifier(Modifier::REVERSED),
            Verdict::Allow => self.good().add_modifier(Modifier::BOLD | Modifier::REVERSED),
            Verdict::Ask | Verdict::Unknown | Verdict::FailedOpen => {
                self.warn().add_modifier(Modifier::BOLD | Modifier::REVERSED)
            }
            Verdict::NotRun | Verdict::NoObjection => self.strong().add_modifier(Modifier::REVERSED),
        }
    }

    /// A line across.
    pub fn rule(self) -> &'static str {
        if self.unicode { "─" } else { "-" }
    }

    /// A line down.
    pub fn bar(self) -> &'static str {
        if self.unicode { "│" } else { "|" }
    }

    /// Before what can be folded away, and before what can be unfolded.
    pub fn fold(self, open: bool) -> &'static str {
        match (self.unicode, open) {
            (true, true) => "▾",
            (true, false) => "▸",
            (false, true) => "v",
            (false, false) => ">",
        }
    }

    /// Marks what is so.
    pub fn tick(self) -> &'static str {
        if self.unicode { "✓" } else { "+" }
    }

    /// Of a text, the part that was looked for.
    pub fn found(self) -> Style {
        self.fg(Color::Magenta).add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// What stands for text that did not fit.
    pub fn ellipsis(self) -> &'static str {
        if self.unicode { "…" } else { "~" }
    }
}
