//! Colours. Only the terminal's own sixteen colours and attributes are used by default, so that dark, light and
//! monochrome terminals stay readable. No meaning is expressed by colour alone.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use hookbench_core::decide::Verdict;

/// Whether colours and Unicode borders are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    pub colour: bool,
    pub unicode: bool,
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

    fn fg(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    /// Normal text.
    pub fn plain(self) -> Style {
        Style::new()
    }

    /// Important text.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Less important text.
    pub fn quiet(self) -> Style {
        if self.colour { Style::new().fg(Color::DarkGray) } else { Style::new().add_modifier(Modifier::DIM) }
    }

    /// Blocked or broken.
    pub fn bad(self) -> Style {
        self.fg(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// Allowed or correct.
    pub fn good(self) -> Style {
        self.fg(Color::Green)
    }

    /// Warnings. Magenta, because yellow is unreadable on white.
    pub fn warn(self) -> Style {
        self.fg(Color::Magenta)
    }

    /// Keys to press, and names. Bold instead of a colour: light colours are unreadable on white, dark ones on
    /// black.
    pub fn name(self) -> Style {
        self.strong()
    }

    /// Keys of an object, which matter less than their values.
    pub fn key(self) -> Style {
        self.quiet()
    }

    /// The selected row of the focused pane.
    pub fn selected(self) -> Style {
        Style::reset().add_modifier(Modifier::REVERSED)
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
            Verdict::Ask | Verdict::Unknown | Verdict::FailedOpen => {
                self.warn().add_modifier(Modifier::BOLD | Modifier::REVERSED)
            }
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

    /// The mark of something that can be folded or unfolded.
    pub fn fold(self, open: bool) -> &'static str {
        match (self.unicode, open) {
            (true, true) => "▾",
            (true, false) => "▸",
            (false, true) => "v",
            (false, false) => ">",
        }
    }

    /// The tick.
    pub fn tick(self) -> &'static str {
        if self.unicode { "✓" } else { "+" }
    }

    /// The matched part of a text.
    pub fn highlight(self) -> Style {
        self.fg(Color::Magenta).add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// The mark for cut text.
    pub fn ellipsis(self) -> &'static str {
        if self.unicode { "…" } else { "~" }
    }

    /// A version; its sign for "assumed" is replaced if Unicode is off.
    pub fn version(self, words: &str) -> String {
        if self.unicode { words.to_owned() } else { words.replace('≈', "~") }
    }
}

/// The `theme` setting.
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
    /// Parses the setting's value.
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

    /// The theme for this environment. The terminal is not queried for its background: the first frame would have
    /// to wait for the answer, and a late answer would arrive among the keys.
    pub fn resolve(self, var: &dyn Fn(&str) -> Option<String>) -> (Theme, Shades) {
        let theme = Theme::from_env(var);
        // An explicit setting overrides the environment's colour variables.
        let colour = |colour| Theme { colour, ..theme };
        match self {
            ThemeChoice::Auto if !theme.colour || !many_colours(var) => (theme, Shades::Terminal),
            ThemeChoice::Auto => (theme, background(var).unwrap_or_default()),
            ThemeChoice::Light => (colour(true), Shades::OnLight),
            ThemeChoice::Dark => (colour(true), Shades::OnDark),
            ThemeChoice::Mono => (colour(false), Shades::Terminal),
            ThemeChoice::Sixteen => (colour(true), Shades::Terminal),
        }
    }
}

fn many_colours(var: &dyn Fn(&str) -> Option<String>) -> bool {
    let deep = var("COLORTERM").is_some_and(|v| v == "truecolor" || v == "24bit");
    deep || var("TERM").is_some_and(|t| t.contains("256color") || t.contains("direct"))
}

/// The background from `COLORFGBG`, which some terminals set: the last number of `15;0`.
fn background(var: &dyn Fn(&str) -> Option<String>) -> Option<Shades> {
    let number: u8 = var("COLORFGBG")?.rsplit(';').next()?.parse().ok()?;
    Some(if matches!(number, 0..=6 | 8) { Shades::OnDark } else { Shades::OnLight })
}

/// The colours that replace the sixteen if the background is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shades {
    /// The terminal's own colours.
    #[default]
    Terminal,
    OnLight,
    OnDark,
}

impl Shades {
    fn shade(self, colour: Color) -> Option<Color> {
        // Each has a contrast of at least 4.5:1 to its background.
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
            Shades::Terminal => None,
            Shades::OnLight => Some(Color::Indexed(light)),
            Shades::OnDark => Some(Color::Indexed(dark)),
        }
    }

    /// Recolours a drawn frame.
    pub fn apply(self, buf: &mut Buffer) {
        if self == Shades::Terminal {
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
            let (theme, shades) = choice.resolve(&env(pairs));
            (theme.colour, theme.unicode, shades)
        };
        let deep = ("TERM", "xterm-256color");
        for (choice, pairs, want) in [
            (ThemeChoice::Auto, &[deep][..], (true, true, Shades::Terminal)),
            (ThemeChoice::Auto, &[deep, ("COLORFGBG", "15;0")], (true, true, Shades::OnDark)),
            (ThemeChoice::Auto, &[deep, ("COLORFGBG", "0;default;15")], (true, true, Shades::OnLight)),
            (ThemeChoice::Auto, &[("TERM", "linux"), ("COLORFGBG", "15;0")], (true, true, Shades::Terminal)),
            (ThemeChoice::Auto, &[deep, ("COLORFGBG", "15;0"), ("NO_COLOR", "1")], (false, true, Shades::Terminal)),
            (ThemeChoice::Auto, &[("TERM", "dumb"), ("LANG", "C")], (false, false, Shades::Terminal)),
            (ThemeChoice::Auto, &[("LANG", "de_DE.UTF-8"), ("LC_ALL", "")], (true, true, Shades::Terminal)),
            (ThemeChoice::Auto, &[("LANG", "de_DE.ISO-8859-1")], (true, false, Shades::Terminal)),
            (ThemeChoice::Light, &[("NO_COLOR", "1")], (true, true, Shades::OnLight)),
            (ThemeChoice::Mono, &[deep], (false, true, Shades::Terminal)),
        ] {
            assert_eq!(settled(choice, pairs), want, "{choice:?} {pairs:?}");
        }
    }
}
