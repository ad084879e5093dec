//! The last step of a frame: tokens become the colours of the terminal or of a palette.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use super::palette::Palette;
use super::token::Token;

/// The colours that stand for the tokens.
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
    /// Replaces the tokens of a drawn frame.
    pub fn apply(self, buf: &mut Buffer) {
        for cell in &mut buf.content {
            match self {
                Shades::Terminal => terminal(cell),
                Shades::OnLight => indexed(cell, light),
                Shades::OnDark => indexed(cell, dark),
                Shades::Palette(palette) => painted(cell, palette),
            }
        }
    }
}

/// The terminal's own colours. The background may be light or dark, so that neither yellow nor blue text is used:
/// danger shares magenta with questions, and the accent is bold.
fn terminal(cell: &mut Cell) {
    let Color::Indexed(_) = cell.fg else { return };
    let colour = match Token::of(cell.fg) {
        Some(Token::Dim) => Color::DarkGray,
        Some(Token::Border) => {
            cell.modifier |= Modifier::DIM;
            Color::DarkGray
        }
        Some(Token::Deny) => Color::Red,
        Some(Token::Ok) => Color::Green,
        // A chip has a colour of its own behind its letters, so yellow is readable there on any background.
        Some(Token::Danger) if cell.modifier.contains(Modifier::REVERSED) => {
            cell.modifier -= Modifier::REVERSED;
            cell.bg = Color::Yellow;
            Color::Black
        }
        Some(Token::Danger | Token::Ask) => Color::Magenta,
        Some(Token::Accent) => {
            cell.modifier |= Modifier::BOLD;
            Color::Reset
        }
        None => cell.fg,
    };
    cell.fg = colour;
}

/// Colours out of 256. Each has a contrast of at least 4.5:1 to its background.
fn indexed(cell: &mut Cell, shade: fn(Token) -> u8) {
    if let Some(token) = Token::of(cell.fg) {
        cell.fg = Color::Indexed(shade(token));
    }
}

fn light(token: Token) -> u8 {
    match token {
        Token::Dim => 241,
        Token::Accent => 25,
        Token::Deny => 124,
        Token::Danger => 94,
        Token::Ok => 22,
        Token::Ask => 90,
        Token::Border => 250,
    }
}

fn dark(token: Token) -> u8 {
    match token {
        Token::Dim => 247,
        Token::Accent => 111,
        Token::Deny => 210,
        Token::Danger => 221,
        Token::Ok => 114,
        Token::Ask => 177,
        Token::Border => 239,
    }
}

/// 24-bit colours. A row that is reversed as a whole is the selected one: it gets a background of its own, which is
/// calmer than the inverse.
fn painted(cell: &mut Cell, palette: &Palette) {
    let selected = cell.modifier == Modifier::REVERSED && cell.fg == Color::Reset;
    if selected {
        cell.modifier = Modifier::BOLD;
        (cell.fg, cell.bg) = (palette.text, palette.selection);
        return;
    }
    let own_background = cell.bg != Color::Reset;
    cell.bg = Token::of(cell.bg).map_or(palette.background, |token| palette.colour(token));
    cell.fg = match Token::of(cell.fg) {
        _ if own_background => palette.background,
        Some(token) => palette.colour(token),
        None if cell.modifier.contains(Modifier::DIM) => palette.colour(Token::Dim),
        None => palette.text,
    };
    cell.modifier -= Modifier::DIM;
}
