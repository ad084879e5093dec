//! Positions in a list that is longer than its area: the row under the cursor, and the visible rows.

use crossterm::event::KeyCode;

/// Lines scrolled by one turn of the wheel.
pub const WHEEL_LINES: isize = 3;

/// Returns the row that a step leads to in a list of `len` rows.
pub fn step(cursor: usize, by: isize, len: usize) -> usize {
    cursor.saturating_add_signed(by).min(len.saturating_sub(1))
}

/// Returns the first visible line of a text of `len` lines after scrolling.
pub fn scroll(top: usize, by: isize, len: usize, room: usize) -> usize {
    let last = len.saturating_sub(room);
    top.min(last).saturating_add_signed(by).min(last)
}

/// The visible rows of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListWindow {
    /// The first visible row, which is the number of hidden rows above.
    pub first: usize,
    /// The number of hidden rows below.
    pub below: usize,
}

impl ListWindow {
    /// The rows from `top`, or as far down as `len` rows allow.
    pub fn from(top: usize, len: usize, room: usize) -> ListWindow {
        let first = top.min(len.saturating_sub(room));
        ListWindow { first, below: len.saturating_sub(first + room) }
    }

    /// The rows around the cursor, which is centred as far as the list allows.
    pub fn around(cursor: usize, len: usize, room: usize) -> ListWindow {
        ListWindow::from(cursor.saturating_sub(room / 2), len, room)
    }

    /// The numbers of hidden rows above and below.
    pub fn hidden(self) -> (usize, usize) {
        (self.first, self.below)
    }
}

/// The number of hidden rows, for example `2 above, 3 below`.
pub fn hidden_words(above: usize, below: usize) -> String {
    let part = |count: usize, word: &str| (count > 0).then(|| format!("{count} {word}"));
    [part(above, "above"), part(below, "below")].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The row that a key moves to in a list filtered by typing; `None` if the key does not move.
pub fn moved_row(code: KeyCode, control: bool, selected: usize, last: usize) -> Option<usize> {
    match code {
        KeyCode::Up => Some(-1),
        KeyCode::Down => Some(1),
        KeyCode::PageUp => Some(-10),
        KeyCode::PageDown => Some(10),
        KeyCode::Char('p') if control => Some(-1),
        KeyCode::Char('n') if control => Some(1),
        _ => None,
    }
    .map(|by| step(selected, by, last + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_through_a_list_and_never_out_of_it() {
        let to = |code, control, from| moved_row(code, control, from, 12);
        let cases = [
            (KeyCode::Up, false, 0, Some(0)),
            (KeyCode::Up, false, 5, Some(4)),
            (KeyCode::Down, false, 12, Some(12)),
            (KeyCode::PageUp, false, 12, Some(2)),
            (KeyCode::PageDown, false, 5, Some(12)),
            (KeyCode::Char('p'), true, 5, Some(4)),
            (KeyCode::Char('n'), true, 5, Some(6)),
            // Without Ctrl they are text.
            (KeyCode::Char('p'), false, 5, None),
            (KeyCode::Char('n'), false, 5, None),
        ];
        for (code, control, from, want) in cases {
            assert_eq!(to(code, control, from), want, "{code:?} from {from}");
        }
    }
}
