//! Positions in a list that is longer than its area: the row under the cursor, and the visible rows.

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
