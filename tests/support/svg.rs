//! Renders a screen as an SVG image.

#![allow(clippy::cast_precision_loss, reason = "columns of a terminal are few")]

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

const CELL: (f32, f32) = (8.4, 18.0);
const PAD: f32 = 12.0;

/// The colours of a terminal theme.
pub struct SvgPalette {
    paper: &'static str,
    ink: &'static str,
    red: &'static str,
    green: &'static str,
    magenta: &'static str,
    cyan: &'static str,
    gray: &'static str,
}

/// A dark terminal.
pub const DARK: SvgPalette = SvgPalette {
    paper: "#1b1d21",
    ink: "#d7dae0",
    red: "#f2777a",
    green: "#99cc99",
    magenta: "#d6a1d8",
    cyan: "#7fc8d2",
    gray: "#8b919c",
};

/// A light terminal.
pub const LIGHT: SvgPalette = SvgPalette {
    paper: "#fbfaf7",
    ink: "#24262b",
    red: "#b3261e",
    green: "#2b7a30",
    magenta: "#8a2e8f",
    cyan: "#0b6b7a",
    gray: "#686d76",
};

/// Renders the whole buffer as SVG.
pub fn svg(buffer: &Buffer, paint: &SvgPalette) -> String {
    let area = buffer.area;
    let width = f32::from(area.width) * CELL.0 + 2.0 * PAD;
    let height = f32::from(area.height) * CELL.1 + 2.0 * PAD;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-size=\"14\" \
         font-family=\"ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n",
        paint.paper
    );
    for y in 0..area.height {
        let mut x = 0;
        while x < area.width {
            let style = cell_style(&buffer[(x, y)], paint);
            let start = x;
            let mut text = String::new();
            while x < area.width && cell_style(&buffer[(x, y)], paint) == style {
                text.push_str(buffer[(x, y)].symbol());
                x += 1;
            }
            piece(&mut out, (start, y), x - start, &text, style);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Text colour, background colour, bold, underlined.
type CellStyle = (&'static str, Option<&'static str>, bool, bool);

fn cell_style(cell: &Cell, paint: &SvgPalette) -> CellStyle {
    let ink = match cell.fg {
        Color::Red => paint.red,
        Color::Green => paint.green,
        Color::Magenta => paint.magenta,
        Color::Cyan => paint.cyan,
        Color::DarkGray => paint.gray,
        _ => paint.ink,
    };
    let modifier = cell.modifier;
    let bold = modifier.contains(Modifier::BOLD);
    let under = modifier.contains(Modifier::UNDERLINED);
    if modifier.contains(Modifier::REVERSED) { (paint.paper, Some(ink), bold, under) } else { (ink, None, bold, under) }
}

fn piece(out: &mut String, at: (u16, u16), cells: u16, text: &str, (ink, paper, bold, under): CellStyle) {
    let (x, y) = (PAD + f32::from(at.0) * CELL.0, PAD + f32::from(at.1) * CELL.1);
    let width = f32::from(cells) * CELL.0;
    if let Some(paper) = paper {
        out.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{}\" fill=\"{paper}\"/>\n",
            CELL.1
        ));
    }
    let weight = if bold { " font-weight=\"bold\"" } else { "" };
    let line = if under { " text-decoration=\"underline\"" } else { "" };
    // Each word is placed separately, so that columns align with any font.
    let mut column = 0;
    for word in text.split(' ') {
        let count = word.chars().count();
        if count > 0 {
            let left = x + column as f32 * CELL.0;
            let length = count as f32 * CELL.0;
            let escaped = word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            out.push_str(&format!(
                "<text x=\"{left:.1}\" y=\"{:.1}\" textLength=\"{length:.1}\" fill=\"{ink}\"{weight}{line}>{escaped}</text>\n",
                y + 13.5
            ));
        }
        column += count + 1;
    }
}
