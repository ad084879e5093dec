//! The built-in palettes in 24-bit colour. Each paints its own background, so its contrast does not depend on the
//! terminal.

#![allow(clippy::unreadable_literal, reason = "colours are written as in a style sheet")]

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use hookbench_app::{DARK_COLOURS, LIGHT_COLOURS};

/// The colours of a theme.
#[derive(Debug, PartialEq, Eq)]
pub struct Palette {
    /// The value of the setting `theme`.
    pub name: &'static str,
    pub background: Color,
    /// The background of the selected row.
    pub selection: Color,
    pub text: Color,
    dim: Color,
    accent: Color,
    deny: Color,
    danger: Color,
    ok: Color,
    ask: Color,
    border: Color,
}

/// A palette from its name and its colours as `0xRRGGBB`: background, selection, text, and the roles in the order
/// of [`ColourRole::ALL`].
const fn palette(name: &'static str, colours: [u32; 10]) -> Palette {
    let [background, selection, text, dim, accent, deny, danger, ok, ask, border] = colours;
    Palette {
        name,
        background: Color::from_u32(background),
        selection: Color::from_u32(selection),
        text: Color::from_u32(text),
        dim: Color::from_u32(dim),
        accent: Color::from_u32(accent),
        deny: Color::from_u32(deny),
        danger: Color::from_u32(danger),
        ok: Color::from_u32(ok),
        ask: Color::from_u32(ask),
        border: Color::from_u32(border),
    }
}

pub static DARK: Palette = palette("dark", DARK_COLOURS);
pub static LIGHT: Palette = palette("light", LIGHT_COLOURS);

/// All palettes, in the order in which they are listed.
pub static PALETTES: [&Palette; 8] = [
    &DARK,
    &LIGHT,
    &palette(
        "contrast",
        [0x000000, 0x303030, 0xffffff, 0xd0d0d0, 0x66d9ff, 0xff8585, 0xffd700, 0x5fff87, 0xff9cff, 0xa0a0a0],
    ),
    &palette(
        "catppuccin",
        [0x1e1e2e, 0x313244, 0xcdd6f4, 0xa6adc8, 0x89b4fa, 0xf38ba8, 0xf9e2af, 0xa6e3a1, 0xcba6f7, 0x45475a],
    ),
    &palette(
        "gruvbox",
        [0x282828, 0x3c3836, 0xebdbb2, 0xbdae93, 0x93b5a8, 0xff8170, 0xfabd2f, 0xb8bb26, 0xe0a0b0, 0x504945],
    ),
    &palette(
        "tokyo-night",
        [0x1a1b26, 0x292e42, 0xc0caf5, 0x9aa2cb, 0x7aa2f7, 0xf7768e, 0xe0af68, 0x9ece6a, 0xbb9af7, 0x3b4261],
    ),
    &palette(
        "solarized",
        [0x002b36, 0x083d4a, 0xeee8d5, 0x9fadad, 0x58aef0, 0xff8078, 0xe0a92b, 0xa9bd1f, 0xa9acf2, 0x2f5560],
    ),
    &palette(
        "solarized-light",
        [0xfdf6e3, 0xe9e2cb, 0x073642, 0x4f636a, 0x165f9c, 0xb3201d, 0x755800, 0x526000, 0x5055a5, 0xd3cbb7],
    ),
];

impl Palette {
    /// The palette of this name.
    pub fn named(name: &str) -> Option<&'static Palette> {
        PALETTES.into_iter().find(|palette| palette.name == name)
    }

    /// the colour of a role.
    pub fn colour(&self, role: ColourRole) -> Color {
        match role {
            ColourRole::Dim => self.dim,
            ColourRole::Accent => self.accent,
            ColourRole::Deny => self.deny,
            ColourRole::Danger => self.danger,
            ColourRole::Ok => self.ok,
            ColourRole::Ask => self.ask,
            ColourRole::Border => self.border,
        }
    }
}

/// The colours of the roles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shades {
    /// The terminal's sixteen colours on a background that is not known.
    #[default]
    Terminal,
    /// Colours out of 256 for the terminal's light background.
    OnLight,
    /// Colours out of 256 for the terminal's dark background.
    OnDark,
    /// 24-bit colours on a background of their own.
    Palette(&'static Palette),
}

impl Shades {
    /// Replaces the roles of a drawn frame.
    pub fn apply(self, buf: &mut Buffer) {
        for cell in &mut buf.content {
            match self {
                Shades::Palette(palette) => painted(cell, palette),
                _ if cell.bg == SELECTED => {
                    // A colour may be unreadable on an unknown one, so that the row has none.
                    (cell.fg, cell.bg, cell.modifier) = (Color::Reset, Color::Reset, Modifier::REVERSED);
                }
                Shades::Terminal => terminal(cell),
                Shades::OnLight => indexed(cell, light),
                Shades::OnDark => indexed(cell, dark),
            }
        }
    }
}

/// The terminal's own colours. The background may be light or dark, so that neither yellow nor blue text is used:
/// danger shares magenta with questions, and the accent is bold.
fn terminal(cell: &mut Cell) {
    let Color::Indexed(_) = cell.fg else { return };
    let colour = match ColourRole::of(cell.fg) {
        Some(ColourRole::Dim) => Color::DarkGray,
        Some(ColourRole::Border) => {
            cell.modifier |= Modifier::DIM;
            Color::DarkGray
        }
        Some(ColourRole::Deny) => Color::Red,
        Some(ColourRole::Ok) => Color::Green,
        // A chip has a colour of its own behind its letters, so yellow is readable there on any background.
        Some(ColourRole::Danger) if cell.modifier.contains(Modifier::REVERSED) => {
            cell.modifier -= Modifier::REVERSED;
            cell.bg = Color::Yellow;
            Color::Black
        }
        Some(ColourRole::Danger | ColourRole::Ask) => Color::Magenta,
        Some(ColourRole::Accent) => {
            cell.modifier |= Modifier::BOLD;
            Color::Reset
        }
        None => cell.fg,
    };
    cell.fg = colour;
}

/// Colours out of 256. Each has a contrast of at least 4.5:1 to its background.
fn indexed(cell: &mut Cell, shade: fn(ColourRole) -> u8) {
    if let Some(role) = ColourRole::of(cell.fg) {
        cell.fg = Color::Indexed(shade(role));
    }
}

fn light(role: ColourRole) -> u8 {
    match role {
        ColourRole::Dim => 241,
        ColourRole::Accent => 25,
        ColourRole::Deny => 124,
        ColourRole::Danger => 94,
        ColourRole::Ok => 22,
        ColourRole::Ask => 90,
        ColourRole::Border => 250,
    }
}

fn dark(role: ColourRole) -> u8 {
    match role {
        ColourRole::Dim => 247,
        ColourRole::Accent => 111,
        ColourRole::Deny => 210,
        ColourRole::Danger => 221,
        ColourRole::Ok => 114,
        ColourRole::Ask => 177,
        ColourRole::Border => 239,
    }
}

/// 24-bit colours. The selected row has another background, which is calmer than the inverse, and its words keep their
/// colours.
fn painted(cell: &mut Cell, palette: &Palette) {
    let is_selected = cell.bg == SELECTED;
    if is_selected {
        cell.bg = Color::Reset;
        cell.modifier |= Modifier::BOLD;
    }
    let own_background = cell.bg != Color::Reset;
    let below = if is_selected { palette.selection } else { palette.background };
    cell.bg = ColourRole::of(cell.bg).map_or(below, |role| palette.colour(role));
    cell.fg = match ColourRole::of(cell.fg) {
        _ if own_background => palette.background,
        Some(role) => palette.colour(role),
        None if cell.modifier.contains(Modifier::DIM) => palette.colour(ColourRole::Dim),
        None => palette.text,
    };
    cell.modifier -= Modifier::DIM;
}

/// A meaning that is expressed by a colour, and always by a word, a glyph or an attribute too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColourRole {
    /// Less important text.
    Dim,
    /// The focus and keys to press.
    Accent,
    /// A hook refused, or something is broken.
    Deny,
    /// A hook did not protect although it should: not checked, a skipped file, a warning.
    Danger,
    /// Allowed, verified, correct.
    Ok,
    /// The user is asked, or the result is unknown.
    Ask,
    /// The border of a pane without the focus.
    Border,
}

/// The first of the indexed colours that represent roles. Output of hooks is drawn in the sixteen named colours
/// only, so these indexes cannot come from a hook.
const FIRST: u8 = 240;

/// The background that marks the selected row until a frame gets its colours; no role has it.
pub(super) const SELECTED: Color = Color::Indexed(u8::MAX);

impl ColourRole {
    pub const ALL: [ColourRole; 7] = [
        ColourRole::Dim,
        ColourRole::Accent,
        ColourRole::Deny,
        ColourRole::Danger,
        ColourRole::Ok,
        ColourRole::Ask,
        ColourRole::Border,
    ];

    /// The colour of the role in a style.
    pub const fn colour(self) -> Color {
        Color::Indexed(FIRST + self as u8)
    }

    /// The role of a colour. Named colours come from the output of hooks and have the role of
    /// their hue.
    pub fn of(colour: Color) -> Option<ColourRole> {
        Some(match colour {
            Color::Indexed(index) => *ColourRole::ALL.get(usize::from(index.checked_sub(FIRST)?))?,
            Color::Red | Color::LightRed => ColourRole::Deny,
            Color::Green | Color::LightGreen => ColourRole::Ok,
            Color::Yellow | Color::LightYellow => ColourRole::Danger,
            Color::Blue | Color::LightBlue | Color::Cyan | Color::LightCyan => ColourRole::Accent,
            Color::Magenta | Color::LightMagenta => ColourRole::Ask,
            Color::DarkGray => ColourRole::Dim,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of WCAG 2.
    fn luminance(colour: Color) -> f64 {
        let Color::Rgb(red, green, blue) = colour else { panic!("{colour:?} is not a 24-bit colour") };
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    fn contrast(one: Color, other: Color) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn every_text_is_readable() {
        let mut low = Vec::new();
        for palette in PALETTES {
            let roles = ColourRole::ALL.into_iter().filter(|role| *role != ColourRole::Border);
            let texts = roles.map(|role| (format!("{role:?}"), palette.colour(role)));
            for (name, text) in texts.chain([("text".to_owned(), palette.text)]) {
                for (below, background) in [("background", palette.background), ("selection", palette.selection)] {
                    let ratio = contrast(text, background);
                    if ratio < 4.5 {
                        low.push(format!("{} {name} on {below}: {ratio:.2}", palette.name));
                    }
                }
            }
            // A border separates and carries no text; 1.4 is what the eye still finds.
            assert!(contrast(palette.border, palette.background) > 1.4, "{}", palette.name);
        }
        assert_eq!(low, [""; 0]);
    }
}
