//! The question before a hook runs for the first time: every command in full, and no yes before the end was seen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::app::ConsentItem;
use crate::tui::popup::{frame, row};
use crate::tui::theme::Theme;
use crate::tui::widgets::{Cells, wrap};

/// `1 needs the agent's model`, `2 need the agent's model`.
pub fn need(number: usize, needs: &str) -> String {
    let plural = needs.strip_prefix("needs ").filter(|_| number > 1);
    plural.map_or_else(|| format!("{number} {needs}"), |what| format!("{number} need {what}"))
}

/// Rows of text in the consent popup, and how many of them fit.
fn rows_and_room(items: &[ConsentItem], size: (u16, u16)) -> (Vec<(bool, String)>, usize) {
    let columns = usize::from(size.0.min(WIDEST)).saturating_sub(4).max(8);
    let mut rows = Vec::new();
    for item in items {
        let line = [(Style::new(), item.command.clone())];
        for row in wrap(&line, columns, 2) {
            rows.push((true, row.into_iter().map(|(_, text)| text).collect()));
        }
        rows.push((false, format!("  {}", item.source)));
    }
    (rows, usize::from(size.1.saturating_sub(4 + below(size.1))).max(1))
}

/// Rows below the commands: the warning and the keys with air between, or only the keys.
fn below(height: u16) -> u16 {
    if height < 10 { 1 } else { 4 }
}

/// Widest consent popup.
const WIDEST: u16 = 96;

/// Whether the last row is on the screen.
pub fn reaches_end(items: &[ConsentItem], top: usize, size: (u16, u16)) -> bool {
    let (rows, room) = rows_and_room(items, size);
    top.min(rows.len().saturating_sub(room)) + room >= rows.len()
}

/// Draws the question; `top` is the first row shown, `others` how many hooks run nothing here, and what they need.
pub fn draw(
    items: &[ConsentItem],
    others: &[(usize, &'static str)],
    top: usize,
    area: Rect,
    buf: &mut Buffer,
    theme: Theme,
) {
    let (rows, room) = rows_and_room(items, (area.width, area.height));
    let shown = rows.len().min(room);
    let below = below(area.height);
    let height = u16::try_from(shown).unwrap_or(u16::MAX).saturating_add(2 + below);
    let count = if items.len() == 1 {
        "This command would run".to_owned()
    } else {
        format!("These {} commands would run", items.len())
    };
    let others = others.iter().map(|(number, needs)| format!("; {}", need(*number, needs)));
    let inner = frame(area, buf, theme, &format!("{count}{}", others.collect::<String>()), WIDEST, height);
    let top = top.min(rows.len().saturating_sub(room));
    for (index, (command, text)) in rows.iter().skip(top).take(shown).enumerate() {
        Cells::new(row(inner, index), buf, theme).put(if *command { theme.strong() } else { theme.quiet() }, text);
    }
    let says = "Remembered for these settings; later edits of the scripts run too.";
    if below > 1 {
        Cells::new(row(inner, shown + 1), buf, theme).put(theme.quiet(), says);
    }
    let mut keys = Cells::new(row(inner, shown + usize::from(below) - 1), buf, theme);
    if reaches_end(items, top, (area.width, area.height)) {
        keys.put(theme.name(), "y").put(theme.plain(), " run them   ");
    } else {
        let more = rows.len() - top - shown;
        let rows = if more == 1 { "row" } else { "rows" };
        // Where it is too narrow for a sentence, the way to the end and the way out.
        let says =
            if inner.width < 30 { format!(" {more} more   ") } else { format!(" {more} more {rows}, then y   ") };
        keys.put(theme.name(), "j").put(theme.plain(), &says);
    }
    keys.put(theme.name(), "n").put(theme.plain(), " no");
}
