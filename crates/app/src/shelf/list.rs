//! The rows around the cursor. Others are asked for when the cursor comes near the end of them, and the farthest let go.

use super::asks::Edge;
use crate::recordings::Row;

/// Rows that are asked for at a time.
pub const PAGE: usize = 200;
/// Rows that are held.
const HELD: usize = 4 * PAGE;
/// So near an end more are asked for.
const NEAR: usize = 60;

/// A part of the list, the oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventList {
    pub rows: Vec<Row>,
    pub selected: usize,
    /// Nothing stands before the first row, or after the last one.
    pub begins: bool,
    pub ends: bool,
    /// A page has been asked for.
    asked: bool,
}

impl EventList {
    /// The row under the cursor.
    pub fn row(&self) -> Option<&Row> {
        self.rows.get(self.selected)
    }

    /// The cursor is on the newest of all.
    pub fn at_end(&self) -> bool {
        self.ends && self.selected + 1 >= self.rows.len()
    }

    /// Moves the cursor among what is held.
    pub fn step(&mut self, by: isize) {
        self.selected = self.selected.saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
    }

    /// A page that is wanted now, and has not been asked for yet.
    pub fn wants(&mut self) -> Option<Edge> {
        let edge = match (self.rows.first(), self.rows.last()) {
            _ if self.asked => None,
            (Some(first), _) if !self.begins && self.selected < NEAR => Some(Edge::Before(first.place())),
            (_, Some(last)) if !self.ends && self.selected + NEAR >= self.rows.len() => Some(Edge::After(last.place())),
            _ => None,
        };
        self.asked |= edge.is_some();
        edge
    }

    /// What was asked for is not waited for any more.
    pub fn forget_asked(&mut self) {
        self.asked = false;
    }

    /// Another page is on its way.
    pub fn asked(&mut self) {
        self.asked = true;
    }

    /// Takes a page. The event under the cursor stays under it, wherever it stands now.
    pub fn take(&mut self, edge: Edge, mut rows: Vec<Row>, limit: usize) {
        self.asked = false;
        let seq = self.row().map(|row| row.seq);
        let whole = rows.len() < limit;
        match edge {
            Edge::Newest => {
                rows.reverse();
                (self.begins, self.ends) = (whole, true);
                self.selected = rows.len().saturating_sub(1);
                self.rows = rows;
                return;
            }
            Edge::Oldest => {
                (self.begins, self.ends) = (true, whole);
                self.selected = 0;
                self.rows = rows;
                return;
            }
            Edge::Before(_) => {
                rows.reverse();
                self.begins = whole;
                rows.append(&mut self.rows);
                self.rows = rows;
                if self.rows.len() > HELD {
                    self.rows.truncate(HELD);
                    self.ends = false;
                }
            }
            Edge::After(_) => {
                self.ends = whole;
                self.rows.extend(rows);
                let over = self.rows.len().saturating_sub(HELD);
                if over > 0 {
                    self.rows.drain(..over);
                    self.begins = false;
                }
            }
            Edge::From(_) => {
                (self.begins, self.ends) = (false, whole);
                self.selected = 0;
                self.rows = rows;
                return;
            }
            Edge::Again(_) => {
                self.ends = whole;
                self.rows.truncate(1);
                self.rows.extend(rows);
            }
        }
        let place = seq.and_then(|seq| self.rows.iter().position(|row| row.seq == seq));
        self.selected = place.unwrap_or(self.selected).min(self.rows.len().saturating_sub(1));
    }

    /// The rows that are held, in one more question.
    pub fn again(&self) -> Option<(Edge, usize)> {
        self.rows.first().map(|first| (Edge::Again(first.place()), self.rows.len().max(PAGE)))
    }
}
