//! Renders a screen as an SVG image.

#![allow(clippy::cast_precision_loss, reason = "columns of a terminal are few")]

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

const CELL: (f32, f32) = (8.4, 18.0);
const PAD: f32 = 12.0;

/// Renders a screen that is drawn in 24-bit colours as SVG.
pub fn svg(buffer: &Buffer) -> String {
    let mut out = head(buffer);
    for y in 0..buffer.area.height {
        out.push_str(&row(buffer, y));
    }
    out.push_str("</svg>\n");
    out
}

/// Renders screens of equal size as one SVG that shows them one after the other, again and again. Each has its time
/// in seconds. A row that stays the same over several screens is written once. Where motion is not wanted, the
/// screen `still` is shown.
pub fn moving_svg(frames: &[(Buffer, f32)], still: usize) -> String {
    let Some((first, _)) = frames.first() else { return String::new() };
    let whole: f32 = frames.iter().map(|(_, seconds)| seconds).sum();
    let begins: Vec<f32> = (0..=frames.len())
        .map(|index| frames.iter().take(index).map(|(_, seconds)| seconds).sum::<f32>() * 100.0 / whole)
        .collect();
    let mut rows = String::new();
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for y in 0..first.area.height {
        let mut start = 0;
        while start < frames.len() {
            let text = row(&frames[start].0, y);
            let same = frames[start..].iter().take_while(|(buffer, _)| row(buffer, y) == text).count();
            let end = start + same;
            if start == 0 && end == frames.len() {
                rows.push_str(&text);
            } else if !text.is_empty() {
                rows.push_str(&format!("<g class=\"f{start}-{end}\">\n{text}</g>\n"));
                if !spans.contains(&(start, end)) {
                    spans.push((start, end));
                }
            }
            start = end;
        }
    }
    spans.sort_unstable();
    let mut style = String::from("<style>\n");
    for (start, end) in spans {
        let name = format!("f{start}-{end}");
        let close = if end == frames.len() { String::new() } else { format!("{:.2}%{{opacity:0}}", begins[end]) };
        let open = if start == 0 { String::new() } else { "0%{opacity:0}".to_owned() };
        style.push_str(&format!(
            "@keyframes {name}{{{open}{:.2}%{{opacity:1}}{close}}}\n\
             .{name}{{animation:{name} {whole}s infinite step-end}}\n\
             @media (prefers-reduced-motion){{.{name}{{animation:none;opacity:{}}}}}\n",
            begins[start],
            u8::from((start..end).contains(&still)),
        ));
    }
    format!("{}{style}</style>\n{rows}</svg>\n", head(first))
}

fn head(buffer: &Buffer) -> String {
    let area = buffer.area;
    let width = f32::from(area.width) * CELL.0 + 2.0 * PAD;
    let height = f32::from(area.height) * CELL.1 + 2.0 * PAD;
    let paper = buffer.content.first().map_or_else(String::new, |cell| hex(cell.bg));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-size=\"14\" \
         font-family=\"ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{paper}\"/>\n"
    )
}

/// One row of a screen.
fn row(buffer: &Buffer, y: u16) -> String {
    let mut out = String::new();
    let paper = buffer.content.first().map_or(Color::Reset, |cell| cell.bg);
    let mut x = 0;
    while x < buffer.area.width {
        let style = cell_style(&buffer[(x, y)], paper);
        let start = x;
        let mut text = String::new();
        while x < buffer.area.width && cell_style(&buffer[(x, y)], paper) == style {
            text.push_str(buffer[(x, y)].symbol());
            x += 1;
        }
        piece(&mut out, (start, y), x - start, &text, style);
    }
    out
}

fn hex(colour: Color) -> String {
    match colour {
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        other => panic!("{other:?} is not a 24-bit colour"),
    }
}

/// Text colour, background colour, bold, underlined.
type CellStyle = (Color, Option<Color>, bool, bool);

fn cell_style(cell: &Cell, paper: Color) -> CellStyle {
    let modifier = cell.modifier;
    let bold = modifier.contains(Modifier::BOLD);
    let under = modifier.contains(Modifier::UNDERLINED);
    let (ink, back) = if modifier.contains(Modifier::REVERSED) { (cell.bg, cell.fg) } else { (cell.fg, cell.bg) };
    (ink, (back != paper).then_some(back), bold, under)
}

fn piece(out: &mut String, at: (u16, u16), cells: u16, text: &str, (ink, paper, bold, under): CellStyle) {
    let (x, y) = (PAD + f32::from(at.0) * CELL.0, PAD + f32::from(at.1) * CELL.1);
    let width = f32::from(cells) * CELL.0;
    if let Some(paper) = paper {
        out.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{}\" fill=\"{}\"/>\n",
            CELL.1,
            hex(paper)
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
                "<text x=\"{left:.1}\" y=\"{:.1}\" textLength=\"{length:.1}\" fill=\"{}\"{weight}{line}>{escaped}</text>\n",
                y + 13.5,
                hex(ink)
            ));
        }
        column += count + 1;
    }
}
