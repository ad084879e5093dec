//! The `theme` setting, and the colours that it leads to in this environment.

use super::palette::{DARK, LIGHT, PALETTES, Palette};
use super::{Shades, Theme};

/// The `theme` setting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    #[default]
    Auto,
    /// The terminal's sixteen colours.
    Sixteen,
    /// No colours.
    Mono,
    Palette(&'static Palette),
}

impl ThemeChoice {
    /// Every value of the setting.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let palettes = PALETTES.into_iter().map(|palette| palette.name);
        ["auto"].into_iter().chain(palettes).chain(["16", "mono"])
    }

    /// The value of the setting for this choice.
    pub fn name(self) -> &'static str {
        match self {
            ThemeChoice::Auto => "auto",
            ThemeChoice::Sixteen => "16",
            ThemeChoice::Mono => "mono",
            ThemeChoice::Palette(palette) => palette.name,
        }
    }

    /// Parses the setting's value.
    pub fn from_name(name: &str) -> Option<ThemeChoice> {
        Some(match name {
            "auto" => ThemeChoice::Auto,
            "16" => ThemeChoice::Sixteen,
            "mono" => ThemeChoice::Mono,
            palette => ThemeChoice::Palette(Palette::named(palette)?),
        })
    }

    /// The theme for this environment. The terminal is not queried for its background: the first frame would have
    /// to wait for the answer, and a late answer would arrive among the keys. A palette paints its own background.
    pub fn resolve(self, var: &dyn Fn(&str) -> Option<String>) -> (Theme, Shades) {
        let theme = Theme::from_env(var);
        // An explicit setting overrides the environment's colour variables.
        let colour = |colour| Theme { colour, ..theme };
        match self {
            ThemeChoice::Auto if !theme.colour => (theme, Shades::Terminal),
            ThemeChoice::Auto => (theme, automatic(var)),
            ThemeChoice::Sixteen => (colour(true), Shades::Terminal),
            ThemeChoice::Mono => (colour(false), Shades::Terminal),
            ThemeChoice::Palette(palette) => (colour(true), Shades::Palette(palette)),
        }
    }
}

/// A palette in a terminal with 24-bit colour, otherwise shades for the background if it is known.
fn automatic(var: &dyn Fn(&str) -> Option<String>) -> Shades {
    let background = background(var);
    if var("COLORTERM").is_some_and(|v| v == "truecolor" || v == "24bit") {
        return Shades::Palette(if background == Some(Shades::OnLight) { &LIGHT } else { &DARK });
    }
    let many = var("TERM").is_some_and(|t| t.contains("256color") || t.contains("direct"));
    background.filter(|_| many).unwrap_or_default()
}

/// The background from `COLORFGBG`, which some terminals set: the last number of `15;0`.
fn background(var: &dyn Fn(&str) -> Option<String>) -> Option<Shades> {
    let number: u8 = var("COLORFGBG")?.rsplit(';').next()?.parse().ok()?;
    Some(if matches!(number, 0..=6 | 8) { Shades::OnDark } else { Shades::OnLight })
}

/// A theme shown as a preview, and what is shown again afterwards.
#[derive(Debug, Clone, Copy)]
pub struct ThemePreview {
    pub choice: ThemeChoice,
    pub before: (Theme, Shades),
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
        let full = ("COLORTERM", "truecolor");
        for (choice, pairs, want) in [
            (ThemeChoice::Auto, &[deep][..], (true, true, Shades::Terminal)),
            (ThemeChoice::Auto, &[deep, ("COLORFGBG", "15;0")], (true, true, Shades::OnDark)),
            (ThemeChoice::Auto, &[deep, ("COLORFGBG", "0;default;15")], (true, true, Shades::OnLight)),
            (ThemeChoice::Auto, &[("TERM", "linux"), ("COLORFGBG", "15;0")], (true, true, Shades::Terminal)),
            (ThemeChoice::Auto, &[deep, ("COLORFGBG", "15;0"), ("NO_COLOR", "1")], (false, true, Shades::Terminal)),
            (ThemeChoice::Auto, &[("TERM", "dumb"), ("LANG", "C")], (false, false, Shades::Terminal)),
            (ThemeChoice::Auto, &[("LANG", "de_DE.UTF-8"), ("LC_ALL", "")], (true, true, Shades::Terminal)),
            (ThemeChoice::Auto, &[("LANG", "de_DE.ISO-8859-1")], (true, false, Shades::Terminal)),
            (ThemeChoice::Auto, &[full], (true, true, Shades::Palette(&DARK))),
            (ThemeChoice::Auto, &[full, ("COLORFGBG", "0;15")], (true, true, Shades::Palette(&LIGHT))),
            (ThemeChoice::Palette(&LIGHT), &[("NO_COLOR", "1")], (true, true, Shades::Palette(&LIGHT))),
            (ThemeChoice::Sixteen, &[full], (true, true, Shades::Terminal)),
            (ThemeChoice::Mono, &[deep], (false, true, Shades::Terminal)),
        ] {
            assert_eq!(settled(choice, pairs), want, "{choice:?} {pairs:?}");
        }
    }

    #[test]
    fn every_name_of_a_theme_is_read() {
        for name in ThemeChoice::names() {
            assert!(ThemeChoice::from_name(name).is_some(), "{name}");
        }
    }
}
