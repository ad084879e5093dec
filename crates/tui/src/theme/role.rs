//! The meanings that colours express. Styles carry roles while a frame is drawn; [`super::Shades::apply`] replaces
//! them by the colours of the terminal or of a palette.

use ratatui::style::Color;

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
