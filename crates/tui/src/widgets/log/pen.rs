//! Colours and attributes in a hook's output (SGR), mapped to the terminal's sixteen colours. Other sequences are
//! not executed.

use ratatui::style::{Color, Modifier, Style};

use crate::theme::Theme;

/// The style of the text. Packed into two bytes, because one is stored for every line of a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pen(u16);

const BOLD: u16 = 1 << 10;
const DIM: u16 = 1 << 11;
const ITALIC: u16 = 1 << 12;
const UNDERLINE: u16 = 1 << 13;
const REVERSE: u16 = 1 << 14;

const COLOURS: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// Typical values of the sixteen colours, used to find the closest one for a colour of a larger palette.
const TYPICAL_RGB: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

impl Pen {
    /// The pen as fifteen bits.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The pen with these bits.
    pub fn from_bits(bits: u16) -> Pen {
        Pen(bits & 0x7fff)
    }

    /// Applies the parameters of one `ESC [ … m`; unknown ones are ignored.
    pub fn apply(&mut self, parameters: &str) {
        let mut fields = parameters.split(';');
        while let Some(field) = fields.next() {
            let mut parts = field.split(':').map(number);
            let code = parts.next().unwrap_or(0);
            if matches!(code, 38 | 48) {
                let rest: Vec<u16> = parts.collect();
                let colour = if rest.is_empty() { spread(&mut fields) } else { joined(&rest) };
                if let Some(colour) = colour {
                    self.set_colour(code == 48, Some(colour));
                }
            } else if code == 4 && parts.next() == Some(0) {
                self.0 &= !UNDERLINE;
            } else {
                self.plain(code);
            }
        }
    }

    fn plain(&mut self, code: u16) {
        let low = |code: u16, from: u16| u8::try_from(code - from).unwrap_or(0);
        match code {
            0 => *self = Pen::default(),
            1 => self.0 |= BOLD,
            2 => self.0 |= DIM,
            3 => self.0 |= ITALIC,
            4 | 21 => self.0 |= UNDERLINE,
            7 => self.0 |= REVERSE,
            22 => self.0 &= !(BOLD | DIM),
            23 => self.0 &= !ITALIC,
            24 => self.0 &= !UNDERLINE,
            27 => self.0 &= !REVERSE,
            30..=37 => self.set_colour(false, Some(low(code, 30))),
            39 => self.set_colour(false, None),
            40..=47 => self.set_colour(true, Some(low(code, 40))),
            49 => self.set_colour(true, None),
            90..=97 => self.set_colour(false, Some(low(code, 90) + 8)),
            100..=107 => self.set_colour(true, Some(low(code, 100) + 8)),
            _ => {}
        }
    }

    fn set_colour(&mut self, back: bool, colour: Option<u8>) {
        let shift = if back { 5 } else { 0 };
        let value = colour.map_or(0, |c| u16::from(c & 15) + 1);
        self.0 = self.0 & !(0x1f << shift) | value << shift;
    }

    fn colour(self, shift: u16) -> Option<usize> {
        usize::from(self.0 >> shift & 0x1f).checked_sub(1)
    }

    /// The style under a theme. Black and white without a background are left to the terminal, because one of them
    /// is its background colour.
    pub fn style(self, theme: Theme) -> Style {
        let mut style = Style::new();
        if theme.colour {
            let (fore, back) = (self.colour(0), self.colour(5));
            let readable = |c: &usize| back.is_some() || !matches!(c, 0 | 7 | 15);
            if let Some(colour) = fore.filter(readable).and_then(|c| COLOURS.get(c)) {
                style = style.fg(*colour);
            }
            if let Some(colour) = back.and_then(|c| COLOURS.get(c)) {
                style = style.bg(*colour);
            }
        }
        let attributes = [
            (BOLD, Modifier::BOLD),
            (DIM, Modifier::DIM),
            (ITALIC, Modifier::ITALIC),
            (UNDERLINE, Modifier::UNDERLINED),
            (REVERSE, Modifier::REVERSED),
        ];
        for (bit, modifier) in attributes {
            if self.0 & bit != 0 {
                style = style.add_modifier(modifier);
            }
        }
        style
    }
}

fn number(text: &str) -> u16 {
    text.parse().unwrap_or(0)
}

/// Parses `38;5;N` and `38;2;R;G;B`, whose values are in the following fields.
fn spread<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<u8> {
    let mut next = || fields.next().map(number);
    match next()? {
        5 => Some(of_palette(next()?)),
        2 => Some(nearest(next()?, next()?, next()?)),
        _ => None,
    }
}

/// Parses `38:5:N`, `38:2:R:G:B` and `38:2:SPACE:R:G:B`.
fn joined(parts: &[u16]) -> Option<u8> {
    match parts {
        [5, index, ..] => Some(of_palette(*index)),
        [2, r, g, b] | [2, _, r, g, b, ..] => Some(nearest(*r, *g, *b)),
        _ => None,
    }
}

/// A colour of the 256-colour palette: sixteen colours, a 6×6×6 cube, a ramp of greys.
fn of_palette(index: u16) -> u8 {
    let step = |level: u16| if level == 0 { 0 } else { 55 + 40 * level };
    match index {
        0..=15 => u8::try_from(index).unwrap_or(0),
        16..=231 => {
            let cube = index - 16;
            nearest(step(cube / 36), step(cube / 6 % 6), step(cube % 6))
        }
        _ => {
            let grey = 8 + 10 * (index.min(255) - 232);
            nearest(grey, grey, grey)
        }
    }
}

fn nearest(r: u16, g: u16, b: u16) -> u8 {
    let square = |a: u16, b: u8| i32::from(a.min(255)).abs_diff(i32::from(b)).pow(2);
    let far = |(x, y, z): (u8, u8, u8)| square(r, x) + square(g, y) + square(b, z);
    (0u8..16).zip(TYPICAL_RGB).min_by_key(|(_, look)| far(*look)).map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_become_styles() {
        let theme = Theme { colour: true, unicode: true };
        let plain = Style::new();
        for (parameters, want) in [
            ("", plain),
            ("0", plain),
            ("31", plain.fg(Color::Red)),
            ("1;4;32", plain.fg(Color::Green).add_modifier(Modifier::BOLD | Modifier::UNDERLINED)),
            ("31;0", plain),
            ("1;22", plain),
            ("4:3", plain.add_modifier(Modifier::UNDERLINED)),
            ("4;4:0", plain),
            ("7;27;3", plain.add_modifier(Modifier::ITALIC)),
            ("91", plain.fg(Color::LightRed)),
            ("31;39;42;49", plain),
            ("38;5;9", plain.fg(Color::LightRed)),
            ("38;5;196", plain.fg(Color::LightRed)),
            ("38;5;46;1", plain.fg(Color::LightGreen).add_modifier(Modifier::BOLD)),
            ("38;2;200;10;5", plain.fg(Color::Red)),
            ("38:2::10:200:5", plain.fg(Color::Green)),
            ("38:5:4", plain.fg(Color::Blue)),
            ("48;5;244", plain.bg(Color::DarkGray)),
            ("37;41", plain.fg(Color::Gray).bg(Color::Red)),
            // One of them is the background of the terminal.
            ("30", plain),
            ("97", plain),
            ("5;8;53;99999;x", plain),
            ("38", plain),
            ("38;5", plain),
            ("38;7;31", plain.fg(Color::Red)),
        ] {
            let mut pen = Pen::default();
            pen.apply(parameters);
            assert_eq!(pen.style(theme), want, "{parameters}");
            assert_eq!(Pen::from_bits(pen.bits()), pen);
        }
        let mut pen = Pen::default();
        pen.apply("1;31;44");
        assert_eq!(pen.style(Theme { colour: false, unicode: true }), plain.add_modifier(Modifier::BOLD));
    }
}
