//! The loaded rows of the event list. More are requested when the selection comes near an end, and distant rows are
//! dropped.

use crate::recordings::event_list::PageEdge;
use crate::recordings::store::EventListRow;

/// The number of rows in a request.
pub const PAGE: usize = 200;
/// The maximum number of loaded rows.
const HELD: usize = 4 * PAGE;
/// The distance from an end at which more rows are requested.
const NEAR: usize = 60;

/// A section of the list, the oldest row first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventListWindow {
    pub rows: Vec<EventListRow>,
    pub selected: usize,
    /// Whether the first row is the oldest of all, and the last row the newest.
    pub begins: bool,
    pub ends: bool,
    /// Whether a page was requested.
    requested: bool,
}

impl EventListWindow {
    /// The selected row.
    pub fn row(&self) -> Option<&EventListRow> {
        self.rows.get(self.selected)
    }

    /// Returns whether the newest event of all is selected.
    pub fn at_end(&self) -> bool {
        self.ends && self.selected + 1 >= self.rows.len()
    }

    /// Moves the selection within the loaded rows.
    pub fn step(&mut self, by: isize) {
        self.selected = self.selected.saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
    }

    /// The page to request now, if any.
    pub fn next_page(&mut self) -> Option<PageEdge> {
        let edge = match (self.rows.first(), self.rows.last()) {
            _ if self.requested => None,
            (Some(first), _) if !self.begins && self.selected < NEAR => Some(PageEdge::Before(first.position())),
            (_, Some(last)) if !self.ends && self.selected + NEAR >= self.rows.len() => {
                Some(PageEdge::After(last.position()))
            }
            _ => None,
        };
        self.requested |= edge.is_some();
        edge
    }

    /// Forgets the requested page, so that it can be requested again.
    pub fn clear_requested(&mut self) {
        self.requested = false;
    }

    /// Records that a page was requested.
    pub fn set_requested(&mut self) {
        self.requested = true;
    }

    /// Adds a page. The selected event stays selected, even if its index changes.
    pub fn add_page(&mut self, edge: PageEdge, mut rows: Vec<EventListRow>, limit: usize) {
        self.requested = false;
        let seq = self.row().map(|row| row.seq);
        let whole = rows.len() < limit;
        match edge {
            PageEdge::Newest => {
                rows.reverse();
                (self.begins, self.ends) = (whole, true);
                self.selected = rows.len().saturating_sub(1);
                self.rows = rows;
                return;
            }
            PageEdge::Oldest => {
                (self.begins, self.ends) = (true, whole);
                self.selected = 0;
                self.rows = rows;
                return;
            }
            PageEdge::Before(_) => {
                rows.reverse();
                self.begins = whole;
                rows.append(&mut self.rows);
                self.rows = rows;
                if self.rows.len() > HELD {
                    self.rows.truncate(HELD);
                    self.ends = false;
                }
            }
            PageEdge::After(_) => {
                self.ends = whole;
                self.rows.extend(rows);
                let over = self.rows.len().saturating_sub(HELD);
                if over > 0 {
                    self.rows.drain(..over);
                    self.begins = false;
                }
            }
            PageEdge::From(_) => {
                (self.begins, self.ends) = (false, whole);
                self.selected = 0;
                self.rows = rows;
                return;
            }
            PageEdge::Refresh(_) => {
                self.ends = whole;
                self.rows.truncate(1);
                self.rows.extend(rows);
            }
        }
        let place = seq.and_then(|seq| self.rows.iter().position(|row| row.seq == seq));
        self.selected = place.unwrap_or(self.selected).min(self.rows.len().saturating_sub(1));
    }

    /// A request that refreshes the loaded rows.
    pub fn refresh_request(&self) -> Option<(PageEdge, usize)> {
        self.rows.first().map(|first| (PageEdge::Refresh(first.position()), self.rows.len().max(PAGE)))
    }
}
