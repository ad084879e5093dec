//! Colours. Only the terminal's own sixteen and its attributes, so that dark, light and bare terminals all stay readable;
//! no meaning is in a colour alone.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use hookbench_core::decide::Verdict;

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
            let encoding = l.split_once('.').map(|(_, encoding)| encoding);
            !(l == "C" || l == "POSIX") && encoding.is_none_or(|e| e.starts_with("UTF-8") || e.starts_with("UTF8"))
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

    /// Keys to press, and what things are called. No colour: no light one can be read on white, no dark one on black.
    pub fn name(self) -> Style {
        self.strong()
    }

    /// Keys of an object: what is beside them matters more.
    pub fn key(self) -> Style {
        self.quiet()
    }

    /// The selected row of the pane that has the focus.
    pub fn selected(self) -> Style {
        Style::reset().add_modifier(Modifier::REVERSED)
    }

    /// The verdict's word where it stands among others.
    pub fn verdict_text(self, verdict: Verdict) -> Style {
        self.verdict(verdict).remove_modifier(Modifier::REVERSED)
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

    /// A version with the sign of what it is assumed to behave as.
    pub fn version(self, words: &str) -> String {
        if self.unicode { words.to_owned() } else { words.replace('≈', "~") }
    }
}

/// What the user wants of colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    #[default]
    Auto,
    Light,
    Dark,
    Mono,
    Sixteen,
}

impl ThemeChoice {
    /// The choice of that name.
    pub fn from_name(name: &str) -> Option<ThemeChoice> {
        Some(match name {
            "auto" => ThemeChoice::Auto,
            "light" => ThemeChoice::Light,
            "dark" => ThemeChoice::Dark,
            "mono" => ThemeChoice::Mono,
            "16" => ThemeChoice::Sixteen,
            _ => return None,
        })
    }

    /// What comes of it in this environment. The terminal is not asked for its background: the answer would have to be
    /// waited for before the first frame, and arrives among the keys when it is late.
    pub fn settle(self, var: &dyn Fn(&str) -> Option<String>) -> (Theme, Shades) {
        let theme = Theme::from_env(var);
        // What the user says here is more deliberate than what the environment says of colours.
        let colour = |colour| Theme { colour, ..theme };
        match self {
            ThemeChoice::Auto if !theme.colour || !many_colours(var) => (theme, Shades::Own),
            ThemeChoice::Auto => (theme, background(var).unwrap_or_default()),
            ThemeChoice::Light => (colour(true), Shades::OnLight),
            ThemeChoice::Dark => (colour(true), Shades::OnDark),
            ThemeChoice::Mono => (colour(false), Shades::Own),
            ThemeChoice::Sixteen => (colour(true), Shades::Own),
        }
    }
}

fn many_colours(var: &dyn Fn(&str) -> Option<String>) -> bool {
    let deep = var("COLORTERM").is_some_and(|v| v == "truecolor" || v == "24bit");
    deep || var("TERM").is_some_and(|t| t.contains("256color") || t.contains("direct"))
}

/// Some terminals say `COLORFGBG=15;0`: the last number is the background.
fn background(var: &dyn Fn(&str) -> Option<String>) -> Option<Shades> {
    let number: u8 = var("COLORFGBG")?.rsplit(';').next()?.parse().ok()?;
    Some(if matches!(number, 0..=6 | 8) { Shades::OnDark } else { Shades::OnLight })
}

/// Which colours the sixteen become where the background is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shades {
    /// The terminal's own.
    #[default]
    Own,
    OnLight,
    OnDark,
}

impl Shades {
    fn shade(self, colour: Color) -> Option<Color> {
        // Every one of them stands out from its background at least four and a half to one.
        let (light, dark) = match colour {
            Color::Red => (124, 210),
            Color::Green => (22, 114),
            Color::Yellow => (94, 221),
            Color::Blue => (19, 111),
            Color::Magenta => (90, 177),
            Color::Cyan => (24, 80),
            Color::DarkGray => (241, 247),
            _ => return None,
        };
        match self {
            Shades::Own => None,
            Shades::OnLight => Some(Color::Indexed(light)),
            Shades::OnDark => Some(Color::Indexed(dark)),
        }
    }

    /// Recolours a frame that has been drawn.
    pub fn apply(self, buf: &mut Buffer) {
        if self == Shades::Own {
            return;
        }
        for cell in &mut buf.content {
            cell.fg = self.shade(cell.fg).unwrap_or(cell.fg);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_and_the_user_choose() {
        let env = |pairs: &[(&str, &str)]| {
            let pairs: Vec<(String, String)> = pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
            move |name: &str| pairs.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone())
        };
        let settled = |choice: ThemeChoice, pairs: &[(&str, &str)]| {
            let (theme, shades) = choice.settle(&env(pairs));
            (theme.colour, theme.unicode, shades)
        };
        let deep = ("TERM", "xterm-256color");
        for (choice, pairs, want) in [
            (ThemeChoice::Auto, &[deep][..], (true, true, Shades::Own)),
            (ThemeChoice::Auto, &[deep, ("COLORFGBG", "15;0")], (true, true, Shades::OnDark)),
            (ThemeChoice::Auto, &[deep, ("COLORFGBG", "0;default;15")], (true, true, Shades::OnLight)),
            (ThemeChoice::Auto, &[("TERM", "linux"), ("COLORFGBG", "15;0")], (true, true, Shades::Own)),
            (ThemeChoice::Auto, &[deep, ("COLORFGBG", "15;0"), ("NO_COLOR", "1")], (false, true, Shades::Own)),
            (ThemeChoice::Auto, &[("TERM", "dumb"), ("LANG", "C")], (false, false, Shades::Own)),
            (ThemeChoice::Auto, &[("LANG", "de_DE.UTF-8"), ("LC_ALL", "")], (true, true, Shades::Own)),
            (ThemeChoice::Auto, &[("LANG", "de_DE.ISO-8859-1")], (true, false, Shades::Own)),
            (ThemeChoice::Light, &[("NO_COLOR", "1")], (true, true, Shades::OnLight)),
            (ThemeChoice::Mono, &[deep], (false, true, Shades::Own)),
        ] {
            assert_eq!(settled(choice, pairs), want, "{choice:?} {pairs:?}");
        }
    }
}
