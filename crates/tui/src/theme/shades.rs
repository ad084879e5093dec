//! The last step of a frame: roles become the colours of the terminal or of a palette.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use super::palette::Palette;
use super::role::{ColourRole, SELECTED};

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
